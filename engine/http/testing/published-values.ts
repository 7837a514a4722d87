/**
 * The enumerated values of the published schemas, each with its place (`Order.status = filled`), and those that a response
 * contains.
 */
import { type JsonSchema, resolve } from './valid-value.ts';

/** Every enumerated value of the schemas that responses consist of. Constants do not count. */
export function listedValues(document: JsonSchema, names: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visited = new Set<string>();
  const visit = (schema: JsonSchema, place: string): void => {
    if (schema.$ref !== undefined) visitNamed(nameOf(schema.$ref));
    for (const value of schema.enum ?? []) found.add(line(place, value));
    for (const [key, field] of Object.entries<JsonSchema>(schema.properties ?? {})) visit(field, `${place}.${key}`);
    for (const inner of [schema.items, ...(schema.prefixItems ?? []), ...choicesOf(schema)]) if (inner) visit(inner, place);
  };
  const visitNamed = (name: string): void => {
    if (visited.has(name)) return;
    visited.add(name);
    visit(document.components.schemas[name], name);
  };
  for (const name of names) visitNamed(name);
  return found;
}

/** The enumerated values in a response of the named schema. */
export function valuesIn(document: JsonSchema, name: string, response: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (schema: JsonSchema, value: JsonSchema, place: string): void => {
    if (schema.$ref !== undefined) visit(resolve(schema.$ref, document), value, nameOf(schema.$ref));
    if (schema.enum?.includes(value)) found.add(line(place, value));
    for (const choice of choicesOf(schema)) if (isOf(choice, value, document)) visit(choice, value, place);
    if (Array.isArray(value)) {
      for (const entry of value) if (schema.items) visit(schema.items, entry, place);
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, field] of Object.entries<JsonSchema>(schema.properties ?? {})) {
        if (value[key] !== undefined) visit(field, value[key], `${place}.${key}`);
      }
    }
  };
  visit(document.components.schemas[name], response as JsonSchema, name);
  return found;
}

export function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

function choicesOf(schema: JsonSchema): readonly JsonSchema[] {
  return [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])];
}

/** Whether an object is of a choice, by its required and constant fields. */
function isOf(choice: JsonSchema, value: JsonSchema, document: JsonSchema): boolean {
  const { properties = {}, required = [] } = choice.$ref === undefined ? choice : resolve(choice.$ref, document);
  if (typeof value !== 'object' || value === null) return true;
  const pinned = Object.entries<JsonSchema>(properties).filter(([, { const: only }]) => only !== undefined);
  return required.every((key: string) => key in value) && pinned.every(([key, { const: only }]) => value[key] === only);
}

function line(place: string, value: unknown): string {
  return `${place} = ${value}`;
}
