/** The responses of operations in the OpenAPI document: for each status its headers, its schema and its error codes. */
import type { ErrorEnvelope } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import { ALWAYS_POSSIBLE, ERROR_CODES, ERRORS } from './errors.ts';
import { EXAMPLES } from './examples.ts';
import { contentOf, fieldSchema, idOf, type Json, reference } from './openapi-schemas.ts';
import type { Operation } from './operation.ts';
import { isUnified, refusalsOf } from './operation.ts';
import { presenceOf, RESPONSE_HEADERS, type ResponseHeaderName } from './response-headers.ts';
import { UNIFIED_PREFIX } from './unified.ts';
import { REFUSED_AROUND_ROUTING, REFUSED_BEFORE_ROUTING, unifiedErrorOf } from './unified-errors.ts';

const UNCHANGED = 'Not modified: the ETag matches If-None-Match. The response has no body.';
const HEADER_NAMES = Object.keys(RESPONSE_HEADERS) as ResponseHeaderName[];

/** Responses by status. An alternative and a refusal with the same status differ in their schemas. */
export function responsesOf(operation: Operation): Record<string, Json> {
  const { id, success, alternative } = operation;
  const recorded = EXAMPLES[id]?.response;
  const responseEntries = alternative === undefined ? [success] : [success, alternative];
  const responses: Record<string, Json> = {};
  for (const { status, description, schema } of responseEntries) {
    const example = recorded?.status === status ? { example: recorded.body } : {};
    const content = schema === undefined ? {} : { content: contentOf(schema, example) };
    responses[status] = { description, headers: headersOf(operation, [undefined]), ...content };
  }
  if (operation.hasEtag) responses[304] = { description: UNCHANGED, headers: headersOf(operation, [undefined]) };
  for (const [status, codes] of Map.groupBy(refusalsOf(operation, ALWAYS_POSSIBLE), (code) => ERRORS[code].status)) {
    if (status === success.status) throw new Error(`${id} has two schemas for status ${status}: give the refusal another status`);
    const refused = refusal(operation, codes);
    responses[status] = status === alternative?.status ? eitherOf(alternative, operation, refused) : refused;
  }
  return responses;
}

/** A response that is either the alternative resource or a refusal with the same status. */
function eitherOf({ description, schema }: NonNullable<Operation['alternative']>, operation: Operation, refused: Refusal) {
  const { 'application/json': media } = refused.content;
  const resource = { $ref: reference('schemas', idOf(schema)) };
  return {
    description: `${description} Or ${refused.description}`,
    headers: { ...headersOf(operation, [undefined]), ...refused.headers },
    content: { 'application/json': { ...media, schema: { anyOf: [resource, media.schema] } } },
  };
}

export const UNROUTED_CODES: readonly ErrorCode[] = ['path_not_found', 'method_not_allowed', 'rate_limited'];

/** Responses to requests that match no operation. */
export function unroutedResponses(): Json {
  const allow = { description: 'The methods of the path.', schema: { type: 'string' } };
  const counted = Object.fromEntries(
    (['ratelimit-policy', 'ratelimit'] as const).map((name) => [name, { $ref: reference('headers', name) }]),
  );
  const waits = { 'retry-after': { $ref: reference('headers', 'retry-after') } };
  return {
    description: `Responses to requests that match no operation. Under ${UNIFIED_PREFIX} they are the info of a UnifiedError.`,
    404: { ...envelope(['path_not_found']), headers: counted },
    405: { ...envelope(['method_not_allowed']), headers: { ...counted, Allow: allow } },
    429: { ...envelope(['rate_limited']), headers: { ...counted, ...waits } },
  };
}

/** The headers that responses of the operations can have. */
export function componentHeaders(operations: readonly Operation[]): Json {
  const isPresent = (name: ResponseHeaderName, operation: Operation) =>
    presenceOf(name, operation, [undefined, ...refusalsOf(operation, ALWAYS_POSSIBLE)]) !== 'never';
  const present = HEADER_NAMES.filter((name) => operations.some((operation) => isPresent(name, operation)));
  return Object.fromEntries(
    present.map((name) => {
      const { description, schema } = RESPONSE_HEADERS[name];
      return [name, { description, schema: fieldSchema(schema) }];
    }),
  );
}

/** An example response for each code that the operations can return, in each of its shapes. */
export function componentExamples(operations: readonly Operation[]): Json {
  const [unified, native] = [true, false].map((is) => codesOf(operations.filter((operation) => isUnified(operation) === is)));
  const enveloped = new Set([...native!, ...REFUSED_BEFORE_ROUTING, ...REFUSED_AROUND_ROUTING]);
  const shaped = unified!.filter((code) => !REFUSED_BEFORE_ROUTING.includes(code));
  const summary = (code: ErrorCode) => ERRORS[code].cause;
  return {
    ...Object.fromEntries([...enveloped].map((code) => [code, { summary: summary(code), value: exampleEnvelope(code) }])),
    ...Object.fromEntries(
      shaped.map((code) => [unifiedName(code), { summary: summary(code), value: unifiedErrorOf(exampleEnvelope(code)) }]),
    ),
  };
}

/** The codes that responses of these operations can have. */
export function codesOf(operations: readonly Operation[]): ErrorCode[] {
  const met = new Set(operations.flatMap((operation) => refusalsOf(operation, ALWAYS_POSSIBLE)));
  return ERROR_CODES.filter((code) => met.has(code));
}

function unifiedName(code: ErrorCode): string {
  return `unified_${code}`;
}

type Refusal = ReturnType<typeof refusal>;

function refusal(operation: Operation, codes: readonly ErrorCode[]) {
  const isShaped = (code: ErrorCode) => isUnified(operation) && !REFUSED_BEFORE_ROUTING.includes(code);
  const examples = Object.fromEntries(
    codes.map((code) => {
      const name = isShaped(code) ? unifiedName(code) : code;
      return [name, { $ref: reference('examples', name) }];
    }),
  );
  const { description, content } = envelope(codes, codes.filter(isShaped));
  return {
    description,
    headers: headersOf(operation, codes),
    content: { 'application/json': { ...content['application/json'], examples } },
  };
}

/** The error envelope, narrowed to these codes. `shaped` codes have the shape of the unified library; some of them have both shapes. */
function envelope(codes: readonly ErrorCode[], shaped: readonly ErrorCode[] = []) {
  const plain = codes.filter((code) => !shaped.includes(code) || REFUSED_AROUND_ROUTING.includes(code));
  const schemas = [...narrowed('UnifiedError', shaped), ...narrowed('Error', plain)];
  return {
    description: codes.map((code) => `${code}: ${ERRORS[code].cause}`).join(' '),
    content: { 'application/json': { schema: schemas.length === 1 ? schemas[0] : { anyOf: schemas } } },
  };
}

function narrowed(schema: 'Error' | 'UnifiedError', codes: readonly ErrorCode[]): Json[] {
  if (codes.length === 0) return [];
  const narrow = { type: 'object', properties: { code: { type: 'string', enum: codes } } };
  return [{ allOf: [{ $ref: reference('schemas', schema) }, narrow] }];
}

function headersOf(operation: Operation, codes: readonly (ErrorCode | undefined)[]): Json {
  const present = HEADER_NAMES.filter((name) => presenceOf(name, operation, codes) !== 'never');
  return Object.fromEntries(present.map((name) => [name, { $ref: reference('headers', name) }]));
}

function exampleEnvelope(code: ErrorCode): ErrorEnvelope {
  const { cause, whatToDo, retryable, recoveryActions } = ERRORS[code];
  return {
    version: 'external-rest-error/v1',
    requestId: '0f8fad5b-d9cb-469f-a165-70867728950e',
    code,
    safeMessage: `${cause} ${whatToDo}`,
    retryable,
    recoveryActions: [...recoveryActions],
    occurredAtEpochMs: 1_700_000_000_000,
    ...(code === 'unauthorized' ? { apiKeyRejection: 'revoked' } : {}),
  };
}
