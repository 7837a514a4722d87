/**
 * Reads the `--prices` option: `generated`, or `file:` with one or more candle files, each for one market. Files are
 * read and checked here, before the venue touches anything; markets without a file keep generated prices.
 */
import { basename } from 'node:path';
import { readCandleFile } from './candle-file.ts';
import { CandlePath } from './candle-path.ts';
import { PriceSourceFault } from './price-source.ts';

/** What a market is known by, in options and in the names of files. */
export interface NamedMarket {
  readonly marketId: string;
  readonly underlyingSymbol: string;
}

export interface PriceChoice {
  /** The option as it was written. */
  readonly prices: string;
  /** Markets whose index is replayed from candles. All others are generated. */
  readonly replayed: ReadonlyMap<string, CandlePath>;
}

/** Throws {@link PriceSourceFault} for an option that says nothing known and for files that are no candles. */
export function readPriceChoice(prices: string, markets: readonly NamedMarket[]): PriceChoice {
  if (prices === 'generated') return { prices, replayed: new Map() };
  if (!prices.startsWith('file:')) {
    throw new PriceSourceFault(
      `--prices ${prices}: write generated, or file:<candles>[,<candles>…], or file:${markets[0]?.marketId}=<candles>`,
    );
  }
  const replayed = new Map<string, CandlePath>();
  for (const part of prices.slice('file:'.length).split(',')) {
    const { marketId, path } = assignmentOf(part, markets);
    if (replayed.has(marketId)) throw new PriceSourceFault(`--prices: two files for ${marketId}; give one file per market`);
    replayed.set(marketId, new CandlePath(readCandleFile(path)));
  }
  return { prices, replayed };
}

function assignmentOf(part: string, markets: readonly NamedMarket[]): { marketId: string; path: string } {
  const equals = part.indexOf('=');
  const named = markets.find(({ marketId }) => marketId === part.slice(0, Math.max(0, equals)));
  if (named !== undefined) return { marketId: named.marketId, path: part.slice(equals + 1) };
  if (MARKET_NAME.test(part.slice(0, Math.max(0, equals))))
    throw unknownMarket(part.slice(0, equals), part.slice(equals + 1), markets);
  if (part === '') throw new PriceSourceFault('--prices file: names no file; write file:<candles>');
  const inferred = markets.filter((market) => isNamedAfter(basename(part), market));
  const marketId = inferred[0]?.marketId;
  if (marketId === undefined || inferred.length > 1) {
    throw new PriceSourceFault(`--prices: cannot tell the market of ${part}; write file:${markets[0]?.marketId}=${part}`);
  }
  return { marketId, path: part };
}

/** What stands before `=` and looks like this is meant as a market, not as the beginning of a path. */
const MARKET_NAME = /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)+$/;

function unknownMarket(name: string, path: string, markets: readonly NamedMarket[]): PriceSourceFault {
  const known = markets.map(({ marketId }) => marketId);
  return new PriceSourceFault(
    `--prices: there is no market ${name}, only ${known.join(', ')}; write file:${known[0]}=${path} with one of these names`,
  );
}

/** `BTCUSDT_1m.json`, `btc-usd-perp.csv`, `BTC.json`: the name begins with the underlying, and it ends there or a quote follows. */
function isNamedAfter(fileName: string, { underlyingSymbol }: NamedMarket): boolean {
  const name = fileName.toUpperCase();
  return name.startsWith(underlyingSymbol) && /^(?:USD|[^A-Z0-9]|$)/.test(name.slice(underlyingSymbol.length));
}
