/**
 * Challenges that a passkey or a setup key signs. Each approves one prepared command of one account, once, for a short time. A use
 * consumes it before anything is verified, so a failed attempt does too. Lost with the store: the client starts again.
 */
import { hash, randomBytes } from 'node:crypto';
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { ExpiringEntry, ExpiringStore, StoreCapacity } from './expiring-store.ts';

/** What a challenge approves. */
export interface ChallengePurpose {
  /** `undefined` before anyone has signed in. */
  readonly account: AccountOrdinal | undefined;
  /** The venue's own name of an operation and its step, such as `deposit/owner_offer_acceptance`. */
  readonly operation: string;
  /** The exact bytes that will be executed; empty if the challenge only proves who signs. Only their SHA-256 is stored. */
  readonly command: Uint8Array;
}

export interface StoredChallenge extends ExpiringEntry {
  /** Not a secret: it proves nothing without a signature, and its client gets it in the clear. */
  readonly challenge: string;
  /** 0 for none. */
  readonly account: number;
  readonly operation: string;
  /** SHA-256, in hex. */
  readonly commandDigest: string;
  readonly expiresAtEpochMs: EpochMs;
}

export interface IssuedChallenge {
  readonly challengeIdentifier: string;
  /** 32 random bytes, in base64url. */
  readonly challenge: string;
  readonly expiresAtEpochMs: EpochMs;
}

/** `unknown`: never issued, used before, replaced by newer ones, or forgotten. */
export type ChallengeFailure = 'unknown' | 'expired' | 'other_purpose';

export const CHALLENGE_LIFETIME_MS = 300_000;
/** How long an expired one is remembered, to report it as expired. */
const RETENTION_MS = 300_000;

/** An account that starts again replaces its own oldest challenge. */
export const ACCOUNT_CHALLENGES: StoreCapacity = { maxInAll: 100_000, maxPerOwner: 16, ifOwnerIsFull: 'replace_oldest' };
/** Before sign-in the owner is a network, which strangers share: they cannot replace each other's. */
export const SIGN_IN_CHALLENGES: StoreCapacity = {
  maxInAll: 100_000,
  maxPerOwner: 64,
  maxPerSite: 256,
  ifOwnerIsFull: 'refuse',
};

/** Random, so that no two challenges have the same. */
export function newChallengeIdentifier(): string {
  return randomBytes(16).toString('base64url');
}

const IDENTIFIER = /^[A-Za-z0-9_-]{22}$/;

export class Challenges {
  readonly #store: ExpiringStore<StoredChallenge>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: ExpiringStore<StoredChallenge>; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /**
   * `owner` is the account or network that it counts for; `id` is given if the command depends on it. `full`: the owner, or all
   * together, have the maximum.
   */
  async issue(owner: string, purpose: ChallengePurpose, id = newChallengeIdentifier()): Promise<IssuedChallenge | 'full'> {
    const now = this.#clock.now();
    const challenge = randomBytes(32).toString('base64url');
    const expiresAtEpochMs = (now + CHALLENGE_LIFETIME_MS) as EpochMs;
    const forgottenAtEpochMs = (expiresAtEpochMs + RETENTION_MS) as EpochMs;
    const times = { countedUntilEpochMs: expiresAtEpochMs, forgottenAtEpochMs, expiresAtEpochMs };
    const stored = { id, owner, challenge, ...storedPurpose(purpose), ...times };
    const isAdded = (await this.#store.add(stored, now)) === 'added';
    return isAdded ? { challengeIdentifier: id, challenge, expiresAtEpochMs } : 'full';
  }

  /** Ends a challenge, whatever the result is, and returns what must have been signed. Of concurrent uses one gets it. */
  async consume(
    challengeIdentifier: string,
    purpose: ChallengePurpose,
  ): Promise<{ readonly challenge: string } | { readonly failure: ChallengeFailure }> {
    if (!IDENTIFIER.test(challengeIdentifier)) return { failure: 'unknown' };
    const now = this.#clock.now();
    const used = await this.#store.change(challengeIdentifier, now, (stored) => ({ entry: undefined, stored }));
    if (used === undefined) return { failure: 'unknown' };
    const { stored } = used;
    if (stored.expiresAtEpochMs <= now) return { failure: 'expired' };
    return isFor(stored, purpose) ? { challenge: stored.challenge } : { failure: 'other_purpose' };
  }
}

type StoredPurpose = Pick<StoredChallenge, 'account' | 'operation' | 'commandDigest'>;

function storedPurpose({ account, operation, command }: ChallengePurpose): StoredPurpose {
  return { account: account ?? 0, operation, commandDigest: hash('sha256', command, 'hex') };
}

function isFor(stored: StoredPurpose, purpose: ChallengePurpose): boolean {
  const { account, operation, commandDigest } = storedPurpose(purpose);
  return stored.account === account && stored.operation === operation && stored.commandDigest === commandDigest;
}
