/** A venue in which one episode is played: the stage, the accounts of the colluders, and what they can read and send. */

import { BTC as MARKET } from '#simulation/scenario.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import { leverageHundredths } from '#units/leverage.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { BatchEntry, Command, PlaceOrder, Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { MarginDirection } from '#venue/position/margin-adjustment.ts';
import type { Position } from '#venue/position/position.ts';
import { bankruptcyPriceOf } from '#venue/risk/bankruptcy-price.ts';
import { positionEquityOf } from '#venue/risk/position-risk.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import type { AttachedLegs, TriggerTerms } from '#venue/trigger/trigger-terms.ts';
import { Venue } from '#venue/venue.ts';
import { FundingWatch } from './funding-watch.ts';
import { Justification } from './justification.ts';
import { SEARCHED_MARKET, START_PRICE, USD } from './market.ts';
import { SECONDS, STRANGERS, type Stage } from './stage.ts';
import { type Role, Takings } from './takings.ts';

export const COLLUDERS = 5;
const MAKER = COLLUDERS + 1;
/** Colluders, makers, strangers. */
export const ACCOUNTS = MAKER + STRANGERS;

const COLLUDER_USD = 1_000_000;
const MAKER_USD = 1_000_000_000;
const STRANGER_USD = 100_000;
const FUND_USD = 1_000_000;

const PERIOD_MS = SEARCHED_MARKET.fundingPeriodMs;
const MIDNIGHT_MS = 19_676 * 86_400_000;

const BAND_PPB = SEARCHED_MARKET.markBandBps * 100_000;

const COLLUDER_ACCOUNTS = Array.from({ length: COLLUDERS }, (_, place) => place + 1);
export const STRANGER_ACCOUNTS = Array.from({ length: STRANGERS }, (_, place) => MAKER + 1 + place);

export interface OrderOptions {
  readonly leverageX?: number;
  readonly reduceOnly?: boolean;
  /** The order waits for a price. */
  readonly trigger?: TriggerTerms;
  /** Stop-loss and take-profit of what a limit order opens. */
  readonly attached?: AttachedLegs;
  /** What happens to the part of a limit order that does not fill at once; by default it rests. */
  readonly form?: LimitForm;
}

export type LimitForm = 'IOC' | 'FOK' | 'post-only';

export class Table {
  readonly stage: Stage;
  readonly venue: Venue;
  readonly takings: Takings;
  /** Called with each command and its events, for a listing. */
  observe: (command: Command, events: readonly VenueEvent[]) => void = () => undefined;
  #now: number;
  #sequence = 0;
  #orders = 0;
  #second = 0;
  readonly #funding: FundingWatch;
  readonly #justification: Justification;
  #quotes: readonly OrderOrdinal[] = [];
  #quotedAt = 0;
  #quotesAreWhole = false;

  constructor(stage: Stage, rules: RiskRules) {
    this.stage = stage;
    this.venue = new Venue(undefined, rules);
    this.#now = startOf(stage);
    this.#list();
    this.#openStrangers();
    const parties = {
      roleOf,
      valueOf: (index: number) => this.#valueAt(index),
      isDue: (account: number) => this.#justification.isDue(account - STRANGER_ACCOUNTS[0]!, this.#second),
    };
    this.takings = new Takings(parties, this.#valueAt(START_PRICE), this.market.tickLotAtoms, SEARCHED_MARKET.liquidationFeeBps);
    this.#justification = new Justification(
      stage.index,
      STRANGER_ACCOUNTS.map((account) => this.position(account)),
    );
    this.#funding = new FundingWatch(this.venue.state, this.market, rules.boundsPremium ? BAND_PPB : Number.POSITIVE_INFINITY);
    this.#quote();
  }

  get market(): Market {
    return this.venue.state.market(MARKET)!;
  }

  get index(): number {
    return this.market.indexPriceAtoms;
  }

  /** How many seconds of the path are played. */
  get second(): number {
    return this.#second;
  }

  position(account: number): Position {
    return this.venue.state.account(account as AccountOrdinal)!.positionIn(MARKET);
  }

  /** The price at which a position's equity is zero; the index without a position. */
  bankruptcyPrice(account: number): number {
    const position = this.position(account);
    return position.signedBaseAtoms === 0 ? this.index : bankruptcyPriceOf(position, this.market.tickLotAtoms);
  }

  liquidationPrice(account: number): number {
    const position = this.position(account);
    return position.signedBaseAtoms === 0 ? this.index : position.liquidationPriceAtoms;
  }

  /** The best price of a side; the index if it is empty. */
  best(side: Side): number {
    const price = this.market.book.bestAgainst(side === 'buy' ? 'sell' : 'buy');
    return price === NO_PRICE ? this.index : price;
  }

  /** The whole lots of an amount of dollars at the start. */
  lotsOf(usd: number): number {
    const lots = Math.round((usd * USD) / (START_PRICE * this.market.tickLotAtoms));
    return Math.max(SEARCHED_MARKET.minQuantityAtoms, lots);
  }

  limit(account: number, side: Side, price: number, lots: number, options: OrderOptions = {}): VenueEvent[] {
    return this.run({ type: 'PlaceOrder', account: account as AccountOrdinal, ...this.#limitEntry(side, price, lots, options) });
  }

  /** Places so many equal limit orders, in batches. */
  limits(account: number, side: Side, price: number, lots: number, count: number, options: OrderOptions = {}): void {
    for (let from = 0; from < count; from += 32) {
      const entries = Array.from({ length: Math.min(32, count - from) }, () => this.#limitEntry(side, price, lots, options));
      this.run({ type: 'PlaceOrders', account: account as AccountOrdinal, entries, idempotencyKey: `batch-${this.#orders}` });
    }
  }

  take(account: number, side: Side, lots: number, options: OrderOptions = {}): VenueEvent[] {
    const terms = { kind: 'market', quantityAtoms: lots } as PlaceOrder['terms'];
    return this.run({
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      ...this.#limitEntry(side, START_PRICE, lots, options),
      terms,
    });
  }

  /** Closes the whole position at the market. */
  shut(account: number): void {
    const base = this.position(account).signedBaseAtoms;
    if (base !== 0) this.take(account, base > 0 ? 'sell' : 'buy', Math.abs(base), { reduceOnly: true });
  }

  cancelAll(account: number): void {
    this.#cancel(account, this.ordersOf(account));
  }

  transfer(from: number, to: number, usd: number): void {
    if (from === to) return;
    this.run({
      type: 'TransferCash',
      account: from as AccountOrdinal,
      to: to as AccountOrdinal,
      amountAtoms: Math.round(usd * USD) as QuoteAtoms,
      reference: '',
    });
  }

  adjustMargin(account: number, direction: MarginDirection, usd: number): void {
    this.run({
      type: 'AdjustPositionMargin',
      account: account as AccountOrdinal,
      market: MARKET,
      direction,
      amountAtoms: Math.round(usd * USD) as QuoteAtoms,
    });
  }

  /** Sets the leverage of orders that name none. */
  setLeverage(account: number, leverageX: number): void {
    this.run({
      type: 'SetLeverage',
      account: account as AccountOrdinal,
      market: MARKET,
      leverageHundredths: leverageHundredths(leverageX),
    });
  }

  /** Changes the account's newest open order, if it has one. */
  amend(account: number, price: number, lots: number): void {
    const order = this.ordersOf(account).at(-1);
    if (order === undefined) return;
    this.run({
      type: 'AmendOrder',
      account: account as AccountOrdinal,
      market: MARKET,
      order,
      priceAtoms: Math.round(price) as PriceAtoms,
      quantityAtoms: lots as BaseAtoms,
    });
  }

  ordersOf(account: number): readonly OrderOrdinal[] {
    return this.venue.openOrders(account as AccountOrdinal, MARKET);
  }

  /** Plays the next seconds of the path: the index, the venue's work, the makers' new quotes. */
  wait(seconds: number): void {
    for (let left = Math.min(seconds, SECONDS - this.#second); left > 0; left -= 1) {
      this.#price(this.stage.index[this.#second]!);
      this.#second += 1;
      this.#quote();
    }
  }

  /** Runs a command, and counts what it brings to the colluders. */
  run(command: Command): VenueEvent[] {
    this.#now += 1;
    this.#sequence += 1;
    const events = eventsOfTurn(this.venue, { sequence: this.#sequence as Sequence, epochMs: this.#now as EpochMs, command });
    this.takings?.read(events);
    this.observe(command, events);
    return events;
  }

  /** Ends the episode. */
  finish(): void {
    this.wait(SECONDS);
    this.takings.end(SEARCHED_MARKET.makerFeeBps, this.#owed());
  }

  /** The wealth of accounts, by default of the colluders, in money atoms, with positions at the value of the underlying. */
  wealth(accounts: readonly number[] = COLLUDER_ACCOUNTS): number {
    const cash = accounts.reduce((sum, account) => sum + this.venue.state.account(account as AccountOrdinal)!.cashAtoms, 0);
    return accounts.reduce((sum, account) => sum + this.#equity(account), cash);
  }

  /** What the colluders' positions would repay to the insurance fund. */
  #owed(): number {
    const owed = (account: number): number => Math.min(this.position(account).insuredAtoms, Math.max(0, this.#equity(account)));
    return COLLUDER_ACCOUNTS.reduce((sum, account) => sum + owed(account), 0);
  }

  #equity(account: number): number {
    const position = this.position(account);
    if (position.signedBaseAtoms === 0) return 0;
    return positionEquityOf(position, this.#valueAt(this.index) as PriceAtoms, this.market.tickLotAtoms);
  }

  #list(): void {
    this.run({ type: 'ListMarket', specification: SEARCHED_MARKET, status: 'open' });
    this.#publish(this.stage.entry);
    for (let account = 1; account <= ACCOUNTS; account += 1) {
      this.run({ type: 'OpenAccount', label: `account ${account}`, partyId: `party-${account}`, digestSeed: 7 });
      const usd = account < MAKER ? COLLUDER_USD : account === MAKER ? MAKER_USD : STRANGER_USD;
      this.run({
        type: 'CreditCash',
        account: account as AccountOrdinal,
        amountAtoms: (usd * USD) as QuoteAtoms,
        reference: '',
      });
    }
    this.run({ type: 'CreditInsurance', amountAtoms: (FUND_USD * USD) as QuoteAtoms, reference: '' });
  }

  /** The strangers trade with the makers at the entry price. Then the index moves to the start in steps that are accepted at once. */
  #openStrangers(): void {
    const { entry, strangers } = this.stage;
    for (const [place, { isLong, usd, leverageX }] of strangers.entries()) {
      const lots = this.lotsOf(usd);
      this.limit(MAKER, isLong ? 'sell' : 'buy', entry, lots, { leverageX: 1 });
      this.limit(MAKER + 1 + place, isLong ? 'buy' : 'sell', entry, lots, { leverageX });
    }
    this.#now += 1_000;
    this.#publish(Math.round((entry + START_PRICE) / 2));
    this.#now += 1_000;
    this.#publish(START_PRICE);
  }

  #price(price: number): void {
    this.#now += 990;
    this.#funding.look(this.#now + 1);
    let events = this.#publish(price);
    this.#funding.read(events, this.#now as EpochMs, this.takings);
    while (events.at(-1)!.type === 'MarketWorkPending') events = this.run({ type: 'AdvanceMarket', market: MARKET });
  }

  #publish(price: number): VenueEvent[] {
    return this.run({
      type: 'PublishIndexPrice',
      market: MARKET,
      priceAtoms: price as PriceAtoms,
      observedAtEpochMs: (this.#now + 1) as EpochMs,
    });
  }

  /** The center of the makers' quotes. */
  #valueAt(index: number): number {
    return Math.round(index * (1 + this.stage.premiumBps / 10_000));
  }

  /** Replaces the makers' quotes if the index has moved or one of them was met. */
  #quote(): void {
    const { levels } = this.stage;
    const open = this.ordersOf(MAKER);
    if (levels.length === 0 || (this.index === this.#quotedAt && open.length === this.#quotes.length && this.#quotesAreWhole))
      return;
    this.#cancel(MAKER, open);
    const center = this.#valueAt(this.index);
    const entries = levels.flatMap(({ offsetBps, usd }) => [
      this.#limitEntry('buy', Math.floor(center * (1 - offsetBps / 10_000)), this.lotsOf(usd), { leverageX: 1 }),
      this.#limitEntry('sell', Math.ceil(center * (1 + offsetBps / 10_000)), this.lotsOf(usd), { leverageX: 1 }),
    ]);
    this.run({ type: 'PlaceOrders', account: MAKER as AccountOrdinal, entries, idempotencyKey: `quotes-${this.#sequence}` });
    this.#quotes = this.ordersOf(MAKER);
    this.#quotedAt = this.index;
    this.#quotesAreWhole = this.#quotes.length === entries.length;
  }

  #cancel(account: number, orders: readonly OrderOrdinal[]): void {
    for (let from = 0; from < orders.length; from += 32)
      this.run({ type: 'CancelOrders', account: account as AccountOrdinal, orders: orders.slice(from, from + 32) });
  }

  #limitEntry(
    side: Side,
    price: number,
    lots: number,
    { leverageX = 0, reduceOnly = false, trigger, attached, form }: OrderOptions,
  ): BatchEntry & { idempotencyKey: string } {
    this.#orders += 1;
    return {
      market: MARKET,
      clientOrderId: `client-${this.#orders}`,
      side,
      terms: {
        kind: 'limit',
        priceAtoms: Math.round(price),
        quantityAtoms: lots,
        postOnly: form === 'post-only',
        ...(form === 'IOC' || form === 'FOK' ? { timeInForce: form } : {}),
      } as BatchEntry['terms'],
      reduceOnly,
      leverageHundredths: leverageHundredths(leverageX),
      idempotencyKey: `key-${this.#orders}`,
      ...(trigger === undefined ? {} : { trigger }),
      ...(attached === undefined ? {} : { attached }),
    };
  }
}

export function roleOf(account: AccountOrdinal): Role {
  return account < MAKER ? 'colluder' : account === MAKER ? 'maker' : 'stranger';
}

/** When an episode starts: so long before the end of a funding period that it ends in the path, or does not. */
function startOf({ isAtMidnight, endsPeriod }: Stage): number {
  if (isAtMidnight) return MIDNIGHT_MS - (SECONDS / 2) * 1_000;
  return MIDNIGHT_MS - PERIOD_MS * 60 - (endsPeriod ? SECONDS - 8 : SECONDS + 6) * 1_000;
}
