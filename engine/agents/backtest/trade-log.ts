/** The trades of a backtest: each from the fill that opens a position to the fill that closes it. */
import type { CloseCause, Direction } from '#agents/script/order-desk.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus } from '#units/money.ts';
import type { Fill } from './fill.ts';

/** `reversal`: an entry in the other direction closed it. */
export type TradeCause = CloseCause | 'reversal';

export interface Trade {
  readonly direction: Direction;
  readonly entryId: string;
  readonly openedAtEpochMs: number;
  readonly quantityAtoms: BaseAtoms;
  readonly entryPriceAtoms: PriceAtoms;
  /** Null while it is open, as are the two below. */
  readonly closedAtEpochMs: number | null;
  readonly exitPriceAtoms: PriceAtoms | null;
  readonly cause: TradeCause | null;
  /** Of both fills, or of the first one while it is open. */
  readonly feesAtoms: QuoteAtoms;
  /** After fees. An open trade is valued at the last close. */
  readonly pnlAtoms: QuoteAtoms;
}

interface OpenTrade {
  readonly direction: Direction;
  readonly entryId: string;
  readonly openedAtEpochMs: number;
  readonly fill: Fill;
}

export class TradeLog {
  readonly #closed: Trade[] = [];
  #open: OpenTrade | null = null;

  get closed(): readonly Trade[] {
    return this.#closed;
  }

  /** The price of the open position. One fill opens a position, so it is exact. */
  get entryPriceAtoms(): PriceAtoms | null {
    return this.#open?.fill.priceAtoms ?? null;
  }

  open(direction: Direction, entryId: string, fill: Fill, epochMs: number): void {
    this.#open = { direction, entryId, openedAtEpochMs: epochMs, fill };
  }

  /** The caller has an open position; the fill closes all of it. */
  close(cause: TradeCause, fill: Fill, epochMs: number): void {
    const closing = { notionalAtoms: fill.filledNotionalAtoms, feeAtoms: fill.feeAtoms };
    const trade = tradeOf(this.#open!, closing);
    this.#closed.push({ ...trade, closedAtEpochMs: epochMs, exitPriceAtoms: fill.priceAtoms, cause });
    this.#open = null;
  }

  /** The open trade at a value of its position, or null. */
  openTrade(positionNotionalAtoms: QuoteAtoms): Trade | null {
    const closing = { notionalAtoms: positionNotionalAtoms, feeAtoms: 0 as QuoteAtoms };
    return this.#open === null ? null : tradeOf(this.#open, closing);
  }
}

function tradeOf(open: OpenTrade, closing: { readonly notionalAtoms: QuoteAtoms; readonly feeAtoms: QuoteAtoms }): Trade {
  const { direction, entryId, openedAtEpochMs, fill } = open;
  const feesAtoms = plus(fill.feeAtoms, closing.feeAtoms);
  const [sold, bought] =
    direction === 'long' ? [closing.notionalAtoms, fill.filledNotionalAtoms] : [fill.filledNotionalAtoms, closing.notionalAtoms];
  return {
    direction,
    entryId,
    openedAtEpochMs,
    quantityAtoms: fill.filledBaseAtoms,
    entryPriceAtoms: fill.priceAtoms,
    closedAtEpochMs: null,
    exitPriceAtoms: null,
    cause: null,
    feesAtoms,
    pnlAtoms: minus(minus(sold, bought), feesAtoms),
  };
}
