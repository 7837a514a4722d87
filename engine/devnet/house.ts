/**
 * The house of a devnet: for every market a maker that keeps the book deep and a taker that keeps it trading. Both are
 * ordinary clients over HTTP with API keys and no privilege; they share one limit on commands per second.
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

export const HOUSE_ROLES = ['maker', 'taker'] as const;
export type HouseRole = (typeof HOUSE_ROLES)[number];

/** An account of the house with its key. */
export interface HouseAccount {
  readonly role: HouseRole;
  readonly marketId: string;
  readonly accountId: string;
  readonly apiKey: string;
}

export interface HouseOptions {
  /** The base URL of the venue. */
  readonly url: string;
  readonly accounts: readonly HouseAccount[];
  readonly seed: number;
  /** The most commands that all of the house together send. */
  readonly commandsPerSecond: number;
  readonly time: Omit<Time, 'clock'>;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what the code of a market maker threw: it starts again after a pause. */
  readonly onInternalError: (error: unknown) => void;
}

export interface House {
  /** Resolves when no more requests are under way. Its orders stay in the book. */
  stop(): Promise<void>;
}

/** What the house commits to one account, in USD.E: far more than it can lose in years of trading with itself. */
export const HOUSE_CREDIT = '100000000';

const MAKER_POSITION_LIMIT = 3_000_000;
const TAKER_POSITION_LIMIT = 150_000;
/** A maker pays its positions in full: one that is liquidated loses its quotes, just when the book needs them. */
const MAKER_LEVERAGE_X = 1;
const TAKER_LEVERAGE_X = 3;
const MAKER_ROUND_MS = 1_000;
const TAKER_AVERAGE_WAIT_MS = 1_200;
/** How long one rests that met an internal error. */
const RESTART_MS = 5_000;

export function startHouse(options: HouseOptions): House {
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

/** Resolves once the signal aborts. */
async function keepRunning(
  account: HouseAccount,
  options: HouseOptions,
  pace: Pace,
  runId: string,
  signal: AbortSignal,
): Promise<void> {
  for (let run = 1; !signal.aborted; run += 1) {
    try {
      // No two runs name their orders alike.
      await runAccount(account, options, pace, `${runId}.${run}`, signal);
    } catch (error) {
      if (signal.aborted) return;
      options.onInternalError(error);
      await sleep(options.time.timers, RESTART_MS, { signal }).catch(() => {});
    }
  }
}

function runAccount(
  account: HouseAccount,
  { url, seed, time: { timers }, log }: HouseOptions,
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
  // The run is part of the seed: a venue that starts again does not repeat its trades.
  const random = randomOf(seed, `${marketId} ${runId}`);
  return runTaker({
    ...common,
    leverageX: TAKER_LEVERAGE_X,
    positionLimit: TAKER_POSITION_LIMIT,
    averageWaitMs: TAKER_AVERAGE_WAIT_MS,
    random,
  });
}
