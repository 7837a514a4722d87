/** Reads the orders of a deployment from the action log, page by page, as its bars are replayed. */
import type { LoggedAction } from '#reads/agent-log.ts';
import type { AgentActionOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { ActionLog } from './ports.ts';

export interface LoggedOrder {
  readonly action: AgentActionOrdinal;
  readonly barEpochMs: number;
  readonly barIndex: number;
  readonly filledBaseAtoms: number;
  readonly filledNotionalAtoms: number;
  readonly positionBaseAtoms: number;
}

const PAGE_ACTIONS = 500;

export class LoggedOrders {
  readonly #log: ActionLog;
  readonly #deployment: AgentDeploymentOrdinal;
  #after: AgentActionOrdinal;
  #hasMore = true;
  #orders: LoggedOrder[] = [];
  #startedAtEpochMs: number | null = null;

  /** @param after the newest action that the run already has */
  constructor(log: ActionLog, deployment: AgentDeploymentOrdinal, after: AgentActionOrdinal) {
    this.#log = log;
    this.#deployment = deployment;
    this.#after = after;
  }

  /** When the deployment started, if an action that was read says so. The start comes before all orders. */
  get startedAtEpochMs(): number | null {
    return this.#startedAtEpochMs;
  }

  /** Whether {@link orders} knows everything up to this bar. False if a page must be read first. */
  reaches(barEpochMs: number): boolean {
    const last = this.#orders.at(-1);
    return !this.#hasMore || (last !== undefined && last.barEpochMs > barEpochMs);
  }

  async readPage(): Promise<void> {
    const actions = await this.#log.actions({ deployment: this.#deployment, after: this.#after, limit: PAGE_ACTIONS });
    this.#hasMore = actions.length === PAGE_ACTIONS;
    for (const action of actions) this.#take(action);
  }

  /** Removes and returns the orders up to this bar, oldest first. */
  orders(barEpochMs: number): readonly LoggedOrder[] {
    const count = this.#orders.findIndex((order) => order.barEpochMs > barEpochMs);
    return this.#orders.splice(0, count < 0 ? this.#orders.length : count);
  }

  #take({ action, kind, recordedAtEpochMs, barEpochMs, barIndex, ...fills }: LoggedAction): void {
    this.#after = action;
    if (kind === 'deployment_started') this.#startedAtEpochMs = recordedAtEpochMs;
    if (barEpochMs === null) return;
    const { filledBaseAtoms, filledNotionalAtoms, positionBaseAtoms } = fills;
    this.#orders.push({
      action,
      barEpochMs,
      barIndex: barIndex!,
      filledBaseAtoms: filledBaseAtoms!,
      filledNotionalAtoms: filledNotionalAtoms!,
      positionBaseAtoms,
    });
  }
}
