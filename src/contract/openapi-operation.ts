/** One operation in the OpenAPI document: access, parameters and body. */
import type * as z from 'zod';
import { EXAMPLES, type Example } from './examples.ts';
import { IDEMPOTENCY_KEY_PATTERN } from './fields.ts';
import { contentOf, fieldSchema, type Json, reference } from './openapi-schemas.ts';
import { type Access, type Operation, rateLimitOf, scopesFor } from './operation.ts';
import { PLACEHOLDERS, withPlaceholders } from './placeholders.ts';

export function operationObject(operation: Operation): Json {
  const { id, access, body, params, query } = operation;
  const example = withPlaceholders(EXAMPLES[id]?.request ?? {}) as Example['request'];
  const limit = rateLimitOf(operation);
  return {
    operationId: id,
    tags: [operation.group],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isOurs ? { 'x-openperp-ours': true } : {}),
    'x-openperp-access': access,
    ...(limit === undefined ? {} : { 'x-openperp-rate-limit': limit }),
    ...(operation.startsLedgerStep ? { 'x-openperp-also-rate-limit': 'ledgerSteps' } : {}),
    security: securityOf(access),
    parameters: [
      ...parametersOf(params, 'path', example.params),
      ...parametersOf(query, 'query', example.query),
      ...(operation.needsIdempotencyKey ? [{ $ref: reference('parameters', 'IdempotencyKey') }] : []),
    ],
    ...(body === undefined ? {} : { requestBody: requestBody(body, example.body) }),
  };
}

/** The parameters that operations share. */
export const componentParameters: Json = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'A new request needs a new key; a retry sends the same key with the same body. A key belongs to one operation of one account. The ' +
      `explorer replaces ${PLACEHOLDERS.idempotencyKey} by a new key.`,
    schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN.source },
    example: PLACEHOLDERS.idempotencyKey,
  },
};

/** OpenAPI 3.1 gives the scopes of a bearer as roles. Any one entry suffices; `{}` makes the bearer optional. */
function securityOf(access: Access): Json[] {
  const session = { session: [] };
  if (access === 'none') return [];
  if (access === 'none-or-bearer') return [{}, { bearer: [] }, session];
  if (access === 'bearer:any') return [{ bearer: [] }, session];
  if (access === 'session') return [session];
  if (access === 'session:passkey') return [{ session: ['passkey'] }];
  return [...scopesFor(access).map((scope) => ({ bearer: [scope] })), session];
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query', examples: Json = {}): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, 'x-openperp-ours': isOurs, ...fieldOf } = fieldSchema(field as z.ZodType);
    return {
      name,
      in: place,
      required: !(field as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      ...(isOurs === undefined ? {} : { 'x-openperp-ours': isOurs }),
      schema: fieldOf,
      ...(examples[name] === undefined ? {} : { example: parameterExample(field as z.ZodType, examples[name]) }),
    };
  });
}

/** The example in the type of the schema, not as the text in the URL. */
function parameterExample(field: z.ZodType, text: unknown): unknown {
  return field.parse(text);
}

function requestBody(body: z.ZodType, example: unknown): Json {
  return { required: !body.safeParse(undefined).success, content: contentOf(body, example === undefined ? {} : { example }) };
}
