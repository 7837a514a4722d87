/** Extracts values that tests check from the events of a command and from an account. */
import { BTC, type Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { VenueState } from '#venue/state.ts';

export function typesOf(events: readonly VenueEvent[]): string[] {
  return events.map((event) => event.type);
}

/** The events of one type. */
export function only<Type extends VenueEvent['type']>(
  events: readonly VenueEvent[],
  type: Type,
): Extract<VenueEvent, { type: Type }>[] {
  return events.filter((event) => event.type === type) as Extract<VenueEvent, { type: Type }>[];
}

/** The postings of an account's cash, as `[kind, amount]`. */
export function postingsOf(events: readonly VenueEvent[], account: number): (readonly [string, number])[] {
  return only(events, 'CashPosted').flatMap((it) => (it.account === account ? [[it.kind, it.amountAtoms] as const] : []));
}

/** The amounts of a ledger's postings. */
export function ledgerMovesOf(events: readonly VenueEvent[], ledger: string): number[] {
  return only(events, 'LedgerPosted').flatMap((it) => (it.ledger === ledger ? [it.amountAtoms] : []));
}

/** The trades, as `[price, quantity]`. */
export function tradesOf(events: readonly VenueEvent[]): (readonly [number, number])[] {
  return only(events, 'TradeExecuted').map(({ priceAtoms, quantityAtoms }) => [priceAtoms, quantityAtoms]);
}

/** The cancelled orders, as `[order, reason]`. */
export function cancelsOf(events: readonly VenueEvent[]): (readonly [number, string])[] {
  return only(events, 'OrderCancelled').map(({ order, reason }) => [order, reason]);
}

/** The code of a refused command; `undefined` if it was accepted. */
export function refusalCode([first]: readonly VenueEvent[]): string | undefined {
  return first?.type === 'CommandRefused' ? first.code : undefined;
}

export interface Holdings {
  readonly cash: number;
  readonly reserved: number;
  readonly base: number;
  readonly entry: number;
  readonly margin: number;
}

/** An account's cash, and its position in a market. */
export function holdingsOf(state: VenueState, ordinal: number, market: MarketOrdinal = BTC): Holdings {
  const account = state.account(ordinal as AccountOrdinal)!;
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = account.holdingIn(market);
  return {
    cash: account.cashAtoms,
    reserved: account.reservedAtoms,
    base: signedBaseAtoms,
    entry: entryNotionalAtoms,
    margin: marginAtoms,
  };
}

/** Leaves an account only the cash that its orders reserve. */
export function withdrawAvailable(scenario: Scenario, ordinal: number): void {
  const account = ordinal as AccountOrdinal;
  const { availableAtoms: amountAtoms } = scenario.venue.state.account(account)!;
  scenario.run({ type: 'DebitCash', account, amountAtoms, reference: 'test' });
}
