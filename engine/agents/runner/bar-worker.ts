/**
 * Works a bar: shows it to the run and places its orders through the writer, one after the other. An order of the bar that an earlier
 * process placed is taken from the action log instead.
 */

import type { AgentDeployment } from '#reads/agent-directory.ts';
import { sleep, type Timers } from '#time/timers.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { MAX_CHANGE_REASON_LENGTH } from '#venue/agent/deploying.ts';
import type { ChangedDeploymentState } from '#venue/agent/deployment.ts';
import type { Command } from '#venue/command.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { type Outcome, WriterBusy } from '#writer/port/submit.ts';
import { type BarOrder, ORDERS_PER_ACTION, ordersOf } from './bar-orders.ts';
import { cutText } from './cut-text.ts';
import type { DeploymentRun } from './deployment-run.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import type { ClosedBar, RunnerParts } from './ports.ts';
import { Slices } from './slices.ts';

/** Few enough to leave the writer's queue to the clients. */
const MAX_SUBMISSIONS = 64;
const BUSY_RETRY_MS = 100;
/** Past bars take at most a third of the thread. */
const PAST_REST_PER_MS = 2;

/** The deployment has ended meanwhile. */
const GONE: ReadonlySet<RefusalCode> = new Set([
  'agent_state_conflict',
  'agent_deployment_ended',
  'agent_deployment_not_found',
] as const);

type WorkerParts = Pick<RunnerParts, 'directory' | 'submit' | 'clock' | 'steadyClock' | 'timers' | 'mayAct'>;

export class BarWorker {
  readonly #parts: WorkerParts;
  readonly #signal: AbortSignal;
  /** Bars whose orders are due, and past ones that only bring a run forward. */
  readonly #due: Slices;
  readonly #past: Slices;
  readonly #submissions = new FairSemaphore(MAX_SUBMISSIONS);
  barsWorked = 0;
  ordersPlaced = 0;

  /** @param signal ends waiting for a busy writer, and bars whose orders are not all decided */
  constructor(parts: WorkerParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    this.#due = new Slices(parts);
    this.#past = new Slices({ ...parts, restPerMs: PAST_REST_PER_MS });
  }

  /** Resolves with false if the deployment has ended, also by this bar. Rejects when the runner closes before the bar's last order. */
  async work(run: DeploymentRun, bar: ClosedBar): Promise<boolean> {
    await this.whileBusy(() => run.readLog(bar.openTimeEpochMs));
    const { account, deployment } = run.deployment;
    const slices = this.#isPast(run, bar) ? this.#past : this.#due;
    const outcome = await slices.run(account, () => run.onBar(bar));
    if ('end' in outcome) {
      await this.change(deployment, 'failed', `${outcome.end.reason}: ${outcome.end.detail}`);
      return false;
    }
    this.barsWorked += 1;
    const placed = new Map(outcome.placed.map((order) => [order.barIndex, order]));
    const lastPlaced = outcome.placed.at(-1)?.barIndex ?? -1;
    for (const [place, action] of outcome.actions.entries()) {
      const orders = ordersOf(action, run.position, run.orderTerms);
      for (let step = 0; step < ORDERS_PER_ACTION; step += 1) {
        this.#signal.throwIfAborted();
        // Depends on the place of the action alone, so that orders of an earlier process have the same one.
        const index = place * ORDERS_PER_ACTION + step;
        const earlier = placed.get(index);
        if (earlier !== undefined) run.take(earlier);
        const order = orders[step];
        // The core would refuse an order before one that it has.
        if (order === undefined || index <= lastPlaced || !this.#mayOrder(run, bar)) continue;
        if (!(await this.#place(run, bar, index, order))) return false;
      }
    }
    return true;
  }

  /** Runs what is needed to open a deployment when it does not delay others. */
  openSlice<Result>({ account }: Pick<AgentDeployment, 'account'>, work: () => Result): Promise<Result> {
    return this.#past.run(account, work);
  }

  /** Changes the state of a deployment. Resolves with the time of the change, or `undefined` if it is refused. */
  async change(deployment: AgentDeploymentOrdinal, state: ChangedDeploymentState, reason: string): Promise<EpochMs | undefined> {
    const open = this.#parts.directory.openDeployment(deployment);
    if (open === undefined) return undefined;
    const { account, stateVersion: expectedStateVersion } = open;
    const change = { deployment, state, reason: cutText(reason, MAX_CHANGE_REASON_LENGTH), expectedStateVersion };
    const { events, epochMs } = await this.whileBusy(() => this.#submit(account, { type: 'ChangeAgentDeployment', ...change }));
    return events[0]?.type === 'AgentDeploymentChanged' ? epochMs : undefined;
  }

  /** Repeats what the venue is too busy for. Rejects when the runner closes. */
  async whileBusy<Result>(attempt: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (!(error instanceof WriterBusy)) throw error;
      }
      await this.#pause();
    }
  }

  /** Whether the bar closed longer ago than one timeframe. */
  #isPast({ deployment: { timeframeMs } }: DeploymentRun, bar: ClosedBar): boolean {
    return this.#parts.clock.now() >= bar.openTimeEpochMs + 2 * timeframeMs;
  }

  /** Only a bar that closed after the start, in a running deployment, and not longer ago than one bar. */
  #mayOrder(run: DeploymentRun, bar: ClosedBar): boolean {
    const { directory, mayAct } = this.#parts;
    const { startedAtEpochMs } = run;
    const { deployment, timeframeMs } = run.deployment;
    if (startedAtEpochMs === null || bar.openTimeEpochMs + timeframeMs <= startedAtEpochMs) return false;
    if (this.#isPast(run, bar)) return false;
    return directory.openDeployment(deployment)?.state === 'running' && mayAct();
  }

  /** Resolves with false if the deployment has ended. */
  async #place(run: DeploymentRun, bar: ClosedBar, index: number, order: BarOrder): Promise<boolean> {
    const { account, deployment } = run.deployment;
    const command = { type: 'PlacePaperOrder', deployment, barEpochMs: bar.openTimeEpochMs, index, ...order } as const;
    while (this.#mayOrder(run, bar)) {
      const outcome = await this.#submit(account, command).catch(undefinedIfBusy);
      if (outcome === undefined) {
        await this.#pause();
        continue;
      }
      const [event] = outcome.events;
      if (event?.type === 'PaperOrderPlaced') {
        run.take({ ...event, positionBaseAtoms: event.ledger.positionBaseAtoms });
        this.ordersPlaced += 1;
        return true;
      }
      if (event?.type !== 'CommandRefused') throw new Error(`a paper order resulted in ${event?.type}`);
      // The action log has every order of before, so the core cannot have it.
      if (event.code === 'agent_order_repeated') throw new Error(`deployment ${deployment} repeats order ${index} of a bar`);
      return !GONE.has(event.code);
    }
    return true;
  }

  #submit(account: AccountOrdinal, command: Command): Promise<Outcome> {
    return this.#submissions.run(account, () => this.#parts.submit({ command }));
  }

  #pause(): Promise<void> {
    const timers: Timers = this.#parts.timers;
    return sleep(timers, BUSY_RETRY_MS, { signal: this.#signal });
  }
}

function undefinedIfBusy(error: unknown): undefined {
  if (!(error instanceof WriterBusy)) throw error;
}
