/** Numbers in JSON: read as what they say, or kept apart. */
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
/** Wherever JSON can have a number stand. */
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

/** What a text says, as so many of a power of ten. */
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
  test('is read where it is that of the shortest decimal of its double, and kept as its text where it is not', () => {
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
  ])('%s is kept as its text', (text) => {
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
  ])('%s is read', (text) => {
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
  ])('%s is read so often, and refused beyond that', (_, text, most) => {
    expect(parseExactJson(`[${Array(most).fill(text).join()}]`)).toHaveLength(most);
    expect(() =>
      parseExactJson(
        `[${Array(most + 1)
          .fill(text)
          .join()}]`,
      ),
    ).toThrow(new JsonRefusal('long_numbers'));
  });
});

test.each(['-1.5', '1e-16'])('all else beside %s is as it was', (number) => {
  const text = `{"a":[null,true,"1e400",{"__proto__":1,"b":${number},"c":": 9007199254740993","d":"\\",1e400"}]}`;
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
});

test.each(['{', '1e400]', '[9007199254740993'])('%s is no JSON', (text) => {
  expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

describe('what is nested', () => {
  const within = (levels: number, inner: string) => '{"a":['.repeat(levels / 2) + inner + ']}'.repeat(levels / 2);

  test.each(['1', '1e400', '"[[[[{{{{"'])('64 levels around %s is read, however much lies side by side', (inner) => {
    const text = `[${Array(7).fill(within(62, inner)).join()}, [${within(62, inner)}]]`;
    expect(JSON.stringify(parseExactJson(text), (_, it) => (typeof it === 'symbol' ? 'symbol' : it))).toBe(
      JSON.stringify(JSON.parse(text.replaceAll('1e400', '"symbol"'))),
    );
  });

  test.each([
    ['one level more', within(64, '[1]')],
    ['one level more beside a number that is rounded', `[1e400,${within(64, '1')}]`],
    ['thousands', `{"length":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
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
])('the last of the fields with one name counts in %s', (text, expected) => {
  expect(shown(parseExactJson(text))).toBe(expected);
});

test.each([
  ['of several names', (field: number) => `"a${field}":${field}`],
  ['of one name', () => '"a":1'],
])('an object of 64 fields %s is read, one of more is refused', (_, fieldOf) => {
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
  ])('in a value is read: %s', (text) => {
    expect(parseExactJson(text)).toEqual(JSON.parse(text));
  });

  test('in a name is refused where the parser takes the name for one of an earlier text', () => {
    for (const text of NAMES_OF_ANOTHER_TEXT) expect(() => parseExactJson(text)).toThrow(new JsonRefusal('escaped_name'));
  });
});

/** `OPENPERP_HOSTILE_TEXTS=20000 npx vitest run src/contract/exact-json.test.ts` compares as many of each shape as it says. */
const TEXTS = Number(process.env.OPENPERP_HOSTILE_TEXTS ?? 400);
const SEED = Number(process.env.OPENPERP_SEED ?? 7);
/** How long they are, about. */
const LENGTHS = [20, 60, 400, 4_000] as const;
/** How many of the texts are of that length, at least 1. */
const SHARES: Readonly<Record<(typeof LENGTHS)[number], number>> = { 20: 0.3, 60: 0.5, 400: 0.19, 4000: 0.01 };

/** Numbers that are no doubles are shown as such. */
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
  test('is read and refused as by a parser that looks at every character', () => {
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
