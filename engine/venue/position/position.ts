/**
 * What an account holds in a market: a signed quantity, what it cost, and the margin that backs it.
 * `fillEffect` is the arithmetic of one fill, without touching anything; planning and committing both ask it.
 */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Slot } from '#venue/order/order-table.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { TriggerHeap } from '#venue/risk/trigger-heap.ts';

/** The numbers that a fill changes. */
export interface Holding {
  /** Long above zero, short below. */
  signedBaseAtoms: BaseAtoms;
  /** What entering cost, never below zero. */
  entryNotionalAtoms: QuoteAtoms;
  marginAtoms: QuoteAtoms;
}

/** A holding to fill in, of nothing at first. */
export function blankHolding(): Holding {
  return { signedBaseAtoms: ZERO_BASE, entryNotionalAtoms: ZERO_QUOTE, marginAtoms: ZERO_QUOTE };
}

export function copyHolding(from: Readonly<Holding>, into: Holding): void {
  into.signedBaseAtoms = from.signedBaseAtoms;
  into.entryNotionalAtoms = from.entryNotionalAtoms;
  into.marginAtoms = from.marginAtoms;
}

/** Where the numbers of a position are: those that an order needs first, in one line of memory. */
const BASE = 0;
const ENTRY = 1;
const MARGIN = 2;
const RESTING_BASE = 3;
const RESTING_NOTIONAL = 4;
const FIRST_OWN_ORDER = 5;
const OPEN_ORDERS = 6;
const REDUCE_ONLY_ORDERS = 7;
const ORDINAL = 8;
const FUNDING_PERIOD = 9;
const LIQUIDATION_PRICE = 10;
const LIQUIDATED_NOTIONAL = 11;
const LIST_INDEX = 12;
const TRIGGER_INDEX = 13;
const NUMBERS = 16;

/** Numbers of positions lie side by side, a page of them at a time: there are many, and an order meets any of them. */
const PAGE_POSITIONS = 1_024;
let page = new Float64Array(0);
let used = PAGE_POSITIONS;

export class Position implements Holding {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly #numbers: Float64Array;
  readonly #at: number;
  /** The heap that it is in, by its liquidation price. */
  triggers: TriggerHeap<Position> | undefined;

  constructor(account: AccountOrdinal, market: MarketOrdinal) {
    this.account = account;
    this.market = market;
    if (used === PAGE_POSITIONS) {
      page = new Float64Array(PAGE_POSITIONS * NUMBERS);
      used = 0;
    }
    this.#numbers = page;
    this.#at = used * NUMBERS;
    used += 1;
    this.listIndex = -1;
    this.triggerIndex = -1;
  }

  /** The episode: 0 while flat. */
  get ordinal(): PositionOrdinal {
    return this.#numbers[this.#at + ORDINAL]! as PositionOrdinal;
  }

  set ordinal(value: PositionOrdinal) {
    this.#numbers[this.#at + ORDINAL] = value;
  }

  get signedBaseAtoms(): BaseAtoms {
    return this.#numbers[this.#at + BASE]! as BaseAtoms;
  }

  set signedBaseAtoms(value: BaseAtoms) {
    this.#numbers[this.#at + BASE] = value;
  }

  get entryNotionalAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + ENTRY]! as QuoteAtoms;
  }

  set entryNotionalAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + ENTRY] = value;
  }

  get marginAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + MARGIN]! as QuoteAtoms;
  }

  set marginAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + MARGIN] = value;
  }

  /** The account's newest open order in this market; the others are chained behind it. */
  get firstOwnOrder(): Slot {
    return this.#numbers[this.#at + FIRST_OWN_ORDER]! as Slot;
  }

  set firstOwnOrder(value: Slot) {
    this.#numbers[this.#at + FIRST_OWN_ORDER] = value;
  }

  get openOrders(): number {
    return this.#numbers[this.#at + OPEN_ORDERS]!;
  }

  set openOrders(value: number) {
    this.#numbers[this.#at + OPEN_ORDERS] = value;
  }

  /** How many of the open orders only reduce. */
  get reduceOnlyOrders(): number {
    return this.#numbers[this.#at + REDUCE_ONLY_ORDERS]!;
  }

  set reduceOnlyOrders(value: number) {
    this.#numbers[this.#at + REDUCE_ONLY_ORDERS] = value;
  }

  /** How much the orders that may enlarge the position are for. */
  get restingBaseAtoms(): BaseAtoms {
    return this.#numbers[this.#at + RESTING_BASE]! as BaseAtoms;
  }

  set restingBaseAtoms(value: BaseAtoms) {
    this.#numbers[this.#at + RESTING_BASE] = value;
  }

  /** What they are worth at their prices. */
  get restingNotionalAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + RESTING_NOTIONAL]! as QuoteAtoms;
  }

  set restingNotionalAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + RESTING_NOTIONAL] = value;
  }

  /** The last funding period that is settled with it (see `position-funding.ts`). */
  get fundingPeriod(): number {
    return this.#numbers[this.#at + FUNDING_PERIOD]!;
  }

  set fundingPeriod(value: number) {
    this.#numbers[this.#at + FUNDING_PERIOD] = value;
  }

  /** The price that triggers its liquidation (see `liquidationTriggerOf`). Of no account while flat. */
  get liquidationPriceAtoms(): PriceAtoms {
    return this.#numbers[this.#at + LIQUIDATION_PRICE]! as PriceAtoms;
  }

  set liquidationPriceAtoms(value: PriceAtoms) {
    this.#numbers[this.#at + LIQUIDATION_PRICE] = value;
  }

  /** What its liquidation has closed so far, at the prices of the fills: the fee at its end is a share of that. */
  get liquidatedNotionalAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + LIQUIDATED_NOTIONAL]! as QuoteAtoms;
  }

  set liquidatedNotionalAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + LIQUIDATED_NOTIONAL] = value;
  }

  /** Where it stands among the open positions of its market; -1 while it does not. */
  get listIndex(): number {
    return this.#numbers[this.#at + LIST_INDEX]!;
  }

  set listIndex(value: number) {
    this.#numbers[this.#at + LIST_INDEX] = value;
  }

  /** Where it stands among the triggers of its side; -1 while it does not. */
  get triggerIndex(): number {
    return this.#numbers[this.#at + TRIGGER_INDEX]!;
  }

  set triggerIndex(value: number) {
    this.#numbers[this.#at + TRIGGER_INDEX] = value;
  }
}

/**
 * Nothing held: of the same class as what is held, so that whoever reads a holding meets objects of one shape alone. Nobody's, and
 * never changed.
 */
export const FLAT: Readonly<Holding> = new Position(0 as AccountOrdinal, 0 as MarketOrdinal);

/** What a fill does to a holding. Amounts are at or above zero, but for the PnL. */
export interface FillEffect {
  closedBaseAtoms: BaseAtoms;
  closedNotionalAtoms: QuoteAtoms;
  /** The share of entry notional that the closed quantity had cost, and the margin set free with it. */
  closedEntryNotionalAtoms: QuoteAtoms;
  releasedMarginAtoms: QuoteAtoms;
  realizedPnlAtoms: QuoteAtoms;
  /** What the close and its fee cost beyond all margin of the position. */
  deficitAtoms: QuoteAtoms;
  openedBaseAtoms: BaseAtoms;
  openedNotionalAtoms: QuoteAtoms;
}

export function blankFillEffect(): FillEffect {
  return {
    closedBaseAtoms: ZERO_BASE,
    closedNotionalAtoms: ZERO_QUOTE,
    closedEntryNotionalAtoms: ZERO_QUOTE,
    releasedMarginAtoms: ZERO_QUOTE,
    realizedPnlAtoms: ZERO_QUOTE,
    deficitAtoms: ZERO_QUOTE,
    openedBaseAtoms: ZERO_BASE,
    openedNotionalAtoms: ZERO_QUOTE,
  };
}

export function isLong(holding: Readonly<Holding>): boolean {
  return holding.signedBaseAtoms > 0;
}

/** The quantity held, without its sign. */
export function sizeOf(holding: Readonly<Holding>): BaseAtoms {
  return Math.abs(holding.signedBaseAtoms) as BaseAtoms;
}

/** The side of an order that closes what is held. */
export function closingSideOf(holding: Readonly<Holding>): Side {
  return isLong(holding) ? 'sell' : 'buy';
}

/** How much an order of this side can close. */
export function closableBy(side: Side, holding: Readonly<Holding>): BaseAtoms {
  return (side === 'buy') === holding.signedBaseAtoms < 0 ? sizeOf(holding) : ZERO_BASE;
}

/**
 * What a fill of `quantity` does: first it closes what is held on the other side, then it opens. Closing a share of a
 * position takes the same share of its entry notional and margin, rounded so that it never sets more free than its share:
 * what rounding leaves backs the rest of the position, and the last close takes all. `notionalPerLot` is the fill's price in money atoms, `closingFee` the fee of
 * the part that closes: the position pays for it where what the close sets free does not.
 */
export function fillEffect(
  holding: Readonly<Holding>,
  side: Side,
  quantity: BaseAtoms,
  notionalPerLot: QuoteAtoms,
  closingFee: QuoteAtoms,
  effect: FillEffect,
): void {
  const size = sizeOf(holding);
  const closable = closableBy(side, holding);
  const closed = smallerOf(quantity, closable);
  const opened = minus(quantity, closed);
  effect.closedBaseAtoms = closed;
  effect.openedBaseAtoms = opened;
  effect.closedNotionalAtoms = (closed * notionalPerLot) as QuoteAtoms;
  effect.openedNotionalAtoms = (opened * notionalPerLot) as QuoteAtoms;
  if (closed === 0) {
    effect.closedEntryNotionalAtoms = ZERO_QUOTE;
    effect.releasedMarginAtoms = ZERO_QUOTE;
    effect.realizedPnlAtoms = ZERO_QUOTE;
    effect.deficitAtoms = ZERO_QUOTE;
    return;
  }
  const entry = closedEntryOf(holding, closed, size);
  const share = closed === size ? holding.marginAtoms : mulDivDown(holding.marginAtoms, closed, size);
  const pnl = isLong(holding) ? minus(effect.closedNotionalAtoms, entry) : minus(entry, effect.closedNotionalAtoms);
  // A loss beyond the share takes from the rest of the position's margin, and only then is it the venue's.
  const shortfall = largerOf(ZERO_QUOTE, minus(closingFee, plus(share, pnl)));
  const rest = minus(holding.marginAtoms, share);
  const fromRest = smallerOf(shortfall, rest);
  effect.closedEntryNotionalAtoms = entry;
  effect.releasedMarginAtoms = plus(share, fromRest);
  effect.realizedPnlAtoms = pnl;
  effect.deficitAtoms = minus(shortfall, fromRest);
}

/** What a share of a position had cost: of a long rounded up, of a short down, so that its PnL is not rounded up. */
function closedEntryOf(holding: Readonly<Holding>, closed: BaseAtoms, size: BaseAtoms): QuoteAtoms {
  const { entryNotionalAtoms } = holding;
  if (closed === size) return entryNotionalAtoms;
  return isLong(holding) ? mulDivUp(entryNotionalAtoms, closed, size) : mulDivDown(entryNotionalAtoms, closed, size);
}

/** Applies an effect, with the margin that the opened part locks. */
export function applyFillEffect(holding: Holding, side: Side, effect: FillEffect, lockedMargin: QuoteAtoms): void {
  const quantity = effect.closedBaseAtoms + effect.openedBaseAtoms;
  holding.signedBaseAtoms = (holding.signedBaseAtoms + (side === 'buy' ? quantity : -quantity)) as BaseAtoms;
  holding.entryNotionalAtoms = plus(
    minus(holding.entryNotionalAtoms, effect.closedEntryNotionalAtoms),
    effect.openedNotionalAtoms,
  );
  holding.marginAtoms = plus(minus(holding.marginAtoms, effect.releasedMarginAtoms), lockedMargin);
}
