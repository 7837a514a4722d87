/**
 * Exact JSON by a reviver: each value is looked at, and each number compared with the shortest decimal of its double. What `parseExactJson`
 * has to agree with; some hundred times as expensive for hostile text.
 */

/**
 * A number with an exponent, or of 16 characters and more: of up to 15 digits a double keeps each. Looked for only where JSON can have a
 * number begin, for digits in quotes are common: the second way of reading costs as much as five of the first.
 */
const MAY_BE_ROUNDED = /(?:^|[\s:,[])-?[0-9](?:[0-9.]{15}|[0-9.]{0,14}[eE])/;

/** How many objects and lists may be within each other; a batch of orders has four. */
const DEEPEST = 64;

/** Throws as `JSON.parse` does, and `RangeError` for what is nested deeper than {@link DEEPEST}. */
export function parseWithReviver(text: string): unknown {
  if (opensMoreThan(DEEPEST, text) && isDeeperThan(DEEPEST, JSON.parse(text))) throw new RangeError('nested too deep');
  return MAY_BE_ROUNDED.test(text) ? JSON.parse(text, exactly) : JSON.parse(text);
}

/** As many could be within each other; most texts have a few, and cost nothing more than this. */
function opensMoreThan(most: number, text: string): boolean {
  let opened = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      opened += 1;
      if (opened > most) return true;
    }
  }
  return false;
}

function isDeeperThan(most: number, value: unknown): boolean {
  let level = [value].filter(isNesting);
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === most) return true;
    level = level.flatMap((it) => Object.values(it).filter(isNesting));
  }
  return false;
}

function isNesting(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function exactly(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  // Always there: it is missing of objects and lists alone.
  const source = context!.source!;
  return isExact(value, source) ? value : Symbol(source);
}

/** A double stands for its shortest decimal. */
function isExact(value: number, source: string): boolean {
  return Number.isFinite(value) && canonical(source) === canonical(String(value));
}

/** The same for all texts of one number: its digits without zeros around them, and how far the point is from the first. */
function canonical(text: string): string {
  const [mantissa = '', exponent = '0'] = text.replace(/^-/, '').toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const first = digits.search(/[1-9]/);
  if (first < 0) return '0';
  let end = digits.length;
  while (digits[end - 1] === '0') end -= 1;
  return `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`;
}
