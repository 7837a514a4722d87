/**
 * Renders the venue's refusals. The text depends only on the record, the market's specification and the body, and the envelope
 * has the record's time: a repeated idempotency key gets the same response later, except for the request id.
 */

import { ERRORS } from '#contract/errors.ts';
import type { OrderPlacement, PlacementRefusal } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import { renderDecimal } from '#units/decimal.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { CommandRefused } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { Outcome } from '#writer/port/submit.ts';

export const REPLAYED: Readonly<Record<string, string>> = { 'idempotency-replayed': 'true' };

/** The same wait as for a halted writer. */
const RETRY_AFTER_HALT: Readonly<Record<string, string>> = { 'retry-after': '10' };

/** The refusal of a command, or `undefined` if it was carried out. */
export function venueRefusal(record: Outcome, placed?: Placement): Refused | undefined {
  const event = record.events[0];
  if (event?.type !== 'CommandRefused') return undefined;
  return new Refused(event.code, refusalMessage(event, placed), {
    headers: { ...(record.replayed && REPLAYED), ...(event.code === 'venue_halted' && RETRY_AFTER_HALT) },
    occurredAtEpochMs: record.epochMs,
  });
}

/** The fields of a refusal, of a command or of one entry of it. */
export type RefusalFacts = Pick<CommandRefused, 'code' | 'order' | 'bound'>;

/** The refused order or choice of a leverage, as its sender wrote it, and its market. */
export interface Placement {
  readonly specification: MarketSpecification;
  readonly body: Partial<
    Pick<
      OrderPlacement,
      'clientOrderId' | 'side' | 'price' | 'quantity' | 'notional' | 'leverageX' | 'expiresAtEpochMs' | 'trigger'
    >
  >;
}

/** The requested and the allowed value, in the market's decimals, then what to do. */
export function refusalMessage(refused: RefusalFacts, placed?: Placement): string {
  const facts = placed && FACTS[refused.code]?.(refused, placed.specification, placed.body);
  const { cause, whatToDo } = ERRORS[refused.code];
  return `${facts ?? cause} ${whatToDo}`;
}

type Facts = (refused: RefusalFacts, specification: MarketSpecification, body: Placement['body']) => string | undefined;

/** Refusals of an order whose cause in the catalogue says everything. */
type WithoutFacts =
  | 'account_not_enabled'
  | 'account_retired'
  | 'account_legacy_excluded'
  | 'intake_paused'
  | 'mark_price_unavailable';

/** A refusal of an order that is missing here does not compile. */
const FACTS: { readonly [Code in RefusalCode]?: Facts } & {
  readonly [Code in Exclude<RefusalCode & PlacementRefusal, WithoutFacts>]: Facts;
} = {
  price_out_of_bounds: (_, it, body) =>
    `The price is ${body.price ?? body.trigger?.price ?? 'that of a trigger'}; it must be from ${price(it.minPriceAtoms, it)} to ${price(it.maxPriceAtoms, it)} on ${it.marketId}.`,
  quantity_out_of_bounds: (_, it, body) =>
    body.notional === undefined
      ? `The quantity is ${body.quantity}; it must be from ${quantity(it.minQuantityAtoms, it)} to ${quantity(it.maxQuantityAtoms, it)} on ${it.marketId}.`
      : `The notional of ${body.notional} USD.E buys more than ${quantity(it.maxQuantityAtoms, it)}, the maximum quantity of one order on ${it.marketId}.`,
  price_out_of_band: ({ bound }, it, body) =>
    bounded(
      bound,
      `The price is ${body.price}, too far from the mark of ${it.marketId}: for a ${body.side} the band ends at ${price(bound, it)}.`,
    ),
  notional_too_small: ({ bound }, it, body) =>
    bounded(bound, `The notional is ${body.notional} USD.E; it must be at least ${money(bound)} on ${it.marketId}.`),
  leverage_too_high: ({ bound }, it, body) =>
    bound === 0 || bound === it.maxLeverageX
      ? `leverageX is ${body.leverageX}; it may be at most ${it.maxLeverageX} on ${it.marketId}.`
      : `leverageX is ${body.leverageX}; with the account's position and orders on ${it.marketId} it may be at most ${bound}.`,
  expiry_out_of_bounds: ({ bound }, _, { expiresAtEpochMs }) =>
    bounded(bound, `expiresAtEpochMs is ${expiresAtEpochMs}; the nearest possible time was ${bound}.`),
  insufficient_margin: ({ bound }) => bounded(bound, `The order needs ${money(bound)} more than the account has available.`),
  post_only_would_cross: ({ bound }, it, body) =>
    bounded(
      bound,
      `A post-only ${body.side} at ${body.price} would trade at once: the other side of ${it.marketId} starts at ${price(bound, it)}.`,
    ),
  reduce_only_would_increase: (_, it, { side }) =>
    `A reduce-only ${side} makes a ${side === 'buy' ? 'short' : 'long'} position smaller, and the account has no such position on ${it.marketId}.`,
  trigger_reached: ({ bound }, it, body) =>
    bounded(
      bound,
      body.trigger === undefined && body.price !== undefined
        ? `The limit price is ${price(bound, it)}: the stopLoss or takeProfit is reached there already.`
        : `The price of ${it.marketId} is ${price(bound, it)}: the trigger is reached already.`,
    ),
  linked_order_not_waiting: (_, it, { trigger }) =>
    `No waiting order of the account on ${it.marketId} has the clientOrderId ${trigger?.linkedClientOrderId} and is free to be linked.`,
  too_many_open_orders: ({ bound }, it) =>
    bounded(bound, `The account has the maximum of ${bound} such open orders on ${it.marketId}.`),
  too_many_positions: ({ bound }, it) =>
    bounded(bound, `${it.marketId} has the maximum of ${bound} open positions, and the account has no position in it.`),
  exposure_limit: ({ bound }) =>
    bounded(bound, `The notional of the position and of the orders that would enlarge it may be at most ${money(bound)}.`),
  position_limit: ({ bound }, it) =>
    bounded(bound, `The quantity of the position and of the orders that would enlarge it may be at most ${quantity(bound, it)}.`),
  duplicate_client_order_id: ({ order }, _, { clientOrderId }) =>
    bounded(order, `The clientOrderId ${clientOrderId} belongs to order ${order}.`),
  venue_halted: () => 'The operator halted the venue: it accepts only cancels. Nothing was carried out.',
  capability_unavailable: () => 'Trading is off: the operator has not opened it on this venue. Nothing was carried out.',
  market_not_open: (_, it) => `${it.marketId} does not accept orders now.`,
  market_reduce_only: (_, it) => `${it.marketId} accepts only orders that reduce a position.`,
  index_not_current: (_, it) => `The index price of ${it.marketId} is stale or unconfirmed, so no order may increase risk.`,
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
