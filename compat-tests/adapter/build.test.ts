/**
 * The files that `npm ci` leaves in `adapter/dist`: built from this source, based on the program's own ccxt, for import and
 * require.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ccxt from 'ccxt';
import { expect, test } from 'vitest';
import imported, { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';

const require = createRequire(import.meta.url);
const DIST = dirname(require.resolve('#adapter/dist/openperp.cjs'));

/** The text of every file below a folder, by name. */
function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path, 'utf8')];
    }),
  );
}

test('equals a build of the current source (else: npm run prepare)', () => {
  const target = mkdtempSync(join(tmpdir(), 'openperp-adapter-'));
  try {
    execFileSync(process.execPath, [require.resolve('#adapter/build.mjs'), target]);
    expect(contentsOf(DIST)).toEqual(contentsOf(target));
  } finally {
    rmSync(target, { recursive: true });
  }
});

test('packs nothing without the bundler, and an install succeeds', () => {
  const alone = mkdtempSync(join(tmpdir(), 'openperp-adapter-'));
  try {
    mkdirSync(join(alone, 'node_modules'));
    symlinkSync(join(DIST, '../../node_modules/ccxt'), join(alone, 'node_modules', 'ccxt'));
    copyFileSync(require.resolve('#adapter/build.mjs'), join(alone, 'build.mjs'));
    const statusIn = (npm_lifecycle_event: string) =>
      spawnSync(process.execPath, ['build.mjs'], { cwd: alone, env: { ...process.env, npm_lifecycle_event } }).status;
    expect([statusIn('prepare'), statusIn('prepack')]).toEqual([0, 1]);
  } finally {
    rmSync(alone, { recursive: true });
  }
});

test('extends the imported ccxt when imported', async () => {
  expect(imported).toBe(OpenPerp);
  const exchange = new OpenPerp();
  expect(exchange).toBeInstanceOf(ccxt.Exchange);
  await expect(exchange.fetchBalance()).rejects.toBeInstanceOf(ccxt.BaseError);
  await expect(exchange.setMarginMode('cross')).rejects.toBeInstanceOf(ccxt.NotSupported);
});

test('extends the imported class with sockets', async () => {
  for (const [{ OpenPerp: Rest, OpenPerpPro: Pro }, library] of [
    [{ OpenPerp, OpenPerpPro }, ccxt],
    [require('#adapter/dist/openperp.cjs'), require('ccxt')],
  ]) {
    const exchange = new Pro();
    expect(exchange).toBeInstanceOf(Rest);
    expect(exchange).toBeInstanceOf(library.Exchange);
    await expect(exchange.watchLiquidations('x')).rejects.toBeInstanceOf(library.NotSupported);
  }
});

test('extends the required ccxt when required', async () => {
  const required = require('#adapter/dist/openperp.cjs');
  const requiredCcxt = require('ccxt');
  expect(required.default).toBe(required.OpenPerp);
  const exchange = new required.OpenPerp();
  expect(exchange).toBeInstanceOf(requiredCcxt.Exchange);
  await expect(exchange.setMarginMode('cross')).rejects.toBeInstanceOf(requiredCcxt.NotSupported);
});

test('bundles only the socket caches of ccxt, which it does not export', () => {
  for (const file of ['openperp.js', 'openperp.cjs']) {
    const code = readFileSync(join(DIST, file), 'utf8');
    expect(code.match(/(?:from |require\()"[^"]+"/g), file).toHaveLength(1);
    expect(code).toMatch(/(?:from |require\()"ccxt"/);
    expect(code).not.toMatch(/(?:class|var|let|const) (?:BaseError|Client)\b/);
    expect(code.match(/(?:class|var|let|const) ArrayCache\b/g), file).toHaveLength(1);
  }
});

test('imports its types from ccxt', () => {
  const types = contentsOf(join(DIST, 'types'));
  const names = ['abstract/openperp', 'openperp', 'pro/openperp'].flatMap((name) => [`${name}.d.cts`, `${name}.d.ts`]);
  expect(Object.keys(types).sort()).toEqual(names);
  for (const text of Object.values(types)) expect(text).not.toMatch(/from '\.[^']*base\//);
});
