/** A running deployment in a whole venue, and trades that give its market candles and a book. Uses nothing of the test runner. */
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import { sleep } from '#time/timers.ts';
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { deployment, draft, REVIEW_DIGEST } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import { registration, SETUP_STEPS, setupCommand } from '#venue/owner/testing/owners.ts';
import type { TestVenue } from './test-venue.ts';

export const MARKET = 1 as MarketOrdinal;
const OWNER = 3 as AccountOrdinal;

async function submitted(venue: TestVenue, command: Command): Promise<void> {
  const { events } = await venue.submit({ command });
  if (events[0]?.type === 'CommandRefused') throw new Error(`${command.type} was refused: ${events[0].code}`);
}

/** Repeats a check until it resolves to true. */
export async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check().catch(() => false))) await sleep(systemTime.timers, 2);
}

/** In a new venue: an owner with an agent account and a running deployment, beside two traders. */
export async function deploy(venue: TestVenue, script: string, historyBars: number): Promise<void> {
  for (const label of ['one', 'two']) await venue.createAccount({ label, credit: '100000000' });
  await submitted(venue, registration(1));
  for (const step of SETUP_STEPS) await submitted(venue, setupCommand(step, OWNER));
  await submitted(venue, { type: 'OpenAgentAccount', account: OWNER, label: 'agent', digestSeed: 7 });
  await submitted(venue, { ...draft(OWNER), text: script });
  await submitted(venue, { type: 'ReviewAgentScript', account: OWNER, draft: 1 as never, reviewDigest: REVIEW_DIGEST });
  const accounts = { account: OWNER, agentAccount: 4 as AccountOrdinal };
  const terms = { market: MARKET, orderSizeAtoms: 100 as BaseAtoms, parameters: '{}', modelId: INTERPRETER_VERSION };
  await submitted(venue, deployment(accounts, { ...terms, historyBars }));
  await until(async () => (await actionsOf(venue)).length === 1);
}

/** The traders trade near the index, so that the current minute has a candle and the book has both sides. `name` is new for each call. */
export async function trade(venue: TestVenue, name: string): Promise<void> {
  const { indexPrice } = parseRendered(await venue.reads.marketStats(MARKET));
  const { priceScale } = parseRendered(await venue.reads.market(MARKET)).market;
  const index = Math.round(Number(indexPrice) * 10 ** priceScale);
  for (const [account, side, distance, quantity] of [
    [1, 'sell', 0.001, 1_000],
    [2, 'buy', -0.001, 1_000],
    [1, 'sell', -0.002, 10],
  ] as const) {
    const id = `order-${name}-${distance}`;
    const priceAtoms = Math.round(index * (1 + distance)) as PriceAtoms;
    const terms = { kind: 'limit', priceAtoms, quantityAtoms: quantity as BaseAtoms, postOnly: false } as const;
    const order = {
      account: account as AccountOrdinal,
      market: MARKET,
      side,
      reduceOnly: false,
      leverageHundredths: 100,
    } as const;
    // The index can be stale for a second after the time advanced.
    await until(async () => {
      await submitted(venue, { type: 'PlaceOrder', ...order, clientOrderId: id, idempotencyKey: id, terms });
      return true;
    });
  }
}

export async function actionsOf(venue: TestVenue) {
  const query = { deployment: 1 as AgentDeploymentOrdinal, after: 0 as AgentActionOrdinal, limit: 200 };
  return parseRendered(await venue.reads.agentLog(query));
}
