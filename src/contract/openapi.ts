/** The contract as an OpenAPI 3.1 document, generated from the declarations and from nothing else. */
import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import { ALWAYS_POSSIBLE, ERROR_CODES, ERRORS, errorEnvelope } from './errors.ts';
import { IDEMPOTENCY_KEY_PATTERN } from './fields.ts';
import type { Access, Operation } from './operation.ts';
import { refusalsOf } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { CONTRACT_VERSION } from './system.ts';

type Json = Record<string, unknown>;

export interface OpenApiDocument extends Json {
  readonly openapi: '3.1.0';
}

export function openApiDocument(): OpenApiDocument {
  const operations: readonly Operation[] = Object.values(OPERATIONS);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: operationObject(operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'OpenPerp',
      version: CONTRACT_VERSION,
      description:
        'A perpetual-futures venue. Fields and operations marked x-openperp-ours are not in the interface that it implements. ' +
        'Every answer carries x-request-id. Pages of any origin may call every operation: there are no cookies, so credentials are ' +
        'not allowed, and a bearer has to be sent explicitly. Requests are limited per API key and account, those without a bearer per ' +
        'network: RateLimit-Policy and RateLimit say what is left, and 429 says in Retry-After how many seconds to wait.',
    },
    tags: [...new Set(operations.map((operation) => operation.group))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'An API key of the venue: opk_…' } },
      schemas: componentSchemas(operations),
    },
    'x-openperp-errors': Object.fromEntries(ERROR_CODES.map((code) => [code, ERRORS[code]])),
  };
}

function operationObject(operation: Operation): Json {
  const { access, body } = operation;
  return {
    operationId: operation.id,
    tags: [operation.group],
    summary: operation.summary,
    description: operation.description,
    ...(operation.isOurs ? { 'x-openperp-ours': true } : {}),
    ...securityOf(access),
    parameters: [
      ...parametersOf(operation.params, 'path'),
      ...parametersOf(operation.query, 'query'),
      ...idempotencyParameter(operation),
    ],
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonOf(body) } }),
    responses: { ...successes(operation), ...refusals(operation) },
  };
}

/** `{}` says that it can be left out. */
function securityOf(access: Access): Json {
  if (access === 'none') return { security: [] };
  if (access === 'none-or-bearer') return { security: [{}, { bearer: [] }] };
  return { security: [{ bearer: [] }], 'x-openperp-scope': access.slice('bearer:'.length) };
}

function parametersOf(schema: z.ZodObject | undefined, place: 'path' | 'query'): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, $schema, ...fieldSchema } = z.toJSONSchema(field as z.ZodType) as Json;
    const required = !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: place, required, ...(description === undefined ? {} : { description }), schema: fieldSchema };
  });
}

function idempotencyParameter({ needsIdempotencyKey }: Operation): Json[] {
  if (!needsIdempotencyKey) return [];
  const description = 'One key per attempt: a retry sends the same key with the same body, a new request a new one.';
  return [
    {
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
      description,
      schema: { type: 'string', pattern: IDEMPOTENCY_KEY_PATTERN.source },
    },
  ];
}

function successes({ success, alternative }: Operation): Json {
  const answers = alternative === undefined ? [success] : [success, alternative];
  return Object.fromEntries(
    answers.map(({ status, description, schema }) => [
      status,
      schema === undefined ? { description } : { description, content: jsonOf(schema) },
    ]),
  );
}

/** One response per status, listing the codes that come with it; an alternative answer keeps its own schema. */
function refusals(operation: Operation): Json {
  const byStatus = Map.groupBy(refusalsOf(operation, ALWAYS_POSSIBLE), (code) => ERRORS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: describe(codes), content: jsonOf(errorEnvelope) }]),
  );
}

function describe(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `${code}: ${ERRORS[code].cause}`).join(' ');
}

function jsonOf(schema: z.ZodType): Json {
  return { 'application/json': { schema: { $ref: reference(idOf(schema)) } } };
}

/** Every schema that the declarations name, and what those are made of. */
function componentSchemas(operations: readonly Operation[]): Json {
  const named = operations.flatMap(({ body, success, alternative }) => [body, success.schema, alternative?.schema]);
  const definitions: Json = {};
  for (const schema of [errorEnvelope, ...named]) {
    if (schema === undefined) continue;
    const { $defs } = z.toJSONSchema(z.strictObject({ it: schema })) as { $defs: Json };
    Object.assign(definitions, $defs);
  }
  return JSON.parse(JSON.stringify(definitions).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

function idOf(schema: z.ZodType): string {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('a schema of an operation has no id');
  return id;
}

function reference(id: string): string {
  return `#/components/schemas/${id}`;
}
