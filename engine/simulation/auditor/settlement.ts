/**
 * Checks the effect of a fill on its account: the position changes exactly as the rules say, and the postings to cash equal the
 * fill's margin, PnL, fee and cover. The postings precede the next fill.
 */
import type { OrderFilled, PositionChanged } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { ExpectedChange, FillEffect } from './fill-effect.ts';
import { effectOfFill, effectOfLiquidation } from './fill-effect.ts';
import type { Listing } from './listing.ts';
import type { FillContext } from './matching.ts';
import type { MoneyBooks, TurnPostings } from './money-books.ts';
import type { PositionBooks } from './position-books.ts';

const FIELDS: readonly (keyof ExpectedChange)[] = [
  'position',
  'changedBaseAtoms',
  'changedNotionalAtoms',
  'signedBaseAtoms',
  'entryNotionalAtoms',
  'realizedPnlAtoms',
  'feeAtoms',
  'marginAtoms',
];

/** A fill whose postings and position changes are still coming. */
interface OpenFill {
  readonly fill: OrderFilled;
  readonly cause: FillContext['cause'];
  readonly effect: FillEffect;
  readonly marginBefore: number;
  /** What the turn had posted to the account before the fill. */
  readonly before: Readonly<TurnPostings>;
  changes: number;
  marginAfter: number;
}

export class Settlement {
  readonly #money: MoneyBooks;
  readonly #positions: PositionBooks;
  /** By episode that is being liquidated: the notional that the book has closed. */
  readonly #closedInBook = new Map<number, number>();
  /** By account: what this turn's fills posted in all. */
  readonly #expected = new Map<number, TurnPostings>();
  #open: OpenFill | undefined;

  constructor(money: MoneyBooks, positions: PositionBooks) {
    this.#money = money;
    this.#positions = positions;
  }

  beginTurn(): void {
    if (this.#expected.size > 0) this.#expected.clear();
    this.#open = undefined;
  }

  begin(fill: OrderFilled, context: FillContext, listing: Listing): void {
    this.end();
    const position = this.#positions.of(fill.account, fill.market);
    const effect =
      context.cause === 'liquidation'
        ? effectOfLiquidation(fill, position, this.#addClosed(fill, context, position.ordinal), listing)
        : effectOfFill(fill, context, position, this.#positions.lastOrdinal, listing);
    const last = effect.changes[effect.changes.length - 1]!;
    if (fill.position !== last.position)
      fail('settlement', `${nameOf(fill)} is of position ${fill.position}, not ${last.position}`);
    const pnl = effect.changes[0]!.realizedPnlAtoms;
    if (fill.realizedPnlAtoms !== pnl) fail('settlement', `${nameOf(fill)} has a PnL of ${fill.realizedPnlAtoms}, it is ${pnl}`);
    const before = { ...this.#money.postingsOf(fill.account) };
    const { margin } = position;
    this.#open = { fill, cause: context.cause, effect, marginBefore: margin, before, changes: 0, marginAfter: margin };
  }

  move(change: PositionChanged): void {
    const open = this.#open ?? fail('settlement', `position ${change.position} moved without a fill`);
    const { fill, cause, effect } = open;
    const isOfFill = change.account === fill.account && change.market === fill.market && change.trade === fill.trade;
    const expected = effect.changes[open.changes];
    if (!isOfFill || expected === undefined) fail('settlement', `${nameOf(fill)} moved position ${change.position} as well`);
    if (change.cause !== cause)
      fail('settlement', `account ${change.account} was moved by ${change.cause}, ${nameOf(fill)} is of ${cause}`);
    // The fee of the last change holds the liquidation fee, which is checked with its posting.
    for (const field of FIELDS)
      if (change[field] !== expected[field])
        fail(
          field === 'marginAtoms' ? 'margin' : 'settlement',
          `after ${nameOf(fill)} ${field} of position ${change.position} is ${change[field]}, expected ${expected[field]}`,
        );
    open.changes += 1;
    open.marginAfter = change.marginAtoms;
  }

  /** Checks the last fill once all of its events have been taken. */
  end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { fill, effect, marginBefore, marginAfter, before } = open;
    const name = nameOf(fill);
    const posted = this.#money.postingsOf(fill.account);
    const cover = posted.cover - before.cover;
    if (cover !== effect.cover) fail('liquidation', `${name} was covered with ${cover}, it needed ${effect.cover}`);
    const penalty = before.liquidationFee - posted.liquidationFee;
    if (penalty !== effect.liquidationFee)
      fail('liquidation', `${name} paid a liquidation fee of ${penalty} instead of ${effect.liquidationFee}`);
    if (open.changes !== effect.changes.length)
      fail('settlement', `${name} moved its position in ${open.changes} steps instead of ${effect.changes.length}`);
    const pnl = posted.pnl - before.pnl;
    if (pnl !== fill.realizedPnlAtoms)
      fail('settlement', `account ${fill.account} was posted a PnL of ${pnl} for ${name}, which won ${fill.realizedPnlAtoms}`);
    const fee = before.fee - posted.fee;
    if (fee !== fill.feeAtoms) fail('fee', `account ${fill.account} paid ${fee} for ${name}, which costs ${fill.feeAtoms}`);
    const locked = before.margin - posted.margin;
    if (locked !== marginAfter - marginBefore)
      fail('margin', `account ${fill.account} locked ${locked} for ${name}, its margin changed by ${marginAfter - marginBefore}`);
    this.#expected.set(fill.account, { ...posted });
  }

  /** Checks that every posting of margin, PnL, fee or cover belongs to a fill. */
  checkTurn(): void {
    this.end();
    for (const [account, posted] of this.#money.turnPostings()) {
      const { margin, pnl, fee, liquidationFee, cover } = this.#expected.get(account) ?? NOTHING;
      const isExpected =
        posted.margin === margin &&
        posted.pnl === pnl &&
        posted.fee === fee &&
        posted.liquidationFee === liquidationFee &&
        posted.cover === cover;
      if (!isExpected) fail('settlement', `account ${account} was posted ${JSON.stringify(posted)}, some of it without a fill`);
    }
  }

  #addClosed(fill: OrderFilled, { origin }: FillContext, position: number): number {
    const inBook = (this.#closedInBook.get(position) ?? 0) + (origin === 'liquidation' ? fill.notionalAtoms : 0);
    if (fill.isComplete) this.#closedInBook.delete(position);
    else this.#closedInBook.set(position, inBook);
    return inBook;
  }
}

const NOTHING: Readonly<TurnPostings> = { margin: 0, pnl: 0, fee: 0, liquidationFee: 0, cover: 0 };

function nameOf({ order, trade }: OrderFilled): string {
  return `the fill of order ${order} in trade ${trade}`;
}
