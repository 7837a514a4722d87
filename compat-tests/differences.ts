/** Two unified structures, field by field: where they differ. What is absent, undefined and null is the same. */

/** Not compared: what the venue said word for word. */
const NOT_COMPARED = ['info'];

/** A line for each field that differs, named by its path; none where both say the same. */
export function differences(left: unknown, right: unknown, path = ''): readonly string[] {
  const [one, other] = [left ?? undefined, right ?? undefined];
  if (!isObject(one) || !isObject(other))
    return Object.is(one, other) ? [] : [`${path === '' ? 'it' : path} is ${told(one)} and ${told(other)}`];
  if (Array.isArray(one) !== Array.isArray(other)) return [`${path} is a list on one side only`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)].filter((key) => !NOT_COMPARED.includes(key)));
  return [...keys].flatMap((key) => differences(one[key], other[key], path === '' ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function told(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
