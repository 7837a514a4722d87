/** The action log of a deployment as the page has it: each action once, by its id, with the paper ledger after the newest one. */
import type { ActionPage, AgentAction, Deployment, PaperLedger } from '../venue/agent-resources.ts';

const STATES: Readonly<Record<string, Deployment['state']>> = {
  deployment_started: 'running',
  deployment_stopped: 'stopped',
  deployment_failed: 'failed',
};

export class ActionLog {
  deployment: Deployment;
  ledger: PaperLedger;
  markPriceAtoms: string | null;
  /** The time of the ledger and its mark. */
  asOfEpochMs: number;
  /** By id. */
  readonly #actions = new Map<string, AgentAction>();
  /** Where the page of older actions ends; null if the log has no older action. */
  older: string | null;

  /** @param page the newest one */
  constructor(page: ActionPage) {
    this.deployment = page.deployment;
    this.ledger = page.paperPnl;
    this.markPriceAtoms = page.paperPnl.markPriceAtoms;
    this.asOfEpochMs = page.freshness.asOfEpochMs;
    this.older = page.nextAfterActionId;
    this.#add(page.actions);
  }

  /** Oldest first. */
  get actions(): readonly AgentAction[] {
    return [...this.#actions.values()].sort((left, right) => (BigInt(left.actionId) < BigInt(right.actionId) ? -1 : 1));
  }

  /** Null if it is empty. */
  get newestId(): string | null {
    return this.actions.at(-1)?.actionId ?? null;
  }

  addOlder(page: ActionPage): void {
    this.older = page.nextAfterActionId;
    this.#add(page.actions);
  }

  /** A page of actions that followed, read later. */
  addNewer(page: ActionPage): void {
    this.deployment = page.deployment;
    this.ledger = page.paperPnl;
    this.priceAt(page.paperPnl.markPriceAtoms, page.freshness.asOfEpochMs);
    this.#add(page.actions);
  }

  /** Actions as they are recorded, of any deployment of the owner. Returns how many were new here. */
  publish(actions: readonly AgentAction[]): number {
    const own = actions.filter(
      ({ actionId, deploymentId }) => deploymentId === this.deployment.deploymentId && !this.#actions.has(actionId),
    );
    for (const { kind, payload, recordedAtEpochMs } of own) {
      this.ledger = payload.ledger;
      this.asOfEpochMs = Math.max(this.asOfEpochMs, recordedAtEpochMs);
      const state = STATES[kind];
      if (state !== undefined && 'stateVersion' in payload) {
        const { stateVersion, reason: stateReason } = payload;
        this.deployment = { ...this.deployment, state, stateVersion, stateReason };
      }
    }
    this.#add(own);
    return own.length;
  }

  priceAt(markPriceAtoms: string | null, epochMs: number): void {
    this.markPriceAtoms = markPriceAtoms;
    this.asOfEpochMs = Math.max(this.asOfEpochMs, epochMs);
  }

  #add(actions: readonly AgentAction[]): void {
    for (const action of actions) this.#actions.set(action.actionId, action);
  }
}
