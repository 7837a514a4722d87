/**
 * What must be true after every turn, recounted from the state without trusting any of its running sums. For harnesses
 * and checkers: the first thing found to be wrong is thrown.
 */
import type { QuoteAtoms } from '#units/money.ts';
import { exact } from '#units/money.ts';
import type { Account } from './account/account.ts';
import { VENUE_LEDGERS } from './event.ts';
import type { Market } from './market/market.ts';
import { MAX_PRICE_TICKS } from './market/specification.ts';
import { NO_PRICE } from './order/book.ts';
import { MatchTerms } from './order/match.ts';
import type { Slot } from './order/order-table.ts';
import { reservationOf } from './order/reservation.ts';
import { readOpeningTerms } from './order/resting.ts';
import { closableBy, type Position } from './position/position.ts';
import { bankruptcyPriceOf } from './risk/bankruptcy-price.ts';
import { liquidationTriggerOf, NEVER_REACHED } from './risk/position-risk.ts';
import type { VenueState } from './state.ts';

/** Something that can never be is. */
export class InvariantBroken extends Error {
  override readonly name = 'InvariantBroken';
}

const terms = new MatchTerms();

/** Throws {@link InvariantBroken} at the first fault. */
export function checkInvariants(state: VenueState): void {
  checkConservation(state);
  const sums = new Sums();
  for (const slot of state.orders.slotsByAge()) sums.add(state, slot);
  for (const market of state.markets) if (market !== undefined) checkMarket(state, market, sums);
  for (const account of state.accounts) if (account !== undefined) checkAccount(account, sums);
  checkApiKeys(state);
}

/** What the open orders come to, counted one by one. */
class Sums {
  /** By name, then by account and market as one number. */
  readonly #sums = new Map<string, Map<number, number>>();

  of(name: string, account: number, market = 0): number {
    return this.#sums.get(name)?.get(account * 65_536 + market) ?? 0;
  }

  /** The best price of a side of a market. */
  best(side: string, market: number): number {
    return this.#sums.get(side)?.get(market) ?? NO_PRICE;
  }

  add(state: VenueState, slot: Slot): void {
    const { orders } = state;
    const [account, market, side, price] = [
      orders.accountOf(slot),
      orders.marketOf(slot),
      orders.sideOf(slot),
      orders.priceOf(slot),
    ];
    const remaining = orders.remainingOf(slot);
    demand(remaining > 0, `order ${orders.orderOf(slot)} rests with nothing left`);
    readOpeningTerms(state, slot, terms);
    const needed = orders.isReduceOnly(slot) ? 0 : reservationOf(state.market(market)!, terms, remaining);
    const reserved = orders.reservedOf(slot);
    demand(reserved === needed, `order ${orders.orderOf(slot)} holds ${reserved}, its terms ask for ${needed}`);
    this.#raise('reserved', account, 0, reserved);
    this.#raise('open', account, 0, 1);
    this.#raise('open', account, market, 1);
    if (orders.isReduceOnly(slot)) {
      this.#raise('reduce-only', account, market, 1);
      const holding = state.account(account)!.holdingIn(market);
      demand(closableBy(side, holding) > 0, `order ${orders.orderOf(slot)} reduces nothing`);
    } else {
      this.#raise('resting', account, market, remaining);
      this.#raise('worth', account, market, state.market(market)!.notional(price, remaining));
    }
    const best = this.best(side, market);
    const isBetter = best === NO_PRICE || (side === 'buy' ? price > best : price < best);
    if (isBetter) this.#named(side).set(market, price);
  }

  #raise(name: string, account: number, market: number, by: number): void {
    this.#named(name).set(account * 65_536 + market, this.of(name, account, market) + by);
  }

  #named(name: string): Map<number, number> {
    const known = this.#sums.get(name);
    if (known !== undefined) return known;
    const created = new Map<number, number>();
    this.#sums.set(name, created);
    return created;
  }
}

/** Σ cash + Σ margin + Σ unrealized PnL + ledgers = net deposits. The mark drops out: long and short are equal. */
function checkConservation(state: VenueState): void {
  let total = 0;
  for (const ledger of VENUE_LEDGERS) total += state.ledgers[ledger];
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
  const { fees, deficit, insurance, withdrawals } = state.ledgers;
  // Of a trade the maker never gets more than the taker pays (`specificationFault`, `settleMaker`).
  demand(fees >= 0, `the venue has paid more fees than it took: ${fees}`);
  demand(deficit <= 0, `the deficit ledger is above zero: ${deficit}`);
  demand(insurance >= 0, `the insurance fund is below zero: ${insurance}`);
  const pending = [...state.withdrawals.values()].reduce((sum, { amountAtoms }) => sum + amountAtoms, 0);
  demand(withdrawals === pending, `withdrawals of ${pending} are pending, their ledger has ${withdrawals}`);
  const pooled = state.markets.reduce((sum, market) => sum + (market?.funding.pooledAtoms ?? 0), 0);
  demand(state.ledgers.funding === pooled, `funding of ${pooled} is pooled, its ledger has ${state.ledgers.funding}`);
}

function checkMarket(state: VenueState, market: Market, sums: Sums): void {
  const { bestBid, bestAsk } = market.book;
  const name = market.specification.marketId;
  demand(bestBid === sums.best('buy', market.ordinal), `${name}: the best bid is not ${bestBid}`);
  demand(bestAsk === sums.best('sell', market.ordinal), `${name}: the best ask is not ${bestAsk}`);
  demand(bestBid === NO_PRICE || bestAsk === NO_PRICE || bestBid < bestAsk, `${name} is crossed: ${bestBid} ≥ ${bestAsk}`);
  let signedBase = 0;
  let open = 0;
  let waiting = 0;
  const parked = new Set(market.positions.parked());
  for (const account of state.accounts) {
    const position = account?.positions[market.ordinal];
    if (position === undefined || position.signedBaseAtoms === 0) continue;
    signedBase += position.signedBaseAtoms;
    open += 1;
    checkListed(market, position, parked);
    if (parked.has(position)) waiting += checkWaiting(market, position);
  }
  demand(signedBase === 0, `${name}: long and short differ by ${signedBase}`);
  demand(market.positions.count === open, `${name} lists ${market.positions.count} open positions, there are ${open}`);
  checkHeaps(market, open - parked.size, waiting);
}

/** Nobody is in a heap that nobody was found to belong into, and all stand in order. */
function checkHeaps({ specification, positions }: Market, watched: number, waiting: number): void {
  const { marketId: name } = specification;
  const { heaps } = positions;
  const sizeOf = (group: typeof heaps.watched) => group.reduce((sum, { size }) => sum + size, 0);
  demand(sizeOf(heaps.watched) === watched, `${name} watches ${sizeOf(heaps.watched)} positions, there are ${watched}`);
  demand(sizeOf(heaps.waiting) === waiting, `${name} has ${sizeOf(heaps.waiting)} wait for bankruptcy, there are ${waiting}`);
  const isInOrder = [...heaps.watched, ...heaps.waiting].every((heap) => heap.isInOrder);
  demand(isInOrder, `${name} has positions out of order`);
}

/** An open position is in its market's list, and found by the liquidation price that its numbers come to. */
function checkListed(market: Market, position: Position, parked: ReadonlySet<Position>): void {
  const name = `${market.specification.marketId}, account ${position.account}`;
  demand(market.positions.at(position.listIndex) === position, `${name}: the position is not listed`);
  demand((position.triggers === undefined) === parked.has(position), `${name}: neither watched nor parked, or both`);
  const trigger = liquidationTriggerOf(position, market.tickLotAtoms, market.specification.maintenanceMarginTiers);
  demand(
    position.liquidationPriceAtoms === trigger,
    `${name} is liquidated at ${trigger}, not ${position.liquidationPriceAtoms}`,
  );
  if (parked.has(position)) return;
  const heap = market.positions.watchedHeapOf(position);
  const isFound = position.triggers === heap && heap.has(position);
  demand(isFound, `${name} is watched, and no price would find it`);
}

/** One that waits is found by the price that leaves it bankrupt, if it is to be. Answers whether it is: 1 or 0. */
function checkWaiting({ specification, tickLotAtoms, positions }: Market, position: Position): number {
  const name = `${specification.marketId}, account ${position.account}`;
  const waiting = positions.waitingFor(position);
  if (waiting === undefined) return 0;
  demand(specification.autoDeleveraging, `${name} waits for bankruptcy where nobody is deleveraged`);
  demand(waiting.ordinal === position.ordinal, `${name} waits as position ${waiting.ordinal}, it is ${position.ordinal}`);
  const bankruptcyPrice = bankruptcyPriceOf(position, tickLotAtoms);
  // At the bankruptcy price itself it still pays for everything.
  const isLong = position.signedBaseAtoms > 0;
  const bankrupt = isLong ? Math.min(MAX_PRICE_TICKS, bankruptcyPrice - 1) : Math.min(NEVER_REACHED, bankruptcyPrice + 1);
  const { liquidationPriceAtoms: price } = waiting;
  demand(price === bankrupt, `${name} waits for ${price}, and is bankrupt at ${bankrupt}`);
  demand(positions.waitingHeapOf(position).has(waiting), `${name} waits, and no price would find it`);
  return 1;
}

function checkAccount(account: Account, sums: Sums): void {
  const { ordinal, reservedAtoms, cashAtoms, openOrders } = account;
  const name = `account ${ordinal}`;
  const needed = sums.of('reserved', ordinal);
  demand(reservedAtoms === needed, `${name} reserves ${reservedAtoms}, its orders need ${needed}`);
  demand(openOrders === sums.of('open', ordinal), `${name} counts ${openOrders} open orders, not ${sums.of('open', ordinal)}`);
  demand(cashAtoms >= reservedAtoms, `${name} has ${cashAtoms} for the ${reservedAtoms} it reserves`);
  for (const position of account.positions) if (position !== undefined) checkPosition(position, name, sums);
}

function checkPosition(position: Position, name: string, sums: Sums): void {
  const { account, market, signedBaseAtoms, entryNotionalAtoms, marginAtoms } = position;
  const isFlat = signedBaseAtoms === 0;
  demand(marginAtoms >= 0, `${name}: margin below zero`);
  demand(isFlat === (position.ordinal === 0), `${name}: an episode without a position, or the reverse`);
  demand(!isFlat || (entryNotionalAtoms === 0 && marginAtoms === 0), `${name}: a flat position holds money`);
  demand(isFlat || entryNotionalAtoms > 0, `${name}: a position that cost nothing`);
  demand(position.openOrders === sums.of('open', account, market), `${name}: a wrong count of open orders`);
  demand(position.reduceOnlyOrders === sums.of('reduce-only', account, market), `${name}: a wrong count of reduce-only orders`);
  demand(position.restingBaseAtoms === sums.of('resting', account, market), `${name}: open orders are for something else`);
  demand(position.restingNotionalAtoms === sums.of('worth', account, market), `${name}: open orders are worth something else`);
}

/** The venue's register of keys is that of its accounts, and a retired account has none. */
function checkApiKeys(state: VenueState): void {
  let keys = 0;
  for (const account of state.accounts) {
    if (account === undefined) continue;
    keys += account.apiKeys.size;
    demand(!account.isRetired || account.apiKeys.size === 0, `account ${account.ordinal} is retired and has a key`);
    for (const keyId of account.apiKeys.keys())
      demand(state.apiKeyAccounts.get(keyId) === account.ordinal, `key ${keyId} is lost`);
  }
  demand(keys === state.apiKeyAccounts.size, `${state.apiKeyAccounts.size} keys are registered, accounts have ${keys}`);
}

function demand(condition: boolean, fault: string): void {
  if (!condition) throw new InvariantBroken(fault);
}
