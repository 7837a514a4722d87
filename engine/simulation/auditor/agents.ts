/**
 * The drafts, the open deployments and their paper ledgers, rebuilt from events: who may deploy what, the states one after the other, and
 * each paper order as the auditor's own book fills it.
 */
import type { Command } from '#venue/command.ts';
import type {
  AgentDeploymentChanged,
  AgentDeploymentCreated,
  AgentDraftRemoved,
  AgentScriptDrafted,
  AgentScriptReviewed,
  PaperOrderPlaced,
} from '#venue/event.ts';
import type { Accounts } from './accounts.ts';
import type { AgentAccounts } from './agent-accounts.ts';
import { fail } from './audit-failed.ts';
import type { Markets } from './markets.ts';
import type { OrderBooks } from './order-books.ts';
import type { AuditedOwners } from './owners.ts';
import { type PaperLedger, paperResults } from './paper-book.ts';
import type { PositionBooks } from './position-books.ts';
import type { AuditedSwitches } from './switches.ts';

/** Why a deployment fails when its agent account or owner is retired. */
const RETIRED_REASON = 'the agent account or its owner was retired';

interface Draft {
  readonly account: number;
  readonly length: number;
  readonly textDigest: string;
  reviewDigest: string;
}

interface Deployment {
  readonly account: number;
  readonly agentAccount: number;
  readonly draft: number;
  readonly market: number;
  state: string;
  stateVersion: number;
  lastBar: number;
  lastIndex: number;
  ledger: PaperLedger;
}

export interface AgentParts {
  readonly accounts: Accounts;
  readonly owners: AuditedOwners;
  readonly agentAccounts: AgentAccounts;
  readonly switches: AuditedSwitches;
  readonly markets: Markets;
  readonly orders: OrderBooks;
  readonly positions: PositionBooks;
  /** The cash of an account that no order reserves. */
  readonly availableTo: (account: number) => number;
}

const MAX_DRAFTS = 100;
const MAX_DRAFTED = 131_072;
const MIN_DRAFT = 1_024;
const MAX_OPEN_DEPLOYMENTS = 20;
const EMPTY: PaperLedger = { positionBaseAtoms: 0, cashQuoteAtoms: 0, feesQuoteAtoms: 0, fillCount: 0 };
const NEXT: Readonly<Record<string, readonly string[]>> = {
  pending: ['running', 'stopped', 'failed'],
  running: ['stopped', 'failed'],
};

export class AuditedAgents {
  readonly #parts: AgentParts;
  readonly #drafts = new Map<number, Draft>();
  readonly #deployments = new Map<number, Deployment>();
  #lastDraft = 0;
  #lastDeployment = 0;
  #lastAction = 0;

  constructor(parts: AgentParts) {
    this.#parts = parts;
  }

  draft({ draft, account, text, textDigest }: AgentScriptDrafted): void {
    if (draft !== this.#lastDraft + 1) fail('agent', `draft ${draft} came after ${this.#lastDraft}`);
    this.#lastDraft = draft;
    this.#checkOwner(account);
    this.#drafts.set(draft, { account, length: text.length, textDigest, reviewDigest: '' });
    if (this.#draftCountOf(account) > MAX_DRAFTS) fail('agent', `account ${account} has more than ${MAX_DRAFTS} drafts`);
    if (this.#draftedOf(account) > MAX_DRAFTED)
      fail('agent', `account ${account} drafted ${this.#draftedOf(account)} characters`);
  }

  review({ draft, account, reviewDigest }: AgentScriptReviewed): void {
    this.#checkOwner(account);
    this.#draftOf(draft, account).reviewDigest = reviewDigest;
  }

  remove({ draft, account }: AgentDraftRemoved): void {
    this.#draftOf(draft, account);
    for (const deployment of this.#deployments.values())
      if (deployment.draft === draft) fail('agent', `draft ${draft} was removed while it was deployed`);
    this.#drafts.delete(draft);
  }

  create({ deployment, account, agentAccount, draft, market, textDigest, reviewDigest }: AgentDeploymentCreated): void {
    if (deployment !== this.#lastDeployment + 1) fail('agent', `deployment ${deployment} came after ${this.#lastDeployment}`);
    this.#lastDeployment = deployment;
    const deployed = this.#draftOf(draft, account);
    if (reviewDigest === '' || reviewDigest !== deployed.reviewDigest || textDigest !== deployed.textDigest)
      fail(
        'agent',
        `deployment ${deployment} runs ${textDigest} with review ${reviewDigest}, which draft ${draft} does not have`,
      );
    this.#checkReady(account, agentAccount);
    if (!this.#parts.markets.has(market)) fail('agent', `deployment ${deployment} is of market ${market}`);
    const terms = { account, agentAccount, draft, market };
    this.#deployments.set(deployment, { ...terms, state: 'pending', stateVersion: 1, lastBar: 0, lastIndex: -1, ledger: EMPTY });
    if (this.openCountOf(account) > MAX_OPEN_DEPLOYMENTS)
      fail('agent', `account ${account} has ${this.openCountOf(account)} open deployments`);
  }

  change({ action, deployment, account, state, stateVersion, reason }: AgentDeploymentChanged, command: Command): void {
    const open = this.#deploymentOf(deployment, account);
    this.#act(action);
    if (!NEXT[open.state]!.includes(state)) fail('agent', `deployment ${deployment} was ${open.state} and became ${state}`);
    const isExpected = command.type === 'ChangeAgentDeployment' && command.expectedStateVersion === open.stateVersion;
    const isRetired = command.type === 'RetireAccount' && state === 'failed' && this.#isRetired(open);
    if (!(isExpected || isRetired) || stateVersion !== open.stateVersion + 1)
      fail('agent', `deployment ${deployment} went from version ${open.stateVersion} to ${stateVersion}`);
    if (isRetired && reason !== RETIRED_REASON)
      fail('agent', `deployment ${deployment} failed on retirement because of ${reason}`);
    open.state = state;
    open.stateVersion = stateVersion;
    if (state !== 'running') this.#deployments.delete(deployment);
    else this.#checkReady(account, open.agentAccount);
  }

  checkTurn(command: Command): void {
    if (command.type !== 'RetireAccount') return;
    for (const [deployment, open] of this.#deployments)
      if (this.#isRetired(open)) fail('agent', `deployment ${deployment} stays ${open.state} on a retired account`);
  }

  trade(event: PaperOrderPlaced, epochMs: number): void {
    const { action, deployment, account, market, barEpochMs, index, markPriceAtoms } = event;
    const open = this.#deploymentOf(deployment, account);
    this.#act(action);
    if (open.state !== 'running' || market !== open.market) fail('agent', `deployment ${deployment} traded in market ${market}`);
    if (barEpochMs < open.lastBar || (barEpochMs === open.lastBar && index <= open.lastIndex))
      fail('agent', `deployment ${deployment} placed ${barEpochMs}/${index} after ${open.lastBar}/${open.lastIndex}`);
    this.#checkReady(account, open.agentAccount);
    if (!this.#parts.switches.isOn('agents')) fail('agent', `deployment ${deployment} traded while agents were off`);
    if (markPriceAtoms !== this.#parts.markets.of(market).mark)
      fail('agent', `deployment ${deployment} traded at a mark price of ${markPriceAtoms}`);
    const results = paperResults(this.#parts, open.agentAccount, event, open.ledger, epochMs);
    const { outcome, reason, filledBaseAtoms, filledNotionalAtoms, feeAtoms, fills, worstPriceAtoms, ledger } = event;
    const amounts = { filledBaseAtoms, filledNotionalAtoms, feeAtoms, fills, worstPriceAtoms, ledger };
    const found = JSON.stringify({ outcome, reason, ...amounts });
    if (!results.some((result) => JSON.stringify(result) === found))
      fail('agent', `deployment ${deployment} became ${found} of ${JSON.stringify(event)}, not ${JSON.stringify(results)}`);
    open.lastBar = barEpochMs;
    open.lastIndex = index;
    open.ledger = ledger;
  }

  mayDraft(account: number, text: string): boolean {
    return this.#draftCountOf(account) < MAX_DRAFTS && this.#draftedOf(account) + Math.max(MIN_DRAFT, text.length) <= MAX_DRAFTED;
  }

  #draftCountOf(account: number): number {
    return [...this.#drafts.values()].filter((draft) => draft.account === account).length;
  }

  openCountOf(account: number): number {
    return [...this.#deployments.values()].filter((deployment) => deployment.account === account).length;
  }

  hasDraft(draft: number, account: number): boolean {
    return this.#drafts.get(draft)?.account === account;
  }

  isReviewed(draft: number): boolean {
    return this.#drafts.get(draft)?.reviewDigest !== '';
  }

  isDeployed(draft: number): boolean {
    return [...this.#deployments.values()].some((deployment) => deployment.draft === draft);
  }

  isOpen(deployment: number): boolean {
    return this.#deployments.has(deployment);
  }

  wasCreated(deployment: number): boolean {
    return deployment >= 1 && deployment <= this.#lastDeployment;
  }

  /** The owner's account and the agent account of an open deployment. */
  accountsOf(deployment: number): readonly [account: number, agentAccount: number] | undefined {
    const open = this.#deployments.get(deployment);
    return open && [open.account, open.agentAccount];
  }

  /** Whether an order of this place was placed before, or a later one. */
  isRepeated(deployment: number, barEpochMs: number, index: number): boolean {
    const { lastBar, lastIndex } = this.#deployments.get(deployment)!;
    return barEpochMs < lastBar || (barEpochMs === lastBar && index <= lastIndex);
  }

  /** One line for each draft and each open deployment. */
  *lines(): Iterable<string> {
    yield agentNumbersLine(this.#lastDraft, this.#lastDeployment, this.#lastAction);
    for (const [draft, { account, textDigest, reviewDigest }] of this.#drafts)
      yield draftLine({ draft, account, textDigest, reviewDigest });
    for (const [deployment, { lastBar: lastBarEpochMs, ...open }] of this.#deployments)
      yield deploymentLine({ deployment, lastBarEpochMs, ...open });
  }

  #act(action: number): void {
    if (action !== this.#lastAction + 1) fail('agent', `action ${action} came after ${this.#lastAction}`);
    this.#lastAction = action;
  }

  #checkOwner(account: number): void {
    if (!this.#parts.owners.has(account) || this.#parts.accounts.isRetired(account))
      fail('agent', `account ${account} has no owner or is retired, and has agents`);
  }

  #checkReady(account: number, agentAccount: number): void {
    const { owners, accounts, agentAccounts } = this.#parts;
    this.#checkOwner(account);
    const isReady = owners.owner(account)?.consent === 'present' && !accounts.isRetired(agentAccount);
    if (!isReady || agentAccounts.ownerOf(agentAccount) !== account)
      fail('agent', `agent account ${agentAccount} of account ${account} is not ready`);
  }

  #isRetired({ account, agentAccount }: Deployment): boolean {
    const { accounts } = this.#parts;
    return accounts.isRetired(account) || accounts.isRetired(agentAccount);
  }

  #draftedOf(account: number): number {
    const own = [...this.#drafts.values()].filter((draft) => draft.account === account);
    return own.reduce((sum, { length }) => sum + Math.max(MIN_DRAFT, length), 0);
  }

  #draftOf(draft: number, account: number): Draft {
    const found = this.#drafts.get(draft);
    return found?.account === account ? found : fail('agent', `draft ${draft} is not one of account ${account}`);
  }

  #deploymentOf(deployment: number, account: number): Deployment {
    const found = this.#deployments.get(deployment);
    return found?.account === account
      ? found
      : fail('agent', `deployment ${deployment} is not an open one of account ${account}`);
  }
}

interface DraftFields {
  readonly draft: number;
  readonly account: number;
  readonly textDigest: string;
  readonly reviewDigest: string;
}

interface DeploymentFields {
  readonly deployment: number;
  readonly account: number;
  readonly agentAccount: number;
  readonly draft: number;
  readonly market: number;
  readonly state: string;
  readonly stateVersion: number;
  readonly lastBarEpochMs: number;
  readonly lastIndex: number;
  readonly ledger: PaperLedger;
}

export function agentNumbersLine(draft: number, deployment: number, action: number): string {
  return `agents ${draft} drafts ${deployment} deployments ${action} actions`;
}

export function draftLine({ draft, account, textDigest, reviewDigest }: DraftFields): string {
  return `draft ${draft} of ${account} ${textDigest} ${reviewDigest}`;
}

export function deploymentLine(it: DeploymentFields): string {
  const { positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms, fillCount } = it.ledger;
  return (
    `deployment ${it.deployment} of ${it.account}/${it.agentAccount} draft ${it.draft} market ${it.market} ${it.state} ` +
    `${it.stateVersion} after ${it.lastBarEpochMs}/${it.lastIndex} ${positionBaseAtoms} for ${cashQuoteAtoms} fees ${feesQuoteAtoms} ` +
    `in ${fillCount}`
  );
}
