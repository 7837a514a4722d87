/** Values that no schema foresees, and values that one nearly does: made by a seed, so that each can be made again. */
import fc from 'fast-check';
import { type JsonSchema, resolve } from './sound-value.ts';

/** Written as it stands into the text of a body, where JSON could not say it otherwise. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Amounts that a venue has to think about: fine, off the tick, out of the band, beyond what an account has. */
const AMOUNTS: readonly string[] = ['0.01', '1', '60000', '65000', '60000.05', '80000', '0.00001', '500', '1000000', '0'];

const TEXTS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '+1',
  '1e3',
  '1.',
  '.5',
  '0x10',
  '1_000',
  '1,5',
  '１２',
  '٣',
  ' 1',
  '1\n',
  '-0',
  'NaN',
  'Infinity',
  'null',
  'undefined',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  'a\u0000b',
  '\r\nx-injected: 1',
  '\u202Eabc',
  '\uFEFFa',
  'e\u0301',
  '\u{1F4A9}'.repeat(20),
  '\uD800',
  '../../etc/passwd',
  '%2e%2e%2f',
  "' OR 1=1 --",
  '<script>alert(1)</script>',
  '{{7*7}}#{7*7}',
  '9'.repeat(40),
  '1'.repeat(5_000),
  `0.${'1'.repeat(30)}`,
  'BTC-USD-PERP\u0000',
  'btc-usd-perp',
  'acct-0',
  'acct-01',
  'acct-99999999999',
  'acct-1 ',
];

const NUMBERS: readonly RawJson[] = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '1e-400',
  '9007199254740993',
  `${'9'.repeat(300)}`,
  '2147483648',
  '0.1e1',
].map((text) => new RawJson(text));

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.constantFrom(...AMOUNTS) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 1, arbitrary: fc.bigInt().map(String) },
  { weight: 1, arbitrary: fc.double().map(String) },
);

/** Throws where it is compared, or written into a text. */
const UNCOMPARABLE = { toString: 1, valueOf: 1 };

/** Anything that can stand in JSON, and what can be written there without being JSON. */
export const hostileJson: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 2, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(
      null,
      true,
      false,
      [],
      {},
      [[]],
      [null],
      { length: 1 },
      { toString: 1 },
      { length: UNCOMPARABLE },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      nested('[', ']', 20_000),
      nested('{"a":', '}', 6_000),
      // What is compared with a bound becomes a text first, which goes as deep as it does.
      new RawJson(`{"length":${nested('[', ']', 8_000).text}}`),
      new RawJson('{"length":1e400}'),
      new RawJson('[,]'),
      new RawJson('01'),
    ),
  },
);

/** Keys that reach for what every object has. */
export const hostileKey: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'hasOwnProperty',
    'toJSON',
    'length',
    '',
    '0',
    'accountId ',
    'ACCOUNTID',
    '$where',
  ),
  hostileText,
);

/** What lies just beyond a schema: another case, one too many, one too few, one too far. */
export function nearlyValid(schema: JsonSchema, root: JsonSchema = schema): readonly unknown[] {
  if (schema.$ref !== undefined) return nearlyValid(resolve(schema.$ref, root), root);
  const { enum: listed = [], minimum, maximum, minLength, maxLength, maxItems, items, type } = schema;
  const among = schema.anyOf ?? schema.oneOf ?? [];
  return [
    ...listed.flatMap((value: unknown) => [String(value).toUpperCase(), `${value} `, [value]]),
    ...(minimum === undefined ? [] : [minimum - 1, minimum, minimum + 0.5]),
    ...(maximum === undefined ? [] : [maximum + 1, maximum, String(maximum)]),
    ...(minLength === undefined ? [] : ['a'.repeat(Math.max(0, minLength - 1))]),
    ...(maxLength === undefined ? [] : ['a'.repeat(maxLength + 1), 'a'.repeat(maxLength), 'ä'.repeat(maxLength)]),
    ...(type === 'array' ? [[], Array(Math.min(maxItems ?? 100, 1_000) + 1).fill(items?.const ?? null)] : []),
    ...(type === 'boolean' ? ['true', 0, 1] : []),
    ...among.flatMap((one: JsonSchema) => nearlyValid(one, root)),
  ];
}

/** As JSON, with what JSON cannot say written as it stands. */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value instanceof Fields ? value.entries : Object.entries(value);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner)}`).join()}}`;
}

/** An object as it is written: a key may come twice, or be one that an object of JavaScript would swallow. */
export class Fields {
  readonly entries: readonly (readonly [string, unknown])[];

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

function nested(open: string, close: string, depth: number): RawJson {
  return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
}
