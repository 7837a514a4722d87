/**
 * The projection's file: tables, checkpoint, and books that are rebuilt from the open orders. Rows and checkpoint are committed in one
 * transaction, so the file always equals the journal up to its checkpoint. This connection also reads uncommitted changes.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { MarketOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { AFFILIATE_DAYS, AFFILIATES } from './affiliate-tables.ts';
import { AGENT_ACTIONS, AGENT_DEPLOYMENTS, AGENT_DRAFT_STATES, AGENT_DRAFTS } from './agent-tables.ts';
import { BookLevels } from './book-levels.ts';
import type { Checkpoint } from './checkpoint.ts';
import { type DatabaseFile, LONG_LOG_BYTES, openDatabaseFile, otherCommits } from './database-file.ts';
import { CANDLES_IN_WINDOW, DayWindows } from './day-window.ts';
import { DeleveragingQueues, OPEN_EPISODES_IN } from './deleveraging-queues.ts';
import { isDamage, isDiskFault } from './disk-fault.ts';
import { AGENT_FUNDING_STATES, AGENT_FUNDINGS, CASH_MOVEMENTS, DEPOSITS, TRANSFERS, WITHDRAWALS } from './money-tables.ts';
import { OPEN_INTERESTS } from './open-interest-tables.ts';
import type { PageSums } from './page-sums.ts';
import { FileDamaged } from './page-sums-file.ts';
import { LEADERBOARD_RESULTS, type LeaderboardResult, Rankings } from './rankings.ts';
import type { ReadModel } from './read-model.ts';
import type { CandleRow, EpisodeRow } from './rows.ts';
import {
  ACCOUNTS,
  API_KEYS,
  CANDLES,
  DAY_OPENINGS,
  EPISODES,
  FAVORITES,
  FILLS,
  FUNDING_PAYMENTS,
  FUNDING_PERIODS,
  LEADERBOARD_LISTINGS,
  LEDGERS,
  LEVERAGES,
  MARKET_ACTIVITY,
  MARKETS,
  ORDERS,
  RESULTS,
  SWITCHES,
  TRADES,
} from './schema.ts';
import { Table } from './table.ts';
import { IS_RESTING } from './trigger-fold.ts';

export class ProjectionStore implements ReadModel {
  readonly orders;
  readonly fills;
  readonly trades;
  readonly episodes;
  readonly accounts;
  readonly apiKeys;
  readonly markets;
  readonly marketActivity;
  readonly fundingPeriods;
  readonly fundingPayments;
  readonly switches;
  readonly ledgers;
  readonly withdrawals;
  readonly transfers;
  readonly deposits;
  readonly cashMovements;
  readonly agentFundings;
  readonly agentFundingStates;
  readonly favorites;
  readonly leverages;
  readonly affiliates;
  readonly affiliateDays;
  readonly leaderboardListings;
  readonly results;
  readonly dayOpenings;
  readonly candles;
  readonly openInterests;
  readonly agentDrafts;
  readonly agentDraftStates;
  readonly agentDeployments;
  readonly agentActions;
  readonly books = new BookLevels();
  readonly dayWindows = new DayWindows(
    (market, afterEpochMs) =>
      this.statement(CANDLES_IN_WINDOW).iterate(market, afterEpochMs) as Iterable<unknown> as Iterable<CandleRow>,
  );
  readonly deleveragingQueues = new DeleveragingQueues(
    (market) => this.statement(OPEN_EPISODES_IN).iterate(market) as Iterable<unknown> as Iterable<EpisodeRow>,
  );
  readonly rankings = new Rankings(
    (sinceEpochMs, untilEpochMs) =>
      this.statement(LEADERBOARD_RESULTS).iterate({
        sinceEpochMs,
        untilEpochMs,
      }) as Iterable<unknown> as Iterable<LeaderboardResult>,
  );
  /** The checkpoint of the folded state, including uncommitted groups. */
  checkpoint: Checkpoint;
  #savedCheckpoint: Checkpoint;
  readonly #database: DatabaseSync;
  readonly #pages: PageSums | undefined;
  readonly #otherCommits: StatementSync;
  readonly #seenCommits: unknown;
  readonly #longLogBytes: number;
  readonly #writeCheckpoint: StatementSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor({ database, checkpoint, pages }: DatabaseFile, longLogBytes: number) {
    this.#database = database;
    this.#longLogBytes = longLogBytes;
    this.#pages = pages;
    this.#otherCommits = otherCommits(database);
    this.#seenCommits = this.#otherCommits.get()?.data_version;
    this.checkpoint = checkpoint;
    this.#savedCheckpoint = checkpoint;
    this.orders = new Table(database, ORDERS);
    this.fills = new Table(database, FILLS);
    this.trades = new Table(database, TRADES);
    this.episodes = new Table(database, EPISODES);
    this.accounts = new Table(database, ACCOUNTS);
    this.apiKeys = new Table(database, API_KEYS);
    this.markets = new Table(database, MARKETS);
    this.marketActivity = new Table(database, MARKET_ACTIVITY);
    this.fundingPeriods = new Table(database, FUNDING_PERIODS);
    this.fundingPayments = new Table(database, FUNDING_PAYMENTS);
    this.switches = new Table(database, SWITCHES);
    this.ledgers = new Table(database, LEDGERS);
    this.withdrawals = new Table(database, WITHDRAWALS);
    this.transfers = new Table(database, TRANSFERS);
    this.deposits = new Table(database, DEPOSITS);
    this.cashMovements = new Table(database, CASH_MOVEMENTS);
    this.agentFundings = new Table(database, AGENT_FUNDINGS);
    this.agentFundingStates = new Table(database, AGENT_FUNDING_STATES);
    this.favorites = new Table(database, FAVORITES);
    this.leverages = new Table(database, LEVERAGES);
    this.affiliates = new Table(database, AFFILIATES);
    this.affiliateDays = new Table(database, AFFILIATE_DAYS);
    this.leaderboardListings = new Table(database, LEADERBOARD_LISTINGS);
    this.results = new Table(database, RESULTS);
    this.dayOpenings = new Table(database, DAY_OPENINGS);
    this.candles = new Table(database, CANDLES);
    this.openInterests = new Table(database, OPEN_INTERESTS);
    this.agentDrafts = new Table(database, AGENT_DRAFTS);
    this.agentDraftStates = new Table(database, AGENT_DRAFT_STATES);
    this.agentDeployments = new Table(database, AGENT_DEPLOYMENTS);
    this.agentActions = new Table(database, AGENT_ACTIONS);
    this.#writeCheckpoint = database.prepare(
      'UPDATE checkpoint SET sequence = ?, epochMs = ?, chainDigest = ?, registryDigest = ?',
    );
    this.#loadBooks();
  }

  /**
   * Runs a fold and writes its changes, all or nothing. Reads see them at once; a reopened file has them after {@link save}.
   */
  fold(fold: () => Checkpoint): void {
    this.#demandWhole();
    try {
      this.checkpoint = fold();
    } catch (error) {
      this.#forget();
      throw error;
    }
    try {
      if (!this.#database.isTransaction) this.#beginTransaction();
      for (const table of this.#tables()) table.flush();
    } catch (error) {
      this.#undo();
      throw error;
    }
  }

  /**
   * Commits the folded changes with their checkpoint. Call it seldom, because many folds change the same pages and a commit writes each page
   * once. If the commit fails, all uncommitted changes are rolled back.
   */
  save(): void {
    this.#demandWhole();
    if (!this.#database.isTransaction) return;
    const { sequence, epochMs, chainDigest, registryDigest } = this.checkpoint;
    try {
      this.#writeCheckpoint.run(sequence, epochMs, chainDigest, registryDigest);
      this.statement('UPDATE file SET number = number + 1').run();
      this.#database.exec('COMMIT');
      this.#savedCheckpoint = this.checkpoint;
    } catch (error) {
      this.#undo();
      throw error;
    }
    this.#pages?.committed();
    if (this.#pages !== undefined && this.#pages.logBytes > this.#longLogBytes) this.#copyLog(this.#pages);
  }

  /** Verifies the next pages of the file. Throws {@link FileDamaged} if one is damaged. */
  verifySome(pageCount: number): void {
    this.#pages?.verifySome(pageCount);
  }

  /** False if SQLite ended the transaction by itself, as it may do on a full disk, also in a read. */
  get isWhole(): boolean {
    return this.checkpoint === this.#savedCheckpoint || this.#database.isTransaction;
  }

  /** Returns to the last commit. */
  rollBack(): void {
    this.#undo();
  }

  /** A statement for a read, prepared once. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  close(): void {
    try {
      this.save();
    } finally {
      this.abandon();
    }
  }

  /** Closes the file without a commit. */
  abandon(): void {
    try {
      this.#pages?.settle();
    } catch (fault) {
      // The next start detects that the sums are older than the file.
      if (!isDiskFault(fault) && !isDamage(fault)) throw fault;
    } finally {
      this.#database.close();
      this.#pages?.close();
    }
  }

  #beginTransaction(): void {
    this.#database.exec('BEGIN IMMEDIATE');
    if (this.#otherCommits.get()?.data_version !== this.#seenCommits) throw new FileDamaged('was written to by another program');
  }

  /** A disk fault is retried with the next commit; until then the log grows. */
  #copyLog(pages: PageSums): void {
    try {
      pages.sync();
      const { busy, log, checkpointed } = this.statement('PRAGMA wal_checkpoint(PASSIVE)').get() as Record<string, number>;
      if (busy === 0 && log === checkpointed) pages.logIsCopied();
    } catch (fault) {
      if (!isDiskFault(fault)) throw fault;
    }
  }

  #demandWhole(): void {
    if (this.isWhole) return;
    this.#undo();
    throw new Error('SQLite rolled back the folded groups: fold them again');
  }

  #undo(): void {
    // A failed COMMIT has already ended the transaction on some errors.
    if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
    this.checkpoint = this.#savedCheckpoint;
    this.#forget();
  }

  /** Clears all state that is not in the database. */
  #forget(): void {
    for (const table of this.#tables()) table.forget();
    this.#loadBooks();
    this.dayWindows.forget();
    this.deleveragingQueues.forget();
    this.rankings.forget();
  }

  #tables(): readonly { flush(): void; forget(): void }[] {
    return [
      this.orders,
      this.fills,
      this.trades,
      this.episodes,
      this.accounts,
      this.apiKeys,
      this.markets,
      this.marketActivity,
      this.fundingPeriods,
      this.fundingPayments,
      this.switches,
      this.ledgers,
      this.withdrawals,
      this.transfers,
      this.deposits,
      this.cashMovements,
      this.agentFundings,
      this.agentFundingStates,
      this.favorites,
      this.leverages,
      this.affiliates,
      this.affiliateDays,
      this.leaderboardListings,
      this.results,
      this.dayOpenings,
      this.candles,
      this.openInterests,
      this.agentDrafts,
      this.agentDraftStates,
      this.agentDeployments,
      this.agentActions,
    ];
  }

  /** An open order rests with its unfilled quantity, unless it waits for a price. The join over accounts uses the index of orders by status. */
  #loadBooks(): void {
    this.books.clear();
    const levels = this.#database.prepare(
      `SELECT o.market, o.side, o.priceAtoms, sum(o.quantityAtoms - o.filledAtoms) AS quantityAtoms
       FROM accounts a CROSS JOIN orders o ON o.account = a.account AND o.status = 'open'
       WHERE ${IS_RESTING} GROUP BY o.market, o.side, o.priceAtoms`,
    );
    for (const level of levels.iterate()) {
      const { market, side, priceAtoms, quantityAtoms } = level as {
        market: MarketOrdinal;
        side: Side;
        priceAtoms: PriceAtoms;
        quantityAtoms: number;
      };
      this.books.change(market, side, priceAtoms, quantityAtoms);
    }
  }
}

/**
 * Opens the file at a path. A file that is damaged, unreadable or of another schema is replaced by an empty one, and `report` gets a line. A
 * log longer than `longLogBytes` is copied to the database file.
 */
export function openStore(
  path: string,
  report: (line: string) => void = () => {},
  longLogBytes = LONG_LOG_BYTES,
  mayReplace = true,
): ProjectionStore {
  return new ProjectionStore(openDatabaseFile(path, report, mayReplace), longLogBytes);
}
