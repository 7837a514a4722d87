/**
 * A venue with a running deployment, in a process of its own that is killed. Its clock is slow and moves by whole minutes, so that a
 * candle ends when the process says so, however long the machine takes.
 */
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms } from '#units/money.ts';
import { deployment, draft, REVIEW_DIGEST } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import { registration, SETUP_STEPS, setupCommand } from '#venue/owner/testing/owners.ts';
import { type DeploymentReport, type DeploymentRound, FIRST_BAR_EPOCH_MS, MINUTE_MS } from './deployment-round.ts';
import { startTestVenue, type TestVenue, testConfig } from './test-venue.ts';

const MARKET = 1 as MarketOrdinal;
const OWNER = 3 as AccountOrdinal;
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

async function submitted(venue: TestVenue, command: Command): Promise<void> {
  const { events } = await venue.submit({ command });
  if (events[0]?.type === 'CommandRefused') throw new Error(`${command.type} was refused: ${events[0].code}`);
}

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check().catch(() => false))) await sleep(systemTime.timers, 2);
}

/** An owner with an agent account and a running deployment, beside two traders. */
async function setUp(venue: TestVenue): Promise<void> {
  for (const label of ['one', 'two']) await venue.createAccount({ label, credit: '100000000' });
  await submitted(venue, registration(1));
  for (const step of SETUP_STEPS) await submitted(venue, setupCommand(step, OWNER));
  await submitted(venue, { type: 'OpenAgentAccount', account: OWNER, label: 'agent', digestSeed: 7 });
  await submitted(venue, { ...draft(OWNER), text: SCRIPT });
  await submitted(venue, { type: 'ReviewAgentScript', account: OWNER, draft: 1 as never, reviewDigest: REVIEW_DIGEST });
  const terms = { market: MARKET, orderSizeAtoms: 100 as BaseAtoms, parameters: '{}', modelId: INTERPRETER_VERSION };
  await submitted(venue, deployment({ account: OWNER, agentAccount: 4 as AccountOrdinal }, { ...terms, historyBars: 1 }));
  await until(async () => (await actionsOf(venue)).length === 1);
}

/** The minute gets a candle, and the book has both sides. */
async function trade(venue: TestVenue, round: number): Promise<void> {
  const { indexPrice } = parseRendered(await venue.reads.marketStats(MARKET));
  const { priceScale } = parseRendered(await venue.reads.market(MARKET)).market;
  const index = Math.round(Number(indexPrice) * 10 ** priceScale);
  for (const [place, [account, side, distance, quantity]] of (
    [
      [1, 'sell', 0.001, 1_000],
      [2, 'buy', -0.001, 1_000],
      [1, 'sell', -0.002, 10],
    ] as const
  ).entries()) {
    const id = `order-${round}-${place}`;
    const terms = { kind: 'limit', priceAtoms: Math.round(index * (1 + distance)) as PriceAtoms } as const;
    const order = { account: account as AccountOrdinal, market: MARKET, side, reduceOnly: false, leverageX: 1 } as const;
    await until(async () => {
      const key = { clientOrderId: id, idempotencyKey: id };
      const quantityAtoms = quantity as BaseAtoms;
      await submitted(venue, { type: 'PlaceOrder', ...order, ...key, terms: { ...terms, quantityAtoms, postOnly: false } });
      return true;
    });
  }
}

async function actionsOf(venue: TestVenue) {
  const query = { deployment: 1 as AgentDeploymentOrdinal, after: 0 as AgentActionOrdinal, limit: 200 };
  return parseRendered(await venue.reads.agentLog(query));
}

function killed(): void {
  process.kill(process.pid, 'SIGKILL');
}

async function run({ dataDirectory, candles, kill }: DeploymentRound): Promise<void> {
  const time = new SlowTime(candles);
  const venue = await startTestVenue(testConfig(dataDirectory), time);
  if (candles === 0) await setUp(venue);
  const isInLog = (count: number) => async () => (await actionsOf(venue)).length === 1 + count;
  // What the killed process did not place.
  await until(isInLog(candles));
  await trade(venue, candles);
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
