/**
 * A venue for tests of the runner: the real core with a static book, bars of one market, an action log in memory, and submissions that can
 * die before or after their turn.
 */

import type { BarPage, ClosedBar, RunnerParts } from '#agents/runner/ports.ts';
import { AgentRunner } from '#agents/runner/runner.ts';
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import { systemTime } from '#time/system-time.ts';
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import { type AgentOwner, agentOwner, deployment, draft, REVIEW_DIGEST } from '#venue/agent/testing/agents.ts';
import type { Command, CreateAgentDeployment } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Outcome, Submission } from '#writer/port/submit.ts';
import { type LoggedActionEvent, loggedAction } from './logged-action.ts';

export const MINUTE_MS = 60_000;
/** The first minute after the scenario's start. */
export const FIRST_MINUTE = 1_700_000_040_000;

/** Long above 1,000. */
export const LONG_ABOVE = `//@version=6
strategy("Above")
if close > 1000
    strategy.entry("Long", strategy.long)
else
    strategy.close("Long")
`;

export class RunnerVenue {
  readonly scenario: Scenario;
  readonly owner: AgentOwner;
  readonly bars: ClosedBar[] = [];
  readonly actions: ReturnType<typeof loggedAction>[] = [];
  readonly states = new Map<AgentDeploymentOrdinal, string>();
  readonly lines: string[] = [];
  readonly errors: unknown[] = [];
  /** Called with each submission and its number from 1 on, in place of the venue; it may throw or never resolve. */
  intercept: (turn: () => Outcome, number: number, command: Command) => Promise<Outcome> = async (turn) => turn();
  mayAct = true;
  submissions = 0;
  runner: AgentRunner;
  readonly #specification: MarketSpecification;

  constructor(specification = SCENARIO_MARKET) {
    this.#specification = specification;
    this.scenario = Scenario.withAccounts(1, specification);
    this.scenario.snapshotEvery = 1_000_000;
    this.owner = agentOwner(this.scenario, 1);
    for (let level = 1; level <= 5; level += 1) {
      this.scenario.limit(1, 'buy', 10_000 - 3 * level, 7);
      this.scenario.limit(1, 'sell', 10_000 + 3 * level, 7);
    }
    this.runner = this.start();
  }

  /** Adds the bar of a minute, counted from {@link FIRST_MINUTE}, with one price. */
  bar(minute: number, priceAtoms: number): void {
    const openTimeEpochMs = (FIRST_MINUTE + minute * MINUTE_MS) as EpochMs;
    const price = { openAtoms: priceAtoms, highAtoms: priceAtoms, lowAtoms: priceAtoms, closeAtoms: priceAtoms };
    this.bars.push({ openTimeEpochMs, ...price, volumeAtoms: 10 });
  }

  /** Moves the time to the start of a minute, and lets the runner work what has closed. */
  async reach(minute: number): Promise<void> {
    const due = FIRST_MINUTE + minute * MINUTE_MS;
    if (due > this.scenario.now) this.scenario.wait(due - this.scenario.now);
    this.runner.timePassed();
    await this.runner.settled();
  }

  /** Deploys a reviewed script. Returns its number. */
  deploy(text: string, changes: Partial<CreateAgentDeployment> = {}, owner = this.owner): AgentDeploymentOrdinal {
    const { account } = owner;
    this.take({ ...draft(account), text });
    const { lastDraft } = this.scenario.venue.state.agents;
    this.take({ type: 'ReviewAgentScript', account, draft: lastDraft, reviewDigest: REVIEW_DIGEST });
    const modelId = INTERPRETER_VERSION;
    const size = { orderSizeAtoms: 10 as BaseAtoms, historyBars: 5, parameters: '{}' };
    this.take(deployment(owner, { draft: lastDraft, modelId, ...size, ...changes }));
    return this.scenario.venue.state.agents.lastDeployment;
  }

  /** Starts a runner, as a new process does. What the former one has not submitted is lost. */
  start(): AgentRunner {
    this.runner = new AgentRunner(this.#parts());
    this.runner.deploymentsChanged();
    return this.runner;
  }

  /** Runs a command and publishes it to the runner. */
  take(command: Command): Outcome {
    const events = this.scenario.run(command);
    const { sequence, now: epochMs } = this.scenario;
    for (const event of events) if (isAction(event)) this.actions.push(loggedAction(event, epochMs));
    if (events.some(({ type }) => type.startsWith('AgentDeployment'))) this.runner.deploymentsChanged();
    return { command, sequence, epochMs, events, replayed: false };
  }

  #parts(): RunnerParts {
    const { agents } = this.scenario.venue.state;
    const clock = { now: () => this.scenario.now };
    const source = async (_: unknown, sinceEpochMs: number, limit: number): Promise<BarPage> => {
      const closedUntilEpochMs = Math.floor(clock.now() / MINUTE_MS) * MINUTE_MS;
      const isIn = ({ openTimeEpochMs: at }: ClosedBar) => at >= sinceEpochMs && at < closedUntilEpochMs;
      return { bars: this.bars.filter(isIn).slice(0, limit), closedUntilEpochMs };
    };
    return {
      directory: {
        draft: (it) => agents.drafts.get(it),
        openDeployment: (it) => agents.deployments.get(it),
        openDeployments: () => [...agents.deployments.values()],
      },
      submit: ({ command }: Submission) => {
        this.submissions += 1;
        return this.intercept(() => this.take(command), this.submissions, command);
      },
      bars: { hasTimeframe: (timeframeMs) => timeframeMs === MINUTE_MS, barsSince: source },
      log: {
        actions: async ({ deployment: number, after, limit }) =>
          this.actions.filter(({ deployment: of, action }) => of === number && action > after).slice(0, limit),
      },
      states: {
        read: async (number) => this.states.get(number),
        write: async (number, text) => void this.states.set(number, text),
        remove: async (number) => void this.states.delete(number),
      },
      mayAct: () => this.mayAct,
      runMarket: async () => ({ ...this.#specification }),
      clock,
      steadyClock: { elapsedMs: () => 0 },
      // A pause takes one turn of the event loop.
      timers: { ...systemTime.timers, setTimeout: systemTime.timers.setImmediate },
      logLine: (line) => this.lines.push(line),
      onInternalError: (error) => this.errors.push(error),
    };
  }
}

/** The actions so far, without their times. */
export function orders({ actions }: RunnerVenue) {
  return actions.map(({ recordedAtEpochMs: _, ...action }) => action);
}

function isAction(event: { readonly type: string }): event is LoggedActionEvent {
  return event.type === 'PaperOrderPlaced' || event.type === 'AgentDeploymentChanged';
}
