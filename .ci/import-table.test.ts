import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const ROOT = new URL('..', import.meta.url).pathname;
const overrides = JSON.parse(readFileSync(`${ROOT}biome.json`, 'utf8')).overrides as { includes: string[] }[];

/** Files that each break one rule, planted in an empty tree with only the linter's configuration. */
const planted: [name: string, path: string, rule: string, source: string][] = [
  ['the core from Node', 'engine/venue/order/node.ts', 'noRestrictedImports', "import 'node:fs';"],
  ['the core from another part', 'engine/venue/room.ts', 'noRestrictedImports', "import '#writer/port/submit.ts';"],
  ['the writer from a projection', 'engine/writer/room.ts', 'noRestrictedImports', "import '#projection/projection.ts';"],
  ['the HTTP service from the state', 'engine/http/room.ts', 'noRestrictedImports', "import '#venue/state.ts';"],
  ['observability from the rows', 'engine/observability/room.ts', 'noRestrictedImports', "import '#projection/store.ts';"],
  ['Redis from the writer', 'engine/redis/room.ts', 'noRestrictedImports', "import '#writer/port/submit.ts';"],
  ['the gateway from the engine', 'gateway/room.ts', 'noRestrictedImports', "import '#http/handlers/placement.ts';"],
  ['the HTTP service from the gateway itself', 'engine/http/gateway.ts', 'noRestrictedImports', "import '#gateway/gateway.ts';"],
  ['the oracle from the core', 'oracle/core.ts', 'noRestrictedImports', "import '#venue/state.ts';"],
  ['the oracle from units', 'oracle/units.ts', 'noRestrictedImports', "import '#units/money.ts';"],
  ['units from anything', 'src/units/room.ts', 'noRestrictedImports', "import 'zod';"],
  [
    'a part from a relative path to another part',
    'engine/prices/climb.ts',
    'noRestrictedImports',
    "import '../writer/submit.ts';",
  ],
  ["the owner's page from the engine", 'owner-page/src/room.ts', 'noRestrictedImports', "import '../../engine/http/room.ts';"],
  ["the owner's page from the contract", 'owner-page/src/contract.ts', 'noRestrictedImports', "import '#contract/fields.ts';"],
  ["the owner's page from Number", 'owner-page/src/views/number.ts', 'noRestrictedGlobals', "export const amount = Number('1');"],
  [
    "the owner's page from a number in disguise",
    'owner-page/src/plus.ts',
    'noImplicitCoercions',
    'export const of = (it: string) => +it;',
  ],
  ["the owner's page from parsing", 'owner-page/src/parse.ts', 'noRestrictedGlobals', "export const amount = parseFloat('1');"],
  ["the owner's page from a lasting store", 'owner-page/src/store.ts', 'noRestrictedGlobals', 'localStorage.clear();'],
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
  ['scripts from the core', 'engine/agents/script/core.ts', 'noRestrictedImports', "import '#venue/state.ts';"],
  ['backtests from the state of the core', 'engine/agents/backtest/core.ts', 'noRestrictedImports', "import '#venue/state.ts';"],
  ['scripts from the clock', 'engine/agents/script/clock.ts', 'noRestrictedGlobals', 'export const now = () => Date.now();'],
  ['scripts from code of the host', 'engine/agents/script/host.ts', 'plugin', "export const host = new Function('return 1');"],
  ['indicators from powers', 'engine/agents/indicators/power.ts', 'plugin', 'export const square = (it: number) => it ** 2;'],
  ['indicators from logarithms', 'engine/agents/indicators/log.ts', 'plugin', 'export const log = (it: number) => Math.log(it);'],
  [
    'scripts from a locale',
    'engine/agents/script/locale.ts',
    'plugin',
    'export const shown = (it: number) => it.toLocaleString();',
  ],
  ['a part from its own clock', 'engine/http/clock.ts', 'noRestrictedGlobals', 'export const now = () => Date.now();'],
  ['a part from its own timer', 'engine/http/timer.ts', 'noRestrictedGlobals', 'setTimeout(() => {}, 1);'],
  ['a part from its own interval', 'src/interval.ts', 'noRestrictedGlobals', 'setInterval(() => {}, 1);'],
  ['a part from its own immediate', 'gateway/immediate.ts', 'noRestrictedGlobals', 'setImmediate(() => {});'],
  [
    'a part from sleeping',
    'engine/prices/sleeps.ts',
    'plugin',
    "import { setTimeout as sleep } from 'node:timers/promises';\nsleep(1);",
  ],
  [
    'a part from timers',
    'engine/realtime/timers.ts',
    'plugin',
    "import { setTimeout as later } from 'node:timers';\nlater(() => {}, 1);",
  ],
  ['a part from its own timeout', 'gateway/timeout.ts', 'plugin', 'export const signal = AbortSignal.timeout(1);'],
  ['a part from the clock of the process', 'engine/redis/measures.ts', 'plugin', 'export const began = performance.now();'],
  ['a part from the counter of the machine', 'src/counter.ts', 'plugin', 'export const began = process.hrtime.bigint();'],
  [
    'a part from blocking its thread',
    'engine/projection/blocks.ts',
    'plugin',
    'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);',
  ],
  ['a part from the system’s time', 'engine/http/system.ts', 'noRestrictedImports', "import '#time/system-time.ts';"],
  ["the gateway from the system's time", 'gateway/system.ts', 'noRestrictedImports', "import '#time/system-time.ts';"],
  ['a test from a timer', 'engine/http/timer.test.ts', 'noRestrictedGlobals', 'setTimeout(() => {}, 1);'],
  [
    'a test from sleeping',
    'src/sleeps.test.ts',
    'plugin',
    "import { setTimeout as sleep } from 'node:timers/promises';\nsleep(1);",
  ],
  [
    'shared test code from sleeping',
    'src/testing/sleeps.ts',
    'plugin',
    "import { setTimeout as sleep } from 'node:timers/promises';\nsleep(1);",
  ],
  [
    'the auditor from the rules of the core',
    'engine/simulation/auditor/rules.ts',
    'noRestrictedImports',
    "import '#venue/market/market-status.ts';",
  ],
  [
    'the auditor from code of the core',
    'engine/simulation/auditor/code.ts',
    'plugin',
    "import { REFUSAL_CODES } from '#venue/refusal.ts';\n\nexport const codes = REFUSAL_CODES;",
  ],
  [
    'the core from a cycle of types',
    'engine/venue/cycle.ts',
    'noImportCycles',
    "import type { Back } from './cycle-back.ts';\n\nexport interface There {\n  readonly back: Back;\n}",
  ],
  [
    'the core from a cycle of types, in its other file',
    'engine/venue/cycle-back.ts',
    'noImportCycles',
    "import type { There } from './cycle.ts';\n\nexport interface Back {\n  readonly there: There;\n}",
  ],
  ['a test world from the clock', 'engine/simulation/clock.ts', 'noRestrictedGlobals', 'export const now = () => Date.now();'],
];
const ALLOWED: [path: string, source: string][] = [
  ['engine/agents/indicators/allowed.ts', 'export const root = (it: number) => Math.sqrt(Math.max(it, 0));'],
  ['engine/venue/allowed.ts', "import type { Side } from '#venue/command.ts';\n\nexport const side: Side = 'buy';"],
  [
    'engine/time/system-time.ts',
    'export const now = () => Date.now();\nsetTimeout(() => {}, performance.now() + Number(process.hrtime.bigint()));\nAtomics.wait(new Int32Array(1), 0, 0, 1);',
  ],
  [
    'engine/simulation/auditor/allowed.ts',
    "import type { VenueEvent } from '#venue/event.ts';\n\nexport const typeOf = ({ type }: VenueEvent) => type;",
  ],
  ['engine/http/allowed.ts', "import { sleep } from '#time/timers.ts';\n\nexport const later = () => sleep;"],
];

let tree: string;
let report: string;

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'openperp-lint-'));
  cpSync(`${ROOT}biome.json`, join(tree, 'biome.json'));
  for (const plugin of readdirSync(`${ROOT}.ci`).filter((name) => name.endsWith('.grit')))
    cpSync(`${ROOT}.ci/${plugin}`, join(tree, '.ci', plugin));
  for (const [, path, , source] of planted) plant(path, source);
  for (const [path, source] of ALLOWED) plant(path, source);
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

test('passes what the table allows', () => {
  expect(report).toContain('Checked');
  for (const [path] of ALLOWED) expect(report).not.toContain(path);
});

test('has a row for every part', () => {
  const rooms = readdirSync(`${ROOT}engine`, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of rooms)
    expect(
      overrides.some(({ includes }) => includes.includes(`engine/${name}/**`)),
      name,
    ).toBe(true);
});
