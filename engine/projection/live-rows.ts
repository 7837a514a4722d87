/** What can still change of what is folded: all that a fold in memory needs to go on from a checkpoint. It is JSON on its way there. */
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
  readonly epochMs: EpochMs;
  readonly markets: readonly MarketRow[];
  readonly marketActivity: readonly MarketActivityRow[];
  readonly accounts: readonly AccountRow[];
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

export function liveRowsOf(store: ProjectionStore): LiveRows {
  const { sequence, epochMs } = store.checkpoint;
  const all = <Row>(sql: string, ...values: (string | number)[]) => store.statement(sql).all(...values) as unknown as Row[];
  const markets = all<MarketRow>('SELECT * FROM markets ORDER BY market');
  const dayStart = windowStart(epochMs);
  return {
    sequence,
    epochMs,
    markets,
    marketActivity: all('SELECT * FROM marketActivity'),
    accounts: all('SELECT * FROM accounts'),
    apiKeys: all('SELECT * FROM apiKeys'),
    orders: all(LIVE_ORDERS),
    episodes: all(LIVE_EPISODES),
    withdrawals: all("SELECT * FROM withdrawals WHERE status = 'reserved'"),
    candles: markets.flatMap(({ market }) => newestCandles(market, all)),
    dayMinutes: markets.flatMap(({ market }) => all<CandleRow>(CANDLES_IN_WINDOW, market, dayStart)),
  };
}

function newestCandles(
  market: MarketOrdinal,
  all: <Row>(sql: string, ...values: (string | number)[]) => Row[],
): readonly CandleRow[] {
  const spans = Object.entries(KEPT_CANDLES);
  return (['trade', 'index'] as const).flatMap((series) =>
    spans.flatMap(([spanMs, count]) => all<CandleRow>(NEWEST_CANDLES, market, series, Number(spanMs), count).reverse()),
  );
}
