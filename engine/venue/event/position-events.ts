/** Positions: changed by fills, by funding, by liquidation. */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { ORDER_ORIGINS, type OrderOrigin } from './order-events.ts';

/**
 * What moved a position: an order of its owner, or the venue that closes it. One that is liquidated is moved by its liquidation
 * also where it is closed against another, and that other one by deleveraging.
 */
export type PositionCause = OrderOrigin;

/**
 * A position moved. An episode begins with a new `position` and ends when `signedBaseAtoms` is 0; a flip ends one and
 * begins the next, as two events.
 */
export interface PositionChanged {
  readonly type: 'PositionChanged';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly trade: TradeOrdinal;
  readonly cause: PositionCause;
  /** Long above zero, short below. */
  readonly signedBaseAtoms: BaseAtoms;
  /** What the position cost to enter, at or above zero for both sides. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  /** By how much the signed quantity moved, and what that was worth at the fill's price (never below zero). */
  readonly changedBaseAtoms: BaseAtoms;
  readonly changedNotionalAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** This change's share of the fill's fee, and the liquidation fee where it ends a liquidated position. */
  readonly feeAtoms: QuoteAtoms;
}

/** A funding period ended: longs pay `perLotMicroAtoms` millionths of an atom for each lot, or get them below zero. */
export interface FundingSettled {
  readonly type: 'FundingSettled';
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly ratePpb: Ppb;
  readonly indexPriceAtoms: PriceAtoms;
  readonly perLotMicroAtoms: number;
  readonly settledAtEpochMs: EpochMs;
}

/** A position paid (above zero) or got (below) its funding of a period; margin and entry are what it came to. */
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

/** A position's equity is below its maintenance requirement, and a step to close it begins. */
export interface LiquidationStarted {
  readonly type: 'LiquidationStarted';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly markPriceAtoms: PriceAtoms;
  readonly equityAtoms: QuoteAtoms;
  readonly maintenanceRequirementAtoms: QuoteAtoms;
  /** 0 for a long that its margin covers down to any price. */
  readonly bankruptcyPriceAtoms: PriceAtoms;
}

export type PositionEvent = PositionChanged | FundingSettled | FundingPaid | LiquidationStarted;

export const POSITION_EVENTS: EventLayouts<PositionEvent> = {
  PositionChanged: {
    tag: 14,
    fields: (io, it) => ({
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
    }),
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
