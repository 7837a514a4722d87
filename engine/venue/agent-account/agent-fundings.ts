/**
 * Fundings between owners and their agent accounts. Open ones are kept whole; of ended ones the transfer id alone stays, for good, so
 * that none is ever created or moved again. Changed only by events.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { AgentFundingEvent } from '#venue/event/agent-funding-events.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import { AGENT_FUNDING_DIRECTIONS, type AgentFunding, isExpired } from './agent-funding.ts';

export class AgentFundings {
  readonly #open = new Map<string, AgentFunding>();
  readonly #openByOwner = new Map<AccountOrdinal, Set<string>>();
  /** The transfer ids of ended ones, in the order in which they ended. */
  readonly #ended = new Set<string>();

  /** The open ones, oldest first. */
  open(): Iterable<AgentFunding> {
    return this.#open.values();
  }

  ended(): Iterable<string> {
    return this.#ended;
  }

  find(transferId: string): AgentFunding | undefined {
    return this.#open.get(transferId);
  }

  isUsed(transferId: string): boolean {
    return this.#open.has(transferId) || this.#ended.has(transferId);
  }

  /** Those of an owner that are approved, or can still be, oldest first. */
  pending(account: AccountOrdinal, now: EpochMs): readonly AgentFunding[] {
    return this.#openOf(account).filter((it) => !isExpired(it, now));
  }

  take(event: AgentFundingEvent, now: EpochMs): void {
    switch (event.type) {
      case 'AgentFundingCreated': {
        const { type: _, ...intent } = event;
        for (const it of this.#openOf(event.account)) if (isExpired(it, now)) this.#end(it);
        this.add({ ...intent, isApproved: false });
        return;
      }
      case 'AgentFundingApproved':
        this.#open.set(event.transferId, { ...this.#known(event.transferId), isApproved: true });
        return;
      case 'AgentFundingMoved':
      case 'AgentFundingRefused':
        this.#end(this.#known(event.transferId));
        return;
      default:
        event satisfies never;
    }
  }

  add(funding: AgentFunding): void {
    this.#open.set(funding.transferId, funding);
    const others = this.#openByOwner.get(funding.account);
    if (others === undefined) this.#openByOwner.set(funding.account, new Set([funding.transferId]));
    else others.add(funding.transferId);
  }

  addEnded(transferId: string): void {
    this.#ended.add(transferId);
  }

  #end({ transferId, account }: AgentFunding): void {
    this.#open.delete(transferId);
    this.#ended.add(transferId);
    const others = this.#openByOwner.get(account)!;
    others.delete(transferId);
    if (others.size === 0) this.#openByOwner.delete(account);
  }

  #openOf(account: AccountOrdinal): readonly AgentFunding[] {
    return [...(this.#openByOwner.get(account) ?? [])].map((transferId) => this.#known(transferId));
  }

  #known(transferId: string): AgentFunding {
    const funding = this.#open.get(transferId);
    if (funding === undefined) throw new Error(`an event names agent funding ${transferId}, which is not open`);
    return funding;
  }
}

/** The layout in a snapshot. Reading adds them to `it`. */
export function agentFundingsLayout(io: Cursor, it: AgentFundings): void {
  for (const read of longList(io, [...it.open()], fundingLayout)) if (!it.isUsed(read.transferId)) it.add(read);
  for (const transferId of longList(io, [...it.ended()], (cursor, id) => cursor.text(id))) it.addEnded(transferId);
}

function fundingLayout(io: Cursor, it: AgentFunding): AgentFunding {
  return {
    transferId: io.text(it.transferId),
    account: io.u32(it.account),
    agentAccount: io.u32(it.agentAccount),
    direction: io.oneOf(AGENT_FUNDING_DIRECTIONS, it.direction),
    amountAtoms: io.int(it.amountAtoms),
    expiresAtEpochMs: io.int(it.expiresAtEpochMs),
    isApproved: io.flag(it.isApproved),
  };
}
