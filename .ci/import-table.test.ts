import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;
const overrides = JSON.parse(readFileSync(`${ROOT}biome.json`, 'utf8')).overrides as { includes: string[] }[];

/** Files that break a rule, and which: planted in an empty tree that has nothing but the linter's configuration. */
const planted: [name: string, path: string, rule: string, source: string][] = [
  ['the core from Node', 'engine/venue/order/node.ts', 'noRestrictedImports', "import 'node:fs';"],
  ['the core from another room', 'engine/venue/room.ts', 'noRestrictedImports', "import '#writer/submit.ts';"],
  ['the writer from a projection', 'engine/writer/room.ts', 'noRestrictedImports', "import '#projection/projection.ts';"],
  ['the HTTP service from the state', 'engine/http/room.ts', 'noRestrictedImports', "import '#venue/state.ts';"],
  ['what observes from the rows', 'engine/observability/room.ts', 'noRestrictedImports', "import '#projection/store.ts';"],
  ['Redis from the writer', 'engine/redis/room.ts', 'noRestrictedImports', "import '#writer/submit.ts';"],
  ['the gateway from the engine', 'gateway/room.ts', 'noRestrictedImports', "import '#http/placement.ts';"],
  ['the HTTP service from the gateway itself', 'engine/http/gateway.ts', 'noRestrictedImports', "import '#gateway/gateway.ts';"],
  ['units from anything', 'src/units/room.ts', 'noRestrictedImports', "import 'zod';"],
  ['a room from a path that climbs', 'engine/prices/climb.ts', 'noRestrictedImports', "import '../writer/submit.ts';"],
  ['a folder without a row', 'engine/cellar/room.ts', 'noRestrictedImports', "import '#units/money.ts';"],
  ['the core from dividing', 'engine/venue/divides.ts', 'plugin', 'export const half = (whole: number) => whole / 2;'],
  ['the core from fractions', 'engine/venue/fraction.ts', 'plugin', 'export const half = 0.5;'],
  ['the core from waiting', 'engine/venue/waits.ts', 'plugin', 'export const later = async (it: unknown) => await it;'],
  [
    'the core from catching',
    'engine/venue/catches.ts',
    'plugin',
    'export function hide(it: () => void) {\n  try {\n    it();\n  } catch {}\n}',
  ],
  ['the core from the clock', 'engine/venue/clock.ts', 'noRestrictedGlobals', 'export const now = () => Date.now();'],
  ['a room from a clock of its own', 'engine/http/clock.ts', 'noRestrictedGlobals', 'export const now = () => Date.now();'],
];
const ALLOWED = 'engine/venue/allowed.ts';

let tree: string;
let report: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'openperp-lint-'));
  cpSync(`${ROOT}biome.json`, join(tree, 'biome.json'));
  cpSync(`${ROOT}.ci/pure-core.grit`, join(tree, '.ci/pure-core.grit'));
  for (const [, path, , source] of planted) plant(path, source);
  plant(ALLOWED, "import type { Side } from '#venue/command.ts';\n\nexport const side: Side = 'buy';");
  const { stdout, stderr } = spawnSync(`${ROOT}node_modules/.bin/biome`, ['lint', '--max-diagnostics=none'], {
    cwd: tree,
    encoding: 'utf8',
  });
  report = stdout + stderr;
});

afterAll(() => rmSync(tree, { recursive: true }));

function plant(path: string, source: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), `${source}\n`);
}

test.each(planted)('the linter keeps %s', (_, path, rule) => {
  expect(
    report
      .split('\n')
      .filter((line) => line.startsWith(path))
      .join('\n'),
  ).toContain(rule);
});

test('what the table allows passes', () => {
  expect(report).toContain('Checked');
  expect(report).not.toContain(ALLOWED);
});

test('every room has its row', () => {
  const rooms = readdirSync(`${ROOT}engine`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of rooms)
    expect(
      overrides.some(({ includes }) => includes.includes(`engine/${name}/**`)),
      name,
    ).toBe(true);
});
