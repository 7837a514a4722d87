/** Places orders that wait for a price in scenarios, and reads what happened to them. */
import type { Scenario } from '#simulation/scenario.ts';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import type { LegTerms, OrderTerms, PlaceOrder, Side, TriggerTerms } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** Its mark is the index up to one tick. */
export const MARKED: MarketSpecification = { ...SCENARIO_MARKET, markBandBps: 1 as Bps };

/** Publishes an index at which the mark is `price`. */
export function markAt(scenario: Scenario, price: number): VenueEvent[] {
  return scenario.price(price);
}

interface Fields {
  readonly kind?: TriggerTerms['kind'];
  readonly source?: TriggerTerms['source'];
  readonly direction?: TriggerTerms['direction'];
  readonly limit?: number;
  readonly reduceOnly?: boolean;
  readonly trailing?: number;
  readonly trailingBps?: number;
  readonly linked?: string;
  readonly name?: string;
  readonly leverageHundredths?: number;
}

let names = 0;

/** Places an order of `quantity` that waits for `price`; a quantity of 0 closes the position. By default a stop-loss at the market. */
export function placeWaiting(
  scenario: Scenario,
  account: number,
  side: Side,
  price: number,
  quantity: number,
  it: Fields = {},
): VenueEvent[] {
  return scenario.run(waiting(account, side, price, quantity, it));
}

export function waiting(account: number, side: Side, price: number, quantity: number, it: Fields = {}): PlaceOrder {
  names += 1;
  const kind = it.kind ?? 'stop_loss';
  const quantityAtoms = quantity as BaseAtoms;
  const terms: OrderTerms =
    it.limit === undefined
      ? { kind: 'market', quantityAtoms }
      : { kind: 'limit', priceAtoms: it.limit as PriceAtoms, quantityAtoms, postOnly: false };
  return {
    type: 'PlaceOrder',
    account: account as AccountOrdinal,
    market: BTC,
    clientOrderId: it.name ?? `waiting-${names}`,
    side,
    terms,
    reduceOnly: it.reduceOnly ?? kind !== 'trigger',
    leverageHundredths: it.leverageHundredths ?? 0,
    idempotencyKey: `waiting-key-${names}`,
    trigger: {
      kind,
      source: it.source ?? 'mark',
      direction: it.direction ?? 'derived',
      priceAtoms: price as PriceAtoms,
      trailingAtoms: (it.trailing ?? 0) as PriceAtoms,
      trailingBps: (it.trailingBps ?? 0) as Bps,
      closePosition: quantity === 0,
      linkedClientOrderId: it.linked ?? '',
    },
  };
}

export function leg(triggerPrice: number, limit = 0): LegTerms {
  return { source: 'mark', triggerPriceAtoms: triggerPrice as PriceAtoms, priceAtoms: limit as PriceAtoms };
}

export function only<Type extends VenueEvent['type']>(
  events: readonly VenueEvent[],
  type: Type,
): Extract<VenueEvent, { type: Type }>[] {
  return events.filter((event) => event.type === type) as Extract<VenueEvent, { type: Type }>[];
}

/** The numbers of the orders that triggered, in that order. */
export function triggered(events: readonly VenueEvent[]): number[] {
  return only(events, 'OrderTriggered').map(({ order }) => order);
}

/** Each cancelled order with its reason. */
export function ended(events: readonly VenueEvent[]): [number, string][] {
  return only(events, 'OrderCancelled').map(({ order, reason }) => [order, reason]);
}

export function refusal(events: readonly VenueEvent[]): string | undefined {
  return only(events, 'CommandRefused')[0]?.code;
}

/** Account 1 has a long of 1,000 lots at 10,000 against account 2. Account 3 bids 9,700 and asks 10,300. */
export function openLong(scenario: Scenario): void {
  scenario.limit(2, 'sell', 10_000, 1_000);
  scenario.market(1, 'buy', 1_000);
  scenario.limit(3, 'buy', 9_700, 5_000);
  scenario.limit(3, 'sell', 10_300, 5_000);
}
