/**
 * The position of an account in a market: a signed quantity, its entry notional and its margin.
 * `fillEffect` computes what one fill changes, without side effects. Planning and committing both use it.
 */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Slot } from '#venue/order/order-table.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { TriggerHeap } from '#venue/risk/trigger-heap.ts';

/** The numbers of a position that a fill changes. */
export interface Holding {
  /** Positive for a long, negative for a short. */
  signedBaseAtoms: BaseAtoms;
  /** The total cost of entering the quantity, never below zero. */
  entryNotionalAtoms: QuoteAtoms;
  marginAtoms: QuoteAtoms;
  /** What the insurance fund has paid for the episode and not taken back. Proceeds of closes repay it before the owner gets any. */
  insuredAtoms: QuoteAtoms;
}

/** An empty holding for the caller to fill in. */
export function blankHolding(): Holding {
  return { signedBaseAtoms: ZERO_BASE, entryNotionalAtoms: ZERO_QUOTE, marginAtoms: ZERO_QUOTE, insuredAtoms: ZERO_QUOTE };
}

export function copyHolding(from: Readonly<Holding>, into: Holding): void {
  into.signedBaseAtoms = from.signedBaseAtoms;
  into.entryNotionalAtoms = from.entryNotionalAtoms;
  into.marginAtoms = from.marginAtoms;
  into.insuredAtoms = from.insuredAtoms;
}

/** The offsets of a position's numbers. Those that every order reads come first, to share one cache line. */
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
const REDUCE_ONLY_BASE = 14;
const INSURED = 15;
const NUMBERS = 16;

/** Positions store their numbers in shared pages: there are many, and an order may read any of them. */
const PAGE_POSITIONS = 1_024;
let page = new Float64Array(0);
let used = PAGE_POSITIONS;

export class Position implements Holding {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly #numbers: Float64Array;
  readonly #at: number;
  /** The heap that contains the position, ordered by liquidation price. */
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

  /** The position episode; 0 while flat. */
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

  get insuredAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + INSURED]! as QuoteAtoms;
  }

  set insuredAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + INSURED] = value;
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

  /** How many of the open orders are reduce-only. */
  get reduceOnlyOrders(): number {
    return this.#numbers[this.#at + REDUCE_ONLY_ORDERS]!;
  }

  set reduceOnlyOrders(value: number) {
    this.#numbers[this.#at + REDUCE_ONLY_ORDERS] = value;
  }

  /** The total remaining quantity of the reduce-only orders. */
  get reduceOnlyBaseAtoms(): BaseAtoms {
    return this.#numbers[this.#at + REDUCE_ONLY_BASE]! as BaseAtoms;
  }

  set reduceOnlyBaseAtoms(value: BaseAtoms) {
    this.#numbers[this.#at + REDUCE_ONLY_BASE] = value;
  }

  /** The total remaining quantity of the open orders that are not reduce-only. */
  get restingBaseAtoms(): BaseAtoms {
    return this.#numbers[this.#at + RESTING_BASE]! as BaseAtoms;
  }

  set restingBaseAtoms(value: BaseAtoms) {
    this.#numbers[this.#at + RESTING_BASE] = value;
  }

  /** The notional of these orders at their limit prices. */
  get restingNotionalAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + RESTING_NOTIONAL]! as QuoteAtoms;
  }

  set restingNotionalAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + RESTING_NOTIONAL] = value;
  }

  /** The last funding period that this position has settled (see `position-funding.ts`). */
  get fundingPeriod(): number {
    return this.#numbers[this.#at + FUNDING_PERIOD]!;
  }

  set fundingPeriod(value: number) {
    this.#numbers[this.#at + FUNDING_PERIOD] = value;
  }

  /** The price that triggers its liquidation (see `liquidationTriggerOf`). Meaningless while flat. */
  get liquidationPriceAtoms(): PriceAtoms {
    return this.#numbers[this.#at + LIQUIDATION_PRICE]! as PriceAtoms;
  }

  set liquidationPriceAtoms(value: PriceAtoms) {
    this.#numbers[this.#at + LIQUIDATION_PRICE] = value;
  }

  /** The notional, at fill prices, that liquidation has closed in the book and whose liquidation fee is not paid. */
  get liquidatedNotionalAtoms(): QuoteAtoms {
    return this.#numbers[this.#at + LIQUIDATED_NOTIONAL]! as QuoteAtoms;
  }

  set liquidatedNotionalAtoms(value: QuoteAtoms) {
    this.#numbers[this.#at + LIQUIDATED_NOTIONAL] = value;
  }

  /** Its index in the market's list of open positions, or -1. */
  get listIndex(): number {
    return this.#numbers[this.#at + LIST_INDEX]!;
  }

  set listIndex(value: number) {
    this.#numbers[this.#at + LIST_INDEX] = value;
  }

  /** Its index in the heap `triggers`, or -1. */
  get triggerIndex(): number {
    return this.#numbers[this.#at + TRIGGER_INDEX]!;
  }

  set triggerIndex(value: number) {
    this.#numbers[this.#at + TRIGGER_INDEX] = value;
  }
}

/**
 * The holding without a position. It belongs to no account and is never changed. It is a `Position`, so that code which reads
 * holdings stays monomorphic.
 */
export const FLAT: Readonly<Holding> = new Position(0 as AccountOrdinal, 0 as MarketOrdinal);

/** The changes that a fill makes to a holding. No amount is negative except the PnL. */
export interface FillEffect {
  closedBaseAtoms: BaseAtoms;
  closedNotionalAtoms: QuoteAtoms;
  /** The share of the entry notional that belongs to the closed quantity. */
  closedEntryNotionalAtoms: QuoteAtoms;
  /** The margin that the close releases. */
  releasedMarginAtoms: QuoteAtoms;
  realizedPnlAtoms: QuoteAtoms;
  /** The part of the loss and the closing fee that exceeds the whole margin of the position. */
  deficitAtoms: QuoteAtoms;
  /** The part of the close's proceeds, after its fee, that repays the insurance fund. */
  repaidAtoms: QuoteAtoms;
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
    repaidAtoms: ZERO_QUOTE,
    openedBaseAtoms: ZERO_BASE,
    openedNotionalAtoms: ZERO_QUOTE,
  };
}

export function isLong(holding: Readonly<Holding>): boolean {
  return holding.signedBaseAtoms > 0;
}

/** The absolute quantity of the holding. */
export function sizeOf(holding: Readonly<Holding>): BaseAtoms {
  return Math.abs(holding.signedBaseAtoms) as BaseAtoms;
}

/** The side of an order that closes the holding. */
export function closingSideOf(holding: Readonly<Holding>): Side {
  return isLong(holding) ? 'sell' : 'buy';
}

/** The quantity that an order of this side can close. */
export function closableBy(side: Side, holding: Readonly<Holding>): BaseAtoms {
  return (side === 'buy') === holding.signedBaseAtoms < 0 ? sizeOf(holding) : ZERO_BASE;
}

/**
 * Computes the effect of a fill of `quantity`: it first closes quantity of the opposite side, then opens. A partial close
 * takes the same share of entry notional and margin. Rounding favors the part that stays: its margin backs the rest
 * of the position until the last close takes all. `notionalPerLot` is the fill's price per lot in money atoms.
 * `closingFee` is the fee of the closed part. If the released amount does not cover it, the rest of the margin pays.
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
    effect.repaidAtoms = ZERO_QUOTE;
    return;
  }
  const entry = closedEntryOf(holding, closed, size);
  const share = closed === size ? holding.marginAtoms : mulDivDown(holding.marginAtoms, closed, size);
  const pnl = isLong(holding) ? minus(effect.closedNotionalAtoms, entry) : minus(entry, effect.closedNotionalAtoms);
  // The rest of the position's margin pays a loss that exceeds the share. The venue bears what remains.
  const proceeds = minus(plus(share, pnl), closingFee);
  const shortfall = largerOf(ZERO_QUOTE, minus(ZERO_QUOTE, proceeds));
  const rest = minus(holding.marginAtoms, share);
  const fromRest = smallerOf(shortfall, rest);
  effect.closedEntryNotionalAtoms = entry;
  effect.releasedMarginAtoms = plus(share, fromRest);
  effect.realizedPnlAtoms = pnl;
  effect.deficitAtoms = minus(shortfall, fromRest);
  effect.repaidAtoms = smallerOf(holding.insuredAtoms, largerOf(ZERO_QUOTE, proceeds));
}

/** The entry notional of the closed quantity: rounded up for a long, down for a short, so that PnL is never rounded up. */
function closedEntryOf(holding: Readonly<Holding>, closed: BaseAtoms, size: BaseAtoms): QuoteAtoms {
  const { entryNotionalAtoms } = holding;
  if (closed === size) return entryNotionalAtoms;
  return isLong(holding) ? mulDivUp(entryNotionalAtoms, closed, size) : mulDivDown(entryNotionalAtoms, closed, size);
}

/** Applies an effect to a holding. `lockedMargin` is the margin of the opened part. */
export function applyFillEffect(holding: Holding, side: Side, effect: FillEffect, lockedMargin: QuoteAtoms): void {
  const quantity = effect.closedBaseAtoms + effect.openedBaseAtoms;
  // What the fund has not got back when the episode ends is its loss.
  const endsEpisode = effect.closedBaseAtoms === sizeOf(holding);
  holding.insuredAtoms = endsEpisode ? ZERO_QUOTE : minus(holding.insuredAtoms, effect.repaidAtoms);
  holding.signedBaseAtoms = (holding.signedBaseAtoms + (side === 'buy' ? quantity : -quantity)) as BaseAtoms;
  holding.entryNotionalAtoms = plus(
    minus(holding.entryNotionalAtoms, effect.closedEntryNotionalAtoms),
    effect.openedNotionalAtoms,
  );
  holding.marginAtoms = plus(minus(holding.marginAtoms, effect.releasedMarginAtoms), lockedMargin);
}
