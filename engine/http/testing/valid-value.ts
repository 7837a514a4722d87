/** A valid value of a JSON schema: only the required fields, each with the stage's value for its name if there is one. */

// biome-ignore lint/suspicious/noExplicitAny: a schema is read as plain JSON
export type JsonSchema = any;

/** Values by field name. */
export type ValuesByField = Readonly<Record<string, unknown>>;

/** Throws if neither the schema nor the stage gives a value for a required text field. */
export function validValue(schema: JsonSchema, named: ValuesByField, name = 'body', root: JsonSchema = schema): unknown {
  if (schema.$ref !== undefined) return validValue(resolve(schema.$ref, root), named, name, root);
  if (schema.const !== undefined) return schema.const;
  if (named[name] !== undefined) return named[name];
  if (schema.enum !== undefined) return schema.enum[0];
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (schema.type === undefined && choice !== undefined) return validValue(choice, named, name, root);
  switch (schema.type) {
    case 'object':
      return validObject(schema, choice ?? {}, named, root);
    case 'array':
      return [validValue(schema.items, named, name.replace(/s$/, ''), root)];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    default:
      throw new Error(`no value for the field ${name}: give the operation an example, or the stage a value for it`);
  }
}

/** Replaces every field that `describeChannel` has a value for. */
export function withNamed(value: unknown, named: ValuesByField, name = 'body'): unknown {
  // An amount that is a number stays one.
  if (named[name] !== undefined) return typeof value === 'number' ? Number(named[name]) : named[name];
  if (Array.isArray(value)) return value.map((entry) => withNamed(entry, named, name.replace(/s$/, '')));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withNamed(inner, named, key)]));
}

function validObject(schema: JsonSchema, choice: JsonSchema, named: ValuesByField, root: JsonSchema): unknown {
  const required = new Set<string>([...(schema.required ?? []), ...(choice.required ?? [])]);
  const fields = Object.entries<JsonSchema>(schema.properties ?? {}).filter(([key]) => required.has(key));
  return Object.fromEntries(
    fields.map(([key, field]) => {
      const narrowed = choice.properties?.[key];
      return [key, validValue(typeof narrowed === 'object' ? narrowed : field, named, key, root)];
    }),
  );
}

export function resolve(reference: string, root: JsonSchema): JsonSchema {
  return reference
    .slice(2)
    .split('/')
    .reduce((inner, key) => inner[key.replaceAll('~1', '/').replaceAll('~0', '~')], root);
}
