import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { OrderList } from '#contract/account-history.ts';
import type { AccountSnapshot } from '#contract/accounts.ts';
import type { BookSnapshot, MarketStats, TradeList } from '#contract/markets.ts';
import type { OrderResource } from '#contract/orders.ts';
import { MARKET_MAKER_ROLES } from '#devnet/market-makers.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { eventually } from '#time/testing/eventually.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const MARKETS = DEVNET_MARKETS.map(({ specification }) => specification.marketId);

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

function directory(): string {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  return path;
}

async function started(...args: Parameters<typeof startTestVenue>): Promise<TestVenue> {
  const venue = await startTestVenue(...args);
  undo.push(() => venue.stop());
  return venue;
}

async function read<Resource>(venue: TestVenue, path: string, apiKey?: string): Promise<Resource> {
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  return (await (await fetch(venue.url + path, { headers })).json()) as Resource;
}

const book = (venue: TestVenue, marketId: string) => read<BookSnapshot>(venue, `/v1/markets/${marketId}/book?depth=50`);

/** How far the book of a market reaches from its index price, as fractions of it; 0 if a side is empty. */
async function reach(venue: TestVenue, marketId: string): Promise<{ below: number; above: number }> {
  const { indexPrice } = await read<MarketStats>(venue, `/v1/markets/${marketId}/stats`);
  const { bids, asks } = await book(venue, marketId);
  const index = Number(indexPrice);
  return { below: 1 - Number(bids.at(-1)?.[0] ?? index) / index, above: Number(asks.at(-1)?.[0] ?? index) / index - 1 };
}

async function filledBook(venue: TestVenue, marketId: string): Promise<void> {
  await eventually(async () => {
    const { below, above } = await reach(venue, marketId);
    expect(Math.min(below, above)).toBeGreaterThan(0.07);
  });
}

describe('the market makers', () => {
  test('fill the books of all markets well beyond 5 %, so that market orders fill at once', async () => {
    const venue = await started(testConfig(directory(), { withMarketMakers: true }));
    for (const marketId of MARKETS) await filledBook(venue, marketId);
    const { accountId, apiKey } = await venue.createAccount({ credit: '100000' });
    for (const [index, marketId] of MARKETS.entries()) {
      for (const side of ['buy', 'sell']) {
        const key = `${side}-${index}`;
        const response = await fetch(`${venue.url}/v1/orders`, {
          method: 'POST',
          headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
          body: JSON.stringify({ accountId, marketId, clientOrderId: key, side, orderType: 'market', notional: '50000' }),
        });
        const order = (await response.json()) as OrderResource;
        expect(order).toMatchObject({ status: 'filled', marketId, lastFillAtEpochMs: order.createdAtEpochMs });
        expect(Number(order.filledNotional)).toBeGreaterThan(49_000);
      }
    }
    expect(venue.internalErrors).toEqual([]);
    expect(venue.lines).toEqual([]);
  });

  test('keep both sides filled while the index falls by a third in seconds and its feed stops', async () => {
    const dataDirectory = directory();
    const prices = join(dataDirectory, 'BTC.csv');
    const minute = (index: number) => 1_618_951_320_000 + index * 60_000;
    const calm = Array.from({ length: 3 }, (_, index) => [minute(index), 60_000, 60_020, 59_980, 60_000]);
    const falling = (from: number, step: number, count: number, first: number) =>
      Array.from({ length: count }, (_, index) => {
        const [open, close] = [from - index * step, from - (index + 1) * step];
        return [minute(first + index), open, open, close, close];
      });
    // The second half falls much faster than the jump limit of the market: until prices are confirmed, the venue refuses the makers' orders.
    const crash = [...falling(60_000, 500, 12, 3), ...falling(54_000, 2_500, 6, 15)];
    const after = [0, 1, 2].map((index) => [minute(25 + index), 39_000, 39_900, 38_900, 39_500]);
    writeFileSync(prices, [...calm, ...crash, ...after].map((row) => [...row, 1].join(',')).join('\n'));
    const venue = await started(testConfig(dataDirectory, { withMarketMakers: true, prices: `file:${prices}`, speed: 60 }));
    const index = async () => Number((await read<MarketStats>(venue, '/v1/markets/BTC-USD-PERP/stats')).indexPrice);
    await eventually(async () => expect(await index()).toBeGreaterThan(59_000));
    await filledBook(venue, 'BTC-USD-PERP');
    const indices: number[] = [];
    while (!venue.lines.some((line) => line.includes('BTC-USD-PERP: the candles ended'))) {
      const { bids, asks } = await book(venue, 'BTC-USD-PERP');
      expect(bids.length).toBeGreaterThan(3);
      expect(asks.length).toBeGreaterThan(3);
      indices.push(await index());
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    expect(Math.min(...indices)).toBeLessThan(40_000);
    expect(venue.lines.filter((line) => line.startsWith('prices: '))).toContainEqual(
      expect.stringMatching(/BTC-USD-PERP: the candles have a gap/),
    );
    expect(venue.internalErrors).toEqual([]);
  });

  test('trade all the time on a modest number of commands, and continue with their orders after a restart', async () => {
    const config = testConfig(directory(), { withMarketMakers: true });
    const first = await started(config);
    for (const marketId of MARKETS) await filledBook(first, marketId);
    const [before, startedAt] = [first.directory.sequence(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    await eventually(() => expect(first.directory.sequence()).toBeGreaterThan(before + 12));
    const perSecond = (1_000 * (first.directory.sequence() - before)) / (performance.now() - startedAt);
    expect(perSecond).toBeLessThan(150);
    for (const marketId of MARKETS) {
      const traded = async () => {
        const { trades } = await read<TradeList>(first, `/v1/markets/${marketId}/trades`);
        expect(trades.length).toBeGreaterThan(0);
      };
      await eventually(traded);
    }
    const marketMakersFile = join(config.dataDirectory, 'house.json');
    const content = readFileSync(marketMakersFile, 'utf8');
    await first.stop();

    const second = await started(config);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(readFileSync(marketMakersFile, 'utf8')).toBe(content);
    expect(statSync(marketMakersFile).mode & 0o777).toBe(0o600);
    const marketMakers = JSON.parse(content);
    expect(marketMakers).toHaveLength(MARKETS.length * MARKET_MAKER_ROLES.length);
    for (const { role, accountId, apiKey } of marketMakers as { role: string; accountId: string; apiKey: string }[]) {
      const hasItsOrders = async () => {
        const { orders } = await read<OrderList>(second, `/v1/accounts/${accountId}/orders/open?limit=500`, apiKey);
        if (role === 'maker') expect(orders.length).toBeGreaterThan(20);
        // The next round cancels leftovers of a side whose renewal the stop interrupted.
        expect(orders.length).toBeLessThan(40);
      };
      await eventually(hasItsOrders);
      const { cashBalance } = await read<AccountSnapshot>(second, `/v1/accounts/${accountId}`, apiKey);
      expect(Number(cashBalance)).toBeGreaterThan(90_000_000);
    }
    const sequence = second.directory.sequence();
    await eventually(() => expect(second.directory.sequence()).toBeGreaterThan(sequence + 10));
    expect([...first.internalErrors, ...second.internalErrors]).toEqual([]);
    expect([...first.lines, ...second.lines]).toEqual([]);
  });
});
