/**
 * Runs all open deployments: takes up those that are created, works their bars as they close, and drops those that end. Everything but
 * the actions can be derived again, so a start after a crash continues as if nothing had happened.
 */
import type { AgentDeployment } from '#reads/agent-directory.ts';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { VenueHalted } from '#writer/port/submit.ts';
import { BarWorker } from './bar-worker.ts';
import type { DeploymentRun } from './deployment-run.ts';
import { FairSemaphore } from './fair-semaphore.ts';
import { openDeployment } from './opening.ts';
import type { BarSeries, RunnerParts } from './ports.ts';
import { RecentBars } from './recent-bars.ts';
import { lagOf, type RunnerCounts, type RunnerTask } from './runner-task.ts';

/** Deployments that are opened, or work a page of past bars, at the same time: each holds bars and actions. */
const MAX_READERS = 8;
/** A state is saved after so many bars; numbers spread the saves of deployments that started together. */
const MIN_BARS_PER_SAVE = 60;
const SAVE_SPREAD = 30;

export class AgentRunner {
  readonly #parts: RunnerParts;
  readonly #closing = new AbortController();
  readonly #worker: BarWorker;
  readonly #readers = new FairSemaphore(MAX_READERS);
  readonly #tasks = new Map<AgentDeploymentOrdinal, RunnerTask>();
  readonly #series = new Map<string, RecentBars>();
  readonly #pending = new Set<Promise<void>>();
  #nextCloseEpochMs = Number.POSITIVE_INFINITY;
  #hasSaveFailed = false;

  constructor(parts: RunnerParts) {
    this.#parts = parts;
    this.#worker = new BarWorker(parts, this.#closing.signal);
  }

  /** Call it once at the start, and after records that created a deployment or changed its state. */
  deploymentsChanged(): void {
    if (this.#isClosed) return;
    const { directory } = this.#parts;
    for (const task of this.#tasks.values()) if (directory.openDeployment(task.number) === undefined) this.#drop(task);
    for (const deployment of directory.openDeployments()) {
      if (this.#tasks.has(deployment.deployment)) continue;
      const bars = this.#seriesOf(deployment);
      const { deployment: number, account } = deployment;
      const task = { number, account, bars, run: undefined, isBusy: false, isNotified: false };
      this.#tasks.set(task.number, task);
      this.#wake(task);
    }
  }

  /** Call it after every durable group: its time may have closed a bar. */
  timePassed(): void {
    const nowEpochMs = this.#parts.clock.now();
    if (nowEpochMs < this.#nextCloseEpochMs || this.#isClosed) return;
    for (const bars of this.#series.values()) if (nowEpochMs >= bars.nextCloseEpochMs) this.#track(this.#refresh(bars));
  }

  counts(): RunnerCounts {
    const tasks = [...this.#tasks.values()];
    const states = tasks.map(({ number }) => this.#parts.directory.openDeployment(number)?.state);
    const nowEpochMs = this.#parts.clock.now();
    const { barsWorked, ordersPlaced } = this.#worker;
    return {
      running: states.filter((state) => state === 'running').length,
      pending: states.filter((state) => state === 'pending').length,
      behind: tasks.filter(({ isBusy }) => isBusy).length,
      lagMs: tasks.reduce((lag, task) => Math.max(lag, lagOf(task, nowEpochMs)), 0),
      barsWorked,
      ordersPlaced,
    };
  }

  /** Resolves when no work goes on, also that which it started meanwhile. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Ends after the bars that are being worked, and saves the states. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.settled();
    for (const task of this.#tasks.values()) await this.#save(task);
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #track(work: Promise<void>): void {
    const pending = work.catch((error) => this.#reportUnlessEnding(error)).finally(() => this.#pending.delete(pending));
    this.#pending.add(pending);
  }

  #wake(task: RunnerTask): void {
    task.isNotified = true;
    if (!task.isBusy) this.#track(this.#workUntilDone(task));
  }

  async #workUntilDone(task: RunnerTask): Promise<void> {
    task.isBusy = true;
    try {
      while (task.isNotified && this.#isOpen(task)) {
        task.isNotified = false;
        if (task.run === undefined) await this.#readers.run(task.account, () => this.#open(task));
        if (task.run !== undefined) await this.#catchUp(task);
      }
    } catch (error) {
      // A bar can be half done: the run is not saved, and opened again with the next bar.
      task.run = undefined;
      throw error;
    } finally {
      task.isBusy = false;
    }
  }

  async #open(task: RunnerTask): Promise<void> {
    const deployment = this.#parts.directory.openDeployment(task.number);
    if (deployment === undefined) return;
    const opening = await this.#worker.whileBusy(() =>
      openDeployment(deployment, this.#parts, (work) => this.#worker.openSlice(deployment, work)),
    );
    if ('failure' in opening) {
      await this.#worker.change(task.number, 'failed', opening.failure);
      return;
    }
    task.run = opening.run;
  }

  /** Works all bars that have closed, and starts a deployment that waits for it. */
  async #catchUp(task: RunnerTask): Promise<void> {
    const run = task.run!;
    for (;;) {
      const isRecent = task.bars.hasSince(run.nextBarEpochMs);
      const page = () => this.#workPage(task, run);
      const worked = isRecent ? await page() : await this.#readers.run(task.account, page);
      if (worked === 'none') break;
      if (worked === 'ended') return;
    }
    if (this.#parts.directory.openDeployment(task.number)?.state !== 'pending' || !this.#parts.mayAct()) return;
    const startedAtEpochMs = await this.#worker.change(task.number, 'running', '');
    if (startedAtEpochMs !== undefined) run.started(startedAtEpochMs);
  }

  /** Works the next closed bars. */
  async #workPage(task: RunnerTask, run: DeploymentRun): Promise<'some' | 'none' | 'ended'> {
    const bars = await this.#worker.whileBusy(() => task.bars.since(run.nextBarEpochMs));
    for (const bar of bars) {
      if (!this.#isOpen(task)) return 'ended';
      if (!(await this.#worker.work(run, bar))) {
        task.run = undefined;
        return 'ended';
      }
      if (run.barsSinceSave >= MIN_BARS_PER_SAVE + (task.number % SAVE_SPREAD)) await this.#save(task);
    }
    return bars.length === 0 ? 'none' : 'some';
  }

  async #refresh(bars: RecentBars): Promise<void> {
    const hasNew = await this.#worker.whileBusy(() => bars.refresh());
    this.#nextCloseEpochMs = Math.min(...[...this.#series.values()].map(({ nextCloseEpochMs }) => nextCloseEpochMs));
    if (hasNew) for (const task of this.#tasks.values()) if (task.bars === bars) this.#wake(task);
  }

  #seriesOf({ market, timeframeMs }: AgentDeployment): RecentBars {
    const name = nameOf({ market, timeframeMs });
    const known = this.#series.get(name);
    if (known !== undefined) return known;
    const currentEpochMs = Math.floor(this.#parts.clock.now() / timeframeMs) * timeframeMs;
    const bars = new RecentBars(this.#parts.bars, { market, timeframeMs }, currentEpochMs);
    this.#series.set(name, bars);
    this.#nextCloseEpochMs = Math.min(this.#nextCloseEpochMs, bars.nextCloseEpochMs);
    return bars;
  }

  #isOpen({ number }: RunnerTask): boolean {
    return this.#tasks.has(number) && !this.#isClosed;
  }

  #drop({ number, bars }: RunnerTask): void {
    this.#tasks.delete(number);
    if (![...this.#tasks.values()].some((other) => other.bars === bars)) this.#series.delete(nameOf(bars.series));
    this.#track(this.#parts.states.remove(number));
  }

  /** A state that cannot be saved is reported once: the next start replays more bars. */
  async #save({ number, run }: RunnerTask): Promise<void> {
    // One that ended meanwhile has no state any more.
    if (run === undefined || run.barsSinceSave === 0 || !this.#tasks.has(number)) return;
    try {
      await this.#parts.states.write(number, run.save());
    } catch (error) {
      if (!this.#hasSaveFailed) this.#parts.logLine(`agents: states of runs cannot be saved: ${String(error)}`);
      this.#hasSaveFailed = true;
    }
  }

  /** Nothing can be submitted to a halted venue; its next start continues. */
  #reportUnlessEnding(error: unknown): void {
    if (error instanceof VenueHalted) this.#closing.abort();
    else if (!this.#isClosed) this.#parts.onInternalError(error);
  }
}

function nameOf({ market, timeframeMs }: BarSeries): string {
  return `${market} ${timeframeMs}`;
}
