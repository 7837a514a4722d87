/** Positions: quantity, entry and margin of each, and that long and short are equal in every market. */
import type { FundingPaid, PositionChanged, PositionMarginAdjusted } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Holding } from './position-rules.ts';

export interface Position extends Holding {
  /** The episode; 0 while flat. */
  readonly ordinal: number;
  readonly account: number;
}

const FLAT: Readonly<Position> = { ordinal: 0, account: 0, signedBase: 0, entry: 0, margin: 0 };

export class PositionBooks {
  /** Open positions by market and account. Each value is replaced, never changed. */
  readonly #markets = new Map<number, Map<number, Position>>();
  /** Long minus short, by market, if they differ. */
  readonly #imbalance = new Map<number, number>();
  #lastOrdinal = 0;

  get lastOrdinal(): number {
    return this.#lastOrdinal;
  }

  get count(): number {
    let count = 0;
    for (const open of this.#markets.values()) count += open.size;
    return count;
  }

  of(account: number, market: number): Position {
    return this.#markets.get(market)?.get(account) ?? FLAT;
  }

  /** The open positions of a market. */
  in(market: number): Iterable<Position> {
    return this.#openIn(market).values();
  }

  /** The open positions of all markets. */
  *all(): Generator<readonly [market: number, position: Position]> {
    for (const [market, open] of this.#markets) for (const position of open.values()) yield [market, position];
  }

  closableBy(side: 'buy' | 'sell', account: number, market: number): number {
    const { signedBase } = this.of(account, market);
    return Math.max(0, side === 'buy' ? -signedBase : signedBase);
  }

  /** Returns the change of the position's margin and unrealized PnL. */
  change(event: PositionChanged): number {
    const { account, market, position, signedBaseAtoms, changedBaseAtoms, entryNotionalAtoms, marginAtoms } = event;
    const before = this.of(account, market);
    const expected = before.signedBase + changedBaseAtoms;
    if (changedBaseAtoms === 0 || expected !== signedBaseAtoms)
      fail('position', `${nameOf(account, market)} moved to ${expected}, the event says ${signedBaseAtoms}`);
    if (before.ordinal === 0) {
      if (position !== this.#lastOrdinal + 1)
        fail('position', `${nameOf(account, market)} begins as ${position} after ${this.#lastOrdinal}`);
      this.#lastOrdinal = position;
    } else if (position !== before.ordinal)
      fail('position', `${nameOf(account, market)} is ${before.ordinal}, the event says ${position}`);
    const imbalance = (this.#imbalance.get(market) ?? 0) + changedBaseAtoms;
    if (imbalance === 0) this.#imbalance.delete(market);
    else this.#imbalance.set(market, imbalance);
    const after = { ordinal: position, account, signedBase: signedBaseAtoms, entry: entryNotionalAtoms, margin: marginAtoms };
    return this.#replace(market, before, after);
  }

  /** Returns the change of the position's margin. */
  adjust({ account, market, position, marginAtoms, addedAtoms }: PositionMarginAdjusted): number {
    const before = this.of(account, market);
    if (before.ordinal !== position || position === 0)
      fail('margin', `${nameOf(account, market)} is ${before.ordinal}, and its margin was adjusted as ${position}`);
    const change = this.#replace(market, before, { ...before, margin: marginAtoms });
    if (change !== addedAtoms || marginAtoms < 0)
      fail('margin', `${nameOf(account, market)} got ${change} of margin, the event says ${addedAtoms}`);
    return change;
  }

  /** Returns the change of the position's margin and unrealized PnL. */
  fund({ account, market, position, marginAtoms, entryNotionalAtoms, paidAtoms }: FundingPaid): number {
    const before = this.of(account, market);
    if (before.ordinal !== position || position === 0)
      fail('funding', `${nameOf(account, market)} is ${before.ordinal}, and paid funding as ${position}`);
    const change = this.#replace(market, before, { ...before, entry: entryNotionalAtoms, margin: marginAtoms });
    if (change !== -paidAtoms)
      fail('funding', `${nameOf(account, market)} paid ${-change} of funding, the event says ${paidAtoms}`);
    return change;
  }

  checkTurn(): void {
    for (const [market, imbalance] of this.#imbalance) fail('position', `market ${market} has ${imbalance} more long than short`);
  }

  #replace(market: number, before: Position, after: Position): number {
    const isFlat = after.signedBase === 0;
    const isSound = after.margin >= 0 && (isFlat ? after.entry === 0 && after.margin === 0 : after.entry > 0);
    if (!isSound) fail('position', `${nameOf(after.account, market)} is ${JSON.stringify(after)}`);
    if (isFlat) this.#openIn(market).delete(after.account);
    else this.#openIn(market).set(after.account, after);
    return notionalOf(after) - notionalOf(before);
  }

  #openIn(market: number): Map<number, Position> {
    const known = this.#markets.get(market);
    if (known !== undefined) return known;
    const made = new Map<number, Position>();
    this.#markets.set(market, made);
    return made;
  }
}

/** Margin, and what a close at a price of zero would bring: a long loses its entry, a short wins it. */
function notionalOf({ signedBase, entry, margin }: Position): number {
  return signedBase < 0 ? margin + entry : margin - entry;
}

function nameOf(account: number, market: number): string {
  return `the position of account ${account} in market ${market}`;
}
