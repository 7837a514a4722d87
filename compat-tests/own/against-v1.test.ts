/**
 * No field that the class sets can be wrong, or missing, without a check that notices: each is spoilt here in turn, in the structures that
 * the fixtures hold beside the answers that they were read out of.
 */
import { describe, expect, test } from 'vitest';
import { staticData } from '#compat/fixtures/files.ts';
import type { Row, VenueAccount } from '#compat/venue-account.ts';
import { assertSame, READINGS, type Reading, type ReadStage } from './against-v1.ts';

/** What ccxt's base works out of other fields of a ticker: `market-data.ts` holds it to them. */
const TICKERS = ['fetchTicker', 'fetchTickers', 'fetchBidsAsks', 'fetchMarkPrices'];
const BY_THE_BASE = /^(?:.+\.)?(?:vwap|change|percentage|average)$/;

type Structure = Record<string, unknown>;

const markets = Object.values(staticData('markets')) as readonly { symbol: string; info: Row }[];
const account = {
  symbols: markets.map(({ symbol }) => symbol),
  market: (symbol: string) => markets.find((market) => market.symbol === symbol)?.info,
  symbolOfId: (id: unknown) => markets.find(({ info }) => info.marketId === id)?.symbol,
} as unknown as VenueAccount;
const stage: ReadStage = { account, symbol: 'BTC/USD.E:USD.E' };

interface Recorded {
  readonly answer: Row;
  readonly parsed: unknown;
}

/** Those fixtures of a reading that the class reads as the check expects. */
function recordedFor({ method, expect: expected }: Reading): readonly Recorded[] {
  const { methods } = staticData('response') as {
    methods: Record<string, readonly { httpResponse: Row; parsedResponse: unknown }[]>;
  };
  return (methods[method] ?? [])
    .map(({ httpResponse: answer, parsedResponse: parsed }) => ({ answer, parsed }))
    .filter(({ answer, parsed }) => passes(() => assertSame(parsed, expected(answer, stage), method)));
}

function passes(run: () => void): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

/** Every field that has a value, down to the venue's own words. */
function pathsIn(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (value === null || (typeof value === 'object' && path.at(-1) === 'info')) return value === null ? [] : [path];
  if (typeof value !== 'object') return [path];
  return Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...path, key]));
}

function spoilt(structure: unknown, path: readonly string[], spoil: (value: unknown) => unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return spoil(structure);
  const copy = (Array.isArray(structure) ? [...structure] : { ...(structure as Structure) }) as Structure;
  copy[key] = spoilt(copy[key], rest, spoil);
  return copy;
}

const SPOILS: Readonly<Record<string, (value: unknown) => unknown>> = {
  gone: () => undefined,
  wrong: (value) => {
    if (typeof value === 'number') return value * 1.01 + 1;
    if (typeof value === 'boolean') return !value;
    return typeof value === 'string' ? `${value}x` : {};
  },
};

test('every reading is among the fixtures', () => {
  expect(READINGS.filter((reading) => recordedFor(reading).length === 0)).toEqual([]);
});

describe.each(READINGS.map((reading) => [reading.method, reading] as const))('%s', (method, reading) => {
  test.each(Object.entries(SPOILS))('notices a field that is %s', (_, spoil) => {
    const unnoticed = recordedFor(reading).flatMap(({ answer, parsed }) =>
      pathsIn(parsed)
        .filter((path) => passes(() => assertSame(spoilt(parsed, path, spoil), reading.expect(answer, stage), method)))
        .map((path) => path.join('.')),
    );
    const isOfBase = (path: string) => TICKERS.includes(method) && BY_THE_BASE.test(path);
    expect(unnoticed.filter((path) => !isOfBase(path))).toEqual([]);
  });
});
