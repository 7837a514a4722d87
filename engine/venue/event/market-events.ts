/** Events of markets: listing, status, prices. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { IndexStatus, MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import {
  boundedSpecificationLayout,
  historyLayout,
  INDEX_STATUSES,
  MARKET_STATUSES,
  specificationLayout,
} from '#venue/record/parts.ts';

export interface MarketListed {
  readonly type: 'MarketListed';
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
  readonly status: MarketStatus;
  /** The terms of the market's synthetic past, if it has one. */
  readonly history?: MarketHistory;
}

export interface MarketStatusChanged {
  readonly type: 'MarketStatusChanged';
  readonly market: MarketOrdinal;
  readonly status: MarketStatus;
}

/** The market has another specification from now on. */
export interface MarketUpdated {
  readonly type: 'MarketUpdated';
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
}

/** An index price was observed. Index and mark are the current ones: an `unconfirmed` price changes neither. */
export interface MarketPriced {
  readonly type: 'MarketPriced';
  readonly market: MarketOrdinal;
  readonly indexPriceAtoms: PriceAtoms;
  readonly markPriceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
  readonly indexStatus: IndexStatus;
  /** The funding rate of the current period if it ended now, in parts per billion. */
  readonly fundingEstimatePpb: Ppb;
  /** When the current period ends; 0 before the first price. */
  readonly nextFundingAtEpochMs: EpochMs;
}

/** The turn left work of the market undone because turns are bounded. `AdvanceMarket` continues it. */
export interface MarketWorkPending {
  readonly type: 'MarketWorkPending';
  readonly market: MarketOrdinal;
}

export type MarketEvent = MarketListed | MarketStatusChanged | MarketUpdated | MarketPriced | MarketWorkPending;

export const MARKET_EVENTS: EventLayouts<MarketEvent> = {
  MarketListed: {
    tag: 1,
    fields: listedLayout,
    extended: [
      {
        tag: 113,
        applies: ({ specification, history }) => specification.openInterest !== undefined && history !== undefined,
        fields: (io, it) => ({ ...boundedLayout(io, it), history: io.part(it.history, historyLayout) }),
      },
      {
        tag: 112,
        applies: ({ specification }) => specification.openInterest !== undefined,
        fields: boundedLayout,
      },
      {
        tag: 28,
        applies: ({ history }) => history !== undefined,
        fields: (io, it) => ({ ...listedLayout(io, it), history: io.part(it.history, historyLayout) }),
      },
    ],
  },
  MarketStatusChanged: {
    tag: 2,
    fields: (io, it) => ({
      type: 'MarketStatusChanged',
      market: io.u32(it.market),
      status: io.oneOf(MARKET_STATUSES, it.status),
    }),
  },
  MarketUpdated: {
    tag: 90,
    fields: (io, it) => ({
      type: 'MarketUpdated',
      market: io.u32(it.market),
      specification: io.part(it.specification, specificationLayout),
    }),
    extended: [
      {
        tag: 114,
        applies: ({ specification }) => specification.openInterest !== undefined,
        fields: (io, it) => ({
          type: 'MarketUpdated',
          market: io.u32(it.market),
          specification: io.part(it.specification, boundedSpecificationLayout),
        }),
      },
    ],
  },
  MarketPriced: {
    tag: 3,
    fields: (io, it) => ({
      type: 'MarketPriced',
      market: io.u32(it.market),
      indexPriceAtoms: io.u32(it.indexPriceAtoms),
      markPriceAtoms: io.u32(it.markPriceAtoms),
      observedAtEpochMs: io.int(it.observedAtEpochMs),
      indexStatus: io.oneOf(INDEX_STATUSES, it.indexStatus),
      fundingEstimatePpb: io.int(it.fundingEstimatePpb),
      nextFundingAtEpochMs: io.int(it.nextFundingAtEpochMs),
    }),
  },
  MarketWorkPending: {
    tag: 17,
    fields: (io, it) => ({
      type: 'MarketWorkPending',
      market: io.u32(it.market),
    }),
  },
};

function listedLayout(io: Cursor, it: MarketListed): MarketListed {
  return {
    type: 'MarketListed',
    market: io.u32(it.market),
    specification: io.part(it.specification, specificationLayout),
    status: io.oneOf(MARKET_STATUSES, it.status),
  };
}

/** With the bounds of the open interest. */
function boundedLayout(io: Cursor, it: MarketListed): MarketListed {
  return {
    type: 'MarketListed',
    market: io.u32(it.market),
    specification: io.part(it.specification, boundedSpecificationLayout),
    status: io.oneOf(MARKET_STATUSES, it.status),
  };
}
