/**
 * Drafts and open deployments of all owners. Changed only by events, so that every copy that takes the same events at the same times is
 * equal. Ended deployments and actions are in the journal and the projection; only their numbers go on here.
 */
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { AgentEvent } from '#venue/event/agent-events.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { type AgentDeployment, deploymentLayout } from './deployment.ts';
import { type AgentDraft, draftLayout, draftSizeOf } from './draft.ts';
import { EMPTY_LEDGER } from './paper-ledger.ts';

const NO_TIME = 0 as EpochMs;
const NO_INDEX = -1;

export class Agents {
  readonly drafts = new Map<AgentDraftOrdinal, AgentDraft>();
  /** The open ones. */
  readonly deployments = new Map<AgentDeploymentOrdinal, AgentDeployment>();
  /** The numbers of the newest ones, also if they were removed or have ended. */
  lastDraft = 0 as AgentDraftOrdinal;
  lastDeployment = 0 as AgentDeploymentOrdinal;
  lastAction = 0 as AgentActionOrdinal;
  readonly #draftsOf = new Map<AccountOrdinal, Set<AgentDraftOrdinal>>();
  readonly #deploymentsOf = new Map<AccountOrdinal, Set<AgentDeploymentOrdinal>>();
  #draftedSize = 0;

  get isInitial(): boolean {
    return this.lastDraft === 0;
  }

  /** The size of all drafts together. */
  get draftedSize(): number {
    return this.#draftedSize;
  }

  draftCountOf(account: AccountOrdinal): number {
    return this.#draftsOf.get(account)?.size ?? 0;
  }

  /** The size of an owner's drafts together. */
  draftedSizeOf(account: AccountOrdinal): number {
    let size = 0;
    for (const draft of this.#draftsOf.get(account) ?? []) size += draftSizeOf(this.drafts.get(draft)!);
    return size;
  }

  /** The open deployments of an owner, oldest first. */
  deploymentsOf(account: AccountOrdinal): readonly AgentDeployment[] {
    return [...(this.#deploymentsOf.get(account) ?? [])].map((deployment) => this.deployments.get(deployment)!);
  }

  /** `at` is the time of the event's record. */
  take(event: AgentEvent, at: EpochMs): void {
    switch (event.type) {
      case 'AgentScriptDrafted': {
        const { type: _, ...drafted } = event;
        this.lastDraft = event.draft;
        this.#addDraft({ ...drafted, reviewDigest: '', createdAtEpochMs: at });
        return;
      }
      case 'AgentScriptReviewed': {
        const { draft, reviewDigest } = event;
        this.drafts.set(draft, { ...this.drafts.get(draft)!, reviewDigest });
        return;
      }
      case 'AgentDraftRemoved':
        this.#draftedSize -= draftSizeOf(this.drafts.get(event.draft)!);
        this.drafts.delete(event.draft);
        remove(this.#draftsOf, event.account, event.draft);
        return;
      case 'AgentDeploymentCreated': {
        const { type: _, ...created } = event;
        this.lastDeployment = event.deployment;
        this.#addDeployment({ ...created, ...UNCHANGED, createdAtEpochMs: at, updatedAtEpochMs: at });
        return;
      }
      case 'AgentDeploymentChanged': {
        const { action, deployment, state, stateVersion } = event;
        this.lastAction = action;
        if (state === 'running') this.#change(deployment, { state, stateVersion, updatedAtEpochMs: at });
        else this.#end(deployment, event.account);
        return;
      }
      case 'PaperOrderPlaced': {
        const { action, deployment, barEpochMs, index, ledger } = event;
        this.lastAction = action;
        this.#change(deployment, { lastBarEpochMs: barEpochMs, lastIndex: index, ledger, updatedAtEpochMs: at });
        return;
      }
      default:
        event satisfies never;
    }
  }

  /** A copy that later events do not change. */
  copy(): Agents {
    const copy = new Agents();
    copy.lastDraft = this.lastDraft;
    copy.lastDeployment = this.lastDeployment;
    copy.lastAction = this.lastAction;
    for (const draft of this.drafts.values()) copy.#addDraft(draft);
    for (const deployment of this.deployments.values()) copy.#addDeployment(deployment);
    return copy;
  }

  /** The layout in a snapshot. Reading changes the object. */
  layout(io: Cursor): void {
    this.lastDraft = io.int(this.lastDraft);
    this.lastDeployment = io.int(this.lastDeployment);
    this.lastAction = io.int(this.lastAction);
    const drafts = longList(io, [...this.drafts.values()], draftLayout);
    const deployments = longList(io, [...this.deployments.values()], deploymentLayout);
    for (const draft of drafts) if (!this.drafts.has(draft.draft)) this.#addDraft(draft);
    for (const deployment of deployments) if (!this.deployments.has(deployment.deployment)) this.#addDeployment(deployment);
  }

  #addDraft(draft: AgentDraft): void {
    this.drafts.set(draft.draft, draft);
    this.#draftedSize += draftSizeOf(draft);
    add(this.#draftsOf, draft.account, draft.draft);
  }

  #addDeployment(deployment: AgentDeployment): void {
    this.deployments.set(deployment.deployment, deployment);
    add(this.#deploymentsOf, deployment.account, deployment.deployment);
  }

  #change(deployment: AgentDeploymentOrdinal, changes: Partial<AgentDeployment>): void {
    this.deployments.set(deployment, { ...this.deployments.get(deployment)!, ...changes });
  }

  #end(deployment: AgentDeploymentOrdinal, account: AccountOrdinal): void {
    this.deployments.delete(deployment);
    remove(this.#deploymentsOf, account, deployment);
  }
}

const UNCHANGED = {
  state: 'pending',
  stateVersion: 1,
  lastBarEpochMs: NO_TIME,
  lastIndex: NO_INDEX,
  ledger: EMPTY_LEDGER,
} as const;

function add<Ordinal>(byAccount: Map<AccountOrdinal, Set<Ordinal>>, account: AccountOrdinal, ordinal: Ordinal): void {
  const known = byAccount.get(account);
  if (known === undefined) byAccount.set(account, new Set([ordinal]));
  else known.add(ordinal);
}

/** Also removes an empty set, so that a restored state is equal. */
function remove<Ordinal>(byAccount: Map<AccountOrdinal, Set<Ordinal>>, account: AccountOrdinal, ordinal: Ordinal): void {
  const known = byAccount.get(account)!;
  known.delete(ordinal);
  if (known.size === 0) byAccount.delete(account);
}
