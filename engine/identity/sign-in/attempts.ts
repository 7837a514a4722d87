/**
 * Attempts to register, to sign in, or to link an account again with a provider. Each lives for some minutes and ends once. Lost with
 * the store: the client starts again.
 */
import { Refused } from '#contract/refused.ts';
import { hasDigest } from '#identity/api-key.ts';
import type { ExpiringEntry, ExpiringStore, StoreCapacity } from '#identity/expiring-store.ts';
import type { Clock } from '#time/clock.ts';
import type { EpochMs } from '#units/money.ts';
import { attemptIdOf, createAttemptSecret } from './attempt-secret.ts';

export type AttemptPurpose = 'register' | 'login' | 'link';

/** What an attempt is for. */
export interface AttemptTerms {
  readonly purpose: AttemptPurpose;
  readonly provider: string;
  /** The account that `link` links; 0 otherwise. */
  readonly account: number;
  /** Empty for none. */
  readonly referralCode: string;
}

/**
 * `started`: the provider has not answered. `exchanging`: one request is verifying the answer. `proven`: the identity is proven, and
 * the registration needs a passkey. `registered`: it has one.
 */
export type AttemptStatus = 'started' | 'exchanging' | 'proven' | 'registered';

export interface StoredAttempt extends ExpiringEntry, AttemptTerms {
  /** SHA-256 of the secret, in hex. */
  readonly digest: string;
  readonly status: AttemptStatus;
  /** Empty until it is proven. */
  readonly identityDigest: string;
  readonly expiresAtEpochMs: EpochMs;
}

export interface StartedAttempt {
  /** Shown to its client once. */
  readonly attempt: string;
  readonly expiresAtEpochMs: EpochMs;
}

export const ATTEMPT_LIFETIME_MS = 900_000;
/** The owner is a network, which strangers share: they cannot replace each other's. */
export const SIGN_IN_ATTEMPTS: StoreCapacity = {
  maxInAll: 50_000,
  maxPerOwner: 64,
  maxPerSite: 256,
  ifOwnerIsFull: 'refuse',
};

const UNKNOWN = 'The sign-in attempt is unknown, has expired, or has ended. Start again.';

/** All throw {@link Refused} `attempt_rejected` for an attempt that does not exist, or is not in the state that they need. */
export class Attempts {
  readonly #store: ExpiringStore<StoredAttempt>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: ExpiringStore<StoredAttempt>; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `owner` is the network or account that it counts for. Throws {@link Refused} `venue_busy` at the maximum. */
  async start(owner: string, terms: AttemptTerms, identityDigest = ''): Promise<StartedAttempt> {
    const now = this.#clock.now();
    const { attemptId, attempt, digest } = createAttemptSecret();
    const expiresAtEpochMs = (now + ATTEMPT_LIFETIME_MS) as EpochMs;
    const status = identityDigest === '' ? 'started' : 'proven';
    const times = { countedUntilEpochMs: expiresAtEpochMs, forgottenAtEpochMs: expiresAtEpochMs, expiresAtEpochMs };
    const added = await this.#store.add({ id: attemptId, owner, digest, ...terms, status, identityDigest, ...times }, now);
    if (added === 'added') return { attempt, expiresAtEpochMs };
    const message = 'Too many attempts to sign in are open. Finish one of them, or retry in some minutes.';
    throw new Refused('venue_busy', message, { headers: { 'retry-after': '60' } });
  }

  async find(attempt: string, purpose: AttemptPurpose): Promise<StoredAttempt> {
    const attemptId = attemptIdOf(attempt);
    const found = attemptId === undefined ? undefined : await this.#store.find(attemptId, this.#clock.now());
    return proven(found, attempt, purpose);
  }

  /** Changes the status. Of concurrent changes from the same status one succeeds. */
  async move(
    attempt: string,
    purpose: AttemptPurpose,
    from: AttemptStatus,
    to: Partial<Pick<StoredAttempt, 'status' | 'identityDigest'>>,
  ): Promise<StoredAttempt> {
    const attemptId = attemptIdOf(attempt);
    if (attemptId === undefined) throw new Refused('attempt_rejected', UNKNOWN);
    const moved = await this.#store.change(attemptId, this.#clock.now(), (entry) => {
      const isMoved = hasDigest(attempt, entry.digest) && entry.purpose === purpose && entry.status === from;
      return { entry: isMoved ? { ...entry, ...to } : entry, isMoved };
    });
    const found = proven(moved?.entry, attempt, purpose);
    if (moved?.isMoved !== true) throw new Refused('attempt_rejected', STATUS_MESSAGES[found.status]);
    return found;
  }

  /** The owner is registered. No effect on an attempt that has expired meanwhile. */
  async registered({ id }: StoredAttempt): Promise<void> {
    await this.#store.change(id, this.#clock.now(), (entry) => ({
      entry: { ...entry, status: 'registered' },
      isCounted: false,
    }));
  }

  /** Ends an attempt: it does not exist any more. */
  async end(attempt: string): Promise<void> {
    const attemptId = attemptIdOf(attempt);
    if (attemptId === undefined) return;
    await this.#store.change(attemptId, this.#clock.now(), (entry) => ({
      entry: hasDigest(attempt, entry.digest) ? undefined : entry,
    }));
  }
}

const STATUS_MESSAGES: Readonly<Record<AttemptStatus, string>> = {
  started: 'The provider has not answered for this attempt yet: complete it first.',
  exchanging: 'Another request is completing this attempt. Wait for its response, or start again.',
  proven: 'The identity of this attempt is proven: register a passkey for it.',
  registered: 'This attempt has registered its owner: sign in with the passkey.',
};

/** Only the holder of the secret learns anything about an attempt. */
function proven(found: StoredAttempt | undefined, attempt: string, purpose: AttemptPurpose): StoredAttempt {
  const isProven = found !== undefined && hasDigest(attempt, found.digest) && found.purpose === purpose;
  if (!isProven) throw new Refused('attempt_rejected', UNKNOWN);
  return found;
}
