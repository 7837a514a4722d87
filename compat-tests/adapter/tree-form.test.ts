/**
 * The class keeps the form that ccxt's own transpiler reads, so that it can be taken into ccxt's tree as it is. What is looked for here is
 * what that transpiler makes no or wrong Python of; the transpiler itself runs over it where a checkout of ccxt is at hand.
 */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';

const SOURCE = join(dirname(createRequire(import.meta.url).resolve('#adapter/package.json')), 'src', 'openperp.ts');
/** A checkout of ccxt with what its transpiler needs: npm i tsx ast-transpiler ololog ansicolor as-table piscina ws protobufjs. */
const CHECKOUT = process.env.OPENPERP_CCXT_CHECKOUT;

let source: readonly string[];
/** Lines of code by their numbers, without comments and without what is in strings. */
let lines: readonly (readonly [number: number, code: string])[];

beforeAll(async () => {
  source = (await readFile(SOURCE, 'utf8')).split('\n');
  let isComment = false;
  lines = source.map((line, index) => {
    if (/^\s*\/\*\*/.test(line)) isComment = true;
    const code = isComment ? '' : line.replace(/'(?:[^'\\]|\\.)*'/g, "''").replace(/\s*\/\/.*$/, '');
    if (/\*\/\s*$/.test(line)) isComment = false;
    return [index + 1, code];
  });
});

const NEVER: readonly (readonly [what: string, pattern: RegExp])[] = [
  ['template strings', /`/],
  ['double quotes', /"/],
  ['functions within methods', /=>|\bfunction\b/],
  ['optional chaining', /\?\./],
  ['?? and ||= and the like', /\?\?|\|\|=|&&=/],
  ['spreading', /\.\.\./],
  ['methods of lists that take functions', /\.(?:map|filter|reduce|forEach|find|some|every|flatMap|includes|entries)\b/],
  ['var and null', /\b(?:var|null)\b/],
  ['a bracket without a space before it', /[\w\])]\((?!\))|\w\(\)/],
  ['a brace without a space before it', /[\w)]\{/],
  ['properties read of dictionaries', /\b(?:market|params|request|response|order|position)\.[a-z]/],
  ['comparisons that convert', /[^=!]==[^=]|!=[^=]/],
  ['for of and for in', /\bfor \((?:const|let) \w+ (?:of|in)\b/],
  ['a choice within the arguments of a call', /\w \(\([^()]*\) \?/],
  ['Object.values within the arguments of a call', /\(Object\.values/],
  ['tabs', /\t/],
];

describe('it has none of', () => {
  test.each(NEVER)('%s', (_, pattern) => {
    expect(lines.filter(([, code]) => pattern.test(code)).map(([number, code]) => `${number}: ${code.trim()}`)).toEqual([]);
  });
});

test('it is one class, of methods that a blank line stands between and none within', () => {
  expect(lines.filter(([, code]) => /\bclass\b/.test(code)).map(([, code]) => code)).toEqual([
    'export default class openperp extends Exchange {',
  ]);
  const start = lines.findIndex(([, code]) => code.includes('class openperp'));
  const methods = lines.slice(start).filter(([, code]) => /^ {4}(?:async )?\w+ \(.*\{$/.test(code));
  expect(methods.length).toBeGreaterThan(80);
  const within = source.flatMap((line, index) => {
    const before = source[index - 1] ?? '';
    return line === '' && index > start && !['    }', '}'].includes(before) ? [`${index + 1}, after ${before}`] : [];
  });
  expect(within).toEqual([]);
});

test.skipIf(CHECKOUT === undefined)(
  "ccxt's own transpiler makes Python of it that compiles",
  async () => {
    const tree = await mkdtemp(join(tmpdir(), 'openperp-tree-'));
    try {
      const from = (path: string) => join(CHECKOUT as string, path);
      for (const path of ['build', 'ts/src', 'python/ccxt', 'package.json', 'tsconfig.json'])
        await cp(from(path), join(tree, path), { recursive: true });
      await symlink(await realpath(from('node_modules')), join(tree, 'node_modules'));
      await writeFile(join(tree, 'exchanges.json'), JSON.stringify({ ids: ['openperp'], ws: [] }));
      for (const path of ['openperp.ts', 'abstract/openperp.ts'])
        await cp(join(dirname(SOURCE), path), join(tree, 'ts', 'src', path));
      const run = (command: string, ...args: string[]) => promisify(execFile)(command, args, { cwd: tree });
      await run(join('node_modules', '.bin', 'tsx'), 'build/transpile.ts', 'openperp', '--python', '--force');
      for (const name of ['python/ccxt/openperp.py', 'python/ccxt/async_support/openperp.py']) {
        const python = await readFile(join(tree, name), 'utf8');
        expect(python).toContain('class openperp(Exchange, ImplicitAPI)');
        await run('python3', '-m', 'py_compile', name);
      }
    } finally {
      await rm(tree, { recursive: true });
    }
  },
  300_000,
);
