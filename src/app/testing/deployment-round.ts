/** One life of the venue of `deployment-process.ts`: from its start until it kills itself or stops. */
import type { LoggedAction } from '#reads/agent-log.ts';

/** When the process kills itself; `delayMs` after the candle ended. `null`: it stops cleanly once the order is in the log. */
export interface DeploymentRound {
  readonly dataDirectory: string;
  /** The number of candles that ended before. */
  readonly candles: number;
  readonly kill: { readonly delayMs: number } | 'in_log' | null;
}

export const MINUTE_MS = 60_000;
/** The first candle opens here. */
export const FIRST_BAR_EPOCH_MS = 1_790_000_040_000 - (1_790_000_040_000 % MINUTE_MS);

/** What a process that stopped cleanly reports. */
export interface DeploymentReport {
  readonly actions: readonly LoggedAction[];
  /** The opening times of its candles. */
  readonly bars: readonly number[];
  readonly internalErrors: readonly string[];
}
