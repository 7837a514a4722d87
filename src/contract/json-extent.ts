/**
 * The maximum length of the JSON of a declared value, without white space. The server refuses a longer body or frame before it reads it.
 * Texts count as UTF-8; escapes of the form \uXXXX, which are longer, do not count.
 */
import * as z from 'zod';

/** Generous: only exponents or trailing zeros make a number longer. */
const NUMBER_BYTES = 64;
const BYTES_OF_ANY_CHARACTER = 4;

type Json = z.core.JSONSchema.BaseSchema;
type Schemas = Readonly<Record<string, Json>>;

const known = new WeakMap<z.ZodType, number>();

/** Throws if a list or a text has no maximum length, or an object accepts unknown fields. */
export function maxJsonBytes(schema: z.ZodType): number {
  const bytes = known.get(schema) ?? bytesOfSchema(schema);
  known.set(schema, bytes);
  return bytes;
}

function bytesOfSchema(schema: z.ZodType): number {
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input' }) as Json;
  return bytesOf(root, $defs as Schemas);
}

function bytesOf(schema: Json | boolean, named: Schemas): number {
  if (typeof schema === 'boolean') return NUMBER_BYTES;
  const { $ref, const: constant, enum: values, anyOf, oneOf, type } = schema;
  if ($ref !== undefined) return bytesOf(named[$ref.replace('#/$defs/', '')]!, named);
  if (constant !== undefined) return writtenBytes(constant);
  if (values !== undefined) return Math.max(...values.map(writtenBytes));
  switch (type) {
    case 'object':
      return bytesOfObject(schema, named);
    case 'array':
      return 2 + bounded(schema.maxItems, 'list') * (1 + bytesOf(schema.items as Json, named));
    case 'string':
      return 2 + bounded(schema.maxLength, 'text') * bytesOfCharacter(schema);
  }
  const choices = anyOf ?? oneOf;
  // A number, a boolean, null, or a field that accepts any value and ignores it.
  return choices === undefined ? NUMBER_BYTES : Math.max(...choices.map((choice) => bytesOf(choice as Json, named)));
}

function bytesOfObject({ properties = {}, additionalProperties }: Json, named: Schemas): number {
  if (additionalProperties !== false) throw new Error('an object accepts unknown fields');
  const fields = Object.entries(properties).map(([name, field]) => writtenBytes(name) + 2 + bytesOf(field as Json, named));
  return fields.reduce((sum, bytes) => sum + bytes, 2);
}

/** 1 if the pattern matches only ASCII. */
function bytesOfCharacter({ pattern, minLength = 1 }: Json): number {
  const isAny = pattern === undefined || new RegExp(pattern, 'u').test('\u{1f600}'.repeat(minLength));
  return isAny ? BYTES_OF_ANY_CHARACTER : 1;
}

function bounded(length: number | undefined, what: string): number {
  if (length === undefined) throw new Error(`a ${what} has no maximum length`);
  return length;
}

function writtenBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
