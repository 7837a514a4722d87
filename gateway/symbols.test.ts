/** How often markets are read for symbols, and what concurrent callers get. */
import { expect, test } from 'vitest';
import { EXAMPLES } from '#contract/examples.ts';
import type { MarketCatalogue, MarketResource } from '#contract/markets.ts';
import type { Venue } from './port.ts';
import { Symbols } from './symbols.ts';

const catalogue = EXAMPLES.listMarkets!.response.body as MarketCatalogue;
const [bitcoin] = catalogue.markets as [MarketResource];
const KNOWN = 'BTC/USD.E:USD.E';
const LATE = 'DOGE/USD.E:USD.E';
const late: MarketResource = { ...bitcoin, marketId: 'DOGE-USD-PERP', baseAsset: 'DOGE' };

/** A venue whose list of markets, and the time of whose responses, the test controls; its clock does not move. */
function listing(...markets: MarketResource[]) {
  const reads: PromiseWithResolvers<void>[] = [];
  let nowMs = 5;
  const venue = {
    call: async () => {
      const listed = [...markets];
      const answering = Promise.withResolvers<void>();
      reads.push(answering);
      await answering.promise;
      return { ...catalogue, markets: listed };
    },
  } as unknown as Venue;
  return {
    symbols: new Symbols(venue, { elapsedMs: () => nowMs }),
    reads,
    list: (market: MarketResource) => markets.push(market),
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('shares one read among callers during it and shortly after', async () => {
  const { symbols, reads, pass } = listing(bitcoin);
  const lookups = [symbols.named(KNOWN), symbols.named(LATE), symbols.each([LATE, KNOWN, 'A/B:C'])] as const;
  pass(60_000);
  const joined = symbols.named('D/E:F');
  reads[0]!.resolve();
  const found = expect.objectContaining({ marketId: bitcoin.marketId });
  expect(await Promise.all([...lookups, joined])).toEqual([found, undefined, [undefined, found, undefined], undefined]);
  expect(reads).toHaveLength(1);
});

test('refuses an unknown symbol from the cache until a second is over', async () => {
  const { symbols, reads, list, pass } = listing(bitcoin);
  const first = symbols.named(LATE);
  reads[0]!.resolve();
  expect(await first).toBeUndefined();
  list(late);
  pass(999);
  await expect(symbols.inBody(LATE)).rejects.toMatchObject({ code: 'unknown_market' });
  expect(reads).toHaveLength(1);
  pass(1);
  const found = symbols.named(LATE);
  reads[1]!.resolve();
  expect(await found).toMatchObject({ marketId: late.marketId });
});

test('refuses a malformed symbol without a read', async () => {
  const { symbols, reads } = listing(bitcoin);
  await expect(symbols.inBody('BTC-USD-PERP')).rejects.toMatchObject({ code: 'unknown_market' });
  expect(reads).toEqual([]);
});

test('rejects all callers of a failed read, and reads again at once', async () => {
  const { symbols, reads } = listing(bitcoin);
  const lookups = [symbols.named(KNOWN), symbols.named(LATE)];
  reads[0]!.reject(new Error('away'));
  for (const one of lookups) await expect(one).rejects.toThrow('away');
  const again = symbols.named(KNOWN);
  reads[1]!.resolve();
  expect(await again).toBeDefined();
});

test('finds the market of a resource even if it was just listed', async () => {
  const { symbols, reads, list } = listing(bitcoin);
  const early = symbols.named(KNOWN);
  list(late);
  const found = symbols.of(late.marketId);
  reads[0]!.resolve();
  await early;
  await Promise.resolve();
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!.resolve();
  expect(await found).toMatchObject({ symbol: LATE });
  const nowhere = symbols.of('X-USD-PERP');
  for (const read of [2, 3]) {
    await expect.poll(() => reads.length).toBe(read + 1);
    reads[read]!.resolve();
  }
  await expect(nowhere).rejects.toThrow('it names a market X-USD-PERP and does not list it');
});
