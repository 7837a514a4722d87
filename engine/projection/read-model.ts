/** What events are folded into: the tables, and the indexes that are in memory beside them. */

import type {
  AccountRow,
  AffiliateDayRow,
  AffiliateRow,
  AgentFundingRow,
  AgentFundingStateRow,
  ApiKeyRow,
  DayOpeningRow,
  DepositRow,
  FavoriteRow,
  LeaderboardListingRow,
  LeverageRow,
  ResultRow,
  TransferRow,
  WithdrawalRow,
} from './account-rows.ts';
import type { AgentTables } from './agent-fold.ts';
import type { BookLevels } from './book-levels.ts';
import type { DayWindows } from './day-window.ts';
import type { DeleveragingQueues } from './deleveraging-queues.ts';
import type { OpenInterestRow } from './open-interest-tables.ts';
import type { Rankings } from './rankings.ts';
import type {
  CandleRow,
  EpisodeRow,
  FillRow,
  FundingPaymentRow,
  FundingPeriodRow,
  LedgerRow,
  MarketActivityRow,
  MarketRow,
  OrderRow,
  SwitchRow,
  TradeRow,
} from './rows.ts';
import type { Rows } from './table.ts';

export interface ReadModel extends AgentTables {
  readonly orders: Rows<OrderRow>;
  readonly fills: Rows<FillRow>;
  readonly trades: Rows<TradeRow>;
  readonly episodes: Rows<EpisodeRow>;
  readonly accounts: Rows<AccountRow>;
  readonly apiKeys: Rows<ApiKeyRow>;
  readonly markets: Rows<MarketRow>;
  readonly marketActivity: Rows<MarketActivityRow>;
  readonly fundingPeriods: Rows<FundingPeriodRow>;
  readonly fundingPayments: Rows<FundingPaymentRow>;
  readonly switches: Rows<SwitchRow>;
  readonly ledgers: Rows<LedgerRow>;
  readonly withdrawals: Rows<WithdrawalRow>;
  readonly transfers: Rows<TransferRow>;
  readonly deposits: Rows<DepositRow>;
  readonly agentFundings: Rows<AgentFundingRow>;
  readonly agentFundingStates: Rows<AgentFundingStateRow>;
  readonly favorites: Rows<FavoriteRow>;
  readonly leverages: Rows<LeverageRow>;
  readonly affiliates: Rows<AffiliateRow>;
  readonly affiliateDays: Rows<AffiliateDayRow>;
  readonly leaderboardListings: Rows<LeaderboardListingRow>;
  readonly results: Rows<ResultRow>;
  readonly dayOpenings: Rows<DayOpeningRow>;
  readonly candles: Rows<CandleRow>;
  readonly openInterests: Rows<OpenInterestRow>;
  readonly books: BookLevels;
  readonly dayWindows: DayWindows;
  readonly deleveragingQueues: DeleveragingQueues;
  readonly rankings: Rankings;
}
