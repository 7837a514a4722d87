/**
 * What must be true after every turn, recounted from the state without trusting any of its running sums. For harnesses
 * and checkers: the first thing found to be wrong is thrown.
 */
import type { QuoteAtoms } from '#units/money.ts';
import { exact } from '#units/money.ts';
import type { Account } from './account/account.ts';
import type { Market } from './market/market.ts';
import { NO_PRICE } from './order/book.ts';
import { reservationOf } from './order/reservation.ts';
import type { VenueState } from './state.ts';

/** Something that can never be is. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}

/** Throws {@link InvariantBroken} at the first fault. */
export function checkInvariants(state: VenueState): void {
  checkConservation(state);
  for (const market of state.markets) if (market !== undefined) checkMarket(state, market);
  const needs = new Map<number, Needs>();
  for (const slot of state.orders.slotsByAge()) addNeed(state, slot, needs);
  for (const account of state.accounts) if (account !== undefined) checkAccount(account, needs.get(account.ordinal));
}

interface Needs {
  reserved: number;
  openOrders: number;
}

function addNeed(
  state: VenueState,
  slot: ReturnType<VenueState['orders']['slotsByAge']>[number],
  needs: Map<number, Needs>,
): void {
  const { orders } = state;
  const market = state.market(orders.marketOf(slot))!;
  const need = needs.get(orders.accountOf(slot)) ?? { reserved: 0, openOrders: 0 };
  need.reserved += reservationOf(
    market,
    orders.priceOf(slot),
    orders.remainingOf(slot),
    orders.leverageOf(slot),
    orders.isReduceOnly(slot),
  );
  need.openOrders += 1;
  needs.set(orders.accountOf(slot), need);
  demand(orders.remainingOf(slot) > 0, `order ${orders.orderOf(slot)} rests with nothing left`);
}

/** Σ cash + Σ margin + Σ unrealized PnL + ledgers = net deposits. The mark drops out: long and short are equal. */
function checkConservation(state: VenueState): void {
  let total: number = state.ledgers.fees + state.ledgers.deficit;
  for (const account of state.accounts) {
    if (account === undefined) continue;
    total += account.cashAtoms;
    for (const position of account.positions) {
      if (position === undefined) continue;
      total += position.marginAtoms;
      total -= position.signedBaseAtoms > 0 ? position.entryNotionalAtoms : -position.entryNotionalAtoms;
    }
  }
  demand(exact<QuoteAtoms>(total) === state.netDepositsAtoms, `money ${total} is not what came in, ${state.netDepositsAtoms}`);
  demand(state.ledgers.deficit <= 0, `the deficit ledger is above zero: ${state.ledgers.deficit}`);
}

function checkMarket(state: VenueState, market: Market): void {
  const { bestBid, bestAsk } = market.book;
  const name = market.specification.marketId;
  demand(bestBid === NO_PRICE || bestAsk === NO_PRICE || bestBid < bestAsk, `${name} is crossed: ${bestBid} ≥ ${bestAsk}`);
  let signedBase = 0;
  for (const account of state.accounts) signedBase += account?.positions[market.ordinal]?.signedBaseAtoms ?? 0;
  demand(signedBase === 0, `${name}: long and short differ by ${signedBase}`);
}

function checkAccount(account: Account, needs: Needs | undefined): void {
  const name = `account ${account.ordinal}`;
  demand(
    account.reservedAtoms === (needs?.reserved ?? 0),
    `${name} reserves ${account.reservedAtoms}, its orders need ${needs?.reserved ?? 0}`,
  );
  demand(
    account.openOrders === (needs?.openOrders ?? 0),
    `${name} counts ${account.openOrders} open orders, not ${needs?.openOrders ?? 0}`,
  );
  demand(
    account.cashAtoms >= account.reservedAtoms,
    `${name} has ${account.cashAtoms} for the ${account.reservedAtoms} it reserves`,
  );
  for (const position of account.positions) {
    if (position === undefined) continue;
    const isFlat = position.signedBaseAtoms === 0;
    demand(position.marginAtoms >= 0, `${name}: margin below zero`);
    demand(isFlat === (position.ordinal === 0), `${name}: an episode without a position, or the reverse`);
    demand(!isFlat || (position.entryNotionalAtoms === 0 && position.marginAtoms === 0), `${name}: a flat position holds money`);
    demand(isFlat || position.entryNotionalAtoms > 0, `${name}: a position that cost nothing`);
  }
}

function demand(condition: boolean, fault: string): void {
  if (!condition) throw new InvariantBroken(fault);
}
