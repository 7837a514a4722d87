/**
 * The values that the published schemas list one by one, each with the place where it stands (`Order.status = filled`),
 * and those of them that an answer has.
 */
import { type JsonSchema, resolve } from './sound-value.ts';

/** Every listed value of the schemas that answers are made of. A field that can only be one thing is no choice. */
export function listedValues(document: JsonSchema, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const looked = new Set<string>();
  const look = (schema: JsonSchema, place: string): void => {
    if (schema.$ref !== undefined) lookInto(nameOf(schema.$ref));
    for (const value of schema.enum ?? []) found.add(line(place, value));
    for (const [key, field] of Object.entries<JsonSchema>(schema.properties ?? {})) look(field, `${place}.${key}`);
    for (const inner of [schema.items, ...(schema.prefixItems ?? []), ...choicesOf(schema)]) if (inner) look(inner, place);
  };
  const lookInto = (name: string): void => {
    if (looked.has(name)) return;
    looked.add(name);
    look(document.components.schemas[name], name);
  };
  for (const name of names) lookInto(name);
  return found;
}

/** Those of an answer that is of the schema with that name. */
export function valuesIn(document: JsonSchema, name: string, answer: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const look = (schema: JsonSchema, value: JsonSchema, place: string): void => {
    if (schema.$ref !== undefined) look(resolve(schema.$ref, document), value, nameOf(schema.$ref));
    if (schema.enum?.includes(value)) found.add(line(place, value));
    for (const choice of choicesOf(schema)) if (isOf(choice, value, document)) look(choice, value, place);
    if (Array.isArray(value)) {
      for (const entry of value) if (schema.items) look(schema.items, entry, place);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, field] of Object.entries<JsonSchema>(schema.properties ?? {})) {
        if (value[key] !== undefined) look(field, value[key], `${place}.${key}`);
      }
    }
  };
  look(document.components.schemas[name], answer as JsonSchema, name);
  return found;
}

export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

function choicesOf(schema: JsonSchema): readonly JsonSchema[] {
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
}

/** Which of several an object is, by the fields that each pins to one value. */
function isOf(choice: JsonSchema, value: JsonSchema, document: JsonSchema): boolean {
  const { properties = {}, required = [] } = choice.$ref === undefined ? choice : resolve(choice.$ref, document);
  if (typeof value !== 'object' || value === null) return true;
  const pinned = Object.entries<JsonSchema>(properties).filter(([, { const: only }]) => only !== undefined);
  return required.every((key: string) => key in value) && pinned.every(([key, { const: only }]) => value[key] === only);
}

function line(place: string, value: unknown): string {
  return `${place} = ${value}`;
}
