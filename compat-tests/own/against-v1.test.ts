/**
 * Every wrong or missing field of the class is noticed by a check: each field is spoilt here in turn, in the structures of the
 * fixtures.
 */
import { describe, expect, test } from 'vitest';
import { staticData } from '#compat/fixtures/files.ts';
import type { Row, VenueAccount } from '#compat/venue-account.ts';
import { assertSame, READINGS, type Reading, type ReadStage } from './against-v1.ts';

/** Fields that ccxt's base derives from other fields of a ticker: `market-data.ts` checks them. */
const TICKERS = ['fetchTicker', 'fetchTickers', 'fetchBidsAsks', 'fetchMarkPrices'];
const COMPUTED_BY_BASE = /^(?:.+\.)?(?:vwap|change|percentage|average)$/;

type Structure = Record<string, unknown>;

const markets = Object.values(staticData('markets')) as readonly { symbol: string; info: Row }[];
const account = {
  symbols: markets.map(({ symbol }) => symbol),
  market: (symbol: string) => markets.find((market) => market.symbol === symbol)?.info,
  symbolOfId: (id: unknown) => markets.find(({ info }) => info.marketId === id)?.symbol,
} as unknown as VenueAccount;
const stage: ReadStage = { account, symbol: 'BTC/USD.E:USD.E' };

interface RecordedRead {
  readonly response: Row;
  readonly parsed: unknown;
}

/** The fixtures of a read whose parsed structures match its expectation. */
function recordedFor({ method, expect: expected }: Reading): readonly RecordedRead[] {
  const { methods } = staticData('response') as {
    methods: Record<string, readonly { httpResponse: Row; parsedResponse: unknown }[]>;
  };
  return (methods[method] ?? [])
    .map(({ httpResponse: response, parsedResponse: parsed }) => ({ response, parsed }))
    .filter(({ response, parsed }) => passes(() => assertSame(parsed, expected(response, stage), method)));
}

function passes(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** The path of every field with a value, except the venue's raw response. */
function pathsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (value === null || (typeof value === 'object' && path.at(-1) === 'info')) return value === null ? [] : [path];
  if (typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]));
}

function corrupted(structure: unknown, path: readonly string[], corrupt: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return corrupt(structure);
  const copy = (Array.isArray(structure) ? [...structure] : { ...(structure as Structure) }) as Structure;
  copy[key] = corrupted(copy[key], rest, corrupt);
  return copy;
}

const CORRUPTIONS: Readonly<Record<string, (value: unknown) => unknown>> = {
  gone: () => undefined,
  wrong: (value) => {
    if (typeof value === 'number') return value * 1.01 + 1;
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value}x` : {};
  },
};

test('has a fixture for every read', () => {
  expect(READINGS.filter((reading) => recordedFor(reading).length === 0)).toEqual([]);
});

describe.each(READINGS.map((reading) => [reading.method, reading] as const))('%s', (method, reading) => {
  test.each(Object.entries(CORRUPTIONS))('notices a field that is %s', (_, corrupt) => {
    const unnoticed = recordedFor(reading).flatMap(({ response, parsed }) =>
      pathsIn(parsed)
        .filter((path) => passes(() => assertSame(corrupted(parsed, path, corrupt), reading.expect(response, stage), method)))
        .map((path) => path.join('.')),
    );
    const isOfBase = (path: string) => TICKERS.includes(method) && COMPUTED_BY_BASE.test(path);
    expect(unnoticed.filter((path) => !isOfBase(path))).toEqual([]);
  });
});
