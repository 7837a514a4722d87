/**
 * The agent accounts of owners: accounts of the core that an owner opened for automation. They stay in the state for good, so that a
 * retired one still counts and still belongs to its owner.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { MalformedRecord } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';

export interface AgentAccount {
  readonly agentAccount: AccountOrdinal;
  /** The account of its owner. */
  readonly account: AccountOrdinal;
}

const NO_ACCOUNTS: readonly AccountOrdinal[] = [];

export class AgentAccounts {
  readonly #owners = new Map<AccountOrdinal, AccountOrdinal>();
  readonly #byOwner = new Map<AccountOrdinal, AccountOrdinal[]>();

  get isInitial(): boolean {
    return this.#owners.size === 0;
  }

  /** The account of the owner; `undefined` if the account is not an agent account. */
  ownerOf(agentAccount: AccountOrdinal): AccountOrdinal | undefined {
    return this.#owners.get(agentAccount);
  }

  /** The agent accounts of an owner, oldest first, with the retired ones. */
  of(account: AccountOrdinal): readonly AccountOrdinal[] {
    return this.#byOwner.get(account) ?? NO_ACCOUNTS;
  }

  /** All of them, in the order in which they were opened. */
  *all(): Iterable<AgentAccount> {
    for (const [agentAccount, account] of this.#owners) yield { agentAccount, account };
  }

  add({ agentAccount, account }: AgentAccount): void {
    this.#owners.set(agentAccount, account);
    const others = this.#byOwner.get(account);
    if (others === undefined) this.#byOwner.set(account, [agentAccount]);
    else others.push(agentAccount);
  }
}

/** The layout in a snapshot. Reading adds them to `it`; `isAccount` says whether an account exists. */
export function agentAccountsLayout(io: Cursor, it: AgentAccounts, isAccount: (account: AccountOrdinal) => boolean): void {
  for (const read of longList(io, [...it.all()], agentAccountLayout)) {
    const { agentAccount, account } = read;
    if (!isAccount(agentAccount) || !isAccount(account))
      throw new MalformedRecord(
        `a snapshot has the agent account ${agentAccount} of account ${account}, and one of them is missing`,
      );
    if (it.ownerOf(agentAccount) === undefined) it.add(read);
  }
}

function agentAccountLayout(io: Cursor, it: AgentAccount): AgentAccount {
  return { agentAccount: io.u32(it.agentAccount), account: io.u32(it.account) };
}
