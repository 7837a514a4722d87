/** What a start lists, and how it brings built-in markets that break the listing rules to their specification. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { bps, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const BITCOIN = DEVNET_MARKETS[0]!.specification;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function directory(): string {
  const { path, remove } = temporaryDirectory();
  cleanups.push(remove);
  return path;
}

async function started(...config: Parameters<typeof testConfig>): Promise<TestVenue> {
  const venue = await startTestVenue(testConfig(...config));
  cleanups.push(() => venue.stop());
  return venue;
}

const market = 1 as MarketOrdinal;

async function update(venue: TestVenue, change: Partial<MarketSpecification>): Promise<void> {
  const { events } = await venue.submit({ command: { type: 'UpdateMarket', market, specification: { ...BITCOIN, ...change } } });
  expect(events.map(({ type }) => type)).toEqual(['MarketUpdated']);
}

const specificationOf = (venue: TestVenue) => venue.directory.listedMarket('BTC-USD-PERP')!.specification;

test('brings a built-in market to the listing rules by a journaled update, and leaves others as the operator set them', async () => {
  const path = directory();
  const first = await startTestVenue(testConfig(path));
  await update(first, { maxIndexJumpBps: bps(500) });
  await first.stop();
  const second = await startTestVenue(testConfig(path));
  expect(second.lines).toEqual(['markets: BTC-USD-PERP has a new specification, within the listing rules: see market list']);
  expect(specificationOf(second)).toEqual(BITCOIN);
  await update(second, { makerFeeBps: bps(1) });
  await second.stop();
  const third = await started(path);
  expect(third.lines).toEqual([]);
  expect(specificationOf(third)).toEqual({ ...BITCOIN, makerFeeBps: 1 });
});

test('continues with the old specification if positions would fall below maintenance, and names their number', async () => {
  const path = directory();
  const first = await startTestVenue(testConfig(path));
  const tiers = [{ notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(50) }];
  const loose = {
    initialMarginBps: bps(60),
    maxLeverageX: 160,
    maintenanceMarginTiers: tiers,
    markBandBps: bps(10),
    fundingCapPpb: BITCOIN.fundingInterestPpb,
  };
  await update(first, { ...loose, maxIndexJumpBps: bps(500), liquidationFeeBps: bps(50) });
  const { indexPrice } = parseRendered(await first.reads.marketStats(market));
  for (const side of ['sell', 'buy'] as const) await trade(first, side, String(Math.round(Number(indexPrice))));
  await first.stop();
  const second = await started(path);
  expect(second.lines).toEqual([
    'markets: BTC-USD-PERP keeps its specification (market_busy): 2 positions in BTC-USD-PERP would fall below maintenance, and nothing was ' +
      'changed: choose lower maintenance rates, or repeat the command when they are closed or have more margin',
  ]);
  expect(specificationOf(second).maxLeverageX).toBe(160);
});

async function trade(venue: TestVenue, side: 'buy' | 'sell', price: string): Promise<void> {
  const { accountId, apiKey } = await venue.createAccount({ credit: '10000' });
  const order = { accountId, marketId: 'BTC-USD-PERP', clientOrderId: side, side, orderType: 'limit', quantity: '0.1', price };
  const response = await fetch(`${venue.url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': side },
    body: JSON.stringify({ ...order, leverageX: 150 }),
  });
  expect(await response.json()).toMatchObject({ marketId: 'BTC-USD-PERP', clientOrderId: side });
}

test('lists a market for which there are candles, with the scales of its first price', async () => {
  const path = directory();
  const candles = join(path, 'candles.json');
  writeFileSync(
    candles,
    JSON.stringify([
      [1_600_000_000_000, 0.25, 0.26, 0.24, 0.25, 1],
      [1_600_000_060_000, 0.25, 0.26, 0.24, 0.25, 1],
    ]),
  );
  const venue = await started(join(path, 'data'), { prices: `file:DOGE-USD-PERP=${candles}` });
  const { market: doge, specification } = venue.directory.listedMarket('DOGE-USD-PERP')!;
  expect(specification).toMatchObject({ priceScale: 5, quantityScale: 0, underlyingSymbol: 'DOGE' });
  expect(Number(parseRendered(await venue.reads.marketStats(doge)).indexPrice)).toBeCloseTo(0.25, 1);
});

test('lists and prices as many markets as wanted', async () => {
  const venue = await started(directory(), { marketCount: 20 });
  const { markets } = parseRendered(await venue.reads.marketCatalogue());
  expect(markets).toHaveLength(20);
  for (const { market: ordinal } of venue.directory.listedMarkets())
    expect(parseRendered(await venue.reads.marketStats(ordinal)).indexPrice).not.toBeNull();
});
