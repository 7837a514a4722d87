/**
 * The class in the languages of a ccxt checkout: a tree with the checkout's build, base classes and Python tests, and this class
 * as its only exchange. The checkout's own transpiler writes Python and PHP there; the checkout itself is unchanged.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OpenPerp } from '#adapter/dist/openperp.js';
import type { LanguageResult } from '#compat/report.ts';
import { writeImplicitApi } from './implicit-api.ts';

const SOURCE = join(dirname(createRequire(import.meta.url).resolve('#adapter/package.json')), 'src');
const CLASSES = ['openperp.ts', 'pro/openperp.ts', 'abstract/openperp.ts'];
/** The files that the transpiler and the Python tests read. */
const PARTS = [
  'build',
  'package.json',
  'tsconfig.json',
  'ts/src/base',
  'ts/src/static_dependencies',
  'python/ccxt/base',
  'python/ccxt/static_dependencies',
  'python/ccxt/async_support/base',
  'python/ccxt/test',
];
/** Python loads the socket tests from a lower-case folder, which the build capitalizes; most file systems distinguish them. */
const SOCKET_TESTS = ['python/ccxt/pro/test/Exchange', 'python/ccxt/pro/test/exchange'];

const PYTHON_FILES = ['python/ccxt/openperp.py', 'python/ccxt/async_support/openperp.py', 'python/ccxt/pro/openperp.py'];
const PHP_FILES = ['php/openperp.php', 'php/async/openperp.php', 'php/pro/openperp.php'];

/** Resolves when Python and PHP of the class are in the folder `tree`; rejects with the transpiler's output. */
export async function transpile(checkout: string, tree: string): Promise<void> {
  for (const part of PARTS) await cp(join(checkout, part), join(tree, part), { recursive: true });
  const [written = '', read = ''] = SOCKET_TESTS;
  const found = [read, written].find((folder) => existsSync(join(checkout, folder)));
  if (found !== undefined) await cp(join(checkout, found), join(tree, read), { recursive: true });
  const tools = join(checkout, 'node_modules');
  if (!existsSync(join(tools, '.bin', 'tsx'))) throw new Error(`${tools} has no tsx: run npm install in the checkout`);
  await symlink(await realpath(tools), join(tree, 'node_modules'));
  for (const folder of ['ts/src/pro', 'ts/src/abstract', 'php/async', 'php/pro', 'python/ccxt/abstract', 'python/ccxt/pro'])
    await mkdir(join(tree, folder), { recursive: true });
  for (const path of CLASSES) await cp(join(SOURCE, path), join(tree, 'ts', 'src', path));
  await writeFile(join(tree, 'exchanges.json'), JSON.stringify({ ids: ['openperp'], ws: ['openperp'] }));
  // The transpiler of the socket class imports ccxt's JavaScript, which a built checkout has.
  await symlink(await realpath(join(checkout, 'js')), join(tree, 'js'));
  // The tools must run with this Node, whichever other one the machine has.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter);
  for (const transpiler of ['transpile.ts', 'transpileWS.ts'])
    await promisify(execFile)(join(tree, 'node_modules', '.bin', 'tsx'), [`build/${transpiler}`, 'openperp', '--force'], {
      cwd: tree,
      env: { ...process.env, PATH },
    });
  await writePackage(checkout, tree);
}

/** `ccxt`, `ccxt.async_support` and `ccxt.pro` of Python with the class as their only exchange, and no API keys. */
async function writePackage(checkout: string, tree: string): Promise<void> {
  for (const name of ['', 'async_support', 'pro']) {
    const file = join('python', 'ccxt', name, '__init__.py');
    const lines = (await readFile(join(checkout, file), 'utf8')).split('\n');
    const remaining = lines.filter((line) => !/^from ccxt(?:\.\w+)?\.(\w+) +import \1\b/.test(line));
    const module = ['ccxt', name, 'openperp'].filter((part) => part !== '').join('.');
    await writeFile(join(tree, file), [...remaining, `from ${module} import openperp`, ''].join('\n'));
  }
  await writeFile(join(tree, 'python', 'ccxt', 'abstract', 'openperp.py'), writeImplicitApi(new OpenPerp().api));
  for (const file of ['keys.json', 'skip-tests.json']) await writeFile(join(tree, file), '{}');
}

/** Compiles the Python of a tree, and lints its PHP if PHP is installed. */
export async function lintTree(tree: string, python: string): Promise<readonly LanguageResult[]> {
  return [await lintPython(tree, python), await lintPhp(tree)];
}

async function lintPython(tree: string, python: string): Promise<LanguageResult> {
  const reason = await failureOf(python, ['-m', 'py_compile', ...PYTHON_FILES], tree);
  return reason === undefined ? { language: 'Python', result: 'pass' } : { language: 'Python', result: 'fail', reason };
}

async function lintPhp(tree: string): Promise<LanguageResult> {
  if ((await failureOf('php', ['--version'], tree)) !== undefined)
    return { language: 'PHP', result: 'skip', reason: 'php is not installed' };
  for (const file of PHP_FILES) {
    const reason = await failureOf('php', ['-l', file], tree);
    if (reason !== undefined) return { language: 'PHP', result: 'fail', reason };
  }
  return { language: 'PHP', result: 'pass' };
}

/** The output of a command that fails. */
async function failureOf(command: string, args: readonly string[], cwd: string): Promise<string | undefined> {
  return promisify(execFile)(command, [...args], { cwd }).then(
    () => undefined,
    (error: Error & { stdout?: string; stderr?: string }) =>
      [error.message, error.stdout, error.stderr].join(' ').replace(/\s+/g, ' ').slice(0, 400),
  );
}
