/** The changes of one record: changed rows and events. Realtime frames are rendered from them. */
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { CashPosted, FundingPaid, FundingSettled, MarketPriced, WithdrawalSettled } from '#venue/event.ts';
import type { AccountRow, AffiliateRow, WithdrawalRow } from './account-rows.ts';
import type { AgentActionRow } from './agent-rows.ts';
import type { ObservedSeries } from './live-candles.ts';
import type { Change } from './live-table.ts';
import type { EpisodeRow, FillRow, MarketActivityRow, MarketRow, OrderRow, TradeRow } from './rows.ts';

/** The committed group of a record. Digests are in hex. */
export interface CoveringGroup {
  readonly number: number;
  readonly firstSequence: Sequence;
  readonly lastSequence: Sequence;
  readonly digest: string;
  readonly previousDigest: string;
}

/** Events of a record that no row stores unchanged. */
export interface ChangedEvents {
  readonly priced: readonly MarketPriced[];
  readonly settled: readonly FundingSettled[];
  readonly paid: readonly FundingPaid[];
  readonly posted: readonly CashPosted[];
  readonly withdrawn: readonly WithdrawalSettled[];
  /** The ids of API keys. */
  readonly revokedKeys: readonly string[];
}

export interface RecordChanges extends ChangedEvents {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly group: CoveringGroup;
  readonly orders: readonly Change<OrderRow>[];
  readonly fills: readonly FillRow[];
  readonly trades: readonly TradeRow[];
  readonly episodes: readonly Change<EpisodeRow>[];
  readonly accounts: readonly Change<AccountRow>[];
  readonly markets: readonly Change<MarketRow>[];
  readonly activity: readonly Change<MarketActivityRow>[];
  readonly observed: readonly ObservedSeries[];
  /** Markets whose books changed. */
  readonly books: readonly MarketOrdinal[];
  readonly withdrawals: readonly Change<WithdrawalRow>[];
  readonly affiliates: readonly Change<AffiliateRow>[];
  readonly agentActions: readonly AgentActionRow[];
}
