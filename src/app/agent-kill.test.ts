/**
 * Kills a venue with a running deployment by `kill -9`, around the end of each candle. Each candle results in exactly one order: none is
 * lost, and none is placed twice.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { V8_FLAGS } from '#host/v8-flags.ts';
import { RandomSource } from '#simulation/world/random-source.ts';
import { type DeploymentReport, type DeploymentRound, FIRST_BAR_EPOCH_MS, MINUTE_MS } from './testing/deployment-round.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

/** `OPENPERP_KILLS=100 npx vitest run src/app/agent-kill.test.ts` sets the number of kills. */
const KILLS = Number(process.env.OPENPERP_KILLS ?? 3);
const MAX_DELAY_MS = 40;

/** Resolves with the report of a clean stop; `undefined` if the process was killed. */
async function finished(round: DeploymentRound): Promise<DeploymentReport | undefined> {
  const program = new URL('./testing/deployment-process.ts', import.meta.url);
  const child = fork(program, [JSON.stringify(round)], { execArgv: [...V8_FLAGS], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let report: DeploymentReport | undefined;
  let errors = '';
  child.on('message', (message) => {
    report = message as DeploymentReport;
  });
  child.stderr?.on('data', (bytes) => {
    errors += String(bytes);
  });
  const [status, signal] = await once(child, 'exit');
  expect({ status, signal, errors }).toEqual({ ...(round.kill === null ? STOPPED : KILLED), errors: '' });
  return report;
}

const STOPPED = { status: 0, signal: null };
const KILLED = { status: null, signal: 'SIGKILL' };

test(`${KILLS} kills lose and repeat no order`, { timeout: KILLS * 60_000 }, async () => {
  const { path: dataDirectory, remove } = temporaryDirectory();
  onTestFinished(remove);
  const random = new RandomSource(7);
  let kills = 0;
  let candles = 0;
  let report: DeploymentReport | undefined;
  while (kills < KILLS || report === undefined) {
    // A clean stop saves the state of the run, so that later starts go on from it.
    const isStop = kills === KILLS || candles % 4 === 2;
    const kill = random.chance(0.3) ? 'in_log' : { delayMs: random.between(0, MAX_DELAY_MS) };
    report = await finished({ dataDirectory, candles, kill: isStop ? null : kill });
    candles += 1;
    if (!isStop) kills += 1;
  }
  const bars = Array.from({ length: candles }, (_, number) => FIRST_BAR_EPOCH_MS + number * MINUTE_MS);
  expect(report.internalErrors).toEqual([]);
  expect(report.bars.filter((bar) => bar >= FIRST_BAR_EPOCH_MS).slice(0, candles)).toEqual(bars);
  const [started, ...orders] = report.actions;
  expect(started).toMatchObject({ kind: 'deployment_started' });
  expect(
    orders.map(({ barEpochMs, barIndex, kind, positionBaseAtoms }) => [barEpochMs, barIndex, kind, positionBaseAtoms]),
  ).toEqual(bars.map((bar, number) => (number % 2 === 0 ? [bar, 0, 'entry', 100] : [bar, 0, 'close', 0])));
});
