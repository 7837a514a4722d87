/** Positions, kept a second time: what is held, what it cost, what backs it, and that long and short are equal. */
import type { FundingPaid, PositionChanged } from '#venue/event.ts';
import { demand } from './audit-failed.ts';

export interface KeptPosition {
  ordinal: number;
  signedBase: number;
  entry: number;
  margin: number;
}

const NOTHING: Readonly<KeptPosition> = { ordinal: 0, signedBase: 0, entry: 0, margin: 0 };

export class PositionBooks {
  readonly #positions = new Map<number, KeptPosition>();
  /** By market: all signed quantities together. */
  readonly #imbalance = new Map<number, number>();
  /** By account: what this turn's fills did to the margin of its positions. */
  readonly #marginMoved = new Map<number, number>();
  #lastOrdinal = 0;

  beginTurn(): void {
    this.#marginMoved.clear();
  }

  of(account: number, market: number): Readonly<KeptPosition> {
    return this.#positions.get(keyOf(account, market)) ?? NOTHING;
  }

  /** The open positions of a market. */
  *in(market: number): Generator<Readonly<KeptPosition>> {
    for (const [key, position] of this.#positions) if (key % 65_536 === market && position.signedBase !== 0) yield position;
  }

  marginMovedOf(account: number): number {
    return this.#marginMoved.get(account) ?? 0;
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
    this.#marginMoved.set(account, this.marginMovedOf(account) + marginAtoms - before.margin);
    demandEntry(event, before);
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
}

/** What opens adds its price to the entry; what closes takes its share of it, and wins or loses the difference. */
function demandEntry(event: PositionChanged, before: Readonly<KeptPosition>): void {
  const { changedBaseAtoms: changed, changedNotionalAtoms: notional, entryNotionalAtoms: entry, realizedPnlAtoms: pnl } = event;
  const name = `the change of position ${event.position} in trade ${event.trade}`;
  demand(changed !== 0 && notional > 0, `${name} changes nothing`);
  const isClosing = before.signedBase !== 0 && changed < 0 === before.signedBase > 0;
  if (!isClosing) {
    demand(entry === before.entry + notional && pnl === 0, `${name} opens, and its entry becomes ${entry}`);
    return;
  }
  const [size, closed] = [Math.abs(before.signedBase), Math.abs(changed)];
  demand(closed <= size, `${name} closes more than there is`);
  const taken = before.entry - entry;
  const share = BigInt(before.entry) * BigInt(closed);
  // Down or up by less than an atom: the remainder is the position's.
  const isShare = (BigInt(taken) + 1n) * BigInt(size) > share && (BigInt(taken) - 1n) * BigInt(size) < share;
  demand(isShare, `${name} takes ${taken} of an entry of ${before.entry}`);
  demand(pnl === (before.signedBase > 0 ? notional - taken : taken - notional), `${name} tells of a PnL of ${pnl}`);
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
