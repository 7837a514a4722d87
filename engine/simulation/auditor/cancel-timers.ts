/**
 * What the venue's documents say of timers that cancel orders: one fires at or after its deadline and never before, cancels only orders
 * that were placed by then, and is off until it is set again.
 */
import type { Command } from '#venue/command.ts';
import type { CancelAllAfterFinished, CancelAllAfterFired, CancelAllAfterSet } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { OrderBooks } from './order-books.ts';

/** What a timer needs of an order, in a book or waiting for a price. */
interface TimedOrder {
  readonly order: number;
  readonly account: number;
  readonly market: number;
}

/** Fired timers, cancelled orders and finished timers of a turn. */
const MAX_ENDED = 100;

export class AuditedTimers {
  /** By account and market; market 0 stands for all. */
  readonly #deadlines = new Map<string, number>();
  /** The newest order that a fired timer cancels. */
  readonly #firedUpTo = new Map<string, number>();

  set(event: CancelAllAfterSet, { command, epochMs }: { readonly command: Command; readonly epochMs: number }): void {
    const { account, market, deadlineEpochMs } = event;
    const key = `${account}/${market}`;
    if (command.type !== 'SetCancelAllAfter') fail('order', `a timer of account ${account} was set without a request`);
    const { timeoutMs } = command;
    const expected = timeoutMs === 0 ? 0 : epochMs + timeoutMs;
    if (deadlineEpochMs !== expected) fail('order', `a timer of account ${account} ends at ${deadlineEpochMs}, not ${expected}`);
    if ((this.#deadlines.get(key) ?? Number.POSITIVE_INFINITY) <= epochMs)
      fail('order', `a timer of account ${account} was replaced after its deadline, and did not fire`);
    this.#deadlines.delete(key);
    if (deadlineEpochMs > 0) this.#deadlines.set(key, deadlineEpochMs);
  }

  fire({ account, market, deadlineEpochMs, lastOrder }: CancelAllAfterFired, epochMs: number, newest: number): void {
    const key = `${account}/${market}`;
    if (this.#deadlines.get(key) !== deadlineEpochMs || deadlineEpochMs > epochMs)
      fail('order', `a timer of account ${account} fired at ${epochMs}, its deadline is ${this.#deadlines.get(key)}`);
    if (lastOrder !== newest) fail('order', `a timer fired up to order ${lastOrder}, the newest is ${newest}`);
    this.#deadlines.delete(key);
    this.#firedUpTo.set(key, lastOrder);
  }

  /** Another timer of the account may have fired too, and still has orders to cancel: it finishes with an event of its own. */
  finish({ account, market }: CancelAllAfterFinished, orders: OrderBooks, waiting: Iterable<TimedOrder>): void {
    const lastOrder = this.#firedUpTo.get(`${account}/${market}`) ?? 0;
    const open: TimedOrder[] = [...orders.of(account), ...waiting].filter((it) => it.account === account);
    const left = open.find((it) => (market === 0 || it.market === market) && it.order <= lastOrder);
    if (left !== undefined) fail('order', `a timer of account ${account} finished, and order ${left.order} is open`);
    if (!this.#firedUpTo.delete(`${account}/${market}`)) fail('order', `a timer of account ${account} finished without firing`);
  }

  /** A turn that ends fewer orders than it may has finished all timers that had fired. */
  checkTurn(command: Command, eventCount: number): void {
    if (command.type === 'EndDueOrders' && eventCount < MAX_ENDED && this.#firedUpTo.size > 0)
      fail('order', `${this.#firedUpTo.size} timers have fired and did not finish`);
  }

  wasFired({ order, account, market }: TimedOrder): boolean {
    return [0, market].some((of) => order <= (this.#firedUpTo.get(`${account}/${of}`) ?? 0));
  }
}
