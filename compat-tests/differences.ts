/** Compares two unified structures field by field. Absent, undefined and null are equal. */

/** Not compared: the venue's raw response. */
const NOT_COMPARED = ['info'];

/** One line per differing field, named by its path; empty if both are equal. */
export function differences(left: unknown, right: unknown, path = ''): readonly string[] {
  const [one, other] = [left ?? undefined, right ?? undefined];
  if (!isObject(one) || !isObject(other))
    return Object.is(one, other) ? [] : [`${path === '' ? 'it' : path} is ${reported(one)} and ${reported(other)}`];
  if (Array.isArray(one) !== Array.isArray(other)) return [`${path} is a list on one side only`];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)].filter((key) => !NOT_COMPARED.includes(key)));
  return [...keys].flatMap((key) => differences(one[key], other[key], path === '' ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function reported(value: unknown): string {
  return value === undefined ? 'nothing' : JSON.stringify(value);
}
