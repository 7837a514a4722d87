/** The fields of a specification that a command line gives: those of a JSON file, then those of `--set`. */
import { readFileSync } from 'node:fs';
import { UsageFault } from '#app/config.ts';
import { problemText } from '#contract/parse.ts';
import { type SpecificationChanges, specificationChanges } from '#operator/specification-changes.ts';

/** Throws {@link UsageFault} for a file that cannot be read, and for a field that a specification does not have. */
export function changesOf(file: string | undefined, set: string | undefined): SpecificationChanges {
  const changes = { ...(file !== undefined && fieldsOf(file)), ...(set !== undefined && assignmentsOf(set)) };
  const parsed = specificationChanges.safeParse(changes);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const field = issue.code === 'unrecognized_keys' ? issue.keys[0]! : String(issue.path[0]);
  const source = set?.includes(`${field}=`) ? '--set' : '--file';
  if (issue.code === 'unrecognized_keys')
    throw new UsageFault(`${source} ${field}: a specification has no such field; see market list --json`);
  throw new UsageFault(`${source} ${field} ${problemText(issue, (changes as Record<string, unknown>)[field])}`);
}

function fieldsOf(path: string): object {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UsageFault(`--file ${path}: ${(error as Error).message}`);
  }
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw new UsageFault(`--file ${path}: is no JSON; write an object such as {"maxLeverageX": 10}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    throw new UsageFault(`--file ${path}: expected an object of fields, such as {"maxLeverageX": 10}`);
  // What market create and update print has these beside the changeable fields.
  const { marketId: _, status: __, index: ___, ...fields } = content as Record<string, unknown>;
  return fields;
}

function assignmentsOf(text: string): object {
  const entries = text.split(',').map((assignment) => {
    const [field, value, ...rest] = assignment.split('=');
    if (field === undefined || field === '' || value === undefined || value === '' || rest.length > 0)
      throw new UsageFault(`--set ${text}: expected <field>=<value>[,<field>=<value>...]`);
    return [field, parsedValue(value)] as const;
  });
  return Object.fromEntries(entries);
}

function parsedValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?[0-9]+$/.test(text) ? Number(text) : text;
}
