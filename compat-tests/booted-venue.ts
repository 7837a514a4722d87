/**
 * A venue for one run of checks: the devnet's markets with built-in market makers, one with funding every two seconds, on free ports,
 * in a temporary directory. Ready when every market has a book, a trade and an index candle.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type AccountOptions, type RunningVenue, startVenue } from '#app/compose.ts';
import { DEFAULT_ORDERS_PER_SECOND, DEFAULT_READS_PER_SECOND } from '#app/config.ts';
import { prepareQuickFunding } from '#app/testing/quick-funding.ts';
import { SEGMENT_BYTES } from '#app/testing/test-venue.ts';
import { withdraw } from '#app/testing/withdrawal.ts';
import { systemTime } from '#time/system-time.ts';

export interface BootedVenue {
  readonly url: string;
  readonly realtimeUrl: string;
  /**
   * Creates an account with an API key (by default for reading and trading) and this cash in USD.E after one withdrawal. The venue's own
   * commands make it, because a withdrawal over `/v1` needs an owner's passkey.
   */
  openAccount(cash: string, options?: Pick<AccountOptions, 'scopes' | 'party'>): Promise<{ readonly apiKey: string }>;
  stop(): Promise<void>;
}

/** Ends a start that hangs; on a busy machine it takes far less. */
const TIMEOUT_MS = 300_000;
/** The default history of a venue. */
const HISTORY_MS = 30 * 86_400_000;
/** An integer, which floats add exactly. */
const WITHDRAWN = 8;

export async function bootVenue(): Promise<BootedVenue> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'openperp-compat-'));
  await prepareQuickFunding(dataDirectory);
  const internalErrors: unknown[] = [];
  const config = {
    dataDirectory,
    environment: 'development' as const,
    seed: 1,
    host: 'localhost',
    port: 0,
    realtimePort: 0,
    prices: 'generated',
    speed: 1,
    historyMs: HISTORY_MS,
  };
  const rates = { ordersPerSecond: DEFAULT_ORDERS_PER_SECOND, readsPerSecond: DEFAULT_READS_PER_SECOND };
  const venue = await startVenue(
    { ...config, ...rates, origins: [], trustedProxies: [], withMarketMakers: true },
    {
      ...systemTime,
      segmentBytes: SEGMENT_BYTES,
      log: () => undefined,
      onFatalError: (error) => internalErrors.push(error),
      onInternalError: (error) => internalErrors.push(error),
      onHalt: (halt) => internalErrors.push(halt),
    },
  );
  const stop = async () => {
    await venue.stop();
    await rm(dataDirectory, { recursive: true, force: true });
    if (internalErrors.length > 0) throw new AggregateError(internalErrors, 'the venue had an internal error during the checks');
  };
  try {
    await untilTraded(venue);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: venue.url,
    realtimeUrl: venue.realtimeUrl,
    openAccount: async (cash, options = {}) => {
      const credit = String(Number(cash) + WITHDRAWN);
      const { accountId, apiKey } = await venue.createAccount({ ...options, label: 'compat', credit });
      await withdraw(venue, accountId, WITHDRAWN);
      return { apiKey };
    },
    stop,
  };
}

async function untilTraded({ url }: RunningVenue): Promise<void> {
  const exchange = new OpenPerp({ urls: { api: { rest: url } } });
  const deadline = performance.now() + TIMEOUT_MS;
  for (;;) {
    const tickers = Object.values(await exchange.fetchTickers());
    if (tickers.every(({ bid, ask, last }) => bid !== undefined && ask !== undefined && last !== undefined)) return;
    if (performance.now() > deadline)
      throw new Error(`the market makers did not trade on every market within ${TIMEOUT_MS / 1_000} s`);
    await sleep(50);
  }
}
