/** The schemas of the declarations as components of the OpenAPI document, and references to them. */
import * as z from 'zod';
import { DECLARED_DETAILS, errorEnvelope } from './error-envelope.ts';
import type { Operation } from './operation.ts';

export type Json = Record<string, unknown>;

/** All schemas of the declarations, with their parts. */
export function componentSchemas(operations: readonly Operation[]): Json {
  const inputs = operations.flatMap(({ params, query, body }) => [
    ...Object.values(params?.shape ?? {}),
    ...Object.values(query?.shape ?? {}),
    body,
  ]);
  const responded = operations.flatMap(({ success, alternative }) => [success.schema, alternative?.schema]);
  const components: Json = {};
  const definitions = [...definitionsOf(inputs, 'input'), ...definitionsOf([errorEnvelope, ...responded], 'output')];
  for (const [id, schema] of definitions.sort(([one], [other]) => (one < other ? -1 : 1))) {
    const known = components[id];
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`the schema ${id} differs between requests and responses: give one of them another id`);
    }
    components[id] = schema;
  }
  return components;
}

/** Narrows the error envelope to `codes`, and to the details that the operations declare. */
export function withNarrowedEnvelope(schemas: Json, operations: readonly Operation[], codes: readonly string[]): Json {
  const name = idOf(errorEnvelope);
  const { properties, ...envelope } = schemas[name] as { readonly properties: Record<string, Json> };
  const declared = new Set<string>(operations.flatMap(({ refusalDetails = [] }) => refusalDetails));
  const absent = new Set<string>(DECLARED_DETAILS.filter((detail) => !declared.has(detail)));
  const present = Object.fromEntries(Object.entries(properties).filter(([field]) => !absent.has(field)));
  return { ...schemas, [name]: { ...envelope, properties: { ...present, code: { ...properties.code, enum: codes } } } };
}

/** The content of a body: a reference to its component. */
export function contentOf(schema: z.ZodType, extra: Json = {}): Json {
  return { 'application/json': { schema: { $ref: reference('schemas', idOf(schema)) }, ...extra } };
}

export function reference(kind: 'schemas' | 'headers' | 'parameters' | 'responses' | 'examples', name: string): string {
  return `#/components/${kind}/${name}`;
}

/** The schema of a field, or a reference if it is a component. */
export function fieldSchema(field: z.ZodType): Json {
  const { $schema, $defs, ...schema } = toComponents(z.toJSONSchema(field) as Json);
  return schema;
}

function toComponents<Schema extends Json>(schema: Schema): Schema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** Renders all schemas in one pass, because most of them share parts. */
function definitionsOf(schemas: readonly (z.ZodType | undefined)[], io: 'input' | 'output'): [string, Json][] {
  const present = Object.fromEntries(
    [...new Set(schemas)].filter((it) => it !== undefined).map((it, index) => [`it${index}`, it]),
  );
  const { $defs } = toComponents(z.toJSONSchema(z.strictObject(present), { io }) as Json);
  return Object.entries(($defs as Record<string, Json> | undefined) ?? {});
}

export function idOf(schema: z.ZodType): string {
  const id = schema.meta()?.id;
  if (id === undefined) throw new Error('a schema of an operation has no id: add one with meta()');
  return id;
}
