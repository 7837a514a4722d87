/**
 * The run of one deployment: the interpreter with the paper position, and what the action log has of the bars that are replayed. Bars go
 * in one by one; the runner places the orders that come out.
 */
import type { ScriptAction } from '#agents/script/order-desk.ts';
import type { ScriptPosition, ScriptRun } from '#agents/script/run.ts';
import type { RunEnd } from '#agents/script/run-fault.ts';
import type { AgentDeployment } from '#reads/agent-directory.ts';
import type { AgentActionOrdinal } from '#units/ids.ts';
import type { OrderTerms } from './bar-orders.ts';
import { type LoggedOrder, LoggedOrders } from './logged-orders.ts';
import { FLAT, positionAfter } from './paper-position.ts';
import type { ActionLog, ClosedBar, RunMarket } from './ports.ts';
import { encodeRunState, originOf, type RunState } from './run-state.ts';

export class DeploymentRun {
  readonly deployment: AgentDeployment;
  readonly #script: ScriptRun;
  readonly #market: RunMarket;
  readonly #log: LoggedOrders;
  #position: ScriptPosition = FLAT;
  #lastBarEpochMs: number;
  #lastAction = 0 as AgentActionOrdinal;
  #startedAtEpochMs: number | null = null;
  #barsSinceSave = 0;

  /** @param state from which the run continues; the script is restored from it already */
  constructor(deployment: AgentDeployment, script: ScriptRun, market: RunMarket, log: ActionLog, state?: RunState) {
    this.deployment = deployment;
    this.#script = script;
    this.#market = market;
    this.#lastBarEpochMs = firstBarOf(deployment) - deployment.timeframeMs;
    if (state !== undefined) {
      this.#position = state.position;
      this.#lastBarEpochMs = state.lastBarEpochMs;
      this.#lastAction = state.lastAction;
      this.#startedAtEpochMs = state.startedAtEpochMs;
    }
    this.#log = new LoggedOrders(log, deployment.deployment, this.#lastAction);
  }

  get position(): ScriptPosition {
    return this.#position;
  }

  get orderTerms(): OrderTerms {
    return { ...this.#market, orderSizeAtoms: this.deployment.orderSizeAtoms };
  }

  /** Where the next bar may open. */
  get nextBarEpochMs(): number {
    return this.#lastBarEpochMs + this.deployment.timeframeMs;
  }

  /** Bars that the run took since it was saved. */
  get barsSinceSave(): number {
    return this.#barsSinceSave;
  }

  /** When the deployment started; null before. */
  get startedAtEpochMs(): number | null {
    return this.#startedAtEpochMs ?? this.#log.startedAtEpochMs;
  }

  started(atEpochMs: number): void {
    this.#startedAtEpochMs = atEpochMs;
  }

  /** Reads the action log up to a bar, before {@link onBar} takes it. */
  async readLog(barEpochMs: number): Promise<void> {
    while (!this.#log.reaches(barEpochMs)) await this.#log.readPage();
  }

  /** Takes the next bar. Returns its actions, and the orders of it that an earlier process placed. */
  onBar(
    bar: ClosedBar,
  ): { readonly actions: readonly ScriptAction[]; readonly placed: readonly LoggedOrder[] } | { readonly end: RunEnd } {
    // The position at the close of a bar includes the orders of the bars before, and none of its own.
    for (const order of this.#log.orders(bar.openTimeEpochMs - 1)) this.take(order);
    const outcome = this.#script.onBar(bar, this.#position);
    if ('end' in outcome) return outcome;
    this.#lastBarEpochMs = bar.openTimeEpochMs;
    this.#barsSinceSave += 1;
    return { actions: outcome.actions, placed: this.#log.orders(bar.openTimeEpochMs) };
  }

  /** Takes the fills of an order. */
  take(order: Omit<LoggedOrder, 'barEpochMs' | 'barIndex'>): void {
    this.#position = positionAfter(this.#position, order, this.#market);
    this.#lastAction = order.action;
  }

  /** The state after the last bar, as text. Only valid when all orders of that bar were taken. */
  save(): string {
    this.#barsSinceSave = 0;
    return encodeRunState({
      origin: originOf(this.deployment),
      lastBarEpochMs: this.#lastBarEpochMs,
      lastAction: this.#lastAction,
      startedAtEpochMs: this.startedAtEpochMs,
      position: this.#position,
      script: this.#script.save(),
    });
  }
}

/** The first bar of the warm-up: `historyBars` timeframes before the bar in which the deployment was created. */
export function firstBarOf({ createdAtEpochMs, timeframeMs, historyBars }: AgentDeployment): number {
  return Math.max(0, Math.floor(createdAtEpochMs / timeframeMs) - historyBars) * timeframeMs;
}
