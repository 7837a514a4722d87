/**
 * Seeded damage to every file of a data directory except the journal: the venue starts, heals the damage and logs it, and no read
 * of live state is wrong. `OPENPERP_DAMAGE_CASES=1000 npx vitest run src/app/damage.test.ts` sets the number of cases.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CaseResult, type CleanStarts, cleanStarts, runDamageCase } from './testing/damage/damage-case.ts';
import { startAndStop } from './testing/damage/damaged-start.ts';
import { FileTree } from './testing/damage/file-tree.ts';
import { runRunningDamage } from './testing/damage/running-damage.ts';
import { createTradedDirectories, readTradedDirectories, type TradedDirectories } from './testing/damage/traded-directory.ts';

const CASES = Number(process.env.OPENPERP_DAMAGE_CASES ?? 15);
/** Runs only these cases, in a directory that an earlier run has left. */
const SEEDS = process.env.OPENPERP_DAMAGE_SEEDS?.split(',').map(Number);
const EXISTING_ROOT = process.env.OPENPERP_DAMAGE_DIRECTORY;
/** The number of venues that run at a time: a start mostly waits for its threads. */
const AT_A_TIME = 3;
const CASE_MS = 10_000;
const CASES_BESIDE_ONE_RUNNING = 10;
const LIMIT_MS = 30_000 + (SEEDS?.length ?? CASES) * CASE_MS;

let traded: TradedDirectories;
let valid: CleanStarts;
let hasFailed = false;

beforeAll(async () => {
  const root = EXISTING_ROOT ?? (await createTradedDirectories());
  const { killed, ...directories } = readTradedDirectories(root);
  const stopped = join(root, 'stopped');
  if (!existsSync(stopped)) {
    killed.write(stopped);
    await startAndStop(stopped, directories);
  }
  traded = { ...directories, left: { killed, stopped: FileTree.read(stopped) } };
  valid = await cleanStarts(traded);
}, 180_000);

afterAll(() => {
  if (!hasFailed && EXISTING_ROOT === undefined) rmSync(traded.root, { recursive: true });
});

test('heals nothing in a sound directory, and gives the same responses each time', async () => {
  expect(valid.killed.lines).toEqual([]);
  expect(valid.stopped.lines).toEqual([]);
  expect([valid.killed, valid.stopped].map(({ replayed }) => replayed.length > 0)).toEqual([true, true]);
  expect(await cleanStarts(traded)).toEqual(valid);
});

test(
  `heals and logs seeded damage, and serves no wrong read (${SEEDS === undefined ? `${CASES} cases` : `seeds ${SEEDS}`})`,
  () => runAll(SEEDS ?? upTo(CASES), runDamageCase),
  LIMIT_MS,
);

test(
  'serves no wrong read of live state when files of a running venue are damaged, and heals them',
  () => runAll(SEEDS ?? upTo(Math.ceil(CASES / CASES_BESIDE_ONE_RUNNING)), runRunningDamage),
  LIMIT_MS,
);

async function runAll(seeds: readonly number[], runCase: typeof runDamageCase): Promise<void> {
  const waiting = [...seeds];
  const results: CaseResult[] = [];
  const failed: string[] = [];
  const run = async () => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const result = await runCase(traded, valid, seed).catch(brokenCase);
      results.push(result);
      if (result.faults.length > 0) failed.push(failureText(seed, result));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, run));
  hasFailed ||= failed.length > 0;
  console.log(summary(results));
  expect(failed.join('\n\n')).toBe('');
}

function brokenCase(error: Error): CaseResult {
  return { name: 'broken', file: 'broken', outcome: 'refused', lines: [], faults: [error.stack ?? String(error)] };
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

function failureText(seed: number, { name, faults, lines }: CaseResult): string {
  const again = `OPENPERP_DAMAGE_DIRECTORY=${traded.root} OPENPERP_DAMAGE_SEEDS=${seed} npx vitest run src/app/damage.test.ts`;
  const shown = faults.slice(0, 3).join('\n  ');
  return `seed ${seed}: ${name}\n  ${shown}${faults.length > 3 ? `\n  and ${faults.length - 3} more` : ''}\n  log: ${lines.join(' | ')}\n  again: ${again}`;
}

function summary(results: readonly CaseResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))].sort();
  const rows = files.map((file) => {
    const ofFile = results.filter((result) => result.file === file);
    const count = (outcome: string) => ofFile.filter((result) => result.outcome === outcome).length;
    const failures = ofFile.filter(({ faults }) => faults.length > 0).length;
    return `${file}: ${ofFile.length} cases, ${count('healed')} healed, ${count('whole')} whole, ${count('refused')} refused, ${failures} failed`;
  });
  return [`${results.length} cases`, ...rows].join('\n');
}
