/**
 * The timers that cancel an account's orders unless their owner sets them again: a dead man's switch for a client that fails. One for all
 * markets of an account, and one for each of its markets; market 0 stands for all. A timer that fires cancels the orders that are open
 * then, except stops that protect a position, in turns of bounded size, and is off until it is set again.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { type EpochMs, mulDivDown } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { Deadlines } from './deadlines.ts';

export const ALL_MARKETS = 0 as MarketOrdinal;

export interface CancelTimer {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly deadlineEpochMs: EpochMs;
}

/** A timer that has fired: it cancels orders up to this one. */
export interface FiredTimer {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly lastOrder: OrderOrdinal;
}

/** An account and a market as one number. Accounts and markets are far fewer than 2^26 each. */
type Key = number;
const MARKETS = 2 ** 26;

export class CancelTimers {
  readonly #deadlines = new Deadlines<Key>();
  /** In the order in which they fired. */
  readonly #fired = new Map<Key, FiredTimer>();

  get isInitial(): boolean {
    return this.#deadlines.size === 0 && this.#fired.size === 0;
  }

  /** The deadline of a timer, or `undefined` if it is off. */
  deadlineOf(account: AccountOrdinal, market: MarketOrdinal): EpochMs | undefined {
    return this.#deadlines.timeOf(keyOf(account, market));
  }

  /** The first timer whose deadline has passed. */
  dueAt(now: EpochMs): CancelTimer | undefined {
    const key = this.#deadlines.dueAt(now);
    return key === undefined ? undefined : this.#timerOf(key);
  }

  /** The first fired timer that may still have orders to cancel. */
  get firstFired(): FiredTimer | undefined {
    return this.#fired.values().next().value;
  }

  /** The timers of an account that are on, in the given markets and for all markets, by market. */
  of(account: AccountOrdinal, markets: readonly MarketOrdinal[]): readonly CancelTimer[] {
    const keys = [ALL_MARKETS, ...markets].map((market) => keyOf(account, market));
    return keys.filter((key) => this.#deadlines.timeOf(key) !== undefined).map((key) => this.#timerOf(key));
  }

  set(timer: CancelTimer): void {
    this.#deadlines.set(keyOf(timer.account, timer.market), timer.deadlineEpochMs);
  }

  stop(account: AccountOrdinal, market: MarketOrdinal): void {
    this.#deadlines.delete(keyOf(account, market));
  }

  /** Turns a timer off and lets it cancel orders up to `lastOrder`. */
  fire({ account, market }: CancelTimer, lastOrder: OrderOrdinal): void {
    this.stop(account, market);
    this.#fired.set(keyOf(account, market), { account, market, lastOrder });
  }

  /** A fired timer has cancelled all of its orders. */
  finish({ account, market }: FiredTimer): void {
    this.#fired.delete(keyOf(account, market));
  }

  layout(io: Cursor): void {
    for (const timer of longList(io, this.#all(), timerLayout)) this.set(timer);
    for (const fired of longList(io, [...this.#fired.values()], firedLayout))
      this.#fired.set(keyOf(fired.account, fired.market), fired);
  }

  #all(): readonly CancelTimer[] {
    return this.#deadlines.keys().map((key) => this.#timerOf(key));
  }

  #timerOf(key: Key): CancelTimer {
    const account = mulDivDown(key, 1, MARKETS) as AccountOrdinal;
    const market = (key % MARKETS) as MarketOrdinal;
    return { account, market, deadlineEpochMs: this.#deadlines.timeOf(key)! };
  }
}

function keyOf(account: AccountOrdinal, market: MarketOrdinal): Key {
  return account * MARKETS + market;
}

function timerLayout(io: Cursor, it: CancelTimer): CancelTimer {
  return { account: io.int(it.account), market: io.int(it.market), deadlineEpochMs: io.int(it.deadlineEpochMs) };
}

function firedLayout(io: Cursor, it: FiredTimer): FiredTimer {
  return { account: io.int(it.account), market: io.int(it.market), lastOrder: io.int(it.lastOrder) };
}
