/** A writer with a real journal, three markets with books, and deployments of the catalogue's scripts. */
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import type { BarSource, ClosedBar } from '#agents/runner/ports.ts';
import { type LoggedActionEvent, loggedAction } from '#agents/runner/testing/logged-action.ts';
import { INTERPRETER_VERSION } from '#agents/script/run.ts';
import { AGENT_COMMANDS, VenueAgentDirectory } from '#projection/projection.ts';
import type { LoggedAction } from '#reads/agent-log.ts';
import { SCENARIO_MARKET, Scenario } from '#simulation/scenario.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { AgentDeploymentOrdinal, AgentDraftOrdinal, MarketOrdinal, Sequence } from '#units/ids.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import { agentOwner, deployment, draft, REVIEW_DIGEST } from '#venue/agent/testing/agents.ts';
import type { Command } from '#venue/command.ts';
import { VenueState } from '#venue/state.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import type { GroupListener } from '#writer/port/submit.ts';

export const MINUTE_MS = 60_000;
export const HISTORY_BARS = 300;
const MARKETS = ['BTC', 'ETH', 'SOL'];
const PRICE_ATOMS = 10_000;
/** The maximum of an owner. */
const DEPLOYMENTS_PER_OWNER = 20;

/** The commands that make the venue, from its first record. */
export function agentCommands(deployments: number): readonly Command[] {
  const scenario = new RecordedScenario();
  scenario.snapshotEvery = Number.MAX_SAFE_INTEGER;
  scenario.populate(1);
  for (const symbol of MARKETS.slice(1)) {
    const specification = { ...SCENARIO_MARKET, marketId: `${symbol}-USD-PERP`, underlyingSymbol: symbol };
    scenario.run({ type: 'ListMarket', specification, status: 'open' });
    scenario.price(PRICE_ATOMS, (MARKETS.indexOf(symbol) + 1) as MarketOrdinal);
  }
  for (const index of MARKETS.keys()) {
    const market = (index + 1) as MarketOrdinal;
    for (let level = 1; level <= 20; level += 1) {
      scenario.limit(1, 'buy', PRICE_ATOMS - level, 50, { market });
      scenario.limit(1, 'sell', PRICE_ATOMS + level, 50, { market });
    }
  }
  const scripts = STRATEGY_CATALOGUE.strategies.flatMap(({ script }) => (script === null ? [] : [script]));
  for (let made = 0; made < deployments; made += 1) {
    if (made % DEPLOYMENTS_PER_OWNER === 0) agentOwner(scenario, made + 1);
    const { agents, accounts } = scenario.venue.state;
    const owner = { account: (accounts.length - 2) as never, agentAccount: (accounts.length - 1) as never };
    scenario.run({ ...draft(owner.account), text: scripts[made % scripts.length]! });
    const number = agents.lastDraft as AgentDraftOrdinal;
    scenario.run({ type: 'ReviewAgentScript', account: owner.account, draft: number, reviewDigest: REVIEW_DIGEST });
    const market = ((made % MARKETS.length) + 1) as MarketOrdinal;
    const terms = { historyBars: HISTORY_BARS, orderSizeAtoms: 30 as BaseAtoms, parameters: '{}', modelId: INTERPRETER_VERSION };
    scenario.run(deployment(owner, { draft: number, market, ...terms }));
  }
  return scenario.commands;
}

class RecordedScenario extends Scenario {
  readonly commands: Command[] = [];

  override run(command: Command): ReturnType<Scenario['run']> {
    this.commands.push(command);
    return super.run(command);
  }
}

/** The directory and the action log, which follow the journal. */
export class AgentFollower {
  readonly directory = new VenueAgentDirectory(new VenueState(), 0 as Sequence);
  readonly #actions = new Map<AgentDeploymentOrdinal, LoggedAction[]>();

  readonly follow: GroupListener = ({ stored }) => {
    const records = recordsOfCommands(stored!, AGENT_COMMANDS);
    this.directory.follow(lastSequenceOf(stored!), records);
    for (const { events, epochMs } of records) for (const event of events) this.#log(event as LoggedActionEvent, epochMs);
  };

  actionsOf(number: AgentDeploymentOrdinal): readonly LoggedAction[] {
    return this.#actions.get(number) ?? [];
  }

  #log(event: LoggedActionEvent, epochMs: EpochMs): void {
    if (event.type !== 'PaperOrderPlaced' && event.type !== 'AgentDeploymentChanged') return;
    const known = this.#actions.get(event.deployment);
    if (known === undefined) this.#actions.set(event.deployment, [loggedAction(event, epochMs)]);
    else known.push(loggedAction(event, epochMs));
  }
}

/** One-minute bars of random walks, which close when the time says so. */
export class WalkedBars implements BarSource {
  readonly #bars = new Map<MarketOrdinal, ClosedBar[]>();
  readonly #random: () => number;
  #nextEpochMs: number;

  constructor(seed: number, firstEpochMs: number) {
    this.#random = seededRandom(seed);
    this.#nextEpochMs = firstEpochMs;
    for (const index of MARKETS.keys()) this.#bars.set((index + 1) as MarketOrdinal, []);
  }

  /** The time at which the newest bar closed. */
  get closedUntilEpochMs(): number {
    return this.#nextEpochMs;
  }

  closeNext(): void {
    for (const bars of this.#bars.values()) {
      const openAtoms = bars.at(-1)?.closeAtoms ?? PRICE_ATOMS;
      const closeAtoms = openAtoms + Math.round((this.#random() - 0.5) * 40) + (openAtoms > PRICE_ATOMS ? -1 : 1);
      const highAtoms = Math.max(openAtoms, closeAtoms) + Math.floor(this.#random() * 10);
      const lowAtoms = Math.min(openAtoms, closeAtoms) - Math.floor(this.#random() * 10);
      const volumeAtoms = 1 + Math.floor(this.#random() * 10_000);
      bars.push({ openTimeEpochMs: this.#nextEpochMs as EpochMs, openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms });
    }
    this.#nextEpochMs += MINUTE_MS;
  }

  hasTimeframe(timeframeMs: number): boolean {
    return timeframeMs === MINUTE_MS;
  }

  async barsSince({ market }: { market: MarketOrdinal }, sinceEpochMs: number, limit: number) {
    const bars = this.#bars.get(market)!;
    const first = bars.findLastIndex(({ openTimeEpochMs }) => openTimeEpochMs < sinceEpochMs) + 1;
    return { bars: bars.slice(first, first + limit), closedUntilEpochMs: this.#nextEpochMs };
  }
}
