/**
 * A built-in maker: keeps the ladder of one market in the book, as an ordinary client. Every round reads the index, its open
 * orders and its position from the venue and keeps no state, so that a restart, a lost response or a fill needs no special
 * handling.
 */
import type { OrderResource } from '#contract/orders.ts';
import { sleep, type Timers } from '#time/timers.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { ladderOf, type QuotedMarket } from './ladder.ts';
import { readQuotedMarket } from './quoted-market.ts';
import type { Report } from './report.ts';
import { planRequote, type Replacement, type RestingQuote } from './requote.ts';
import type { VenueClient } from './venue-client.ts';

export interface MakerOptions {
  readonly client: VenueClient;
  readonly marketId: string;
  /** Part of all client order ids; unique per run. */
  readonly runId: string;
  /** The notional of a full position, in dollars. */
  readonly positionLimit: number;
  readonly leverageX: number;
  readonly roundMs: number;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly report: Report;
}

/** Runs until the signal aborts, then rejects with its reason. */
export async function runMaker(options: MakerOptions): Promise<never> {
  const { timers, signal, roundMs } = options;
  const market = await readQuotedMarket(options);
  for (let round = 1; ; round++) {
    await requote(options, market, round);
    await sleep(timers, roundMs, { signal });
  }
}

async function requote(options: MakerOptions, market: QuotedMarket, round: number): Promise<void> {
  const { client, marketId, positionLimit, report } = options;
  const [stats, open, account] = await Promise.all([client.stats(marketId), client.openOrders(marketId), client.account()]);
  if ('refusal' in stats) return report(stats.refusal);
  if ('refusal' in open) return report(open.refusal);
  if ('refusal' in account) return report(account.refusal);
  const indexPrice = Number(stats.resource.indexPrice ?? Number.NaN);
  if (!(indexPrice > 0)) return;
  const position = account.resource.positions.find((it) => it.marketId === marketId);
  const base = Number(position?.signedBaseAtoms ?? 0) / 10 ** market.quantityScale;
  const quotes = ladderOf(market, indexPrice, (base * indexPrice) / positionLimit);
  const resting = open.resource.orders.map((order) => restingOf(order, market));
  for (const side of planRequote(resting, quotes)) {
    await Promise.all(side.map((replacement) => replace(options, market, replacement, round)));
  }
}

/** Places the new order first: if the venue refuses it, the old one stays. */
async function replace(
  options: MakerOptions,
  market: QuotedMarket,
  { quote, staleOrders }: Replacement,
  round: number,
): Promise<void> {
  const { client, marketId, runId, leverageX, report } = options;
  if (quote !== undefined) {
    const placed = await client.place({
      marketId,
      clientOrderId: `${quote.slot}.${runId}.${round}`,
      side: quote.side,
      orderType: 'limit',
      price: renderDecimal(quote.priceAtoms, market.priceScale),
      quantity: renderDecimal(quote.quantityAtoms, market.quantityScale),
      leverageX,
    });
    if ('refusal' in placed) return report(placed.refusal);
  }
  for (const order of staleOrders) {
    const cancelled = await client.cancel(order.orderId);
    if ('refusal' in cancelled && cancelled.refusal.code !== 'order_not_open') report(cancelled.refusal);
  }
}

function restingOf(order: OrderResource, market: QuotedMarket): RestingQuote {
  const clientOrderId = order.clientOrderId ?? '';
  return {
    orderId: order.orderId,
    slot: clientOrderId.slice(0, Math.max(0, clientOrderId.indexOf('.'))),
    side: order.side,
    priceAtoms: atomsOf(order.price, market.priceScale),
    remainingAtoms: atomsOf(order.remainingQuantity, market.quantityScale),
  };
}

function atomsOf(text: string | null, scale: number): number {
  const parsed = parseDecimal(text ?? '', scale);
  return 'atoms' in parsed ? parsed.atoms : 0;
}
