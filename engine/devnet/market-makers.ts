/**
 * The market makers of a devnet: per market a maker that keeps the book deep and a taker that trades. All are ordinary clients
 * over HTTP with API keys and no privileges; they share one limit of commands per second.
 */
import { randomBytes } from 'node:crypto';
import type { Time } from '#time/time.ts';
import { sleep } from '#time/timers.ts';
import { runMaker } from './maker.ts';
import { Pace } from './pace.ts';
import { randomOf } from './randomness.ts';
import { reportOnce } from './report.ts';
import { runTaker } from './taker.ts';
import { VenueClient } from './venue-client.ts';

export const MARKET_MAKER_ROLES = ['maker', 'taker'] as const;
export type MarketMakerRole = (typeof MARKET_MAKER_ROLES)[number];

/** An account of a market maker with its key. */
export interface MarketMakerAccount {
  readonly role: MarketMakerRole;
  readonly marketId: string;
  readonly accountId: string;
  readonly apiKey: string;
}

export interface MarketMakersOptions {
  /** The base URL of the venue. */
  readonly url: string;
  readonly accounts: readonly MarketMakerAccount[];
  readonly seed: number;
  /** The maximum rate of commands of all market makers together. */
  readonly commandsPerSecond: number;
  readonly time: Omit<Time, 'clock'>;
  /** Receives log lines. */
  readonly log: (line: string) => void;
  /** Receives exceptions of a market maker: it restarts after a pause. */
  readonly onInternalError: (error: unknown) => void;
}

export interface MarketMakers {
  /** Resolves when no more requests are in progress. The orders stay in the book. */
  stop(): Promise<void>;
}

/** The credit of one account, in USD.E: far more than it can lose in years of trading. */
export const MARKET_MAKER_CREDIT = '100000000';

const MAKER_POSITION_LIMIT = 3_000_000;
const TAKER_POSITION_LIMIT = 150_000;
/** A maker's positions are fully margined: a liquidation would remove its quotes just when the book needs them. */
const MAKER_LEVERAGE_X = 1;
const TAKER_LEVERAGE_X = 3;
const MAKER_ROUND_MS = 1_000;
const TAKER_AVERAGE_WAIT_MS = 1_200;
/** The pause before a restart after an internal error. */
const RESTART_MS = 5_000;

export function startMarketMakers(options: MarketMakersOptions): MarketMakers {
  const { accounts, commandsPerSecond, time } = options;
  const stopping = new AbortController();
  const pace = new Pace(commandsPerSecond, time);
  const runId = randomBytes(6).toString('hex');
  const running = accounts.map((account) => keepRunning(account, options, pace, runId, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

/** Resolves when the signal aborts. */
async function keepRunning(
  account: MarketMakerAccount,
  options: MarketMakersOptions,
  pace: Pace,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let run = 1; !signal.aborted; run += 1) {
    try {
      // Each run has its own client order ids.
      await runAccount(account, options, pace, `${runId}.${run}`, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onInternalError(error);
      await sleep(options.time.timers, RESTART_MS, { signal }).catch(() => {});
    }
  }
}

function runAccount(
  account: MarketMakerAccount,
  { url, seed, time: { timers }, log }: MarketMakersOptions,
  pace: Pace,
  runId: string,
  signal: AbortSignal,
): Promise<never> {
  const { role, marketId, accountId, apiKey } = account;
  const client = new VenueClient({ url, accountId, apiKey, pace, timers, signal });
  const report = reportOnce(`${role} ${marketId}`, log);
  const common = { client, marketId, runId, timers, signal, report };
  if (role === 'maker') {
    return runMaker({ ...common, leverageX: MAKER_LEVERAGE_X, positionLimit: MAKER_POSITION_LIMIT, roundMs: MAKER_ROUND_MS });
  }
  // Includes the run in the seed, so that trades do not repeat after a restart.
  const random = randomOf(seed, `${marketId} ${runId}`);
  return runTaker({
    ...common,
    leverageX: TAKER_LEVERAGE_X,
    positionLimit: TAKER_POSITION_LIMIT,
    averageWaitMs: TAKER_AVERAGE_WAIT_MS,
    random,
  });
}
