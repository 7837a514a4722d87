/**
 * What a backtest reads of a running venue: the terms of a market, its recorded candles in pages, and the script of a draft. It waits when the
 * venue limits its requests.
 */
import { getAgentDraft } from '#contract/agent-drafts.ts';
import { getCandles, getMarket, TIMEFRAME_MS, type Timeframe } from '#contract/markets.ts';
import { sleep, type Timers } from '#time/timers.ts';
import { parseDecimal } from '#units/decimal.ts';
import { type BaseAtoms, type Bps, bps, type PriceAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { type BodyOperation, type ExchangeRequest, exchange, type ResponseBody } from './venue-exchange.ts';

/** What of a market's specification a backtest depends on. */
export type MarketTerms = Pick<
  MarketSpecification,
  | 'marketId'
  | 'underlyingSymbol'
  | 'priceScale'
  | 'quantityScale'
  | 'minPriceAtoms'
  | 'maxPriceAtoms'
  | 'minQuantityAtoms'
  | 'maxQuantityAtoms'
  | 'takerFeeBps'
>;

/** `[openTimeEpochMs, open, high, low, close, volume]`, as in a file of candles. */
export type CandleCells = readonly [number, string, string, string, string, string];

export interface CandleRange {
  readonly marketId: string;
  readonly timeframe: Timeframe;
  /** The first candle opens then or later; the last one closes then or earlier. */
  readonly sinceEpochMs: number;
  readonly untilEpochMs: number;
}

export interface VenueReader {
  readonly url: string;
  readonly timers: Timers;
  /** Takes progress lines for people. */
  readonly report: (line: string) => void;
}

/** The venue refused a request. The message is one line and says what to do. */
export class VenueRefused extends Error {
  override readonly name = 'VenueRefused';
}

const PAGE = 1_000;
const MIN_WAIT_MS = 1_000;
/** A request that is refused so often in a row is given up. */
const MAX_WAITS = 30;

export async function readMarket(venue: VenueReader, marketId: string): Promise<MarketTerms> {
  const { market } = await read(venue, getMarket, { params: { marketId } });
  const { priceScale, quantityScale, underlyingSymbol, takerFeeBps } = market;
  return {
    marketId: market.marketId,
    underlyingSymbol,
    priceScale,
    quantityScale,
    minPriceAtoms: atomsOf<PriceAtoms>(market.minPrice, priceScale),
    maxPriceAtoms: atomsOf<PriceAtoms>(market.maxPrice, priceScale),
    minQuantityAtoms: atomsOf<BaseAtoms>(market.minQuantity, quantityScale),
    maxQuantityAtoms: atomsOf<BaseAtoms>(market.maxQuantity, quantityScale),
    takerFeeBps: bps(takerFeeBps) as Bps,
  };
}

/** The closed candles of a range, in ascending order. */
export async function readCandles(venue: VenueReader, range: CandleRange): Promise<readonly CandleCells[]> {
  const { marketId, timeframe, untilEpochMs } = range;
  const rows: CandleCells[] = [];
  for (let sinceEpochMs = Math.max(0, range.sinceEpochMs); ; ) {
    const query = { timeframe, series: 'trade', since: String(sinceEpochMs), limit: String(PAGE) };
    const { candles, asOfEpochMs } = await read(venue, getCandles, { params: { marketId }, query });
    const closed = candles.filter((it) => it.openTimeEpochMs + TIMEFRAME_MS[timeframe] <= Math.min(untilEpochMs, asOfEpochMs));
    for (const it of closed) rows.push([it.openTimeEpochMs, it.open, it.high, it.low, it.close, it.volume]);
    if (closed.length < PAGE) return rows;
    sinceEpochMs = closed.at(-1)!.openTimeEpochMs + 1;
    venue.report(`backtest: ${rows.length} candles of ${marketId} read`);
  }
}

/** The script of a draft. `apiKey` has the scope agents. */
export async function readDraft(
  venue: VenueReader,
  draft: { readonly accountId: string; readonly draftId: string; readonly apiKey: string },
): Promise<{ readonly name: string; readonly text: string }> {
  const { accountId, draftId, apiKey } = draft;
  return read(venue, getAgentDraft, { params: { accountId, draftId }, apiKey });
}

/** Rejects with {@link VenueRefused}, or with `VenueUnreachable`. */
async function read<Called extends BodyOperation>(
  { url, timers, report }: VenueReader,
  operation: Called,
  request: ExchangeRequest,
): Promise<ResponseBody<Called>> {
  for (let waits = 0; ; waits += 1) {
    const response = await exchange(url, operation, request, timers);
    if ('body' in response) return response.body;
    const { refusal, retryAfterMs } = response;
    if (!refusal.retryable || waits === MAX_WAITS) throw new VenueRefused(`${url} refused: ${refusal.safeMessage}`);
    if (waits === 0) report(`backtest: waiting for the venue (${refusal.code})`);
    await sleep(timers, Math.max(MIN_WAIT_MS, retryAfterMs));
  }
}

function atomsOf<Atoms extends number>(text: string, scale: number): Atoms {
  const parsed = parseDecimal(text, scale);
  if ('atoms' in parsed) return parsed.atoms as Atoms;
  throw new VenueRefused(`the venue lists a market with the amount ${text}, which has more than ${scale} decimals`);
}
