/**
 * Audits auto-deleveraging: a position with less than half of its maintenance margin at mark and index is closed against positions of the
 * other side, highest rank first. The price is the mark price; for a bankrupt position its bankruptcy price, as long as a counterparty can
 * bear it. No counterparty becomes bankrupt.
 */
import type { LiquidationStarted, OrderFilled } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Market } from './markets.ts';
import type { Position, PositionBooks } from './position-books.ts';
import { bankruptcyPriceFor, deleveragingScore, equityAt, isHalfLost } from './position-rules.ts';

/** The position that is being closed. */
interface Closing {
  readonly account: number;
  readonly market: number;
  readonly isLong: boolean;
  /** The bankruptcy price; `undefined` before the first close. */
  price: number | undefined;
  /** Whether closes are at the mark price: it is not bankrupt, or no counterparty can bear the bankruptcy price any more. */
  isAtMark: boolean;
  /** Whether it was bankrupt at the mark when its deleveraging began: then no close of it pays a fee. */
  isBankrupt: boolean;
}

export class Deleveraging {
  readonly #positions: PositionBooks;
  #closing: Closing | undefined;

  constructor(positions: PositionBooks) {
    this.#positions = positions;
  }

  /** Whether the position that is closed was bankrupt. */
  get isOfBankrupt(): boolean {
    return this.#closing?.isBankrupt === true;
  }

  beginTurn(): void {
    this.#closing = undefined;
  }

  /** Starts a liquidation. Later deleveragings of the turn belong to it, until another liquidation starts. */
  start({ account, market }: LiquidationStarted): void {
    const isLong = this.#positions.of(account, market).signedBase > 0;
    this.#closing = { account, market, isLong, price: undefined, isAtMark: false, isBankrupt: false };
  }

  /** Checks a fill of a deleveraging. Call it before the fill changes its position. */
  fill(fill: OrderFilled, market: Market): void {
    const name = `the deleveraging of account ${fill.account}`;
    const closing = this.#closing;
    if (closing === undefined || closing.market !== fill.market) fail('deleveraging', `${name} belongs to no liquidation`);
    if (!market.listing.specification.autoDeleveraging) fail('deleveraging', `${name} is in a market without auto-deleveraging`);
    const position = this.#positions.of(fill.account, fill.market);
    if (fill.liquidity === 'taker') this.#close(fill, closing, position, market);
    else this.#deleverage(fill, closing, position, market);
  }

  #close(fill: OrderFilled, closing: Closing, position: Position, market: Market): void {
    const { mark, index, listing } = market;
    const name = `the deleveraging for account ${fill.account}`;
    if (fill.account !== closing.account) fail('deleveraging', `${name} happens while account ${closing.account} is liquidated`);
    if (closing.price === undefined) {
      const { minPriceAtoms, maxPriceAtoms } = listing.specification;
      closing.price = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, bankruptcyPriceFor(position, listing)));
      for (const price of [mark, index.price]) {
        if (!isHalfLost(price, position, listing))
          fail('deleveraging', `${name} closes a position that has half of its maintenance margin at ${price}`);
      }
      closing.isBankrupt = equityAt(mark, position, listing) < 0;
      closing.isAtMark = !closing.isBankrupt;
    }
    if (fill.priceAtoms === closing.price && !closing.isAtMark) return;
    if (fill.priceAtoms !== mark)
      fail(
        'deleveraging',
        `${name} is at ${fill.priceAtoms}, but its bankruptcy price is ${closing.price} and the mark is ${mark}`,
      );
    if (closing.isAtMark) return;
    closing.isAtMark = true;
    const other = this.#first(closing, closing.price, market);
    if (other !== undefined)
      fail('deleveraging', `${name} is at the mark price, but account ${other.account} can bear ${closing.price}`);
  }

  #deleverage(fill: OrderFilled, closing: Closing, position: Position, market: Market): void {
    const name = `the deleveraging of account ${fill.account}`;
    if (position.signedBase > 0 === closing.isLong) fail('deleveraging', `${name} is on the side of the position that is closed`);
    const equity = equityAt(fill.priceAtoms, position, market.listing);
    if (equity < 0) fail('deleveraging', `${name} at ${fill.priceAtoms} leaves it with an equity of ${equity}`);
    const first = this.#first(closing, fill.priceAtoms, market);
    if (first?.account !== fill.account)
      fail('deleveraging', `${name} comes before that of account ${first?.account}, which ranks higher`);
  }

  /** Returns the highest-ranked position of the other side that can bear a price; at equal rank, the older one. */
  #first({ market: ordinal, isLong }: Closing, price: number, { mark, listing }: Market): Position | undefined {
    let first: Position | undefined;
    let highest = 0n;
    for (const position of this.#positions.in(ordinal)) {
      if (position.signedBase > 0 === isLong || equityAt(price, position, listing) < 0) continue;
      const score = deleveragingScore(mark, position, listing);
      if (first !== undefined && (score < highest || (score === highest && position.ordinal > first.ordinal))) continue;
      first = position;
      highest = score;
    }
    return first;
  }
}
