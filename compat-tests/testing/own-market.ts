/**
 * A venue for tests of the socket class, with an extra market: the test sets its index price, its funding is settled every
 * second, and only the test trades there.
 */

import type { VenueConfig } from '#app/config.ts';
import { startTestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { Clock } from '#time/clock.ts';
import { systemTime } from '#time/system-time.ts';
import type { Time } from '#time/time.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { bps, epochMs, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';

export const SYMBOL = 'TST/USD.E:USD.E';
export const MARKET_ID = 'TST-USD-PERP';
/** Ticks per unit of price. */
const TICKS = 10;

const SPECIFICATION = {
  ...DEVNET_MARKETS[0]!.specification,
  maxPriceAtoms: priceAtoms(50_000),
  quantityScale: 3,
  maxIndexAgeMs: 3_600_000,
  maxIndexJumpBps: bps(10_000),
  indexConfirmations: 1,
  fundingPeriodMs: 1_000,
  premiumSampleMs: 100,
};

export type OwnMarket = Awaited<ReturnType<typeof startOwnMarket>>;

/** Its index price starts at 1,000. Rate limits are at their maximum. */
export async function startOwnMarket(changes: Partial<VenueConfig> = {}, time: Time = systemTime) {
  const directory = temporaryDirectory();
  const rates = { ordersPerSecond: 1_000_000, readsPerSecond: 1_000_000 };
  const venue = await startTestVenue(testConfig(directory.path, { ...rates, ...changes }), time);
  const run = async (command: Command) => (await venue.submit({ command })).events;
  const markets = new Map<string, MarketOrdinal>();
  const index = (price: number, name = 'TST') => publishIndex(run, time.clock, markets.get(name)!, price);
  const list = async (name: string) => {
    markets.set(name, await listMarket(run, name));
    await index(1_000, name);
    return `${name}/USD.E:USD.E`;
  };
  await run({ type: 'CreditInsurance', amountAtoms: quoteAtoms(1_000_000_000_000), reference: 'test' });
  await list('TST');
  return {
    url: venue.url,
    realtimeUrl: venue.realtimeUrl,
    internalErrors: venue.internalErrors,
    run,
    index,
    /** Lists another market with the same rules and the same initial index price. */
    list,
    openAccount: (credit = '100000') => venue.createAccount({ label: 'socket', credit }),
    stop: async () => {
      await venue.stop();
      directory.remove();
      if (venue.internalErrors.length > 0) throw new AggregateError(venue.internalErrors, 'the venue had an internal error');
    },
  };
}

type Run = (command: Command) => Promise<readonly object[]>;

async function listMarket(run: Run, name: string): Promise<MarketOrdinal> {
  const specification = { ...SPECIFICATION, underlyingSymbol: name, marketId: `${name}-USD-PERP` };
  const listed = await run({ type: 'ListMarket', specification, status: 'open' });
  const market = listed.map((event) => ('market' in event ? event.market : undefined)).find((it) => it !== undefined);
  if (market === undefined) throw new Error(`the market was not listed: ${JSON.stringify(listed)}`);
  return market as MarketOrdinal;
}

async function publishIndex(run: Run, clock: Clock, market: MarketOrdinal, price: number) {
  const observedAtEpochMs = epochMs(clock.now());
  await run({ type: 'PublishIndexPrice', market, priceAtoms: priceAtoms(Math.round(price * TICKS)), observedAtEpochMs });
  // What is due after it, such as a liquidation; refused if nothing is.
  await run({ type: 'AdvanceMarket', market });
}
