/**
 * What a fill does to whom it belongs to: the position moves by what was filled, for its price, and cash is posted what the
 * fill says of margin, PnL and fee, before anything else happens.
 */
import type { OrderFilled, OrderOrigin, PositionChanged } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { demand } from './audit-failed.ts';
import type { MoneyBooks } from './money-books.ts';
import type { PositionBooks } from './position-books.ts';
import { coverFor } from './risk-rules.ts';

interface Open {
  readonly fill: OrderFilled;
  readonly cause: OrderOrigin;
  readonly changes: PositionChanged[];
  /** What the account had been posted of liquidation fees, and of covers, in this turn before the fill. */
  readonly liquidationFee: number;
  readonly cover: number;
  /** What the venue has to pay where it closes somebody, so that it can be closed at all. */
  readonly neededCover: number;
}

export class SettlementAudit {
  readonly #money: MoneyBooks;
  readonly #positions: PositionBooks;
  /** By account: the PnL and the fees of this turn's fills. */
  readonly #told = new Map<number, { pnl: number; fee: number }>();
  #open: Open | undefined;

  constructor(money: MoneyBooks, positions: PositionBooks) {
    this.#money = money;
    this.#positions = positions;
  }

  beginTurn(): void {
    this.#told.clear();
    this.#open = undefined;
  }

  begin(fill: OrderFilled, cause: OrderOrigin, specification: MarketSpecification): void {
    this.end();
    const { liquidationFee, cover } = this.#money.postingsOf(fill.account);
    const held = this.#positions.of(fill.account, fill.market);
    const isClosed = cause === 'liquidation';
    const neededCover = isClosed ? coverFor(fill.priceAtoms, fill.quantityAtoms, held, specification) : 0;
    this.#open = { fill, cause, changes: [], liquidationFee, cover, neededCover };
    const told = this.#told.get(fill.account) ?? { pnl: 0, fee: 0 };
    this.#told.set(fill.account, { pnl: told.pnl + fill.realizedPnlAtoms, fee: told.fee + fill.feeAtoms });
  }

  move(change: PositionChanged): void {
    const open = this.#open;
    demand(open !== undefined, `position ${change.position} moved without a fill`);
    open.changes.push(change);
  }

  /** Nothing more belongs to the last fill. */
  end(): void {
    if (this.#open === undefined) return;
    const { fill, cause, changes, liquidationFee, cover, neededCover } = this.#open;
    this.#open = undefined;
    const name = `the fill of order ${fill.order} in trade ${fill.trade}`;
    const isOfFill = changes.every(
      ({ account, market, trade, cause: by }) =>
        account === fill.account && market === fill.market && trade === fill.trade && by === cause,
    );
    demand(isOfFill && changes.at(-1)?.position === fill.position, `${name} moved another position than its own`);
    const signed = fill.side === 'buy' ? fill.quantityAtoms : -fill.quantityAtoms;
    demandSum(changes, 'changedBaseAtoms', signed, name);
    demandSum(changes, 'changedNotionalAtoms', fill.notionalAtoms, name);
    demandSum(changes, 'realizedPnlAtoms', fill.realizedPnlAtoms, name);
    // The one that ends a liquidated position pays the fee for that as well.
    const forLiquidation = liquidationFee - this.#money.postingsOf(fill.account).liquidationFee;
    demand(forLiquidation === 0 || cause !== 'client', `${name} paid for a liquidation`);
    demandSum(changes, 'feeAtoms', fill.feeAtoms + forLiquidation, name);
    const covered = this.#money.postingsOf(fill.account).cover - cover;
    demand(cause === 'client' || covered === neededCover, `${name} was covered with ${covered}, it lacked ${neededCover}`);
    this.#checkPostings(fill.account);
  }

  checkTurn(accounts: Iterable<number>): void {
    this.end();
    for (const account of accounts) this.#checkPostings(account);
  }

  #checkPostings(account: number): void {
    const posted = this.#money.postingsOf(account);
    const told = this.#told.get(account) ?? { pnl: 0, fee: 0 };
    demand(posted.pnl === told.pnl, `account ${account} was posted a PnL of ${posted.pnl}, its fills come to ${told.pnl}`);
    demand(posted.fee === -told.fee, `account ${account} was posted fees of ${-posted.fee}, its fills come to ${told.fee}`);
    const moved = this.#positions.marginMovedOf(account);
    demand(moved === -posted.margin, `account ${account} was posted ${-posted.margin} of margin, ${moved} moved`);
  }
}

function demandSum(
  changes: readonly PositionChanged[],
  field: 'changedBaseAtoms' | 'changedNotionalAtoms' | 'realizedPnlAtoms' | 'feeAtoms',
  expected: number,
  name: string,
): void {
  const sum = changes.reduce((total, change) => total + change[field], 0);
  demand(sum === expected, `${name} comes to ${expected}, its position's ${field} to ${sum}`);
}
