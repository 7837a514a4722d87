/**
 * A venue with a running deployment, in a process of its own that is killed. Its clock is slow and moves by whole minutes, so that a
 * candle ends when the process says so, however long the machine takes.
 */
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import type { EpochMs } from '#units/money.ts';
import { actionsOf, deploy, MARKET, trade, until } from './deployed-venue.ts';
import { type DeploymentReport, type DeploymentRound, FIRST_BAR_EPOCH_MS, MINUTE_MS } from './deployment-round.ts';
import { startTestVenue, testConfig } from './test-venue.ts';

const SLOWNESS = 1_000;
const SCRIPT = `//@version=6
strategy("Alternate")
if strategy.position_size == 0
    strategy.entry("Long", strategy.long)
else
    strategy.close("Long")
`;

/** The time of round `candles`: the middle of a minute. */
class SlowTime {
  readonly timers = systemTime.timers;
  readonly #startedAtMs = performance.now();
  #minutes: number;

  constructor(minutes: number) {
    this.#minutes = minutes;
  }

  readonly clock = { now: () => Math.floor(FIRST_BAR_EPOCH_MS + this.#passedMs()) as EpochMs };
  readonly steadyClock = { elapsedMs: () => this.#passedMs() };

  toNextMinute(): void {
    this.#minutes += 1;
  }

  #passedMs(): number {
    return (this.#minutes + 0.5) * MINUTE_MS + (performance.now() - this.#startedAtMs) / SLOWNESS;
  }
}

function killed(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function run({ dataDirectory, candles, kill }: DeploymentRound): Promise<void> {
  const time = new SlowTime(candles);
  const venue = await startTestVenue(testConfig(dataDirectory), time);
  if (candles === 0) await deploy(venue, SCRIPT, 1);
  const isInLog = (count: number) => async () => (await actionsOf(venue)).length === 1 + count;
  // What the killed process did not place.
  await until(isInLog(candles));
  await trade(venue, String(candles));
  time.toNextMinute();
  if (kill !== null && kill !== 'in_log') void sleep(systemTime.timers, kill.delayMs).then(killed);
  await until(isInLog(candles + 1));
  if (kill === 'in_log') killed();
  if (kill !== null) return;
  const series = { market: MARKET, timeframe: '1m', series: 'trade', limit: 200 } as const;
  const { candles: bars } = parseRendered(await venue.reads.candles(series));
  const actions = await actionsOf(venue);
  const { internalErrors } = venue;
  await venue.stop();
  const opened = bars.map(({ openTimeEpochMs }) => openTimeEpochMs);
  const report: DeploymentReport = { actions, bars: opened, internalErrors: internalErrors.map(String) };
  process.send!(report, () => process.disconnect());
}

await run(JSON.parse(process.argv[2]!) as DeploymentRound);
