/**
 * Audits auto-deleveraging: a bankrupt position is closed against positions of the other side, highest rank first. The price is
 * its bankruptcy price, or the mark price if no counterparty can bear the bankruptcy price. No counterparty becomes bankrupt.
 */
import type { LiquidationStarted, OrderFilled } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Market } from './markets.ts';
import type { Position, PositionBooks } from './position-books.ts';
import { bankruptcyPriceFor, deleveragingScore, equityAt } from './position-rules.ts';

/** The bankrupt position that is being closed. */
interface Bankrupt {
  readonly account: number;
  readonly market: number;
  readonly isLong: boolean;
  /** The bankruptcy price; `undefined` before the first close. */
  price: number | undefined;
  /** Whether closes are at the mark price, because no counterparty can bear the bankruptcy price any more. */
  isAtMark: boolean;
}

export class Deleveraging {
  readonly #positions: PositionBooks;
  #bankrupt: Bankrupt | undefined;

  constructor(positions: PositionBooks) {
    this.#positions = positions;
  }

  beginTurn(): void {
    this.#bankrupt = undefined;
  }

  /** Starts a liquidation. Later deleveragings of the turn belong to it, until another liquidation starts. */
  start({ account, market }: LiquidationStarted): void {
    const isLong = this.#positions.of(account, market).signedBase > 0;
    this.#bankrupt = { account, market, isLong, price: undefined, isAtMark: false };
  }

  /** Checks a fill of a deleveraging. Call it before the fill changes its position. */
  fill(fill: OrderFilled, market: Market): void {
    const name = `the deleveraging of account ${fill.account}`;
    const bankrupt = this.#bankrupt;
    if (bankrupt === undefined || bankrupt.market !== fill.market) fail('deleveraging', `${name} belongs to no liquidation`);
    if (!market.listing.specification.autoDeleveraging) fail('deleveraging', `${name} is in a market without auto-deleveraging`);
    const position = this.#positions.of(fill.account, fill.market);
    if (fill.liquidity === 'taker') this.#close(fill, bankrupt, position, market);
    else this.#deleverage(fill, bankrupt, position, market);
  }

  #close(fill: OrderFilled, bankrupt: Bankrupt, position: Position, market: Market): void {
    const { mark, listing } = market;
    const name = `the deleveraging for account ${fill.account}`;
    if (fill.account !== bankrupt.account)
      fail('deleveraging', `${name} happens while account ${bankrupt.account} is liquidated`);
    if (bankrupt.price === undefined) {
      const { minPriceAtoms, maxPriceAtoms } = listing.specification;
      bankrupt.price = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, bankruptcyPriceFor(position, listing)));
      const equity = equityAt(mark, position, listing);
      if (equity >= 0)
        fail('deleveraging', `${name} closes a position that is not bankrupt: its equity at the mark price is ${equity}`);
    }
    if (fill.priceAtoms === bankrupt.price && !bankrupt.isAtMark) return;
    if (fill.priceAtoms !== mark)
      fail(
        'deleveraging',
        `${name} is at ${fill.priceAtoms}, but its bankruptcy price is ${bankrupt.price} and the mark is ${mark}`,
      );
    if (bankrupt.isAtMark) return;
    bankrupt.isAtMark = true;
    const other = this.#first(bankrupt, bankrupt.price, market);
    if (other !== undefined)
      fail('deleveraging', `${name} is at the mark price, but account ${other.account} can bear ${bankrupt.price}`);
  }

  #deleverage(fill: OrderFilled, bankrupt: Bankrupt, position: Position, market: Market): void {
    const name = `the deleveraging of account ${fill.account}`;
    if (position.signedBase > 0 === bankrupt.isLong) fail('deleveraging', `${name} is on the side of the bankrupt position`);
    const equity = equityAt(fill.priceAtoms, position, market.listing);
    if (equity < 0) fail('deleveraging', `${name} at ${fill.priceAtoms} leaves it with an equity of ${equity}`);
    const first = this.#first(bankrupt, fill.priceAtoms, market);
    if (first?.account !== fill.account)
      fail('deleveraging', `${name} comes before that of account ${first?.account}, which ranks higher`);
  }

  /** Returns the highest-ranked position of the other side that can bear a price; at equal rank, the older one. */
  #first({ market: ordinal, isLong }: Bankrupt, price: number, { mark, listing }: Market): Position | undefined {
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
