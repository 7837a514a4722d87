/**
 * The part of the read model that can still change, in memory. It uses the same fold as the file, and returns the changes of each record.
 * Ended orders, fills and closed positions are not in it.
 */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type {
  AffiliateDayRow,
  AgentFundingRow,
  AgentFundingStateRow,
  DayOpeningRow,
  FavoriteRow,
  LeaderboardListingRow,
  LeverageRow,
  ResultRow,
  TransferRow,
} from './account-rows.ts';
import { AFFILIATES } from './affiliate-tables.ts';
import type { AgentActionRow, AgentDraftRow, AgentDraftStateRow } from './agent-rows.ts';
import { AGENT_DEPLOYMENTS } from './agent-tables.ts';
import { BookLevels } from './book-levels.ts';
import { DayWindows } from './day-window.ts';
import { DeleveragingQueues } from './deleveraging-queues.ts';
import { foldEvent } from './fold.ts';
import { LiveCandles } from './live-candles.ts';
import type { LiveRows } from './live-rows.ts';
import { LiveLog, LiveTable } from './live-table.ts';
import { type MarketScales, scalesOf } from './market-scales.ts';
import { DEPOSITS, WITHDRAWALS } from './money-tables.ts';
import type { OpenInterestRow } from './open-interest-tables.ts';
import { Rankings } from './rankings.ts';
import type { ReadModel } from './read-model.ts';
import type { ChangedEvents, CoveringGroup, RecordChanges } from './record-changes.ts';
import type {
  CandleRow,
  EpisodeRow,
  FillRow,
  FundingPaymentRow,
  FundingPeriodRow,
  LedgerRow,
  MarketRow,
  TradeRow,
} from './rows.ts';
import { ACCOUNTS, API_KEYS, EPISODES, MARKET_ACTIVITY, MARKETS, ORDERS, SWITCHES } from './schema.ts';
import { isOnIn } from './switch-fold.ts';
import { isResting } from './trigger-fold.ts';

export class LiveModel implements ReadModel {
  readonly orders = new LiveTable(ORDERS);
  readonly episodes = new LiveTable(EPISODES);
  readonly accounts = new LiveTable(ACCOUNTS);
  readonly apiKeys = new LiveTable(API_KEYS);
  readonly markets = new LiveTable(MARKETS);
  readonly marketActivity = new LiveTable(MARKET_ACTIVITY);
  readonly switches = new LiveTable(SWITCHES);
  readonly withdrawals = new LiveTable(WITHDRAWALS);
  readonly candles = new LiveCandles();
  readonly fills = new LiveLog<FillRow>();
  readonly trades = new LiveLog<TradeRow>();
  readonly fundingPeriods = new LiveLog<FundingPeriodRow>();
  readonly fundingPayments = new LiveLog<FundingPaymentRow>();
  readonly ledgers = new LiveLog<LedgerRow>();
  readonly transfers = new LiveLog<TransferRow>();
  /** Read only within a record. */
  readonly deposits = new LiveTable(DEPOSITS);
  readonly affiliates = new LiveTable(AFFILIATES);
  readonly affiliateDays = new LiveLog<AffiliateDayRow>();
  readonly openInterests = new LiveLog<OpenInterestRow>();
  readonly agentFundings = new LiveLog<AgentFundingRow>();
  readonly agentFundingStates = new LiveLog<AgentFundingStateRow>();
  readonly favorites = new LiveLog<FavoriteRow>();
  readonly leverages = new LiveLog<LeverageRow>();
  readonly leaderboardListings = new LiveLog<LeaderboardListingRow>();
  readonly results = new LiveLog<ResultRow>();
  readonly dayOpenings = new LiveLog<DayOpeningRow>();
  readonly agentDrafts = new LiveLog<AgentDraftRow>();
  readonly agentDraftStates = new LiveLog<AgentDraftStateRow>();
  readonly agentDeployments = new LiveTable(AGENT_DEPLOYMENTS);
  readonly agentActions = new LiveLog<AgentActionRow>();
  readonly books = new TouchedBooks();
  readonly dayWindows: DayWindows;
  /** Never read: only the snapshot has the deleveraging rank. */
  readonly deleveragingQueues = new DeleveragingQueues(() => []);
  readonly rankings = new Rankings(() => []);
  readonly #unread;
  #areEarningsOn: boolean;
  sequence: Sequence;
  epochMs: EpochMs;
  readonly #scales = new Map<MarketOrdinal, MarketScales>();
  readonly #scalesById = new Map<string, MarketScales>();
  readonly #openEpisodes = new Map<AccountOrdinal, Map<PositionOrdinal, EpisodeRow>>();

  constructor(rows: LiveRows) {
    this.#unread = [
      this.apiKeys,
      this.affiliateDays,
      this.openInterests,
      this.ledgers,
      this.transfers,
      this.deposits,
      this.agentFundings,
      this.agentFundingStates,
      this.favorites,
      this.leverages,
      this.leaderboardListings,
      this.results,
      this.dayOpenings,
      this.fundingPeriods,
      this.fundingPayments,
      this.agentDrafts,
      this.agentDraftStates,
      this.agentDeployments,
    ];
    this.sequence = rows.sequence;
    this.epochMs = rows.epochMs;
    for (const market of rows.markets) this.markets.load(market);
    for (const activity of rows.marketActivity) this.marketActivity.load(activity);
    for (const account of rows.accounts) this.accounts.load(account);
    for (const affiliate of rows.affiliates) this.affiliates.load(affiliate);
    for (const row of rows.switches) this.switches.load(row);
    this.#areEarningsOn = isOnIn(this.switches, 'affiliate');
    for (const key of rows.apiKeys) this.apiKeys.load(key);
    for (const withdrawal of rows.withdrawals) this.withdrawals.load(withdrawal);
    for (const deployment of rows.agentDeployments) this.agentDeployments.load(deployment);
    for (const candle of rows.candles) this.candles.load(candle);
    for (const episode of rows.episodes) {
      this.episodes.load(episode);
      this.#index(episode);
    }
    for (const order of rows.orders) {
      this.orders.load(order);
      if (isResting(order))
        this.books.change(order.market, order.side, order.priceAtoms!, order.quantityAtoms! - order.filledAtoms);
    }
    this.books.settle();
    const minutes: Map<MarketOrdinal, CandleRow[]> = Map.groupBy(rows.dayMinutes, ({ market }) => market);
    this.dayWindows = new DayWindows((market) => minutes.get(market) ?? []);
    for (const market of rows.markets) this.#list(market);
    minutes.clear();
  }

  /** Folds the next record. Throws if a record is missing or an event does not fit. */
  fold(record: CommittedRecord, group: CoveringGroup): RecordChanges {
    const { sequence, epochMs, events } = record;
    if (sequence !== this.sequence + 1) throw new Error(`record ${sequence} follows ${this.sequence}`);
    for (const event of events) foldEvent(this, event, record);
    this.sequence = sequence;
    this.epochMs = epochMs;
    const episodes = this.episodes.settle();
    for (const { after } of episodes) this.#index(after);
    for (const event of events)
      if (event.type === 'MarketListed' || event.type === 'MarketUpdated') this.#list(this.markets.find(event.market)!);
    for (const unread of this.#unread) unread.settle();
    if (this.switches.settle().length > 0) this.#areEarningsOn = isOnIn(this.switches, 'affiliate');
    return {
      sequence,
      epochMs,
      group,
      orders: this.orders.settle(),
      fills: this.fills.settle(),
      trades: this.trades.settle(),
      episodes,
      accounts: this.accounts.settle(),
      markets: this.markets.settle(),
      activity: this.marketActivity.settle(),
      observed: this.candles.settle(),
      books: this.books.settle(),
      withdrawals: this.withdrawals.settle(),
      affiliates: this.affiliates.settle(),
      agentActions: this.agentActions.settle(),
      ...changesOf(events),
    };
  }

  /** Whether the operator has the affiliate program on, which account.earnings needs. */
  get areEarningsOn(): boolean {
    return this.#areEarningsOn;
  }

  /** `undefined` if no market has this id. */
  marketNamed(marketId: string): MarketScales | undefined {
    return this.#scalesById.get(marketId);
  }

  /** The market must be listed. */
  scales(market: MarketOrdinal): MarketScales {
    return this.#scales.get(market)!;
  }

  /** By position number. */
  openEpisodes(account: AccountOrdinal): readonly EpisodeRow[] {
    return [...(this.#openEpisodes.get(account)?.values() ?? [])];
  }

  #list(row: MarketRow): void {
    const scales = scalesOf(row);
    this.#scales.set(row.market, scales);
    this.#scalesById.set(scales.marketId, scales);
    // The first read creates the window, which then follows the folded trades.
    this.dayWindows.at(row.market, this.epochMs);
  }

  /** Positions are numbered in order, so the map stays sorted. */
  #index(episode: EpisodeRow): void {
    const { account, position, status } = episode;
    let positions = this.#openEpisodes.get(account);
    if (positions === undefined) {
      positions = new Map();
      this.#openEpisodes.set(account, positions);
    }
    if (status === 'open') positions.set(position, episode);
    else positions.delete(position);
    if (positions.size === 0) this.#openEpisodes.delete(account);
  }
}

/** Books that record which of them changed. */
class TouchedBooks extends BookLevels {
  #touched: MarketOrdinal[] = [];

  override change(market: MarketOrdinal, side: Side, price: PriceAtoms, by: number): void {
    super.change(market, side, price, by);
    if (!this.#touched.includes(market)) this.#touched.push(market);
  }

  /** Ends a record. Returns the markets whose books changed. */
  settle(): readonly MarketOrdinal[] {
    const touched = this.#touched;
    if (touched.length > 0) this.#touched = [];
    return touched;
  }
}

const NO_CHANGES: ChangedEvents = { priced: [], settled: [], paid: [], posted: [], withdrawn: [], revokedKeys: [] };

function changesOf(events: readonly VenueEvent[]): ChangedEvents {
  let changes: { -readonly [Name in keyof ChangedEvents]: ChangedEvents[Name][number][] } | undefined;
  const note = <Name extends keyof ChangedEvents>(name: Name, event: ChangedEvents[Name][number]) => {
    changes ??= { priced: [], settled: [], paid: [], posted: [], withdrawn: [], revokedKeys: [] };
    (changes[name] as ChangedEvents[Name][number][]).push(event);
  };
  for (const event of events) {
    if (event.type === 'MarketPriced') note('priced', event);
    else if (event.type === 'FundingSettled') note('settled', event);
    else if (event.type === 'FundingPaid') note('paid', event);
    else if (event.type === 'CashPosted') note('posted', event);
    else if (event.type === 'WithdrawalSettled') note('withdrawn', event);
    else if (event.type === 'ApiKeyRevoked') note('revokedKeys', event.keyId);
  }
  return changes ?? NO_CHANGES;
}
