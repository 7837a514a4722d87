/** Texts that are expensive or misleading for a JSON parser, generated from a seed by shape. Most are valid JSON, but no valid request. */

import { type Random, seededRandom } from '#simulation/seeded-random.ts';

type Shape = (random: Random, bytes: number) => string;

const digits = (random: Random, count: number) =>
  Array.from({ length: count }, () => Math.floor(random() * 10))
    .join('')
    .replace(/^0/, '1');

const NUMBERS: readonly ((random: Random) => string)[] = [
  (random) => `${digits(random, 1)}e${digits(random, 1)}`,
  (random) => `-${digits(random, 3)}.${digits(random, 2)}E-${digits(random, 1)}`,
  () => '1e1',
  () => '1e400',
  () => '1e-400',
  () => '-0.0',
  () => '0e999',
  () => '5e-324',
];
const LONG_NUMBERS: readonly ((random: Random) => string)[] = [
  (random) => digits(random, 17),
  (random) => `0.${digits(random, 17)}`,
  (random) => String(random() * 10 ** (random() * 40 - 20)),
  (random) => `${digits(random, 5)}.${digits(random, 3)}${'0'.repeat(12)}`,
  (random) => `${digits(random, 1)}.${digits(random, 16)}e-9`,
  () => '9007199254740992',
  () => '9007199254740993',
];
const SMALL = ['1', '0', 'true', 'null', '""', '{}', '[]', '[[]]', '{"":{}}', '" "', '-1.5', '"1e400"', '": 9007199254740993"'];
const SAME_DOUBLES = [
  '1e400',
  '2e400',
  '[1e400]',
  '[3e400]',
  '{"a":1e400}',
  '{"b":4e400}',
  '0.5',
  '0.50000000000000000001',
  '[0.5]',
];
const IN_STRINGS = ['a', '\\"', '\\\\', '\\u00e9', '\\ud83d\\ude00', 'é', '😀', '1e400,', '{[', '\\n', '\\/'];

const pick = <Entry>(random: Random, entries: readonly Entry[]): Entry => entries[Math.floor(random() * entries.length)]!;

/** Entries up to the given length, separated by commas. */
function filled(bytes: number, entry: () => string): string {
  let text = entry();
  while (text.length < bytes) text += `,${entry()}`;
  return text;
}

function text(random: Random, bytes: number): string {
  const [first, second] = [pick(random, IN_STRINGS), pick(random, IN_STRINGS)];
  const run = first.repeat(1 + Math.floor(random() * 40)) + second;
  return run.repeat(Math.ceil(bytes / run.length));
}

function nested(random: Random, levels: number, inner: string): string {
  const [opening, closing] = pick(random, [
    ['[', ']'],
    ['{"a":', '}'],
    ['[{"":', '}]'],
  ]);
  const count = Math.ceil(levels / (opening!.length > 4 ? 2 : 1));
  return opening!.repeat(count) + inner + closing!.repeat(count);
}

/** Refused names, in one text of ten only, because the scan ends at the first of them. */
const escapedNames = (random: Random): readonly string[] => (random() < 0.1 ? ['\\u0061'] : []);

const VALID_SHAPES = {
  'one entry again and again': (random, bytes) => {
    const entry = random() < 0.5 ? pick(random, SMALL) : pick(random, [...NUMBERS, ...LONG_NUMBERS])(random);
    return `[${filled(bytes, () => entry)}]`;
  },
  'numbers with exponents': (random, bytes) => `[${filled(bytes, () => pick(random, NUMBERS)(random))}]`,
  'long numbers': (random, bytes) => `[${filled(bytes, () => pick(random, LONG_NUMBERS)(random))}]`,
  'few numbers among much else': (random, bytes) => {
    const entry = pick(random, SMALL);
    const number = () => pick(random, [...NUMBERS, ...LONG_NUMBERS])(random);
    return `[${filled(bytes, () => (random() < 0.01 ? number() : entry))},${number()}]`;
  },
  'fields of objects': (random, bytes) => {
    let name = 0;
    const prefixes = ['', '__proto__', 'é', '0', ...escapedNames(random)];
    const value = () => (random() < 0.1 ? pick(random, LONG_NUMBERS)(random) : pick(random, SMALL));
    return `{${filled(bytes, () => {
      name += 1;
      return `"${pick(random, prefixes)}${name.toString(36)}" : ${value()}`;
    })}}`;
  },
  'fields of one name': (random, bytes) => {
    const names = ['a', 'b', ...escapedNames(random)];
    const value = () => pick(random, [...SMALL, ...SAME_DOUBLES, digits(random, 17)]);
    return `{${filled(bytes, () => `"${pick(random, names)}":${value()}`)}}`;
  },
  nested: (random, bytes) =>
    nested(random, random() < 0.5 ? 1 + random() * 66 : bytes / 6, pick(random, ['1', '1e400', ...SMALL])),
  'nested side by side': (random, bytes) =>
    `[${filled(bytes, () => nested(random, random() * 8, pick(random, LONG_NUMBERS)(random)))}]`,
  strings: (random, bytes) => `["${text(random, bytes)}"${random() < 0.5 ? ',1e400' : ''}]`,
  'white space': (random, bytes) =>
    `${pick(random, [' ', '\n', '\t\r'])}[1,${pick(random, [' ', '\n \t']).repeat(bytes / 2)}${pick(random, LONG_NUMBERS)(random)}]`,
  'one long number': (random, bytes) =>
    `[${pick(random, ['', '0.', '-'])}${pick(random, ['9', '1', '10'])}${pick(random, ['9', '0']).repeat(bytes)}${pick(random, ['', '1', 'e9', 'e-900'])}]`,
} satisfies Record<string, Shape>;

export const HOSTILE_SHAPES: Readonly<Record<string, Shape>> = {
  ...VALID_SHAPES,
  'broken ends': (random, bytes) => {
    const whole = pick(random, Object.values(VALID_SHAPES))(random, bytes);
    const at = Math.floor(random() * whole.length);
    const rest = pick(random, [
      '',
      '}',
      ']',
      ',',
      '"',
      '1e400',
      '-',
      '01',
      '1.e5',
      '[1e400,]',
      '{1e400:1}',
      '\\',
      '\u0000',
      'tru',
    ]);
    return random() < 0.2 ? `${whole}${rest}` : whole.slice(0, at) + rest + (random() < 0.5 ? whole.slice(at) : '');
  },
};

export interface HostileTexts {
  readonly seed: number;
  readonly count: number;
  /** The approximate length of each text. */
  readonly bytes: number;
  readonly shapes?: readonly string[];
}

export function* hostileTexts({ seed, count, bytes, shapes = Object.keys(HOSTILE_SHAPES) }: HostileTexts): Generator<string> {
  const random = seededRandom(seed);
  for (let created = 0; created < count; created += 1) yield HOSTILE_SHAPES[shapes[created % shapes.length]!]!(random, bytes);
}
