/** An account as a replay finds it: its cash, its positions, its open orders. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Slot } from '#venue/order/order-table.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import type { VenueState } from '#venue/state.ts';

export interface PositionView {
  readonly position: PositionOrdinal;
  readonly specification: MarketSpecification;
  readonly signedBaseAtoms: BaseAtoms;
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
}

export interface OpenOrderView {
  readonly order: OrderOrdinal;
  readonly specification: MarketSpecification;
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
}

export interface AccountView {
  readonly account: AccountOrdinal;
  readonly label: string;
  readonly isRetired: boolean;
  readonly cashAtoms: QuoteAtoms;
  readonly reservedAtoms: QuoteAtoms;
  readonly positions: readonly PositionView[];
  /** Newest first, market by market. */
  readonly openOrders: readonly OpenOrderView[];
}

/** `undefined` if there is no such account. */
export function viewAccount(state: VenueState, ordinal: AccountOrdinal): AccountView | undefined {
  const account = state.account(ordinal);
  if (account === undefined) return undefined;
  const open = account.positions.filter((position) => position !== undefined);
  return {
    account: ordinal,
    label: account.label,
    isRetired: account.isRetired,
    cashAtoms: account.cashAtoms,
    reservedAtoms: account.reservedAtoms,
    positions: open
      .filter(({ signedBaseAtoms }) => signedBaseAtoms !== 0)
      .map(({ ordinal: position, market, signedBaseAtoms, entryNotionalAtoms, marginAtoms }) => {
        const specification = specificationOf(state, market);
        return { position, specification, signedBaseAtoms, entryNotionalAtoms, marginAtoms };
      }),
    openOrders: open.flatMap(({ market, firstOwnOrder }) => [
      ...ordersFrom(state, firstOwnOrder, specificationOf(state, market)),
    ]),
  };
}

function* ordersFrom({ orders }: VenueState, first: Slot, specification: MarketSpecification): Generator<OpenOrderView> {
  for (let slot = first; slot !== NO_SLOT; slot = orders.ownAfter[slot] as Slot) {
    yield {
      order: orders.orderOf(slot),
      specification,
      side: orders.sideOf(slot),
      priceAtoms: orders.priceOf(slot),
      remainingAtoms: orders.remainingOf(slot),
      reduceOnly: orders.isReduceOnly(slot),
    };
  }
}

function specificationOf(state: VenueState, market: MarketOrdinal): MarketSpecification {
  return state.market(market)!.specification;
}
