/** Parses requests and frames by their declarations. A fault names the invalid field and the reason. */
import * as z from 'zod';
import { inexactNumber } from './exact-json.ts';
import type { Operation, Part } from './operation.ts';

type RequestPart = 'body' | 'query' | 'path' | 'frame';

const FIELD_OF: Record<RequestPart, string> = { body: 'field', query: 'query parameter', path: 'path parameter', frame: 'field' };

export type ParseResult<Value> = { readonly value: Value } | { readonly fault: string };

const NO_PARAMETERS = z.strictObject({});
const NO_BODY = z.strictObject({}).optional();

export function parsePath<Declared extends Operation>(
  { params }: Declared,
  value: unknown,
): ParseResult<Part<Declared, 'params'>> {
  return parse(params ?? NO_PARAMETERS, value, 'path') as ParseResult<Part<Declared, 'params'>>;
}

export function parseQuery<Declared extends Operation>(
  { query, acceptsAnyBody }: Declared,
  value: unknown,
): ParseResult<Part<Declared, 'query'>> {
  if (acceptsAnyBody) return { value: undefined as Part<Declared, 'query'> };
  return parse(query ?? NO_PARAMETERS, value, 'query') as ParseResult<Part<Declared, 'query'>>;
}

/** An operation without a body accepts no body or an empty object; the body of a GET is ignored. */
export function parseBody<Declared extends Operation>(
  { method, body }: Declared,
  value: unknown,
): ParseResult<Part<Declared, 'body'>> {
  if (method === 'GET') return { value: undefined as Part<Declared, 'body'> };
  return parse(body ?? NO_BODY, value, 'body') as ParseResult<Part<Declared, 'body'>>;
}

/** For values from elsewhere: a frame of the realtime service, or fields from another source. */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: 'body' | 'frame',
): ParseResult<z.output<Schema>> {
  return parse(schema, value, place) as ParseResult<z.output<Schema>>;
}

/** Stops at the first fault, so that a body with many faults costs no more than one with a single fault. */
const UNTIL_FIRST_FAULT = { async: false, abortEarly: true } as const;

function parse(schema: z.ZodType, value: unknown, place: RequestPart): ParseResult<unknown> {
  const { value: output, issues } = schema._zod.run({ value, issues: [] }, UNTIL_FIRST_FAULT) as z.core.ParsePayload;
  const [issue] = issues;
  if (issue === undefined) return { value: output };
  return { fault: explain(z.core.util.finalizeIssue(issue, undefined, z.core.config()), value, place) };
}

/** Names at most five unknown fields, each shortened, because the client chose the names. */
function explain(issue: z.core.$ZodIssue, value: unknown, place: RequestPart): string {
  if (issue.code === 'unrecognized_keys') {
    const within = issue.path.map((step) => `${String(step)}.`).join('');
    const names = issue.keys.slice(0, 5).map((key) => JSON.stringify(`${within}${key.slice(0, 64)}`));
    return `Unknown ${FIELD_OF[place]} ${names.join(', ')}: remove it.`;
  }
  if (issue.path.length === 0)
    return value === undefined ? `The ${place} is missing.` : `The ${place} ${objectProblemText(issue)}.`;
  const given = valueAt(value, issue.path);
  // A repeated query parameter is parsed as a list of its values.
  if (place === 'query' && Array.isArray(given))
    return `The query parameter ${issue.path.join('.')} was given ${given.length} times: give it once.`;
  return `The ${FIELD_OF[place]} ${issue.path.join('.')} ${problemText(issue, given)}.`;
}

/** A body is an object, or a list if its operation declares one. */
function objectProblemText(issue: z.core.$ZodIssue): string {
  const isList = (issue.code === 'invalid_type' && issue.expected === 'array') || ('origin' in issue && issue.origin === 'array');
  if (!isList) return 'must be one JSON object';
  return issue.code === 'invalid_type' ? 'must be one JSON list' : problemText(issue, []);
}

/** The fault of a value, as the rest of a sentence that starts with the name of the field. */
export function problemText(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined) return issue.code === 'custom' ? `is invalid: ${issue.message}` : 'is required';
  const inexact = inexactNumber(value);
  switch (issue.code) {
    case 'invalid_type':
      if (issue.expected === 'string' && (typeof value === 'number' || inexact !== undefined))
        return 'must be a string: put the number in quotes';
      if (inexact !== undefined && (issue.expected === 'number' || issue.expected === 'int'))
        return `is ${inexact.slice(0, 64)}, which a double cannot represent: send a number with fewer digits`;
      return `must be of type ${issue.expected === 'int' ? 'integer' : issue.expected}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' || issue.origin === 'array' ? 'must not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
      return issue.origin === 'string' ? `must have at most ${issue.maximum} characters` : `must be at most ${issue.maximum}`;
    case 'invalid_union':
      return 'does not match any of the allowed forms';
    case 'custom':
      return `is invalid: ${issue.message}`;
    default:
      return issue.message;
  }
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of path)
    inner = typeof inner === 'object' && inner !== null ? (inner as Record<PropertyKey, unknown>)[key] : undefined;
  return inner;
}
