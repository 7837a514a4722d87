/**
 * Limits how much of the journal an account may fill with refused commands: a bucket of bytes, refilled by the journal's time. A
 * refusal costs its sender nothing: without a limit an account without money could fill the disk at the rate of its requests.
 */

export interface RefusalLimits {
  readonly refusedBytesAtOnce: number;
  readonly refusedBytesPerSecond: number;
}

/** Published with the idempotency limits: some 10,000 refusals at once, 88 MB a day. */
export const REFUSAL_LIMITS: RefusalLimits = { refusedBytesAtOnce: 4 << 20, refusedBytesPerSecond: 1_024 };

interface BudgetUse {
  bytes: number;
  epochMs: number;
}

export class RefusalBudget {
  readonly #limits: RefusalLimits;
  /** By account, for accounts with refusals: at most one entry per account. */
  readonly #spent = new Map<number, BudgetUse>();

  constructor(limits: RefusalLimits) {
    this.#limits = limits;
  }

  /** Returns whether the account's refusal of that length may be recorded, and deducts it if so. Times never decrease. */
  take(account: number, byteLength: number, epochMs: number): boolean {
    const { refusedBytesAtOnce, refusedBytesPerSecond } = this.#limits;
    const { bytes: before, epochMs: since } = this.#spent.get(account) ?? { bytes: 0, epochMs };
    const bytes = Math.max(0, before - ((epochMs - since) / 1_000) * refusedBytesPerSecond) + byteLength;
    if (bytes > refusedBytesAtOnce) return false;
    this.#spent.set(account, { bytes, epochMs });
    return true;
  }
}
