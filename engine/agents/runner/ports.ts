/**
 * What the runner needs of the venue: closed bars, the action log, submissions, and a place for states. All of it is replaceable, so
 * that tests and the bench run without a venue.
 */
import type { ScriptBar } from '#agents/script/run.ts';
import type { AgentDirectory } from '#reads/agent-directory.ts';
import type { AgentLogQuery, LoggedAction } from '#reads/agent-log.ts';
import type { Clock, SteadyClock } from '#time/clock.ts';
import type { Timers } from '#time/timers.ts';
import type { AgentDeploymentOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Submit } from '#writer/port/submit.ts';

export interface ClosedBar extends ScriptBar {
  readonly openTimeEpochMs: EpochMs;
}

/** The bars of a market and a timeframe. */
export interface BarSeries {
  readonly market: MarketOrdinal;
  readonly timeframeMs: number;
}

export interface BarPage {
  /** Oldest first. A span without trades has no bar. */
  readonly bars: readonly ClosedBar[];
  /** Every bar that opens before this time has closed and is final; no bar of the page opens later. A full page may end before it. */
  readonly closedUntilEpochMs: number;
}

export interface BarSource {
  /** Whether the venue records candles of this length. */
  hasTimeframe(timeframeMs: number): boolean;
  /** The first `limit` closed bars that open at or after a time. */
  barsSince(series: BarSeries, sinceEpochMs: number, limit: number): Promise<BarPage>;
}

export interface ActionLog {
  /** A page of everything that is durable. */
  actions(query: AgentLogQuery): Promise<readonly LoggedAction[]>;
}

export interface MarketScale {
  readonly priceScale: number;
  readonly quantityScale: number;
}

/** What the run of a deployment needs of its market. */
export interface RunMarket extends MarketScale {
  /** The bounds of the quantity of an order. */
  readonly minQuantityAtoms: number;
  readonly maxQuantityAtoms: number;
}

/** Texts by deployment. Losing one costs time, not correctness. */
export interface StateStore {
  /** `undefined` if there is none. */
  read(deployment: AgentDeploymentOrdinal): Promise<string | undefined>;
  /** After a crash either the old or the new text is there, or something that {@link decodeRunState} refuses. */
  write(deployment: AgentDeploymentOrdinal, text: string): Promise<void>;
  remove(deployment: AgentDeploymentOrdinal): Promise<void>;
}

export interface RunnerParts {
  readonly directory: Pick<AgentDirectory, 'draft' | 'openDeployment' | 'openDeployments'>;
  readonly submit: Submit;
  readonly bars: BarSource;
  readonly log: ActionLog;
  readonly states: StateStore;
  /** Whether agents may act now: the capability is on and the venue runs. Without it bars only change the state of runs. */
  readonly mayAct: () => boolean;
  readonly runMarket: (market: MarketOrdinal) => Promise<RunMarket>;
  /** The journal's time. */
  readonly clock: Clock;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** Receives log lines for people. */
  readonly logLine: (line: string) => void;
  /** Receives an error of one deployment; the others go on. */
  readonly onInternalError: (error: unknown) => void;
}
