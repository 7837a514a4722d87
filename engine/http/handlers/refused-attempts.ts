/**
 * Why the last attempt on each funding was refused. In memory alone: a refused attempt changes nothing in the venue, so it is not journaled,
 * and a start begins without any.
 */
import { AGENT_FUNDING_REFUSALS, type AgentFundingRefusal } from '#contract/agent-funding.ts';
import type { Refused } from '#contract/refused.ts';

const MAX_REMEMBERED = 10_000;

export class RefusedAttempts {
  /** By transfer id, the least recent first. */
  readonly #reasons = new Map<string, AgentFundingRefusal>();

  /** Ignores refusals that say nothing of the funding itself. */
  note(transferId: string, { details: { agentRefusal } }: Refused): void {
    const reason = AGENT_FUNDING_REFUSALS.find((it) => it === agentRefusal);
    if (reason === undefined) return;
    this.#reasons.delete(transferId);
    this.#reasons.set(transferId, reason);
    const [oldest] = this.#reasons.keys();
    if (this.#reasons.size > MAX_REMEMBERED) this.#reasons.delete(oldest!);
  }

  /** A new attempt begins. */
  forget(transferId: string): void {
    this.#reasons.delete(transferId);
  }

  of(transferId: string): AgentFundingRefusal | null {
    return this.#reasons.get(transferId) ?? null;
  }
}
