/** Exact numbers in JSON, and the limits on nesting, fields and names. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inexactNumber, parseExactJson } from './exact-json.ts';
import { JsonRefusal } from './json-refusal.ts';
import { HOSTILE_SHAPES, hostileTexts } from './testing/hostile-json.ts';
import { NAMES_OF_ANOTHER_TEXT } from './testing/names-of-another-text.ts';
import { readPlainJson } from './testing/plain-json.ts';

const written = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.stringMatching(/^(?:0|[1-9][0-9]{0,19})$/),
    fraction: fc.stringMatching(/^(?:\.[0-9]{1,22})?$/),
    exponent: fc.stringMatching(/^(?:[eE][+-]?[0-9]{1,2})?$/),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);
const double = fc.double({ noNaN: true, noDefaultInfinity: true });
const anyText = fc.oneof(
  written,
  double.map((it) => JSON.stringify(it)),
  double.map((it) => it.toExponential()),
);
/** Text before and after a number, for every place in which JSON allows one. */
const anyPlace = fc.constantFrom<readonly [string, string]>(
  ['', ''],
  ['\n', ' '],
  ['[', ']'],
  ['[[],', ',"1e400"]'],
  ['[{},\t', '\r]'],
  ['{"a":', '}'],
  ['{"":{},"a": ', ',"b":{}}'],
);

function leavesOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [value];
}

/** The value of a text as digits times a power of ten. */
function parts(text: string): { readonly digits: bigint; readonly exponent: number } {
  const [, whole = '', fraction = '', exponent = '0'] = /^(-?[0-9]+)(?:\.([0-9]+))?(?:[eE](.+))?$/.exec(text)!;
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

function isSameNumber(one: string, other: string): boolean {
  const [left, right] = [parts(one), parts(other)];
  const scale = Math.min(left.exponent, right.exponent);
  return left.digits * 10n ** BigInt(left.exponent - scale) === right.digits * 10n ** BigInt(right.exponent - scale);
}

describe('a number', () => {
  test('is parsed if it equals the shortest decimal of its double, and kept as text otherwise', () => {
    const seen = new Set<boolean>();
    fc.assert(
      fc.property(anyText, anyPlace, (text, [before, after]) => {
        const isExact = isSameNumber(text, String(Number(text)));
        seen.add(isExact);
        const [value] = leavesOf(parseExactJson(before + text + after));
        expect(inexactNumber(value) ?? value).toEqual(isExact ? JSON.parse(text) : text);
      }),
      { numRuns: 4_000 },
    );
    expect(seen.size).toBe(2);
  });

  test.each([
    '60000.0000000000000001',
    '9007199254740993',
    '1234567890.12345678',
    '1e400',
    '1E400',
    '-1e400',
    '1e-400',
    `1${'0'.repeat(30)}1`,
  ])('%s is kept as text', (text) => {
    const { price } = parseExactJson(`{"price": ${text}}`) as { readonly price: unknown };
    expect(inexactNumber(price)).toBe(text);
  });

  test.each([
    '0.0',
    '-0',
    '0e999',
    '6e4',
    '1e-6',
    '-15.0E-6',
    '60000.00',
    '0.1',
    '9007199254740992',
    '123456789012345680',
    '123456789012345',
    '-0.00000000000001',
    '1e21',
    '5e-324',
  ])('%s is parsed', (text) => {
    expect(parseExactJson(text)).toBe(JSON.parse(text));
  });

  test('of more than 1024 characters is refused', () => {
    const fraction = `0.${'0'.repeat(1_021)}`;
    expect(inexactNumber(parseExactJson(`${fraction}1`))).toBe(`${fraction}1`);
    for (const text of [`${fraction}01`, `1${'0'.repeat(1_024)}`, `1e${'0'.repeat(1_023)}`])
      expect(() => parseExactJson(`[${text}]`)).toThrow(new JsonRefusal('long_numbers'));
  });

  test.each([
    ['of 17 digits', '0.30000000000000004', 32],
    ['that is rounded', '9007199254740993', 32],
    ['with an exponent', '1.2345678901234567e-9', 8],
  ])('%s is parsed up to the limit, and refused above it', (_, text, limit) => {
    expect(parseExactJson(`[${Array(limit).fill(text).join()}]`)).toHaveLength(limit);
    expect(() =>
      parseExactJson(
        `[${Array(limit + 1)
          .fill(text)
          .join()}]`,
      ),
    ).toThrow(new JsonRefusal('long_numbers'));
  });
});

test.each(['-1.5', '1e-16'])('keeps the values next to %s unchanged', (number) => {
  const text = `{"a":[null,true,"1e400",{"__proto__":1,"b":${number},"c":": 9007199254740993","d":"\\",1e400"}]}`;
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});

test.each(['{', '1e400]', '[9007199254740993'])('throws SyntaxError for %s', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

describe('nesting', () => {
  const within = (levels: number, inner: string) => '{"a":['.repeat(levels / 2) + inner + ']}'.repeat(levels / 2);

  test.each(['1', '1e400', '"[[[[{{{{"'])('of 64 levels around %s is parsed, also several times side by side', (inner) => {
    const text = `[${Array(7).fill(within(62, inner)).join()}, [${within(62, inner)}]]`;
    expect(JSON.stringify(parseExactJson(text), (_, it) => (typeof it === 'symbol' ? 'symbol' : it))).toBe(
      JSON.stringify(JSON.parse(text.replaceAll('1e400', '"symbol"'))),
    );
  });

  test.each([
    ['of 65 levels', within(64, '[1]')],
    ['of 65 levels next to a number that a double cannot represent', `[1e400,${within(64, '1')}]`],
    ['of thousands of levels', `{"length":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('%s is refused', (_, text) => {
    expect(() => parseExactJson(text)).toThrow(RangeError);
  });
});

test.each([
  ['{"a":0.50000000000000000001,"a":0.5}', '{"a":0.5}'],
  ['{"a":0.5,"a":0.50000000000000000001}', '{"a":{"text":"0.50000000000000000001"}}'],
  ['{"a":9007199254740993,"a":9007199254740992}', '{"a":9007199254740992}'],
  ['{"a":1e400,"a":2e400}', '{"a":{"text":"2e400"}}'],
  ['{"a":[1e400],"a":[2e400]}', '{"a":[{"text":"2e400"}]}'],
  ['{"a":{"b":0.50000000000000000001},"a":{"b":0.5}}', '{"a":{"b":0.5}}'],
  ['[{"é":{"b":1e400},"c":[],"é":{"c":3e400,"b":1e400}}]', '[{"é":{"c":{"text":"3e400"},"b":{"text":"1e400"}},"c":[]}]'],
  ['{"a":{"__proto__":1e400},"a":1,"a":{}}', '{"a":{}}'],
  ['{"a":[1e400],"a":1e400}', '{"a":{"text":"1e400"}}'],
  ['{"__proto__":1e400,"__proto__":2e400}', '{"__proto__":{"text":"2e400"}}'],
])('keeps the last of duplicate fields in %s', (text, expected) => {
  expect(shown(parseExactJson(text))).toBe(expected);
});

test.each([
  ['with different names', (field: number) => `"a${field}":${field}`],
  ['with one name', () => '"a":1'],
])('parses an object of 64 fields %s, and refuses one of 65', (_, fieldOf) => {
  const objectOf = (count: number) => `{${Array.from({ length: count }, (_, field) => fieldOf(field)).join()}}`;
  const full = `[${objectOf(64)},{"a":${objectOf(64)},"b":1}]`;
  expect(parseExactJson(full)).toEqual(JSON.parse(full));
  expect(() => parseExactJson(`[1e400,{"a":${objectOf(65)}}]`)).toThrow(new JsonRefusal('too_many_fields'));
});

describe('an escape', () => {
  test.each([
    String.raw`{"\u0061":1}`,
    String.raw`{"a\"b":1}`,
    String.raw`{"\\":1}`,
    String.raw`{"a\\":1}`,
    String.raw`{"a\n" : 1}`,
    String.raw`{"a":"\\","\/b":[]}`,
    String.raw`[1,[{"":{"\u0000":null}}]]`,
    String.raw`{"\u0061":9007199254740993}`,
    String.raw`{"é\t":1e400}`,
  ])('in a name is refused: %s', (text) => {
    expect(() => parseExactJson(text)).toThrow(new JsonRefusal('escaped_name'));
  });

  test.each([
    String.raw`{"a":"\u0061"}`,
    String.raw`{"a":"a\"b","b":"\\"}`,
    String.raw`{"a":"\\" ,"b":1}`,
    String.raw`["\":",{"a":"\":"},"\"",{"b":1}]`,
    String.raw`["\\",{"b":["\n"]},"\\\\"]`,
    String.raw`"\\"`,
  ])('in a value is parsed: %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  test('in a name is refused when V8 would take the name for one of an earlier text', () => {
    for (const text of NAMES_OF_ANOTHER_TEXT) expect(() => parseExactJson(text)).toThrow(new JsonRefusal('escaped_name'));
  });
});

/** Texts per shape. `OPENPERP_HOSTILE_TEXTS=20000 npx vitest run src/contract/exact-json.test.ts` compares more. */
const TEXTS = Number(process.env.OPENPERP_HOSTILE_TEXTS ?? 400);
const SEED = Number(process.env.OPENPERP_SEED ?? 7);
/** The approximate lengths in bytes. */
const LENGTHS = [20, 60, 400, 4_000] as const;
/** The share of texts of each length; at least one text each. */
const SHARES: Readonly<Record<(typeof LENGTHS)[number], number>> = { 20: 0.3, 60: 0.5, 400: 0.19, 4000: 0.01 };

/** Renders a number that a double cannot represent as `{ text }`. */
function shown(value: unknown): string {
  return JSON.stringify(value, (_, it) => (typeof it === 'symbol' ? { text: it.description } : it));
}

function outcomeOf(text: string): string {
  try {
    return shown(parseExactJson(text));
  } catch (error) {
    if (error instanceof JsonRefusal) return error.reason;
    if (error instanceof SyntaxError) return 'malformed';
    throw error;
  }
}

function expectedOf(text: string): string {
  const reading = readPlainJson(text);
  return 'refused' in reading ? reading.refused : shown(reading.value);
}

describe.each(Object.keys(HOSTILE_SHAPES))('hostile text: %s', (shape) => {
  test('has the same result as with a parser that reads one character at a time', () => {
    let compared = 0;
    for (const bytes of LENGTHS) {
      const count = Math.max(1, Math.round(TEXTS * SHARES[bytes]));
      for (const text of hostileTexts({ seed: SEED, count, bytes, shapes: [shape] })) {
        const outcome = outcomeOf(text);
        if (outcome === 'long_numbers') continue;
        const expected = expectedOf(text);
        if (outcome !== expected) expect(outcome, text).toBe(expected);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(20);
  });
});
