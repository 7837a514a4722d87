/** Positions, kept a second time: what is held, what it cost, what backs it, and that long and short are equal. */
import type { FundingPaid, PositionChanged } from '#venue/event.ts';
import { demand } from './audit-failed.ts';

export interface KeptPosition {
  ordinal: number;
  signedBase: number;
  entry: number;
  margin: number;
}

/** What a turn did to the margin of one account's positions, but for funding, and the PnL it was told. */
export interface TurnMoves {
  margin: number;
  pnl: number;
}

const NOTHING: Readonly<KeptPosition> = { ordinal: 0, signedBase: 0, entry: 0, margin: 0 };

export class PositionBooks {
  readonly #positions = new Map<number, KeptPosition>();
  /** By market: all signed quantities together. */
  readonly #imbalance = new Map<number, number>();
  readonly #turn = new Map<number, TurnMoves>();
  #lastOrdinal = 0;

  beginTurn(): void {
    this.#turn.clear();
  }

  of(account: number, market: number): Readonly<KeptPosition> {
    return this.#positions.get(keyOf(account, market)) ?? NOTHING;
  }

  get movesOfTurn(): ReadonlyMap<number, TurnMoves> {
    return this.#turn;
  }

  /** Answers by how much more the position is worth beyond what it cost. */
  change(event: PositionChanged): number {
    const { account, market, position, signedBaseAtoms, changedBaseAtoms, entryNotionalAtoms, marginAtoms } = event;
    const name = nameOf(account, market);
    const before = this.of(account, market);
    demand(before.signedBase + changedBaseAtoms === signedBaseAtoms, `${name} did not move by what it says`);
    if (before.ordinal === 0) {
      demand(position > this.#lastOrdinal, `${name} begins with an old number: ${position}`);
      this.#lastOrdinal = position;
    } else demand(position === before.ordinal, `${name} is ${before.ordinal}, was told as ${position}`);
    this.#imbalance.set(market, (this.#imbalance.get(market) ?? 0) + changedBaseAtoms);
    const moves = this.#movesOf(account);
    moves.margin += marginAtoms - before.margin;
    moves.pnl += event.realizedPnlAtoms;
    return this.#keep(account, market, before, {
      ordinal: signedBaseAtoms === 0 ? 0 : position,
      signedBase: signedBaseAtoms,
      entry: entryNotionalAtoms,
      margin: marginAtoms,
    });
  }

  /** Answers by how much more the position is worth beyond what it cost. */
  fund({ account, market, position, marginAtoms, entryNotionalAtoms, paidAtoms }: FundingPaid): number {
    const name = nameOf(account, market);
    const before = this.of(account, market);
    demand(before.ordinal === position && position !== 0, `${name} paid funding as position ${position}`);
    const gained = this.#keep(account, market, before, { ...before, entry: entryNotionalAtoms, margin: marginAtoms });
    demand(gained === -paidAtoms, `${name} paid ${paidAtoms} of funding and changed by ${gained}`);
    return gained;
  }

  checkTurn(): void {
    for (const [market, imbalance] of this.#imbalance)
      demand(imbalance === 0, `market ${market} has ${imbalance} more long than short`);
  }

  #keep(account: number, market: number, before: Readonly<KeptPosition>, after: KeptPosition): number {
    const name = nameOf(account, market);
    const isFlat = after.signedBase === 0;
    demand(after.margin >= 0, `${name} has a margin of ${after.margin}`);
    demand(isFlat ? after.entry === 0 && after.margin === 0 : after.entry > 0, `${name} is ${JSON.stringify(after)}`);
    this.#positions.set(keyOf(account, market), after);
    return worthOf(after) - worthOf(before);
  }

  #movesOf(account: number): TurnMoves {
    const known = this.#turn.get(account);
    if (known !== undefined) return known;
    const made = { margin: 0, pnl: 0 };
    this.#turn.set(account, made);
    return made;
  }
}

/** Margin, and what would come in if it were closed at nothing: for a long that it lost its entry, for a short that it won it. */
function worthOf({ signedBase, entry, margin }: Readonly<KeptPosition>): number {
  return signedBase < 0 ? margin + entry : margin - entry;
}

function keyOf(account: number, market: number): number {
  return account * 65_536 + market;
}

function nameOf(account: number, market: number): string {
  return `the position of account ${account} in market ${market}`;
}
