/** Deployments in a whole venue: recorded candles in, paper orders out, and a restart between. */
import { afterEach, expect, test } from 'vitest';
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms } from '#units/money.ts';
import { deployment, draft, REVIEW_DIGEST } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { registration, SETUP_STEPS, setupCommand } from '#venue/owner/testing/owners.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

const MINUTE_MS = 60_000;
const MARKET = 1 as MarketOrdinal;
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

let orders = 0;

async function submitted(venue: TestVenue, command: Command): Promise<VenueEvent> {
  const { events } = await venue.submit({ command });
  expect(events[0]).not.toMatchObject({ type: 'CommandRefused' });
  return events[0]!;
}

/** Two traders trade at the index, so that the current minute has a candle and the book has both sides. */
async function trade(venue: TestVenue): Promise<void> {
  const { indexPrice } = parseRendered(await venue.reads.marketStats(MARKET));
  const { priceScale } = parseRendered(await venue.reads.market(MARKET)).market;
  const index = Math.round(Number(indexPrice) * 10 ** priceScale);
  for (const [account, side, distance] of [
    [1, 'sell', 0.001],
    [2, 'buy', 0.001],
    [1, 'sell', -0.01],
  ] as const) {
    const priceAtoms = Math.round(index * (side === 'sell' ? 1 + distance : 1 - distance)) as PriceAtoms;
    const terms = {
      kind: 'limit',
      priceAtoms,
      quantityAtoms: (distance > 0 ? 1_000 : 10) as BaseAtoms,
      postOnly: false,
    } as const;
    const order = {
      account: account as AccountOrdinal,
      market: MARKET,
      side,
      reduceOnly: false,
      clientOrderId: `order-${++orders}`,
      leverageX: 1,
      idempotencyKey: `key-${orders}`,
      terms,
    };
    // The index is current again a second after the time advanced.
    await eventually(() => submitted(venue, { type: 'PlaceOrder', ...order }));
  }
}

async function actionsOf(venue: TestVenue) {
  const query = { deployment: 1 as AgentDeploymentOrdinal, after: 0 as AgentActionOrdinal, limit: 100 };
  return parseRendered(await venue.reads.agentLog(query));
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
  for (const label of ['one', 'two']) await venue.createAccount({ label, credit: '1000000' });
  await submitted(venue, registration(1));
  const owner = 3 as AccountOrdinal;
  for (const step of SETUP_STEPS) await submitted(venue, setupCommand(step, owner));
  await submitted(venue, { type: 'OpenAgentAccount', account: owner, label: 'agent', digestSeed: 7 });
  await submitted(venue, { ...draft(owner), text: SCRIPT });
  await submitted(venue, { type: 'ReviewAgentScript', account: owner, draft: 1 as never, reviewDigest: REVIEW_DIGEST });
  const accounts = { account: owner, agentAccount: 4 as AccountOrdinal };
  const terms = { market: MARKET, orderSizeAtoms: 100 as BaseAtoms, parameters: '{}', modelId: INTERPRETER_VERSION };
  await submitted(venue, deployment(accounts, terms));
  await eventually(async () => expect(await actionsOf(venue)).toMatchObject([{ kind: 'deployment_started' }]));
  await trade(venue);
  time.toNextMinute();
  await eventually(async () => expect(await actionsOf(venue)).toHaveLength(2));
  await venue.stop();
  venue = await start();
  await trade(venue);
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
