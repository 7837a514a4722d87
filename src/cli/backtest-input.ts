/** Where the script, the market and the candles of a backtest come from: files and the catalogue, or a running venue. */
import type { TimedBar } from '#agents/backtest/backtest-terms.ts';
import { UsageFault, venueUrlOf } from '#app/config.ts';
import { type MarketTerms, readCandles, readDraft, readMarket, type VenueReader } from '#app/recorded-market.ts';
import { type DeploymentTimeframe, TIMEFRAME_MS } from '#contract/markets.ts';
import { barsOfRows, readBarFile } from '#prices/bar-file.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { BACKTEST_HELP_COMMAND } from './backtest-help.ts';
import { type BacktestOptions, historyBarsOf, marketOf, type ScriptSource, scriptOf, timeOf } from './backtest-options.ts';

/** What the command needs of its process. */
export interface BacktestPorts {
  readonly clock: SteadyClock;
  readonly timers: Timers;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Takes progress lines. */
  readonly report: (line: string) => void;
}

/** The script of a file, of the catalogue, or of a draft. */
export async function scriptInput(
  files: readonly string[],
  { strategy, draft, url }: BacktestOptions,
  ports: BacktestPorts,
): Promise<ScriptSource> {
  if (files.length + [strategy, draft].filter((it) => it !== undefined).length !== 1)
    throw new UsageFault(`expected one script file, --strategy <id> or --draft <id>; see ${BACKTEST_HELP_COMMAND}`);
  if (draft === undefined) return scriptOf(files, strategy);
  const venue = readerOf(url, ports);
  if (venue === undefined) throw new UsageFault('--draft needs --url: name the venue that has the draft');
  const { OPENPERP_ACCOUNT_ID: accountId, OPENPERP_APIKEY: apiKey } = ports.environment;
  if (accountId === undefined || apiKey === undefined)
    throw new UsageFault('--draft needs OPENPERP_ACCOUNT_ID and OPENPERP_APIKEY in the environment: a key with the scope agents');
  const { name, text } = await readDraft(venue, { accountId, draftId: draft, apiKey });
  return { name, strategyId: null, text };
}

export async function marketInput({ url, market }: BacktestOptions, ports: BacktestPorts): Promise<MarketTerms> {
  const venue = readerOf(url, ports);
  if (venue === undefined) return marketOf(market);
  if (market === undefined) throw new UsageFault('--market is missing: name a market of the venue, such as BTC-USD-PERP');
  return readMarket(venue, market);
}

export interface CandleInput {
  /** What messages about the candles start with. */
  readonly name: string;
  readonly bars: readonly TimedBar[];
}

export async function candleInput(
  options: BacktestOptions,
  market: MarketTerms,
  timeframe: DeploymentTimeframe,
  ports: BacktestPorts,
): Promise<CandleInput> {
  const { candles, url } = options;
  if ((candles === undefined) === (url === undefined))
    throw new UsageFault(`expected --candles <file> or --url <venue>; see ${BACKTEST_HELP_COMMAND}`);
  if (candles !== undefined) return { name: candles, bars: readBarFile(candles, market) };
  const venue = readerOf(url, ports)!;
  const from = timeOf('--from', options.from);
  const sinceEpochMs = from === undefined ? 0 : from - historyBarsOf(options) * TIMEFRAME_MS[timeframe];
  const untilEpochMs = timeOf('--to', options.to) ?? Number.MAX_SAFE_INTEGER;
  const rows = await readCandles(venue, { marketId: market.marketId, timeframe, sinceEpochMs, untilEpochMs });
  if (rows.length === 0) throw new UsageFault(`${venue.url} has no closed candle of ${market.marketId} in this range`);
  const placed = rows.map((cells) => ({ place: `${venue.url}: the candle of ${renderIsoTime(cells[0])}`, cells }));
  return { name: venue.url, bars: barsOfRows(placed, market) };
}

function readerOf(url: string | undefined, { timers, report }: BacktestPorts): VenueReader | undefined {
  return url === undefined ? undefined : { url: venueUrlOf('--url', url), timers, report };
}
