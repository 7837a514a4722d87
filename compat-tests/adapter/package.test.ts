/** The package as a program gets it: packed, installed in an empty project beside ccxt, and loaded with import and require. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const require = createRequire(import.meta.url);
const ADAPTER = dirname(require.resolve('#adapter/package.json'));
const NEEDED = require('#adapter/package.json').peerDependencies.ccxt.replace('^', '');
const MODULES = join(dirname(ADAPTER), 'node_modules');

let project: string;

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'openperp-package-'));
  await write('package.json', '{ "name": "program", "private": true }');
  // Packs the existing build without rebuilding it, since other tests may be loading it.
  const pack = ['pack', ADAPTER, '--ignore-scripts', '--json', '--pack-destination', project];
  const [{ filename }] = JSON.parse((await run('npm', pack)).stdout);
  // The peer dependency ccxt is copied by hand: nothing is downloaded.
  const flags = ['--offline', '--legacy-peer-deps', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags, join(project, filename)]);
  await symlink(join(MODULES, 'ccxt'), join(project, 'node_modules', 'ccxt'));
});

afterAll(() => rm(project, { recursive: true }));

const write = (name: string, text: string) => writeFile(join(project, name), text);
const run = (command: string, args: readonly string[]) => promisify(execFile)(command, [...args], { cwd: project });

/** Rejects with the output of the program if it fails. */
async function runs(name: string, text: string): Promise<string> {
  await write(name, text);
  return (await run(process.execPath, [name])).stdout;
}

test('contains the build, the manifest, the README and the license only', async () => {
  const names = await readdir(join(project, 'node_modules', 'ccxt-openperp'));
  expect(names.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
});

/** True for ccxt and the package with either way of loading. */
const CHECKS = `
  const before = ccxt.exchanges.length;
  const beforePro = ccxt.pro.exchanges.length;
  const { OpenPerp, OpenPerpPro, openperp, default: theDefault } = await load();
  assert.equal(OpenPerp, theDefault);
  assert.equal(OpenPerp, openperp);
  assert.equal(ccxt.openperp, OpenPerp);
  assert.equal(ccxt.exchanges.length, before + 1);
  assert.equal(ccxt.exchanges.indexOf('openperp'), ccxt.exchanges.indexOf('onetrading') + 1);
  assert.equal(ccxt.pro.openperp, OpenPerpPro);
  assert.equal(ccxt.pro.exchanges.length, beforePro + 1);
  assert(ccxt.pro.exchanges.includes('openperp'));
  const exchange = new ccxt['openperp']({ apiKey: 'k' });
  const pro = new ccxt.pro['openperp']({ apiKey: 'k' });
  assert(pro instanceof ccxt.Exchange && pro instanceof ccxt.openperp && pro instanceof ccxt.pro.openperp);
  assert.deepEqual([exchange.has.ws, pro.has.ws, pro.pro, pro.has.watchOrders], [false, true, true, true]);
  pro.urls.api = { rest: 'http://127.0.0.1:1', ws: 'ws://127.0.0.1:1' };
  for (const call of [pro.fetchTime(), pro.watchTicker('BTC/USD.E:USD.E')])
    await assert.rejects(call, (error) => error instanceof ccxt.NetworkError);
  await pro.close();
  assert.equal(exchange.id, 'openperp');
  assert(exchange instanceof ccxt.Exchange);
  assert(exchange instanceof ccxt.openperp);
  await assert.rejects(exchange.setMarginMode('cross'), ccxt.NotSupported);
  await assert.rejects(exchange.createOrder('x', 'limit', 'buy', 1, 1, { timeInForce: 'DAY' }), ccxt.NotSupported);
  exchange.urls.api = { rest: 'http://127.0.0.1:1' };
  await assert.rejects(exchange.fetchTime(), (error) => error instanceof ccxt.NetworkError && error instanceof ccxt.BaseError);
`;

describe('registration with the ccxt of the program', () => {
  test('with import', async () => {
    await runs(
      'imports.mjs',
      `import assert from 'node:assert/strict';
      import ccxt, { exchanges, NotSupported } from 'ccxt';
      const load = () => import('ccxt-openperp');
      ${CHECKS}
      assert.equal(exchanges.openperp, OpenPerp);
      await assert.rejects(exchange.setMarginMode('cross'), NotSupported);`,
    );
  });

  test('with require', async () => {
    await runs(
      'requires.cjs',
      `const assert = require('node:assert/strict');
      const ccxt = require('ccxt');
      const load = async () => require('ccxt-openperp');
      (async () => { ${CHECKS} })();`,
    );
  });

  test('with both in one program, separately', async () => {
    await runs(
      'both.mjs',
      `import assert from 'node:assert/strict';
      import { createRequire } from 'node:module';
      import imported from 'ccxt';
      const require = createRequire(import.meta.url);
      const required = require('ccxt');
      const { OpenPerp } = await import('ccxt-openperp');
      assert.equal(required.openperp, undefined);
      require('ccxt-openperp');
      assert.equal(imported.openperp, OpenPerp);
      assert.notEqual(required.openperp, OpenPerp);
      assert(new required.openperp() instanceof required.Exchange);
      assert(!(new required.openperp() instanceof imported.Exchange));`,
    );
  });

  test('once, if it is loaded twice', async () => {
    const listed = await runs(
      'twice.mjs',
      `import ccxt from 'ccxt';
      await import('./node_modules/ccxt-openperp/dist/openperp.js?first');
      await import('./node_modules/ccxt-openperp/dist/openperp.js?second');
      console.log(ccxt.exchanges.filter((id) => id === 'openperp').length);`,
    );
    expect(listed).toBe('1\n');
  });
});

/** A program with ccxt as a namespace, which cannot be extended once it is loaded. */
const IMPORTS = `
  import assert from 'node:assert/strict';
  import * as ccxt from 'ccxt';
  import library, { exchanges, openperp, pro } from 'ccxt';
  const exchange = new ccxt.openperp({ apiKey: 'k' });
  assert(exchange instanceof ccxt.Exchange);
  assert.equal(exchange.id, 'openperp');
  for (const known of [ccxt.openperp, library.openperp, exchanges.openperp, ccxt.default.openperp]) assert.equal(known, openperp);
  assert(new pro.openperp() instanceof openperp);
  assert(library.exchanges.includes('openperp') && pro.exchanges.includes('openperp'));
  await assert.rejects(exchange.setMarginMode('cross'), ccxt.NotSupported);
  const { OpenPerp } = await import('ccxt-openperp');
  assert.equal(OpenPerp, openperp);
`;

const REQUIRES = `
  const assert = require('node:assert/strict');
  const ccxt = require('ccxt');
  assert(new ccxt.openperp() instanceof ccxt.Exchange);
  assert(new ccxt.pro.openperp() instanceof ccxt.openperp);
  assert(ccxt.exchanges.includes('openperp'));
  assert.rejects(new ccxt.openperp().setMarginMode('cross'), ccxt.NotSupported);
`;

describe('with --import ccxt-openperp/register, a program that does not import the package finds the exchange', () => {
  const HOOK = ['--import', 'ccxt-openperp/register'];
  /** Node 20 has no hooks in the thread of the program. */
  const WITHOUT_HOOKS_IN_THREAD = `import Module from 'node:module';\nModule.registerHooks = undefined;\n`;

  test.each([
    ['import * as ccxt', 'namespace.mjs', IMPORTS],
    ["require('ccxt')", 'library.cjs', REQUIRES],
  ])('by %s', async (_, name, program) => {
    await write(name, program);
    await expect(run(process.execPath, [name])).rejects.toThrow(/openperp/);
    await run(process.execPath, [...HOOK, name]);
    await write('node-20.mjs', WITHOUT_HOOKS_IN_THREAD);
    await run(process.execPath, ['--import', './node-20.mjs', ...HOOK, name]);
  });

  test('in each copy of ccxt, based on that copy', async () => {
    const theirs = join(project, 'node_modules', 'another', 'node_modules');
    await mkdir(join(theirs, 'ccxt'), { recursive: true });
    for (const name of ['@noble', '@scure', 'undici', 'ws']) await symlink(join(MODULES, name), join(theirs, name));
    for (const part of ['package.json', 'js'])
      await cp(join(MODULES, 'ccxt', part), join(theirs, 'ccxt', part), { recursive: true });
    await write('node_modules/another/index.mjs', "export * as theirs from 'ccxt';");
    await write(
      'copies.mjs',
      `import assert from 'node:assert/strict';
      import * as ours from 'ccxt';
      import { theirs } from './node_modules/another/index.mjs';
      assert.notEqual(ours.Exchange, theirs.Exchange);
      for (const ccxt of [ours, theirs]) {
        assert(new ccxt.openperp() instanceof ccxt.Exchange);
        await assert.rejects(new ccxt.openperp().setMarginMode('cross'), ccxt.NotSupported);
      }`,
    );
    await run(process.execPath, [...HOOK, 'copies.mjs']);
  });
});

describe('a ccxt that is too old is named in one line when an exchange is constructed', () => {
  let older: string;
  beforeAll(async () => {
    older = join(project, 'older');
    await mkdir(join(older, 'node_modules', 'ccxt-openperp'), { recursive: true });
    await cp(join(project, 'node_modules', 'ccxt-openperp'), join(older, 'node_modules', 'ccxt-openperp'), { recursive: true });
    await symlink(join(MODULES, 'ccxt-2'), join(older, 'node_modules', 'ccxt'));
  });

  test.each([
    ['import', 'program.mjs', "import ccxt from 'ccxt';\nimport { OpenPerp, OpenPerpPro } from 'ccxt-openperp';"],
    ['require', 'program.cjs', "const ccxt = require('ccxt');\nconst { OpenPerp, OpenPerpPro } = require('ccxt-openperp');"],
  ])('%s', async (_, name, loading) => {
    const constructing = `for (const Exchange of [OpenPerp, OpenPerpPro, ccxt.openperp])
      try { new Exchange({ apiKey: 'k' }); } catch (error) { console.log(error instanceof ccxt.NotSupported, error.message); }`;
    await writeFile(join(older, name), `${loading}\n${constructing}\n`);
    const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: older });
    const line = `true openperp needs ccxt ${NEEDED} or newer, and this program has 2.9.8: npm install ccxt@${NEEDED}\n`;
    expect(stdout).toBe(line.repeat(3));
  });
});

/** A program under strict type checks. */
const TYPED = `
  const exchange = new OpenPerp({ apiKey: 'k', hostname: 'localhost:1' });
  const base: Exchange = exchange;
  const order: Promise<Order> = exchange.createOrder('x', 'limit', 'buy', 1, 1, { leverage: 5 });
  const price: Promise<number | undefined> = exchange.fetchTicker('x').then(({ last }) => last);
  const pro: OpenPerp = new OpenPerpPro({ apiKey: 'k' });
  const orders: Promise<Order[]> = new OpenPerpPro().watchOrders('x');
  const isRefused = (error: unknown) => error instanceof NotSupported;
  // @ts-expect-error: an amount is a number
  const wrong = exchange.createOrder('x', 'limit', 'buy', 'much');
  export { base, order, price, pro, orders, isRefused, wrong };
`;

test.each([
  ['an ES module', 'typed.mts'],
  ['CommonJS', 'typed.cts'],
])('type-checks a strict program that is %s', async (_, name) => {
  const imports = `import { Exchange, NotSupported, type Order } from 'ccxt';\nimport { OpenPerp, OpenPerpPro } from 'ccxt-openperp';\n`;
  await write(name, imports + TYPED);
  const options = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, noEmit: true, types: [] };
  const compilerOptions = { ...options, target: 'es2022', module: 'nodenext', skipLibCheck: false };
  await write('tsconfig.json', JSON.stringify({ compilerOptions, files: [name] }));
  const compiler = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
  const { stdout } = await run(process.execPath, [compiler, '-p', '.']).catch((error) => error);
  // Faults in ccxt's own types are ignored.
  const faults = String(stdout)
    .split('\n')
    .filter((line) => /^\S/.test(line) && !line.includes('node_modules/ccxt/'));
  expect(faults).toEqual([]);
});
