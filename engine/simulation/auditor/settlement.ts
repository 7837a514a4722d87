/**
 * Checks the effect of a fill on its account: the position changes exactly as the rules say, and the postings to cash equal the
 * fill's margin, PnL, fee and cover. The postings precede the next fill.
 */
import type { OrderCancelled, OrderFilled, PositionChanged, PositionMarginAdjusted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { ExpectedChange, FillEffect } from './fill-effect.ts';
import { effectOfFill, effectOfLiquidation } from './fill-effect.ts';
import type { FundBudgets } from './fund-budgets.ts';
import type { Listing } from './listing.ts';
import type { Market } from './markets.ts';
import type { FillContext } from './matching.ts';
import type { MoneyBooks, TurnPostings } from './money-books.ts';
import type { PositionBooks } from './position-books.ts';
import { shareDown, shareUp } from './rounding.ts';

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
  readonly fundBefore: number;
  /** That of the position before the fill; 0 if it was flat. */
  readonly episode: number;
  readonly listing: Listing;
  /** Whether the budget of the market bounds what the fund pays. It does not bound what a deleveraging at the market's limit costs. */
  readonly isBudgeted: boolean;
  changes: number;
  marginAfter: number;
  /** What the position changes say that the fund covered. */
  covered: number;
}

export class Settlement {
  readonly #money: MoneyBooks;
  readonly #positions: PositionBooks;
  readonly #budgets: FundBudgets;
  #epochMs = 0;
  /** By episode that is being liquidated: the notional that the book has closed and that has paid no liquidation fee. */
  readonly #unpaid = new Map<number, number>();
  /** The last fill of a liquidation: its order, what a healthy rest does not need, and whether that was released. */
  #excess: { readonly order: number; readonly amount: number; isReleased: boolean } | undefined;
  /** By account: what this turn's fills posted in all. */
  readonly #expected = new Map<number, TurnPostings>();
  #open: OpenFill | undefined;

  constructor(money: MoneyBooks, positions: PositionBooks, budgets: FundBudgets) {
    this.#budgets = budgets;
    this.#money = money;
    this.#positions = positions;
  }

  beginTurn(epochMs: number): void {
    this.#epochMs = epochMs;
    if (this.#expected.size > 0) this.#expected.clear();
    this.#open = undefined;
    this.#excess = undefined;
  }

  begin(fill: OrderFilled, context: FillContext, { listing, mark }: Market): void {
    this.end();
    const position = this.#positions.of(fill.account, fill.market);
    const debt = this.#budgets.debtOf(position.ordinal);
    const effect =
      context.cause === 'liquidation'
        ? effectOfLiquidation(
            fill,
            context,
            position,
            debt,
            this.#feeDue(fill, context, position.ordinal, listing),
            mark,
            listing,
          )
        : effectOfFill(fill, context, position, debt, this.#positions.lastOrdinal, mark, listing);
    const last = effect.changes[effect.changes.length - 1]!;
    if (fill.position !== last.position)
      fail('settlement', `${nameOf(fill)} is of position ${fill.position}, not ${last.position}`);
    const pnl = effect.changes[0]!.realizedPnlAtoms;
    if (fill.realizedPnlAtoms !== pnl) fail('settlement', `${nameOf(fill)} has a PnL of ${fill.realizedPnlAtoms}, it is ${pnl}`);
    const before = { ...this.#money.postingsOf(fill.account) };
    if (context.cause === 'liquidation') this.#payLiquidationFee(fill, effect, position.ordinal, listing);
    const { margin } = position;
    const fundBefore = this.#money.ledgers.insurance;
    const isBudgeted = context.cause === 'liquidation' && (context.origin === 'liquidation' || fill.priceAtoms === mark);
    const episode = position.ordinal;
    const own = { fill, cause: context.cause, effect, before, fundBefore, episode, listing, isBudgeted };
    this.#open = { ...own, marginBefore: margin, changes: 0, marginAfter: margin, covered: 0 };
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
    const excess = this.#excess;
    const releases = excess !== undefined && excess.amount > 0 && change.marginAtoms === expected.marginAtoms - excess.amount;
    if (excess !== undefined && releases) excess.isReleased = true;
    for (const field of FIELDS)
      if (change[field] !== expected[field] && !(field === 'marginAtoms' && releases))
        fail(
          field === 'marginAtoms' ? 'margin' : 'settlement',
          `after ${nameOf(fill)} ${field} of position ${change.position} is ${change[field]}, expected ${expected[field]}`,
        );
    open.changes += 1;
    open.marginAfter = change.marginAtoms;
    open.covered += change.insuranceCoveredAtoms ?? 0;
  }

  /** Checks the last fill once all of its events have been taken. */
  end(): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { fill, effect, marginBefore, marginAfter, before, fundBefore, episode, listing, isBudgeted } = open;
    const name = nameOf(fill);
    const posted = this.#money.postingsOf(fill.account);
    const cover = posted.cover - before.cover;
    const excess = this.#excess;
    const fromSpare =
      excess?.order === fill.order && excess.isReleased
        ? Math.min(this.#budgets.debtOf(episode) - effect.repaid, excess.amount)
        : 0;
    const repaid = effect.repaid + fromSpare;
    if (cover !== effect.cover - repaid)
      fail('liquidation', `${name} was covered with ${cover}, it needed ${effect.cover} and owed the fund ${repaid}`);
    if (open.covered !== cover || (fill.insuranceCoveredAtoms ?? 0) !== cover)
      fail('liquidation', `${name} says ${fill.insuranceCoveredAtoms} and its position ${open.covered} of a cover of ${cover}`);
    const insured = Math.min(effect.cover, this.#budgets.fundFor(fill.market, fundBefore));
    if (isBudgeted && listing.specification.autoDeleveraging)
      this.#budgets.check(name, insured, listing, fundBefore, this.#epochMs);
    this.#budgets.repay(episode, repaid);
    const payer = { market: fill.market, account: fill.account, episode };
    this.#budgets.note(payer, insured, this.#epochMs);
    this.#budgets.receive(payer, repaid + effect.liquidationFee);
    if (effect.changes[0]!.signedBaseAtoms === 0) this.#budgets.endEpisode(episode);
    const penalty = before.liquidationFee - posted.liquidationFee;
    if (penalty !== effect.liquidationFee || (fill.liquidationFeeAtoms ?? 0) !== penalty)
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

  /** Takes margin that an owner added or removed: its postings precede the event. What is removed repays the fund first. */
  adjust({ account, market, position, addedAtoms, repaidAtoms }: PositionMarginAdjusted): void {
    this.end();
    const posted = this.#money.postingsOf(account);
    const repaid = Math.min(this.#budgets.debtOf(position), Math.max(0, -addedAtoms));
    if (repaidAtoms !== repaid)
      fail('margin', `position ${position} gave the fund ${repaidAtoms} of its removed margin instead of ${repaid}`);
    if (posted.margin !== -addedAtoms || posted.cover !== -repaid)
      fail('margin', `account ${account} was posted ${JSON.stringify(posted)} for ${addedAtoms} of added margin`);
    this.#budgets.repay(position, repaid);
    this.#budgets.receive({ market, account, episode: position }, repaid);
    this.#expected.set(account, { ...posted });
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

  /** Call it when an order of the venue's own ends with a rest: what a healthy rest does not need was released with the last fill. */
  endOrder({ order }: OrderCancelled): void {
    const excess = this.#excess;
    if (excess?.order !== order) return;
    this.#excess = undefined;
    if (excess.amount > 0 && !excess.isReleased)
      fail('margin', `liquidation order ${order} ended, and the rest keeps ${excess.amount} more than it needs`);
  }

  #feeDue(fill: OrderFilled, { origin, gain }: FillContext, position: number, { specification }: Listing): number {
    if (origin === 'liquidation' || gain > 0) this.#unpaid.set(position, (this.#unpaid.get(position) ?? 0) + fill.notionalAtoms);
    return shareUp(this.#unpaid.get(position) ?? 0, specification.liquidationFeeBps, 10_000);
  }

  #payLiquidationFee(
    fill: OrderFilled,
    { liquidationFee, excess }: FillEffect,
    position: number,
    { specification }: Listing,
  ): void {
    const { order, isComplete } = fill;
    if (this.#excess?.order === order && this.#excess.isReleased)
      fail('margin', `${nameOf(fill)} follows a fill that released what the rest did not need`);
    this.#excess = { order, amount: excess, isReleased: false };
    const unpaid = this.#unpaid.get(position) ?? 0;
    const isPaid = liquidationFee === shareUp(unpaid, specification.liquidationFeeBps, 10_000);
    if (isComplete || isPaid) this.#unpaid.delete(position);
    else if (liquidationFee > 0)
      this.#unpaid.set(position, unpaid - shareDown(liquidationFee, 10_000, specification.liquidationFeeBps));
  }
}

const NOTHING: Readonly<TurnPostings> = { margin: 0, pnl: 0, fee: 0, liquidationFee: 0, cover: 0 };

function nameOf({ order, trade }: OrderFilled): string {
  return `the fill of order ${order} in trade ${trade}`;
}
