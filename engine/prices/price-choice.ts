/**
 * Parses the `--prices` option: `generated`, `none`, or `file:` with one or more candle files, each for one market. Reads and checks the
 * files before the venue starts; markets without a file have generated prices.
 */
import { basename } from 'node:path';
import { readCandleFile } from './candle-file.ts';
import { CandlePath } from './candle-path.ts';
import { PriceSourceFault } from './price-source.ts';

/** The names of a market, in options and in file names. */
export interface NamedMarket {
  readonly marketId: string;
  readonly underlyingSymbol: string;
}

export interface PriceChoice {
  /** The option as it was written. */
  readonly prices: string;
  /** Whether any market has index prices. */
  readonly hasPrices: boolean;
  /** Markets whose index is replayed from candles. All others have generated prices, if any. */
  readonly replayed: ReadonlyMap<string, CandlePath>;
}

/** The choice of no index prices. */
export const NO_PRICES = 'none';

/** Throws {@link PriceSourceFault} for an unknown option and for invalid files. */
export function readPriceChoice(prices: string, markets: readonly NamedMarket[]): PriceChoice {
  if (prices === 'generated' || prices === NO_PRICES) return { prices, hasPrices: prices !== NO_PRICES, replayed: new Map() };
  if (!prices.startsWith('file:')) {
    throw new PriceSourceFault(
      `--prices ${prices}: write generated, none, or file:<candles>[,<candles>…], or file:${markets[0]?.marketId}=<candles>`,
    );
  }
  const replayed = new Map<string, CandlePath>();
  for (const part of prices.slice('file:'.length).split(',')) {
    const { marketId, path } = assignmentOf(part, markets);
    if (replayed.has(marketId)) throw new PriceSourceFault(`--prices: two files for ${marketId}; give one file per market`);
    replayed.set(marketId, new CandlePath(readCandleFile(path)));
  }
  return { prices, hasPrices: true, replayed };
}

function assignmentOf(part: string, markets: readonly NamedMarket[]): { marketId: string; path: string } {
  const equals = part.indexOf('=');
  const named = markets.find(({ marketId }) => marketId === part.slice(0, Math.max(0, equals)));
  if (named !== undefined) return { marketId: named.marketId, path: part.slice(equals + 1) };
  // A market that the start lists.
  if (NEW_MARKET.test(part.slice(0, Math.max(0, equals))))
    return { marketId: part.slice(0, equals), path: part.slice(equals + 1) };
  if (MARKET_NAME.test(part.slice(0, Math.max(0, equals))))
    throw unknownMarket(part.slice(0, equals), part.slice(equals + 1), markets);
  if (part === '') throw new PriceSourceFault('--prices file: names no file; write file:<candles>');
  const inferred = markets.filter((market) => isNamedAfter(basename(part), market));
  const marketId = inferred[0]?.marketId;
  if (marketId === undefined || inferred.length > 1) {
    throw new PriceSourceFault(`--prices: cannot infer the market of ${part}; write file:${markets[0]?.marketId}=${part}`);
  }
  return { marketId, path: part };
}

/** The id of a market, as a listing requires it. */
const NEW_MARKET = /^[A-Z0-9]{1,12}(?:-[A-Z0-9]{1,12}){1,3}$/;

/** A prefix before `=` that looks like this is meant as a market, not as the start of a path. */
const MARKET_NAME = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+$/;

function unknownMarket(name: string, path: string, markets: readonly NamedMarket[]): PriceSourceFault {
  const known = markets.map(({ marketId }) => marketId);
  return new PriceSourceFault(
    `--prices: there is no market ${name}, only ${known.join(', ')}; write file:${known[0]}=${path} with one of these names, or a new id in capital letters such as DOGE-USD-PERP`,
  );
}

/**
 * `BTCUSDT_1m.json`, `btc-usd-perp.csv`, `BTC.json`: the name starts with the underlying, followed by a quote asset, a separator
 * or nothing.
 */
function isNamedAfter(fileName: string, { underlyingSymbol }: NamedMarket): boolean {
  const name = fileName.toUpperCase();
  return name.startsWith(underlyingSymbol) && /^(?:USD|[^A-Z0-9]|$)/.test(name.slice(underlyingSymbol.length));
}
