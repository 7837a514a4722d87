/**
 * Fundings of agent accounts, rebuilt from events: an owner's passkey approves each before it expires, and its money moves at most once,
 * by exactly the transfer that was approved.
 */
import type { Command } from '#venue/command.ts';
import type {
  AgentFundingApproved,
  AgentFundingCreated,
  AgentFundingMoved,
  AgentFundingRefused,
  CashTransferred,
} from '#venue/event.ts';
import type { Accounts } from './accounts.ts';
import type { AgentAccounts } from './agent-accounts.ts';
import { fail } from './audit-failed.ts';
import type { AuditedOwners } from './owners.ts';
import type { AuditedSwitches } from './switches.ts';

const MAX_PENDING = 100;
const MAX_LIFETIME_MS = 86_400_000;

interface Funding {
  readonly account: number;
  readonly agentAccount: number;
  readonly direction: string;
  readonly amountAtoms: number;
  readonly expiresAtEpochMs: number;
  isApproved: boolean;
}

/** The books that fundings are checked against. `availableTo`: the cash of an account that no order reserves. */
export interface FundingParts {
  readonly accounts: Accounts;
  readonly agentAccounts: AgentAccounts;
  readonly owners: AuditedOwners;
  readonly switches: AuditedSwitches;
  readonly availableTo: (account: number) => number;
}

export class AgentFundings {
  readonly #parts: FundingParts;
  readonly #open = new Map<string, Funding>();
  readonly #ended = new Set<string>();
  #now = 0;
  /** The transfer that this turn must still make. */
  #expected = '';

  constructor(parts: FundingParts) {
    this.#parts = parts;
  }

  beginTurn(epochMs: number): void {
    this.#now = epochMs;
    this.#expected = '';
  }

  checkTurn(command: Command): void {
    if (command.type === 'RetireAccount')
      for (const [transferId, it] of this.#open)
        if (this.#isStopped(it) && !this.isExpired(transferId, this.#now))
          fail('agent', `funding ${transferId} stays open, and can never move`);
    if (this.#expected !== '') fail('agent', `the turn has no transfer of ${this.#expected}`);
  }

  create(event: AgentFundingCreated): void {
    const { transferId, account, amountAtoms, expiresAtEpochMs } = event;
    this.#checkRoute(event);
    if (this.isUsed(transferId)) fail('agent', `funding ${transferId} was created twice`);
    const lifetimeMs = expiresAtEpochMs - this.#now;
    if (amountAtoms <= 0 || lifetimeMs <= 0 || lifetimeMs > MAX_LIFETIME_MS)
      fail('agent', `funding ${transferId} is of ${amountAtoms} and expires after ${lifetimeMs} ms`);
    for (const [id, it] of this.#open) if (it.account === account && this.isExpired(id, this.#now)) this.#end(id);
    this.#open.set(transferId, { ...event, isApproved: false });
    const pending = this.countOf(account, this.#now);
    if (pending > MAX_PENDING) fail('agent', `account ${account} has ${pending} pending fundings`);
  }

  approve({ transferId, account, credentialId, intentDigest }: AgentFundingApproved): void {
    const funding = this.#of(transferId, account);
    if (funding.isApproved || this.isExpired(transferId, this.#now))
      fail('agent', `funding ${transferId} was approved twice, or late`);
    if (this.#parts.owners.passkey(account, credentialId)?.kind !== 'passkey' || intentDigest.length !== 64)
      fail('agent', `funding ${transferId} was approved by ${credentialId} for ${intentDigest}`);
    this.#checkMovable(transferId, funding);
    funding.isApproved = true;
  }

  move({ transferId, account, agentAccount }: AgentFundingMoved): void {
    const funding = this.#of(transferId, account);
    if (!funding.isApproved || funding.agentAccount !== agentAccount)
      fail('agent', `funding ${transferId} moved to agent account ${agentAccount} and was not approved so`);
    this.#checkMovable(transferId, funding);
    const { from, to } = routeOf(funding);
    this.#expected = `${funding.amountAtoms} from ${from} to ${to} as ${transferId}`;
    this.#end(transferId);
  }

  refuse({ transferId, account, agentAccount }: AgentFundingRefused): void {
    const funding = this.#of(transferId, account);
    if (funding.agentAccount !== agentAccount || !this.#isStopped(funding))
      fail('agent', `funding ${transferId} to agent account ${agentAccount} was refused, and can move`);
    this.#end(transferId);
  }

  /** Cash was transferred by `command`. */
  transfer({ from, to, amountAtoms, reference }: CashTransferred, command: Command): void {
    if (command.type !== 'MoveAgentFunding') return;
    const made = `${amountAtoms} from ${from} to ${to} as ${reference}`;
    if (made !== this.#expected) fail('agent', `the turn transferred ${made}, and must transfer (${this.#expected})`);
    this.#expected = '';
  }

  isUsed(transferId: string): boolean {
    return this.#open.has(transferId) || this.#ended.has(transferId);
  }

  isExpired(transferId: string, epochMs: number): boolean {
    const funding = this.#open.get(transferId);
    return funding !== undefined && !funding.isApproved && epochMs >= funding.expiresAtEpochMs;
  }

  /** How many of an owner's can still move. */
  countOf(account: number, epochMs: number): number {
    return [...this.#open].filter(([id, it]) => it.account === account && !this.isExpired(id, epochMs)).length;
  }

  has(transferId: string, account: number): boolean {
    return this.#open.get(transferId)?.account === account;
  }

  /** Whether a command about a funding can be refused because agents are off. */
  needsAgents(command: Command): boolean {
    if (command.type !== 'ApproveAgentFunding' && command.type !== 'MoveAgentFunding') return false;
    return this.#open.get(command.transferId)?.direction === 'owner_to_agent' && !this.#parts.switches.isOn('agents');
  }

  /** Whether a command about a funding can be refused because one of its accounts is legacy. */
  isOfLegacy(command: Command): boolean {
    const open = 'transferId' in command ? this.#open.get(command.transferId) : undefined;
    const { accounts } = this.#parts;
    const named = command.type === 'CreateAgentFunding' ? command : open;
    return named !== undefined && [named.account, named.agentAccount].some((it) => accounts.has(it) && accounts.isLegacy(it));
  }

  *lines(): Iterable<string> {
    for (const [transferId, funding] of this.#open) yield fundingLine({ transferId, ...funding });
    yield endedLine(this.#ended.size);
  }

  #checkMovable(transferId: string, funding: Funding): void {
    this.#checkRoute(funding);
    const { from } = routeOf(funding);
    const available = this.#parts.availableTo(from);
    if (funding.amountAtoms > available)
      fail('agent', `funding ${transferId} is of ${funding.amountAtoms}, and account ${from} has ${available}`);
  }

  #checkRoute({ account, agentAccount, direction }: Pick<Funding, 'account' | 'agentAccount' | 'direction'>): void {
    const { accounts, agentAccounts, owners, switches } = this.#parts;
    const both = [account, agentAccount];
    if (agentAccounts.ownerOf(agentAccount) !== account)
      fail('agent', `account ${account} funds ${agentAccount}, which is not its agent account`);
    if (both.some((it) => accounts.isLegacy(it))) fail('agent', `one of accounts ${both} is legacy and has a funding`);
    if (direction !== 'owner_to_agent') return;
    const isReady = owners.owner(account)?.consent === 'present' && !both.some((it) => accounts.isRetired(it));
    if (!isReady || !switches.isOn('agents')) fail('agent', `money goes to agent account ${agentAccount}, which is not ready`);
  }

  /** A retirement stops it for good. */
  #isStopped({ account, agentAccount, direction }: Funding): boolean {
    const { accounts } = this.#parts;
    return [account, agentAccount].some(
      (it) => accounts.isLegacy(it) || (direction === 'owner_to_agent' && accounts.isRetired(it)),
    );
  }

  #of(transferId: string, account: number): Funding {
    const funding = this.#open.get(transferId);
    return funding?.account === account ? funding : fail('agent', `account ${account} has no open funding ${transferId}`);
  }

  #end(transferId: string): void {
    this.#open.delete(transferId);
    this.#ended.add(transferId);
  }
}

function routeOf({ account, agentAccount, direction }: Funding): { readonly from: number; readonly to: number } {
  return direction === 'owner_to_agent' ? { from: account, to: agentAccount } : { from: agentAccount, to: account };
}

interface FundingLine extends Omit<Funding, 'expiresAtEpochMs'> {
  readonly transferId: string;
}

export function fundingLine(it: FundingLine): string {
  const { transferId, account, agentAccount, direction, amountAtoms, isApproved } = it;
  return `agent funding ${transferId} ${account}/${agentAccount} ${direction} ${amountAtoms} approved ${isApproved}`;
}

export function endedLine(count: number): string {
  return `ended agent fundings ${count}`;
}
