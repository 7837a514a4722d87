/**
 * A built-in taker: trades at random times in random sizes on both sides of one market, as an ordinary client. The larger its
 * position, the likelier it trades against it, and at its limit always, so that its cash suffices indefinitely.
 */
import { sleep, type Timers } from '#time/timers.ts';
import { renderDecimal } from '#units/decimal.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { QuotedMarket, Side } from './ladder.ts';
import { readQuotedMarket } from './quoted-market.ts';
import type { Random } from './randomness.ts';
import type { Report } from './report.ts';
import type { VenueClient } from './venue-client.ts';

export interface TakerOptions {
  readonly client: VenueClient;
  readonly marketId: string;
  /** Part of all client order ids; unique per run. */
  readonly runId: string;
  /** The notional of a full position, in dollars. */
  readonly positionLimit: number;
  readonly leverageX: number;
  /** The average time between trades. */
  readonly averageWaitMs: number;
  readonly random: Random;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** Notionals in dollars, log-uniformly distributed. */
const MIN_NOTIONAL = 40;
const MAX_NOTIONAL = 8_000;
const MAX_WAIT_MS = 10_000;
/** The share of orders by notional. */
const NOTIONAL_SHARE = 0.25;

/** Runs until the signal aborts, then rejects with its reason. */
export async function runTaker(options: TakerOptions): Promise<never> {
  const { averageWaitMs, random, timers, signal } = options;
  const market = await readQuotedMarket(options);
  for (let count = 1; ; count++) {
    await sleep(timers, Math.min(MAX_WAIT_MS, -Math.log(1 - random()) * averageWaitMs), { signal });
    await trade(options, market, count);
  }
}

async function trade(options: TakerOptions, market: QuotedMarket, count: number): Promise<void> {
  const { client, marketId, runId, positionLimit, leverageX, random, report } = options;
  const [stats, account] = await Promise.all([client.stats(marketId), client.account()]);
  if ('refusal' in stats) return report(stats.refusal);
  if ('refusal' in account) return report(account.refusal);
  const price = Number(stats.resource.markPrice ?? Number.NaN);
  if (!(price > 0)) return;
  const position = account.resource.positions.find((it) => it.marketId === marketId);
  const base = Number(position?.signedBaseAtoms ?? 0) / 10 ** market.quantityScale;
  const placed = await client.place({
    marketId,
    clientOrderId: `t.${runId}.${count}`,
    side: sideFor((base * price) / positionLimit, random),
    orderType: 'market',
    ...sizeOf(market, price, random),
    leverageX,
  });
  if ('refusal' in placed) report(placed.refusal);
}

/** Even odds when flat; zero odds of adding to a full position. */
export function sideFor(lean: number, random: Random): Side {
  return random() < (1 - Math.max(-1, Math.min(1, lean))) / 2 ? 'buy' : 'sell';
}

function sizeOf(market: QuotedMarket, price: number, random: Random): { quantity: string } | { notional: string } {
  const smallest = Math.max(MIN_NOTIONAL, (2 * market.minQuantityAtoms * price) / 10 ** market.quantityScale);
  const notional = smallest * (MAX_NOTIONAL / smallest) ** random();
  if (random() < NOTIONAL_SHARE)
    return { notional: renderDecimal(Math.round(notional) * 10 ** SETTLEMENT_DECIMALS, SETTLEMENT_DECIMALS) };
  return {
    quantity: renderDecimal(
      Math.max(market.minQuantityAtoms, Math.round((notional / price) * 10 ** market.quantityScale)),
      market.quantityScale,
    ),
  };
}
