/**
 * The classes keep the form that ccxt's own transpiler reads, so that they can be copied into ccxt's tree unchanged. The test
 * looks for constructs that the transpiler translates wrongly or not at all to Python; with a checkout of ccxt the transpiler
 * itself runs too.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { lintTree, transpile } from '#compat/modern/transpiled.ts';

const SOURCE = join(dirname(createRequire(import.meta.url).resolve('#adapter/package.json')), 'src');
const CLASSES = ['openperp.ts', 'pro/openperp.ts'] as const;
/**
 * A checkout of ccxt with the tools of its transpiler: npm i tsx ast-transpiler ololog ansicolor as-table piscina ws protobufjs.
 */
const CHECKOUT = process.env.OPENPERP_CCXT_CHECKOUT;

const NEVER: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['template strings', /`/],
  ['double quotes', /"/],
  ['functions within methods', /=>|\bfunction\b/],
  ['optional chaining', /\?\./],
  ['??, ||= and &&=', /\?\?|\|\|=|&&=/],
  ['spreading', /\.\.\./],
  ['list methods with callbacks', /\.(?:map|filter|reduce|forEach|find|some|every|flatMap|includes|entries)\b/],
  ['var and null', /\b(?:var|null)\b/],
  ['a bracket without a space before it', /[\w\])]\((?!\))|\w\(\)/],
  ['a brace without a space before it', /[\w)]\{/],
  ['dictionary access with a dot', /\b(?:market|params|request|response|order|position)\.[a-z]/],
  ['loose comparisons', /[^=!]==[^=]|!=[^=]/],
  ['for of and for in', /\bfor \((?:const|let) \w+ (?:of|in)\b/],
  ['a conditional within the arguments of a call', /\w \((?:[^()]*, )?\([^()]*(?:\([^()]*\)[^()]*)?\) \?/],
  ['a conditional on the result of a call', /\b(?!return\b)\w+ \([^()]*\) \?/],
  ['a conditional with parenthesized branches', /\? \([^()]*\) :/],
  ['a conditional on a parenthesized expression with a call', /\([^()]*\([^()]*\)[^()]*\) \?/],
  ['toString right after a bracket or an operator', /[^\s\w]\w+\.toString \(\)/],
  ['Object.keys or Object.values as an argument', /[(,] ?Object\.(?:keys|values)\b/],
  ['await as an argument or a dictionary value', /(?:\(|, |: )await\b/],
  ['methods that only the JavaScript base class has', /\bthis\.(?:loadHttpProxyAgent|loadProxyModules|initRestLimiter)\b/],
  ['an error constructed within an expression', /(?:return|\() ?new \w+/],
  ['a variable compared with false, which equals 0 in Python', /\w [!=]== false\b/],
  ['tabs', /\t/],
];

describe.each(CLASSES)('%s', (name) => {
  let source: readonly string[];
  /** Lines of code with their numbers, without comments and string contents. */
  let lines: readonly (readonly [number: number, code: string])[];

  beforeAll(async () => {
    source = (await readFile(join(SOURCE, name), 'utf8')).split('\n');
    let isComment = false;
    lines = source.map((line, index) => {
      if (/^\s*\/\*\*/.test(line)) isComment = true;
      const code = isComment ? '' : line.replace(/'(?:[^'\\]|\\.)*'/g, "''").replace(/\s*\/\/.*$/, '');
      if (/\*\/\s*$/.test(line)) isComment = false;
      return [index + 1, code];
    });
  });

  test.each(NEVER)('contains no %s', (_, pattern) => {
    expect(lines.filter(([, code]) => pattern.test(code)).map(([number, code]) => `${number}: ${code.trim()}`)).toEqual([]);
  });

  test('has no colon between the last two equals signs of a method if its last line has one: that text would be lost', () => {
    const lost: string[] = [];
    let body: string[] = [];
    for (const line of source) {
      if (/^ {4}(?:async )?\w+ \(.*\{$/.test(line)) body = [];
      else if (line !== '    }') body.push(line);
      else {
        const last = body.pop() ?? '';
        const [before = '', ...after] = last.split(/\s=/);
        const text = [...body, before].join('\n').split('=').at(-1);
        if (after.length > 0 && text?.includes(':') === true) lost.push(last.trim());
      }
    }
    expect(lost).toEqual([]);
  });

  test('is one class of methods only, with blank lines only between methods', () => {
    const start = lines.findIndex(([, code]) => code.startsWith('export default class openperp extends '));
    expect(lines.filter(([, code]) => /\bclass\b/.test(code)).map(([number]) => number)).toEqual([start + 1]);
    const methods = lines.slice(start).filter(([, code]) => /^ {4}(?:async )?\w+ \(.*\{$/.test(code));
    expect(methods.length).toBeGreaterThan(50);
    const within = source.flatMap((line, index) => {
      const before = source[index - 1] ?? '';
      return line === '' && index > start && !['    }', '}'].includes(before) ? [`${index + 1}, after ${before}`] : [];
    });
    expect(within).toEqual([]);
    expect(source.slice(start).filter((line) => /^ {4}\/\/(?!\/)/.test(line))).toEqual([]);
  });
});

// Only with a checkout, which has the tools.
if (CHECKOUT !== undefined)
  test('are transpiled by ccxt to Python that compiles, and PHP that lints', async () => {
    const tree = await mkdtemp(join(tmpdir(), 'openperp-tree-'));
    try {
      await transpile(CHECKOUT, tree);
      const results = await lintTree(tree, 'python3');
      expect(results.filter(({ result }) => result === 'fail')).toEqual([]);
      for (const [name, base] of [
        ['openperp.py', 'Exchange, ImplicitAPI'],
        ['async_support/openperp.py', 'Exchange, ImplicitAPI'],
        ['pro/openperp.py', 'ccxt.async_support.openperp'],
      ] as const)
        expect(await readFile(join(tree, 'python', 'ccxt', name), 'utf8')).toContain(`class openperp(${base})`);
    } finally {
      await rm(tree, { recursive: true });
    }
  });
