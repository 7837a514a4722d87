/**
 * What can still change of what is folded: all that a fold in memory needs to go on from a checkpoint. On its way there it comes in
 * pieces: a million open orders are more than fits into one message, or into one text.
 */
import type { MarketOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { CANDLES_IN_WINDOW, windowStart } from './day-window.ts';
import { KEPT_CANDLES } from './live-candles.ts';
import type {
  AccountRow,
  ApiKeyRow,
  CandleRow,
  EpisodeRow,
  MarketActivityRow,
  MarketRow,
  OrderRow,
  WithdrawalRow,
} from './rows.ts';
import type { ProjectionStore } from './store.ts';

export interface LiveRows {
  readonly sequence: Sequence;
  /** The journal's there. */
  readonly chainDigest: string;
  readonly epochMs: EpochMs;
  readonly markets: readonly MarketRow[];
  readonly marketActivity: readonly MarketActivityRow[];
  readonly accounts: readonly AccountRow[];
  /** Not revoked. */
  readonly apiKeys: readonly ApiKeyRow[];
  /** Open. */
  readonly orders: readonly OrderRow[];
  /** Open, in order of their numbers. */
  readonly episodes: readonly EpisodeRow[];
  /** Reserved. */
  readonly withdrawals: readonly WithdrawalRow[];
  /** The newest of each series and span, and the minutes of the last day. Each oldest first. */
  readonly candles: readonly CandleRow[];
  readonly dayMinutes: readonly CandleRow[];
}

// Going by account uses the indexes by status.
export const LIVE_ORDERS =
  'SELECT o.* FROM accounts a CROSS JOIN orders o ON o.account = a.account AND o.status = \'open\' ORDER BY o."order"';
export const LIVE_EPISODES =
  "SELECT e.* FROM accounts a CROSS JOIN episodes e ON e.account = a.account AND e.status = 'open' ORDER BY e.position";
const NEWEST_CANDLES =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC LIMIT ?';

/** That the rows are of. */
export type LivePlace = Pick<LiveRows, 'sequence' | 'chainDigest' | 'epochMs'>;

type LiveTableName = Exclude<keyof LiveRows, keyof LivePlace>;

/** Some rows of one of the tables. */
export type LivePiece = {
  readonly [Name in LiveTableName]: { readonly table: Name; readonly rows: LiveRows[Name] };
}[LiveTableName];

/** The place that the rows are of, and the rows themselves, to be taken one after the other before anything is folded. */
export interface LivePieces extends LivePlace {
  readonly pieces: Iterable<LivePiece>;
}

/** Some 5 MB, and as many rows as need not be looked for for long. */
const ROWS_IN_PIECE = 10_000;

export function livePiecesOf(store: ProjectionStore, rowsInPiece = ROWS_IN_PIECE): LivePieces {
  const { sequence, chainDigest, epochMs } = store.checkpoint;
  return { sequence, chainDigest, epochMs, pieces: piecesOf(store, rowsInPiece) };
}

/** The pieces put together again. */
export function gathered({ pieces, ...place }: LivePieces): LiveRows {
  const tables: { readonly [Name in LiveTableName]: LiveRows[Name][number][] } = {
    markets: [],
    marketActivity: [],
    accounts: [],
    apiKeys: [],
    orders: [],
    episodes: [],
    withdrawals: [],
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
    apiKeys: all('SELECT * FROM apiKeys WHERE isRevoked = 0'),
    orders: all(LIVE_ORDERS),
    episodes: all(LIVE_EPISODES),
    withdrawals: all("SELECT * FROM withdrawals WHERE status = 'reserved'"),
    candles: markets.flatMap(({ market }) => newestCandles(market, all)),
    dayMinutes: markets.flatMap(({ market }) => [...all<CandleRow>(CANDLES_IN_WINDOW, market, dayStart)]),
  };
}

function newestCandles(
  market: MarketOrdinal,
  all: <Row>(sql: string, ...values: (string | number)[]) => Iterable<Row>,
): readonly CandleRow[] {
  const spans = Object.entries(KEPT_CANDLES);
  return (['trade', 'index'] as const).flatMap((series) =>
    spans.flatMap(([spanMs, count]) => [...all<CandleRow>(NEWEST_CANDLES, market, series, Number(spanMs), count)].reverse()),
  );
}
