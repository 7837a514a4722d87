/** Deployments in a whole venue: recorded candles in, paper orders out, and a restart between. */
import { afterEach, expect, test } from 'vitest';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { EpochMs } from '#units/money.ts';
import { actionsOf, deploy, trade } from './testing/deployed-venue.ts';
import { startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const MINUTE_MS = 60_000;
const SCRIPT = `//@version=6
strategy("Alternate")
if bar_index % 2 == 0
    strategy.entry("Long", strategy.long)
else
    strategy.close("Long")
`;

/** The machine's time, which a test can advance: both clocks together, as if the time had passed. */
class AdvancedTime {
  #aheadMs = 0;
  readonly clock = { now: () => (systemTime.clock.now() + this.#aheadMs) as EpochMs };
  readonly steadyClock = { elapsedMs: () => systemTime.steadyClock.elapsedMs() + this.#aheadMs };

  /** To the middle of the next minute, so that no minute ends by itself. */
  toNextMinute(): void {
    const now = this.clock.now();
    this.#aheadMs += (Math.floor(now / MINUTE_MS) + 1.5) * MINUTE_MS - now;
  }
}

test('works recorded candles, and goes on after a restart', { timeout: 60_000 }, async () => {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const time = new AdvancedTime();
  time.toNextMinute();
  const start = async () => {
    const venue = await startTestVenue(testConfig(path), { clock: time.clock, steadyClock: time.steadyClock });
    undo.push(() => venue.stop());
    return venue;
  };
  let venue = await start();
  await deploy(venue, SCRIPT, 300);
  expect(await actionsOf(venue)).toMatchObject([{ kind: 'deployment_started' }]);
  await trade(venue, 'first');
  time.toNextMinute();
  await eventually(async () => expect(await actionsOf(venue)).toHaveLength(2));
  await venue.stop();
  venue = await start();
  await trade(venue, 'second');
  time.toNextMinute();
  await eventually(async () => expect(await actionsOf(venue)).toHaveLength(3));
  const [, entry, close] = await actionsOf(venue);
  expect(entry).toMatchObject({ kind: 'entry', positionBaseAtoms: 100 });
  expect(close).toMatchObject({ kind: 'close', positionBaseAtoms: 0, barEpochMs: entry!.barEpochMs! + MINUTE_MS });
  const metrics = await (await fetch(venue.metricsUrl!)).text();
  expect(metrics).toContain('openperp_agent_deployments{state="running"} 1\n');
  expect(metrics).toContain('openperp_agent_bars_total 1\n');
  expect(metrics).toContain('openperp_agent_paper_orders_total 1\n');
  expect(venue.internalErrors).toEqual([]);
});
