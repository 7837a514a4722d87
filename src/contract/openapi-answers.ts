/** What operations answer, in the OpenAPI document: for each status its headers, its schema and exactly the codes it comes with. */
import type { ErrorCode, ErrorEnvelope } from './errors.ts';
import { ALWAYS_POSSIBLE, ERRORS } from './errors.ts';
import { EXAMPLES } from './examples.ts';
import { contentOf, fieldSchema, type Json, reference } from './openapi-schemas.ts';
import type { Operation } from './operation.ts';
import { refusalsOf } from './operation.ts';
import { presenceOf, RESPONSE_HEADERS, type ResponseHeaderName } from './response-headers.ts';

const HEADER_NAMES = Object.keys(RESPONSE_HEADERS) as ResponseHeaderName[];

/** By status. An alternative and refusals of one status are told apart by their schemas. */
export function responsesOf(operation: Operation): Record<string, Json> {
  const { id, success, alternative } = operation;
  const recorded = EXAMPLES[id]?.response;
  const answers = alternative === undefined ? [success] : [success, alternative];
  const responses: Record<string, Json> = {};
  for (const { status, description, schema } of answers) {
    const example = recorded?.status === status ? { example: recorded.body } : {};
    const content = schema === undefined ? {} : { content: contentOf(schema, example) };
    responses[status] = { description, headers: headersOf(operation, [undefined]), ...content };
  }
  for (const [status, codes] of Map.groupBy(refusalsOf(operation, ALWAYS_POSSIBLE), (code) => ERRORS[code].status)) {
    if (responses[status] !== undefined) throw new Error(`${id} has two schemas for status ${status}`);
    responses[status] = refusal(operation, codes);
  }
  return responses;
}

export const UNROUTED_CODES: readonly ErrorCode[] = ['path_not_found', 'method_not_allowed', 'rate_limited'];

/** What is answered where no operation is: these are nobody's responses. */
export function unroutedResponses(): Json {
  const allow = { description: 'What the path can be asked with.', schema: { type: 'string' } };
  const counted = Object.fromEntries(
    (['ratelimit-policy', 'ratelimit'] as const).map((name) => [name, { $ref: reference('headers', name) }]),
  );
  const waits = { 'retry-after': { $ref: reference('headers', 'retry-after') } };
  return {
    404: { ...envelope(['path_not_found']), headers: counted },
    405: { ...envelope(['method_not_allowed']), headers: { ...counted, Allow: allow } },
    429: { ...envelope(['rate_limited']), headers: { ...counted, ...waits } },
  };
}

export function componentHeaders(): Json {
  return Object.fromEntries(
    HEADER_NAMES.map((name) => {
      const { description, schema } = RESPONSE_HEADERS[name];
      return [name, { description, schema: fieldSchema(schema) }];
    }),
  );
}

/** An answer with each of these codes, in the words of the catalogue. */
export function componentExamples(codes: readonly ErrorCode[]): Json {
  return Object.fromEntries(codes.map((code) => [code, { summary: ERRORS[code].cause, value: exampleEnvelope(code) }]));
}

function refusal(operation: Operation, codes: readonly ErrorCode[]): Json {
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: reference('examples', code) }]));
  const { description, content } = envelope(codes);
  return {
    description,
    headers: headersOf(operation, codes),
    content: { 'application/json': { ...content['application/json'], examples } },
  };
}

/** The error envelope, narrowed to these codes. */
function envelope(codes: readonly ErrorCode[]) {
  const schema = {
    allOf: [{ $ref: reference('schemas', 'Error') }, { type: 'object', properties: { code: { type: 'string', enum: codes } } }],
  };
  return {
    description: codes.map((code) => `${code}: ${ERRORS[code].cause}`).join(' '),
    content: { 'application/json': { schema } },
  };
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
