/** Values that no schema expects, and values just outside a schema: generated from a seed, so they can be repeated. */
import fc from 'fast-check';
import { type JsonSchema, resolve } from './valid-value.ts';

/** Raw text in a body, for values that JSON.stringify cannot write. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Amounts that reach the venue's checks: fine, off tick, outside the band, beyond the account's cash. */
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

/** Throws when it is compared, or converted to a string. */
const UNCOMPARABLE = { toString: 1, valueOf: 1 };

/** Any JSON value, and texts that are not JSON. */
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
      // Comparing it with a bound converts it to a string first, recursively.
      new RawJson(`{"length":${nested('[', ']', 8_000).text}}`),
      new RawJson('{"length":1e400}'),
      new RawJson('[,]'),
      new RawJson('01'),
    ),
  },
);

/** Keys that every object inherits. */
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

/** Values just outside a schema: another case, too long, too short, out of range. */
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

/** Renders as JSON, with {@link RawJson} as it is. */
export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text;
  if (Array.isArray(value)) return `[${value.map(jsonText).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = value instanceof Fields ? value.entries : Object.entries(value);
  return `{${fields.map(([key, inner]) => `${JSON.stringify(key)}:${jsonText(inner)}`).join()}}`;
}

/** An object as text: a key may be repeated, or be one that a JavaScript object would not keep. */
export class Fields {
  readonly entries: readonly (readonly [string, unknown])[];

  constructor(entries: readonly (readonly [string, unknown])[]) {
    this.entries = entries;
  }
}

function nested(open: string, close: string, depth: number): RawJson {
  return new RawJson(`${open.repeat(depth)}1${close.repeat(depth)}`);
}
