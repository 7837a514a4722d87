/**
 * The responses that the tests of a run have seen, over all test files: each process appends new ones to a file of its own, in
 * the directory that vitest.config.ts created for the run.
 */
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { openApiDocument } from '#contract/openapi.ts';
import type { Operation } from '#contract/operation.ts';
import { valuesIn } from './published-values.ts';
import type { JsonSchema } from './valid-value.ts';

const directory = process.env.OPENPERP_OBSERVED;
const seen = new Set<string>();
let document: JsonSchema;

/** Notes a response of an operation that was found to be as declared. */
export function observe(operation: Operation, status: number, body: unknown): void {
  const { id, success, alternative } = operation;
  const code = (body as { code?: string } | undefined)?.code;
  const isSuccess = status === success.status;
  const schema = isSuccess
    ? success.schema
    : status === alternative?.status && code === undefined
      ? alternative.schema
      : undefined;
  note(responseLine(id, status, isSuccess ? undefined : code));
  document ??= openApiDocument();
  const name = schema?.meta()?.id ?? (code === undefined ? undefined : 'info' in (body as object) ? 'UnifiedError' : 'Error');
  if (name !== undefined) for (const value of valuesIn(document, name, body)) note(value);
}

/** Notes the envelope of a refusal without an operation. */
export function observeRefusal(body: unknown): void {
  document ??= openApiDocument();
  for (const value of valuesIn(document, 'Error', body)) note(value);
}

export function responseLine(id: string, status: number, code?: string): string {
  return code === undefined ? `${id} answers ${status}` : `${id} answers ${status} ${code}`;
}

/** Everything observed in this run so far. */
export function observed(): ReadonlySet<string> {
  if (directory === undefined) throw new Error('OPENPERP_OBSERVED is not set: see vitest.config.ts');
  return new Set(readdirSync(directory).flatMap((file) => readFileSync(join(directory, file), 'utf8').split('\n')));
}

function note(line: string): void {
  if (seen.has(line) || directory === undefined) return;
  seen.add(line);
  appendFileSync(join(directory, `${process.pid}-${threadId}`), `${line}\n`);
}
