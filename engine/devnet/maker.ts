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
import { type QuotingVenue, type RestingQuote, requote } from './requote.ts';
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
    await renewQuotes(options, market, round);
    await sleep(timers, roundMs, { signal });
  }
}

async function renewQuotes(options: MakerOptions, market: QuotedMarket, round: number): Promise<void> {
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
  await requote(resting, quotes, quotingVenue(options, market, round));
}

function quotingVenue(
  { client, marketId, runId, leverageX, report }: MakerOptions,
  { priceScale, quantityScale }: QuotedMarket,
  round: number,
): QuotingVenue {
  return {
    place: async ({ slot, side, priceAtoms, quantityAtoms }) => {
      const placed = await client.place({
        marketId,
        clientOrderId: `${slot}.${runId}.${round}`,
        side,
        orderType: 'limit',
        price: renderDecimal(priceAtoms, priceScale),
        quantity: renderDecimal(quantityAtoms, quantityScale),
        leverageX,
      });
      if ('refusal' in placed) report(placed.refusal);
      return 'resource' in placed;
    },
    cancel: async ({ orderId }) => {
      const cancelled = await client.cancel(orderId);
      if ('resource' in cancelled || cancelled.refusal.code === 'order_not_open') return true;
      report(cancelled.refusal);
      return false;
    },
  };
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
