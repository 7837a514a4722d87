/**
 * Compares printed output with the output that a page shows. Values that differ between runs are placeholders in angle brackets,
 * each with a pattern; `…` replaces omitted lines, members or entries.
 */
import type { Shown } from './page.ts';

/** The pattern of each placeholder. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  id: '[A-Za-z0-9-]+',
  time: '[0-9]{13}',
  datetime: '[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z',
  price: '[0-9]+(?:\\.[0-9]+)?',
  quantity: '[0-9]+(?:\\.[0-9]+)?',
  amount: '-?[0-9]+(?:\\.[0-9]+)?',
  sequence: '[0-9]+',
  count: '[0-9]+',
  hash: '[0-9a-f]{64}',
  digest: 'sha256:[0-9a-f]{64}',
  key: 'opk_[0-9A-Za-z_-]+',
  ticket: '[A-Za-z0-9_-]{43}',
  cursor: '[A-Za-z0-9_-]+',
  url: '(?:http|ws)://localhost:[0-9]+',
};
const OMITTED = '…';

/** One line per difference; empty if the output matches. */
export function differences({ form, text }: Shown, printed: string): string[] {
  if (form === 'text') return textDifferences(text, printed);
  const shown: unknown = JSON.parse(text);
  try {
    return [...jsonDifferences(shown, JSON.parse(printed), '')];
  } catch {
    return [`what was printed is not JSON: ${printed}`];
  }
}

function textDifferences(shown: string, printed: string): string[] {
  const lines = printed.replaceAll('\r', '').trimEnd().split('\n');
  const pattern = shown.trimEnd().split('\n');
  return isMatch(pattern, lines) ? [] : [`shown:\n${shown}\nprinted:\n${printed}`];
}

function isMatch([first, ...others]: readonly string[], lines: readonly string[]): boolean {
  if (first === undefined) return lines.length === 0;
  if (first.trim() === OMITTED) return lines.some((_, index) => isMatch(others, lines.slice(index))) || isMatch(others, []);
  return lines.length > 0 && isLike(first, lines[0]!) && isMatch(others, lines.slice(1));
}

function* jsonDifferences(shown: unknown, printed: unknown, place: string): Generator<string> {
  const difference = `${place || 'all of it'}: shown ${JSON.stringify(shown)}, printed ${JSON.stringify(printed)}`;
  if (Array.isArray(shown)) {
    if (!Array.isArray(printed)) return yield difference;
    const entries = shown.filter((entry) => entry !== OMITTED);
    if (printed.length < entries.length || (printed.length > entries.length && entries.length === shown.length)) yield difference;
    for (const [index, entry] of entries.entries()) yield* jsonDifferences(entry, printed[index], `${place}[${index}]`);
  } else if (isObject(shown)) {
    if (!isObject(printed)) return yield difference;
    const names = Object.keys(OMITTED in shown ? shown : { ...shown, ...printed }).filter((name) => name !== OMITTED);
    for (const name of names) yield* jsonDifferences(shown[name], printed[name], `${place}.${name}`);
  } else if (typeof shown === 'string' && (typeof printed === 'string' || typeof printed === 'number')) {
    const isNumberAsShown = typeof printed === 'string' || /^<\w+>$/.test(shown);
    if (!isNumberAsShown || !isLike(shown, String(printed))) yield difference;
  } else if (shown !== printed) yield difference;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the text matches the shown one, with a fitting value for each placeholder. */
function isLike(shown: string, text: string): boolean {
  const pattern = shown.replaceAll(/<(\w+)>|[\\^$.*+?()[\]{}|]/g, (part, name?: string) => {
    if (name === undefined) return `\\${part}`;
    return PLACEHOLDERS[name] ?? part;
  });
  return new RegExp(`^${pattern}$`, 'u').test(text);
}
