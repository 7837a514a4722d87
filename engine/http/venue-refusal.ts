/**
 * The venue's refusals in words. The words depend on the record and the market's specification alone, and the envelope
 * carries the record's time: the same idempotency key hears the same at any later time, but for the request's own id.
 */
import { ERRORS } from '#contract/errors.ts';
import { renderDecimal } from '#units/decimal.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { CommandRefused } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { Committed } from '#writer/submit.ts';
import { Refused } from './refused.ts';

export const REPLAYED: Readonly<Record<string, string>> = { 'idempotency-replayed': 'true' };

/** The refusal that a committed record is, or `undefined` where the command was carried out. */
export function venueRefusal(record: Committed, specification?: MarketSpecification): Refused | undefined {
  const event = record.events[0];
  if (event?.type !== 'CommandRefused') return undefined;
  return new Refused(event.code, refusalMessage(event, specification), {
    headers: record.replayed ? REPLAYED : {},
    occurredAtEpochMs: record.epochMs,
  });
}

/** What a refusal says of itself, of a command or of one entry of it. */
export type RefusalFacts = Pick<CommandRefused, 'code' | 'order' | 'bound'>;

/** What was broken, in the market's own decimals, then what to do. */
export function refusalMessage(refused: RefusalFacts, specification: MarketSpecification | undefined): string {
  const facts = specification === undefined ? undefined : FACTS[refused.code]?.(refused, specification);
  const { cause, whatToDo } = ERRORS[refused.code];
  return `${facts ?? cause} ${whatToDo}`;
}

type Facts = (refused: RefusalFacts, specification: MarketSpecification) => string | undefined;

const FACTS: { readonly [Code in RefusalCode]?: Facts } = {
  price_out_of_bounds: (_, it) =>
    `The price must be from ${price(it.minPriceAtoms, it)} to ${price(it.maxPriceAtoms, it)} on ${it.marketId}.`,
  quantity_out_of_bounds: (_, it) =>
    `The quantity must be from ${quantity(it.minQuantityAtoms, it)} to ${quantity(it.maxQuantityAtoms, it)} on ${it.marketId}.`,
  price_out_of_band: ({ bound }, it) =>
    bounded(bound, `The price is too far from the mark of ${it.marketId}: the band ends at ${price(bound, it)}.`),
  notional_too_small: ({ bound }, it) => bounded(bound, `The notional must be at least ${money(bound)} on ${it.marketId}.`),
  leverage_too_high: ({ bound }, it) => `leverageX may be at most ${bound === 0 ? it.maxLeverageX : bound} on ${it.marketId}.`,
  insufficient_margin: ({ bound }) => bounded(bound, `The order needs ${money(bound)} more than the account has available.`),
  post_only_would_cross: ({ bound }, it) =>
    bounded(bound, `A post-only order would trade at once: the other side of ${it.marketId} starts at ${price(bound, it)}.`),
  too_many_open_orders: ({ bound }, it) => bounded(bound, `The account may have ${bound} such open orders on ${it.marketId}.`),
  too_many_positions: ({ bound }, it) =>
    bounded(bound, `${it.marketId} has its most open positions, ${bound}, and the account has none there.`),
  exposure_limit: ({ bound }) =>
    bounded(bound, `The position and the orders that would enlarge it may come to ${money(bound)} at most.`),
  position_limit: ({ bound }, it) =>
    bounded(bound, `The position and the orders that would enlarge it may hold ${quantity(bound, it)} at most.`),
  duplicate_client_order_id: ({ order }) => bounded(order, `The clientOrderId belongs to order ${order}.`),
  market_not_open: (_, it) => `${it.marketId} takes no orders now.`,
  market_reduce_only: (_, it) => `${it.marketId} takes only orders that reduce a position.`,
  index_not_current: (_, it) => `The index price of ${it.marketId} is stale or unconfirmed, so that nothing may open risk.`,
};

function bounded(bound: number, fact: string): string | undefined {
  return bound === 0 ? undefined : fact;
}

function price(atoms: number, specification: MarketSpecification): string {
  return renderDecimal(atoms, specification.priceScale);
}

function quantity(atoms: number, specification: MarketSpecification): string {
  return renderDecimal(atoms, specification.quantityScale);
}

function money(atoms: number): string {
  return `${renderDecimal(atoms, SETTLEMENT_DECIMALS)} USD.E`;
}
