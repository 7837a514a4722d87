/**
 * The positions of a run as its events tell of them: where checkers that are about something else look things up. It
 * checks nothing, the bookkeeper does.
 */
import type { VenueEvent } from '#venue/event.ts';

export interface SeenPosition {
  readonly ordinal: number;
  readonly account: number;
  readonly signedBase: number;
  readonly entry: number;
  readonly margin: number;
}

export class PositionView {
  /** The open positions by market, then by account. */
  readonly #markets = new Map<number, Map<number, SeenPosition>>();

  take(event: VenueEvent): void {
    if (event.type === 'PositionChanged') {
      const { position, account, signedBaseAtoms, entryNotionalAtoms, marginAtoms } = event;
      const seen = { ordinal: position, account, signedBase: signedBaseAtoms, entry: entryNotionalAtoms, margin: marginAtoms };
      if (signedBaseAtoms === 0) this.#openIn(event.market).delete(account);
      else this.#openIn(event.market).set(account, seen);
    }
    if (event.type === 'FundingPaid') {
      const before = this.of(event.account, event.market);
      if (before === undefined) return;
      const after = { ...before, entry: event.entryNotionalAtoms, margin: event.marginAtoms };
      this.#openIn(event.market).set(event.account, after);
    }
  }

  /** The open position of an account, or `undefined`. */
  of(account: number, market: number): SeenPosition | undefined {
    return this.#markets.get(market)?.get(account);
  }

  in(market: number): Iterable<SeenPosition> {
    return this.#openIn(market).values();
  }

  get count(): number {
    let count = 0;
    for (const open of this.#markets.values()) count += open.size;
    return count;
  }

  #openIn(market: number): Map<number, SeenPosition> {
    const known = this.#markets.get(market);
    if (known !== undefined) return known;
    const made = new Map<number, SeenPosition>();
    this.#markets.set(market, made);
    return made;
  }
}

/** What a position is worth at a price beside its margin: above zero it has won. */
export function profitOf({ signedBase, entry }: SeenPosition, price: number, tickLot: number): number {
  return price * signedBase * tickLot - (signedBase < 0 ? -entry : entry);
}
