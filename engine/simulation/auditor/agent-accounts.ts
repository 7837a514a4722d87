/** The agent accounts, rebuilt from events: an owner with an active party opens each as a new account with that party. */
import type { AccountOpened, AgentAccountOpened } from '#venue/event.ts';
import type { Accounts } from './accounts.ts';
import { fail } from './audit-failed.ts';
import type { AuditedOwners } from './owners.ts';

const MAX_AGENT_ACCOUNTS = 20;

export class AgentAccounts {
  readonly #accounts: Accounts;
  readonly #owners: AuditedOwners;
  /** Agent account → account of its owner. */
  readonly #ownerOf = new Map<number, number>();
  /** The account that this turn opened. */
  #opened: AccountOpened | undefined;

  constructor(accounts: Accounts, owners: AuditedOwners) {
    this.#accounts = accounts;
    this.#owners = owners;
  }

  beginTurn(): void {
    this.#opened = undefined;
  }

  noteOpening(event: AccountOpened): void {
    this.#opened = event;
  }

  open({ agentAccount, account, label }: AgentAccountOpened): void {
    const opened = this.#opened;
    const owner = this.#owners.owner(account) ?? fail('agent', `account ${account} has no owner, and has agent ${agentAccount}`);
    if (opened?.account !== agentAccount || opened.label !== label || opened.partyId !== owner.partyId)
      fail('agent', `agent account ${agentAccount} (${label}) was opened as ${JSON.stringify(opened)}`);
    if (owner.party !== 'active' || this.#accounts.isRetired(account))
      fail('agent', `account ${account} opened agent account ${agentAccount} and may not`);
    this.#ownerOf.set(agentAccount, account);
    if (this.countOf(account) > MAX_AGENT_ACCOUNTS)
      fail('agent', `account ${account} has ${this.countOf(account)} agent accounts`);
  }

  ownerOf(agentAccount: number): number | undefined {
    return this.#ownerOf.get(agentAccount);
  }

  countOf(account: number): number {
    return [...this.#ownerOf.values()].filter((owner) => owner === account).length;
  }

  /** One line for each agent account. */
  *lines(): Iterable<string> {
    for (const [agentAccount, account] of this.#ownerOf) yield agentAccountLine({ agentAccount, account });
  }
}

export function agentAccountLine({ agentAccount, account }: { readonly agentAccount: number; readonly account: number }): string {
  return `agent account ${agentAccount} of ${account}`;
}
