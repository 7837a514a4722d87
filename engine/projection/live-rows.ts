/**
 * The rows that can still change: all that a fold in memory needs to continue from a checkpoint. They are transferred in pieces, because a
 * million open orders do not fit into one message or string.
 */
import { LIVE_CANDLE_SERIES } from '#contract/markets.ts';
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { AccountRow, AffiliateRow, ApiKeyRow, WithdrawalRow } from './account-rows.ts';
import type { AgentDeploymentRow } from './agent-rows.ts';
import { CANDLES_IN_WINDOW, windowStart } from './day-window.ts';
import { LIVE_CANDLES } from './live-candles.ts';
import type { CandleRow, EpisodeRow, MarketActivityRow, MarketRow, OrderRow, SwitchRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

export interface LiveRows {
  readonly sequence: Sequence;
  /** The journal's chain digest at `sequence`. */
  readonly chainDigest: string;
  readonly epochMs: EpochMs;
  readonly markets: readonly MarketRow[];
  readonly marketActivity: readonly MarketActivityRow[];
  readonly accounts: readonly AccountRow[];
  readonly affiliates: readonly AffiliateRow[];
  readonly switches: readonly SwitchRow[];
  /** Keys that are not revoked. */
  readonly apiKeys: readonly ApiKeyRow[];
  /** Open orders. */
  readonly orders: readonly OrderRow[];
  /** Open episodes, by position number. */
  readonly episodes: readonly EpisodeRow[];
  /** Open withdrawals. */
  readonly withdrawals: readonly WithdrawalRow[];
  /** Open deployments. */
  readonly agentDeployments: readonly AgentDeploymentRow[];
  /** The newest candles of each series and span, and the minutes of the last day. Both oldest first. */
  readonly candles: readonly CandleRow[];
  readonly dayMinutes: readonly CandleRow[];
}

// The join over accounts uses the indexes by status.
export const LIVE_ORDERS =
  'SELECT o.* FROM accounts a CROSS JOIN orders o ON o.account = a.account AND o.status = \'open\' ORDER BY o."order"';
export const LIVE_EPISODES =
  "SELECT e.* FROM accounts a CROSS JOIN episodes e ON e.account = a.account AND e.status = 'open' ORDER BY e.position";
const OPEN_DEPLOYMENTS = "SELECT * FROM agentDeployments WHERE state IN ('pending', 'running')";
const NEWEST_CANDLES =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC LIMIT ?';

/** The journal position of the rows. */
export type LiveRowsHead = Pick<LiveRows, 'sequence' | 'chainDigest' | 'epochMs'>;

type LiveTableName = Exclude<keyof LiveRows, keyof LiveRowsHead>;

/** Some rows of one of the tables. */
export type LivePiece = {
  readonly [Name in LiveTableName]: { readonly table: Name; readonly rows: LiveRows[Name] };
}[LiveTableName];

/** The journal position of the rows, and the rows as a generator that must be consumed before the next fold. */
export interface LivePieces extends LiveRowsHead {
  readonly pieces: Iterable<LivePiece>;
}

/** About 5 MB, and few enough rows to read them quickly. */
const ROWS_IN_PIECE = 10_000;

export function livePiecesOf(store: ProjectionStore, rowsInPiece = ROWS_IN_PIECE): LivePieces {
  const { sequence, chainDigest, epochMs } = store.checkpoint;
  return { sequence, chainDigest, epochMs, pieces: piecesOf(store, rowsInPiece) };
}

/** Assembles the pieces. */
export function gathered({ pieces, ...place }: LivePieces): LiveRows {
  const tables: { readonly [Name in LiveTableName]: LiveRows[Name][number][] } = {
    markets: [],
    marketActivity: [],
    accounts: [],
    affiliates: [],
    switches: [],
    apiKeys: [],
    orders: [],
    episodes: [],
    withdrawals: [],
    agentDeployments: [],
    candles: [],
    dayMinutes: [],
  };
  for (const { table, rows } of pieces) for (const row of rows) (tables[table] as unknown[]).push(row);
  return { ...place, ...tables };
}

function* piecesOf(store: ProjectionStore, rowsInPiece: number): Generator<LivePiece> {
  for (const [table, all] of Object.entries(liveTables(store))) {
    let rows: unknown[] = [];
    for (const row of all) {
      if (rows.push(row) < rowsInPiece) continue;
      yield { table, rows } as LivePiece;
      rows = [];
    }
    if (rows.length > 0) yield { table, rows } as LivePiece;
  }
}

function liveTables(store: ProjectionStore): { readonly [Name in LiveTableName]: Iterable<LiveRows[Name][number]> } {
  const all = <Row>(sql: string, ...values: (string | number)[]) =>
    store.statement(sql).iterate(...values) as Iterable<unknown> as Iterable<Row>;
  const markets = [...all<MarketRow>('SELECT * FROM markets ORDER BY market')];
  const dayStart = windowStart(store.checkpoint.epochMs);
  return {
    markets,
    marketActivity: all('SELECT * FROM marketActivity'),
    accounts: all('SELECT * FROM accounts'),
    affiliates: all('SELECT * FROM affiliates'),
    switches: all('SELECT * FROM switches'),
    apiKeys: all('SELECT * FROM apiKeys WHERE isRevoked = 0'),
    orders: all(LIVE_ORDERS),
    episodes: all(LIVE_EPISODES),
    withdrawals: all('SELECT * FROM withdrawals WHERE endedAtEpochMs IS NULL'),
    agentDeployments: all(OPEN_DEPLOYMENTS),
    candles: markets.flatMap(({ market }) => newestCandles(market, all)),
    dayMinutes: markets.flatMap(({ market }) => [...all<CandleRow>(CANDLES_IN_WINDOW, market, dayStart)]),
  };
}

function newestCandles(
  market: MarketOrdinal,
  all: <Row>(sql: string, ...values: (string | number)[]) => Iterable<Row>,
): readonly CandleRow[] {
  const spans = Object.entries(LIVE_CANDLES);
  return LIVE_CANDLE_SERIES.flatMap((series) =>
    spans.flatMap(([spanMs, count]) => [...all<CandleRow>(NEWEST_CANDLES, market, series, Number(spanMs), count)].reverse()),
  );
}
