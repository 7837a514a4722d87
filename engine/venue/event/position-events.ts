/** Events of positions: changes by fills, funding and liquidation. */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { ORDER_ORIGINS, type OrderOrigin } from './order-events.ts';

/**
 * What changed a position: a client's order, or the venue that closes it. When the venue closes a liquidated position against a
 * profitable one, the cause is `liquidation` for the first and `auto_deleveraging` for the second.
 */
export type PositionCause = OrderOrigin;

/**
 * A position changed. An episode starts with a new `position` and ends when `signedBaseAtoms` is 0. A flip emits two events: the end
 * of one episode and the start of the next.
 */
export interface PositionChanged {
  readonly type: 'PositionChanged';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly trade: TradeOrdinal;
  readonly cause: PositionCause;
  /** Positive for a long, negative for a short. */
  readonly signedBaseAtoms: BaseAtoms;
  /** The entry cost of the position, at or above zero for both sides. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  /** The change of the signed quantity, and its notional at the fill's price (never negative). */
  readonly changedBaseAtoms: BaseAtoms;
  readonly changedNotionalAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** This change's share of the fill's fee, plus the liquidation fee that the fill pays. */
  readonly feeAtoms: QuoteAtoms;
  /** What the insurance fund pays for this change, or the deficit ledger; negative if the change repays the fund. Absent if 0. */
  readonly insuranceCoveredAtoms?: QuoteAtoms;
}

/** A funding period ended. Longs pay `perLotMicroAtoms` millionths of an atom per lot, or receive them if negative. */
export interface FundingSettled {
  readonly type: 'FundingSettled';
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly ratePpb: Ppb;
  readonly indexPriceAtoms: PriceAtoms;
  readonly perLotMicroAtoms: number;
  readonly settledAtEpochMs: EpochMs;
}

/** A position paid (positive) or received (negative) its funding of a period. Margin and entry are the resulting values. */
export interface FundingPaid {
  readonly type: 'FundingPaid';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly paidAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  readonly entryNotionalAtoms: QuoteAtoms;
}

/** Its owner added margin to a position, or took some out. */
export interface PositionMarginAdjusted {
  readonly type: 'PositionMarginAdjusted';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  /** Negative if margin was removed. */
  readonly addedAtoms: QuoteAtoms;
  /** What of the removed margin the insurance fund got back. */
  readonly repaidAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
}

/** A position's equity is below its maintenance requirement. The venue starts a step to close it. */
export interface LiquidationStarted {
  readonly type: 'LiquidationStarted';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly markPriceAtoms: PriceAtoms;
  readonly equityAtoms: QuoteAtoms;
  readonly maintenanceRequirementAtoms: QuoteAtoms;
  /** 0 for a long whose margin covers any fall of the price. */
  readonly bankruptcyPriceAtoms: PriceAtoms;
}

export type PositionEvent = PositionChanged | PositionMarginAdjusted | FundingSettled | FundingPaid | LiquidationStarted;

export const POSITION_EVENTS: EventLayouts<PositionEvent> = {
  PositionChanged: {
    tag: 14,
    fields: changedLayout,
    extended: [
      {
        tag: 110,
        applies: ({ insuranceCoveredAtoms }) => insuranceCoveredAtoms !== undefined,
        fields: (io, it) => ({ ...changedLayout(io, it), insuranceCoveredAtoms: io.int(it.insuranceCoveredAtoms!) }),
      },
    ],
  },
  FundingSettled: {
    tag: 18,
    fields: (io, it) => ({
      type: 'FundingSettled',
      market: io.u32(it.market),
      period: io.u32(it.period),
      ratePpb: io.int(it.ratePpb),
      indexPriceAtoms: io.u32(it.indexPriceAtoms),
      perLotMicroAtoms: io.int(it.perLotMicroAtoms),
      settledAtEpochMs: io.int(it.settledAtEpochMs),
    }),
  },
  FundingPaid: {
    tag: 19,
    fields: (io, it) => ({
      type: 'FundingPaid',
      position: io.int(it.position),
      account: io.u32(it.account),
      market: io.u32(it.market),
      period: io.u32(it.period),
      paidAtoms: io.int(it.paidAtoms),
      marginAtoms: io.int(it.marginAtoms),
      entryNotionalAtoms: io.int(it.entryNotionalAtoms),
    }),
  },
  PositionMarginAdjusted: {
    tag: 88,
    fields: (io, it) => ({
      type: 'PositionMarginAdjusted',
      position: io.int(it.position),
      account: io.u32(it.account),
      market: io.u32(it.market),
      addedAtoms: io.int(it.addedAtoms),
      repaidAtoms: io.int(it.repaidAtoms),
      marginAtoms: io.int(it.marginAtoms),
    }),
  },
  LiquidationStarted: {
    tag: 24,
    fields: (io, it) => ({
      type: 'LiquidationStarted',
      position: io.int(it.position),
      account: io.u32(it.account),
      market: io.u32(it.market),
      markPriceAtoms: io.u32(it.markPriceAtoms),
      equityAtoms: io.int(it.equityAtoms),
      maintenanceRequirementAtoms: io.int(it.maintenanceRequirementAtoms),
      bankruptcyPriceAtoms: io.u32(it.bankruptcyPriceAtoms),
    }),
  },
};

function changedLayout(io: Cursor, it: PositionChanged): PositionChanged {
  return {
    type: 'PositionChanged',
    position: io.int(it.position),
    account: io.u32(it.account),
    market: io.u32(it.market),
    trade: io.int(it.trade),
    cause: io.oneOf(ORDER_ORIGINS, it.cause),
    signedBaseAtoms: io.int(it.signedBaseAtoms),
    entryNotionalAtoms: io.int(it.entryNotionalAtoms),
    marginAtoms: io.int(it.marginAtoms),
    changedBaseAtoms: io.int(it.changedBaseAtoms),
    changedNotionalAtoms: io.int(it.changedNotionalAtoms),
    realizedPnlAtoms: io.int(it.realizedPnlAtoms),
    feeAtoms: io.int(it.feeAtoms),
  };
}
