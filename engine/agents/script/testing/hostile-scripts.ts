/**
 * Scripts that no person would write, from a seed: grammar at random, mutations of valid scripts, soups of words, and single extremes.
 * Most are refused; enough are valid to test the interpreter too.
 */
import type { Random } from '#simulation/seeded-random.ts';
import { CLASSIC_SCRIPTS } from './classic-scripts.ts';

const NAMES = [
  'a',
  'b',
  'c',
  'd',
  'close',
  'na',
  'x1',
  'true',
  'bar_index',
  'strategy.position_size',
  'src',
  'hl2',
  'ta.tr',
  'volume',
];
const HOSTILE_NAMES = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'prototype',
  'eval',
  'Function',
  'process',
  'globalThis',
  'ta.__proto__',
  'math.constructor',
];
const NUMBERS = [
  '0',
  '1',
  '2',
  '14',
  '0.5',
  '500',
  '501',
  '1e9',
  '1e308',
  '1e-300',
  '9007199254740993',
  '1e999',
  '.1',
  '5.',
  '99999999999999999999999999',
];
const CALLS = [
  'ta.sma',
  'ta.ema',
  'ta.rma',
  'ta.wma',
  'ta.hma',
  'ta.rsi',
  'ta.atr',
  'ta.highest',
  'ta.lowest',
  'ta.change',
  'ta.stdev',
  'ta.cci',
  'ta.crossover',
  'ta.valuewhen',
  'ta.barssince',
  'ta.linreg',
  'ta.sar',
  'ta.stoch',
  'ta.bb',
  'ta.unknown',
  'math.max',
  'math.pow',
  'math.round',
  'math.sqrt',
  'nz',
  'fixnan',
  'input.int',
  'input',
  'plot',
  'f',
];
const WORDS = [
  ...NAMES,
  ...HOSTILE_NAMES,
  ...NUMBERS,
  ...CALLS,
  'if',
  'else',
  'for',
  'to',
  'by',
  'switch',
  'while',
  'var',
  'varip',
  'and',
  'or',
  'not',
  'break',
  'continue',
  'import',
  'strategy.entry',
  'strategy.close',
  'strategy.exit',
  'strategy.long',
  '"t"',
  "'",
  '"',
  '(',
  ')',
  '[',
  ']',
  ',',
  '.',
  '=>',
  ':=',
  '=',
  '+=',
  '==',
  '!=',
  '<',
  '>=',
  '+',
  '-',
  '*',
  '/',
  '%',
  '?',
  ':',
  '\n',
  '\n    ',
  '\n        ',
  '\n  ',
  '\t',
  '#ff0000',
  '//',
  '\u0000',
  '\u202e',
  '😀',
  'é',
  '\\',
  '`',
  '$',
];

const HEADER = '//@version=6\nstrategy("hostile")\n';
const ENTRY = 'if close > open\n    strategy.entry("L", strategy.long)\nelse\n    strategy.close("L")\n';
const valid = Object.values(CLASSIC_SCRIPTS);

export function hostileScript(random: Random): string {
  const kinds = [grammar, grammar, mutateWords, mutateWords, mutateLines, mutateCharacters, soup, extreme];
  return kinds[Math.floor(random() * kinds.length)]!(random);
}

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
const upTo = (random: Random, max: number) => Math.floor(random() * (max + 1));

function expression(random: Random, depth: number): string {
  const below = () => expression(random, depth - 1);
  if (depth <= 0)
    return random() < 0.6 ? pick(random, ['close', 'high', 'low', 'open', 'a', 'b', ...NAMES]) : pick(random, NUMBERS);
  switch (upTo(random, 9)) {
    case 0:
      return `(${below()} ${pick(random, ['+', '-', '*', '/', '%'])} ${below()})`;
    case 1:
      return `(${below()} ${pick(random, ['<', '<=', '>', '>=', '==', '!='])} ${below()} ? ${below()} : ${below()})`;
    case 2:
      return `${below()}[${pick(random, ['0', '1', '3', '500', 'bar_index', 'close', '-1'])}]`;
    case 3:
      return `${pick(random, CALLS)}(${below()}, ${pick(random, NUMBERS)})`;
    case 4:
      return `${pick(random, ['ta.sma', 'ta.ema', 'ta.rma', 'ta.highest', 'ta.stdev', 'ta.rsi', 'ta.change', 'ta.linreg'])}(${below()}, ${pick(random, ['1', '2', '14', '500'])})`;
    case 5:
      return `-${below()}`;
    case 6:
      return `nz(${below()}, ${below()})`;
    case 7:
      return `math.max(${below()}, ${below()})`;
    case 8:
      return `math.pow(${below()}, ${pick(random, ['2', '16', '-16', '17'])})`;
    default:
      return `(${below()})`;
  }
}

function statements(random: Random, depth: number, indent: string): string {
  let text = '';
  for (let count = 1 + upTo(random, 4); count > 0; count -= 1) {
    const value = () => expression(random, upTo(random, 3));
    switch (depth <= 0 ? 0 : upTo(random, 6)) {
      case 1:
        text += `${indent}if ${value()} > ${value()}\n${statements(random, depth - 1, `${indent}    `)}`;
        break;
      case 2:
        text += `${indent}for i${depth} = ${pick(random, ['0', 'close', '5'])} to ${pick(random, ['3', '100', '1e9', 'bar_index', 'na'])}\n${statements(random, depth - 1, `${indent}    `)}`;
        break;
      case 3:
        text += `${indent}strategy.entry("E${upTo(random, 3)}", ${pick(random, ['strategy.long', 'strategy.short'])}, qty = ${value()})\n`;
        break;
      case 4:
        text += `${indent}strategy.exit("X", stop = ${value()}, ${pick(random, ['limit', 'profit', 'loss'])} = ${value()})\n`;
        break;
      case 5:
        text += `${indent}${pick(random, ['strategy.close("E1")', 'strategy.close_all()', 'plot(close)', 'break', 'continue'])}\n`;
        break;
      default:
        text += `${indent}${pick(random, ['a', 'b'])} := ${value()}\n`;
    }
  }
  return text;
}

function grammar(random: Random): string {
  return `${HEADER}float a = close\nvar float b = 0.0\n${statements(random, 3, '')}${ENTRY}`;
}

function mutateWords(random: Random): string {
  const words = pick(random, valid).split(/(\b|\s)/);
  for (let count = 1 + upTo(random, 3); count > 0; count -= 1) {
    const index = Math.floor(random() * words.length);
    const replacement =
      random() < 0.3 ? words[Math.floor(random() * words.length)]! : pick(random, random() < 0.5 ? WORDS : NUMBERS);
    words.splice(index, upTo(random, 2), replacement);
  }
  return words.join('');
}

function mutateLines(random: Random): string {
  const lines = pick(random, valid).split('\n');
  const other = pick(random, valid).split('\n');
  for (let count = 1 + upTo(random, 3); count > 0; count -= 1) {
    const index = 2 + Math.floor(random() * (lines.length - 2));
    if (random() < 0.4) lines.splice(index, 1);
    else lines.splice(index, 0, pick(random, random() < 0.5 ? lines : other));
  }
  return lines.join('\n');
}

function mutateCharacters(random: Random): string {
  const characters = Array.from(pick(random, valid));
  for (let count = 1 + upTo(random, 5); count > 0; count -= 1) {
    characters.splice(
      Math.floor(random() * characters.length),
      upTo(random, 3),
      String.fromCodePoint(pick(random, [32, 10, 9, 40, 41, 91, 46, 0, 0x2028, 0x1f600, 0xd800, 65 + upTo(random, 57)])),
    );
  }
  return characters.join('');
}

function soup(random: Random): string {
  const words = Array.from({ length: 1 + upTo(random, 200) }, () => pick(random, WORDS));
  return `${HEADER}${words.join(random() < 0.5 ? ' ' : '')}\n${ENTRY}`;
}

function extreme(random: Random): string {
  const size = pick(random, [30, 59, 60, 61, 1000, 7000]);
  const name = pick(random, HOSTILE_NAMES);
  return `${HEADER}${pick(random, [
    `x = ${'('.repeat(size)}1${')'.repeat(size)}`,
    `x = ${'1 + '.repeat(size)}1`,
    `x = ${'-'.repeat(size)}close`,
    `x = ${'not '.repeat(size)}true`,
    `x = ${'true ? 1 : '.repeat(size)}2`,
    `x = close${'[1]'.repeat(size)}`,
    `x = ${'math.abs('.repeat(size)}close${')'.repeat(size)}`,
    `x = "${'long '.repeat(size)}"`,
    `x = ${'9'.repeat(size)}`,
    `${'a'.repeat(size)} = close`,
    `${name} = close\ny = ${name}[1]`,
    `${name} = input.int(3)\nstrategy.entry("${name}", strategy.long)\nstrategy.exit("${name}", "${name}", stop = close)`,
    `x = ta.sma(close, ${name} = 3)`,
    `var ${name} = 0.0\n${name} += close\nx = ta.ema(${name}, 500)`,
    `for i = 0 to 1e9\n    for j = 0 to 1e9\n        for k = 0 to 1e9\n            x = close`,
    `x = 1.0\n${'x *= 1e300\n'.repeat(Math.min(size, 100))}`,
    `x0 = close\n${Array.from({ length: Math.min(size, 199) }, (_, index) => `x${index + 1} = x${index} + x${index}`).join('\n')}`,
    `x0 = 1\n${Array.from({ length: Math.min(size, 1000) }, (_, index) => `x${index + 1} = x${index} + x${index}`).join('\n')}`,
    Array.from({ length: Math.min(size, 70) }, (_, level) => `${'    '.repeat(level)}if close > ${level}`).join('\n'),
    `if close > 0\n    x = 1\n${'else if close > 1\n    x = 2\n'.repeat(size)}`,
    `x = close[${size}]`,
    Array.from({ length: Math.min(size, 150) }, () => 'ta.bb(close, 500, 2)').join('\n'),
    ','.repeat(size),
    '\n'.repeat(size),
    '\ud800'.repeat(size),
  ])}\n${ENTRY}`;
}
