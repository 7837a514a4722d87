/**
 * Checks the invariants that hold after every turn. It recounts every sum from the state and does not use the running sums. For
 * test harnesses and checkers.
 */
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { exact, mulDivDown } from '#units/money.ts';
import type { Account } from './account/account.ts';
import { VENUE_LEDGERS } from './event.ts';
import { InvariantBroken } from './invariant-broken.ts';
import type { Market } from './market/market.ts';
import { NO_PRICE } from './order/book.ts';
import { MatchTerms } from './order/match.ts';
import type { Slot } from './order/order-table.ts';
import { reservationOf } from './order/reservation.ts';
import { readOpeningTerms } from './order/resting.ts';
import { closableBy, type Position } from './position/position.ts';
import { HALF_LOST_STEP, stepPriceOf } from './risk/liquidation-steps.ts';
import { liquidationTriggerOf } from './risk/position-risk.ts';
import { RISK_RULES, type RiskRules } from './risk/risk-rules.ts';
import type { VenueState } from './state.ts';
import { MAX_DEPOSITS_ATOMS } from './transfer/deposit-bound.ts';
import { checkTriggers } from './trigger/trigger-invariants.ts';

export { InvariantBroken };

const terms = new MatchTerms();

/** Throws {@link InvariantBroken} at the first violation. */
export function checkInvariants(state: VenueState, rules: RiskRules = RISK_RULES): void {
  checkConservation(state);
  const sums = new Sums();
  for (const slot of state.orders.slotsByAge()) sums.add(state, slot);
  checkExpiries(state);
  for (const market of state.markets) if (market !== undefined) checkMarket(state, market, sums, rules);
  for (const market of state.markets) if (market !== undefined) checkOpenInterest(market);
  for (const account of state.accounts) if (account !== undefined) checkAccount(account, sums);
  checkTriggers(state);
  if (rules.partsFund) checkFundParts(state);
  checkApiKeys(state);
  checkSettlement(state);
  checkAffiliates(state);
}

/** Each open order with an expiry is in the heap, and nothing else. */
function checkExpiries({ orders, expiries }: VenueState): void {
  const expiring = orders.slotsByAge().filter((slot) => orders.mayExpire(slot));
  demand(expiries.size === expiring.length, `${expiries.size} expiries of ${expiring.length} orders with one`);
  for (const slot of expiring)
    demand(expiries.timeOf(orders.orderOf(slot)) !== undefined, `order ${orders.orderOf(slot)} has no expiry`);
  demand(expiries.isInOrder, 'the heap of expiries is out of order');
}

/** The open interest equals the sum of all long positions. */
function checkOpenInterest({ positions, ordinal }: Market): void {
  let longs = 0;
  for (let index = 0; index < positions.count; index += 1) longs += Math.max(0, positions.at(index).signedBaseAtoms);
  demand(
    positions.longBaseAtoms === longs,
    `market ${ordinal} has an open interest of ${positions.longBaseAtoms}, expected ${longs}`,
  );
}

/** The insurance fund has at least the own parts of the markets. */
function checkFundParts({ markets, ledgers }: VenueState): void {
  const parts = markets.reduce((sum, market) => sum + Math.max(0, market?.fundUse.balanceAtoms ?? 0), 0);
  demand(ledgers.insurance >= parts, `the insurance fund has ${ledgers.insurance}, the parts of the markets are ${parts}`);
}

/** Sums over the open orders, counted one by one. */
class Sums {
  /** By name, then by `account * 65,536 + market`. */
  readonly #sums = new Map<string, Map<number, number>>();

  /** What the orders of each price offer beside the reduce-only ones, by `market * 2^32 + price`. */
  readonly levels = new Map<number, number>();

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
    demand(remaining > 0, `order ${orders.orderOf(slot)} rests with a remaining quantity of ${remaining}`);
    readOpeningTerms(state, slot, terms);
    const needed = orders.isReduceOnly(slot) ? 0 : reservationOf(state.market(market)!, terms, remaining);
    const reserved = orders.reservedOf(slot);
    demand(reserved === needed, `order ${orders.orderOf(slot)} reserves ${reserved}, expected ${needed}`);
    this.#raise('reserved', account, 0, reserved);
    this.#raise('open', account, 0, 1);
    this.#raise('open', account, market, 1);
    if (orders.isReduceOnly(slot)) {
      this.#raise('reduce-only', account, market, 1);
      this.#raise('reducing', account, market, remaining);
      const holding = state.account(account)!.holdingIn(market);
      demand(
        closableBy(side, holding) > 0,
        `order ${orders.orderOf(slot)} is reduce-only, but the account has no position that it can reduce`,
      );
    } else {
      const level = market * 2 ** 32 + price;
      this.levels.set(level, (this.levels.get(level) ?? 0) + remaining);
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

/** Checks Σ cash + Σ margin + Σ unrealized PnL + ledgers = net deposits. The mark cancels out, because long and short are equal. */
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
  demand(
    exact<QuoteAtoms>(total) === state.netDepositsAtoms,
    `balances sum to ${total}, but net deposits are ${state.netDepositsAtoms}`,
  );
  const { fees, deficit, insurance, withdrawals } = state.ledgers;
  // A maker's rebate is never larger than the taker's fee of the same trade (`specificationFault`, `settleMaker`).
  demand(fees >= 0, `the fees ledger is below zero: ${fees}`);
  demand(deficit <= 0, `the deficit ledger is above zero: ${deficit}`);
  demand(insurance >= 0, `the insurance fund is below zero: ${insurance}`);
  const pending = [...state.withdrawals.values()].reduce((sum, { amountAtoms }) => sum + amountAtoms, 0);
  demand(withdrawals === pending, `pending withdrawals sum to ${pending}, but the withdrawals ledger is ${withdrawals}`);
  const pooled = state.markets.reduce((sum, market) => sum + (market?.funding.pooledAtoms ?? 0), 0);
  demand(
    state.ledgers.funding === pooled,
    `pooled funding sums to ${pooled}, but the funding ledger is ${state.ledgers.funding}`,
  );
}

function checkMarket(state: VenueState, market: Market, sums: Sums, { cutsReduceOnly }: RiskRules): void {
  const { bestBid, bestAsk } = market.book;
  const name = market.specification.marketId;
  demand(
    bestBid === sums.best('buy', market.ordinal),
    `${name}: the best bid is ${bestBid}, expected ${sums.best('buy', market.ordinal)}`,
  );
  demand(
    bestAsk === sums.best('sell', market.ordinal),
    `${name}: the best ask is ${bestAsk}, expected ${sums.best('sell', market.ordinal)}`,
  );
  demand(
    bestBid === NO_PRICE || bestAsk === NO_PRICE || bestBid < bestAsk,
    `${name}: the book is crossed: bid ${bestBid} ≥ ask ${bestAsk}`,
  );
  for (const [level, size] of sums.levels) {
    if (mulDivDown(level, 1, 2 ** 32) !== market.ordinal) continue;
    const price = (level - market.ordinal * 2 ** 32) as PriceAtoms;
    demand(market.book.sizeAt(price) === size, `${name}: the level ${price} has ${market.book.sizeAt(price)}, expected ${size}`);
  }
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
    const offered = position.reduceOnlyBaseAtoms;
    demand(
      offered <= Math.abs(position.signedBaseAtoms) || market.hasInheritedExcess || !cutsReduceOnly,
      `${name}, account ${account!.ordinal}: reduce-only orders offer ${offered} of a position of ${position.signedBaseAtoms}`,
    );
    if (parked.has(position)) waiting += checkWaiting(market, position);
  }
  demand(signedBase === 0, `${name}: long and short differ by ${signedBase}`);
  demand(market.positions.count === open, `${name} lists ${market.positions.count} open positions, expected ${open}`);
  checkHeaps(market, open - parked.size, waiting);
}

/** Every heap has the expected number of entries, so no entry is stale, and its heap order holds. */
function checkHeaps({ specification, positions }: Market, watched: number, waiting: number): void {
  const { marketId: name } = specification;
  const { heaps } = positions;
  const sizeOf = (group: typeof heaps.watched) => group.reduce((sum, { size }) => sum + size, 0);
  demand(sizeOf(heaps.watched) === watched, `${name} watches ${sizeOf(heaps.watched)} positions, expected ${watched}`);
  demand(
    sizeOf(heaps.waiting) === waiting,
    `${name} has ${sizeOf(heaps.waiting)} positions waiting for a step, expected ${waiting}`,
  );
  const isInOrder = [...heaps.watched, ...heaps.waiting].every((heap) => heap.isInOrder);
  demand(isInOrder, `${name}: a heap of positions is out of order`);
}

/** Checks that a position is listed, and is parked or in its side's heap at the liquidation price that follows from its state. */
function checkListed(market: Market, position: Position, parked: ReadonlySet<Position>): void {
  const name = `${market.specification.marketId}, account ${position.account}`;
  demand(market.positions.at(position.listIndex) === position, `${name}: the position is not listed`);
  demand(
    (position.triggers === undefined) === parked.has(position),
    `${name}: the position must be in a liquidation heap or parked, not both`,
  );
  const trigger = liquidationTriggerOf(position, market.tickLotAtoms, market.specification.maintenanceMarginTiers);
  demand(
    position.liquidationPriceAtoms === trigger,
    `${name}: the liquidation price is ${position.liquidationPriceAtoms}, expected ${trigger}`,
  );
  if (parked.has(position)) return;
  const heap = market.positions.liquidationHeapOf(position);
  const isInHeap = position.triggers === heap && heap.has(position);
  demand(isInHeap, `${name} is watched, but is not in the heap of its side`);
}

/** A parked position may wait in a heap for the price of the next step of its liquidation. Returns 1 if it waits, otherwise 0. */
function checkWaiting({ specification, tickLotAtoms, positions }: Market, position: Position): number {
  const name = `${specification.marketId}, account ${position.account}`;
  const waiting = positions.waitingTriggerOf(position);
  if (waiting === undefined) return 0;
  demand(specification.autoDeleveraging, `${name} waits for a step in a market without deleveraging`);
  demand(waiting.ordinal === position.ordinal, `${name} waits as position ${waiting.ordinal}, expected ${position.ordinal}`);
  const step = positions.nextStepOf(position);
  demand(step <= HALF_LOST_STEP, `${name} waits for step ${step}, the last one is ${HALF_LOST_STEP}`);
  const expected = stepPriceOf(position, step, tickLotAtoms, specification.maintenanceMarginTiers);
  const { liquidationPriceAtoms: price } = waiting;
  demand(price === expected, `${name} waits for ${price}, but reaches step ${step} at ${expected}`);
  demand(positions.waitingHeapOf(position).has(waiting), `${name} waits, but is not in the heap of its side`);
  return 1;
}

function checkAccount(account: Account, sums: Sums): void {
  const { ordinal, reservedAtoms, cashAtoms, openOrders } = account;
  const name = `account ${ordinal}`;
  const needed = sums.of('reserved', ordinal);
  demand(reservedAtoms === needed, `${name} reserves ${reservedAtoms}, expected ${needed}`);
  demand(
    openOrders === sums.of('open', ordinal),
    `${name} counts ${openOrders} open orders, expected ${sums.of('open', ordinal)}`,
  );
  demand(cashAtoms >= reservedAtoms, `${name} has cash of ${cashAtoms}, but reserves ${reservedAtoms}`);
  for (const position of account.positions) if (position !== undefined) checkPosition(position, name, sums);
}

function checkPosition(position: Position, name: string, sums: Sums): void {
  const { account, market, signedBaseAtoms, entryNotionalAtoms, marginAtoms, insuredAtoms } = position;
  const isFlat = signedBaseAtoms === 0;
  demand(marginAtoms >= 0, `${name}: the margin is below zero: ${marginAtoms}`);
  demand(isFlat ? insuredAtoms === 0 : insuredAtoms >= 0, `${name}: it owes ${insuredAtoms} to the insurance fund`);
  demand(isFlat === (position.ordinal === 0), `${name}: an open position must have an episode number, and a flat one must not`);
  demand(!isFlat || (entryNotionalAtoms === 0 && marginAtoms === 0), `${name}: a flat position has an entry notional or margin`);
  demand(isFlat || entryNotionalAtoms > 0, `${name}: an open position has no entry notional`);
  const demandSum = (key: string, label: string, value: number) => {
    const expected = sums.of(key, account, market);
    demand(value === expected, `${name}, market ${market}: the ${label} is ${value}, expected ${expected}`);
  };
  demandSum('open', 'count of open orders', position.openOrders);
  demandSum('reduce-only', 'count of reduce-only orders', position.reduceOnlyOrders);
  demandSum('reducing', 'sum of reduce-only quantities', position.reduceOnlyBaseAtoms);
  demandSum('resting', 'sum of resting quantities', position.restingBaseAtoms);
  demandSum('worth', 'sum of resting notionals', position.restingNotionalAtoms);
}

/** The venue's key index has exactly the keys of its accounts. A retired account has no keys. */
function checkApiKeys(state: VenueState): void {
  let keys = 0;
  for (const account of state.accounts) {
    if (account === undefined) continue;
    keys += account.apiKeys.size;
    demand(account.isRetired || !account.isLegacy, `account ${account.ordinal} is legacy, but not retired`);
    demand(!account.isRetired || account.apiKeys.size === 0, `account ${account.ordinal} is retired, but has a key`);
    for (const keyId of account.apiKeys.keys())
      demand(state.apiKeyAccounts.get(keyId) === account.ordinal, `key ${keyId} is missing from the index`);
  }
  demand(keys === state.apiKeyAccounts.size, `the index has ${state.apiKeyAccounts.size} keys, but accounts have ${keys}`);
}

/** Every affiliate has a code of its own, and every referral is by an affiliate, never by the account itself. */
function checkAffiliates({ affiliates, accounts }: VenueState): void {
  const { byAccount, byCode, referrers } = affiliates;
  demand(byCode.size === byAccount.size, `${byAccount.size} affiliates have ${byCode.size} codes`);
  for (const { account, referralCode } of byAccount.values())
    demand(byCode.get(referralCode)?.account === account, `the code of affiliate ${account} belongs to another one`);
  for (const [account, referrer] of referrers) {
    demand(accounts[account] !== undefined, `account ${account} was referred, and was never opened`);
    demand(byAccount.has(referrer), `account ${account} was referred by ${referrer}, which is no affiliate`);
    demand(account !== referrer, `account ${account} was referred by itself`);
  }
}

function demand(condition: boolean, fault: string): void {
  if (!condition) throw new InvariantBroken(fault);
}

/** Deposits stay within their bound when all bound ones are confirmed, and every open withdrawal of an owner is pending. */
function checkSettlement({ settlement, withdrawals, netDepositsAtoms }: VenueState): void {
  let boundAtoms = 0;
  for (const { deposit, step, amountAtoms, intent } of settlement.deposits.values()) {
    if (step !== 'none') boundAtoms += amountAtoms;
    demand(settlement.intents.get(intent)?.deposit === deposit, `deposit ${deposit} is not that of its intent ${intent}`);
  }
  const { boundDepositsAtoms } = settlement;
  demand(boundDepositsAtoms === boundAtoms, `bound deposits are ${boundDepositsAtoms}, expected ${boundAtoms}`);
  demand(netDepositsAtoms + boundAtoms <= MAX_DEPOSITS_ATOMS, `deposits of ${boundAtoms} would exceed the bound`);
  let unofferedAtoms = 0;
  for (const { withdrawal, account, amountAtoms, status, offerId } of settlement.withdrawals.values()) {
    if (status !== 'requested' && offerId === '') unofferedAtoms += amountAtoms;
    const pending = withdrawals.get(withdrawal);
    demand(
      pending?.account === account && pending.amountAtoms === amountAtoms,
      `withdrawal ${withdrawal} of ${amountAtoms} is open, but its cash is not reserved`,
    );
  }
  const { unofferedWithdrawalsAtoms } = settlement;
  demand(
    unofferedWithdrawalsAtoms === unofferedAtoms,
    `withdrawals without an offer are ${unofferedWithdrawalsAtoms}, expected ${unofferedAtoms}`,
  );
}
