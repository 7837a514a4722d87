/**
 * Owners' sessions: short-lived, revocable one by one and all of an account. A session records how it was made, because some
 * routes need a passkey. Lost with the store: the owner signs in again.
 */
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { hasDigest } from './api-key.ts';
import type { ExpiringEntry, ExpiringStore, StoreCapacity } from './expiring-store.ts';
import { createSessionBearer, sessionIdOf } from './session-bearer.ts';
import { StoreUnavailable } from './store-unavailable.ts';

export type SignIn =
  | { readonly by: 'passkey'; readonly credentialId: string }
  /** `identityDigest`: SHA-256 of the identity at the provider, in hex. */
  | { readonly by: 'social'; readonly provider: string; readonly identityDigest: string };

export interface Session {
  /** Not a secret. */
  readonly sessionId: string;
  readonly account: AccountOrdinal;
  readonly signIn: SignIn;
  readonly createdAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs;
}

export interface StoredSession extends ExpiringEntry {
  readonly session: Session;
  /** SHA-256 of the bearer, in hex. */
  readonly digest: string;
  readonly isRevoked: boolean;
}

export type SessionRejection = 'malformed' | 'unknown' | 'expired' | 'revoked';

export const SESSION_LIFETIME_MS = 3_600_000;
/** How long an expired one is remembered, to report it as expired. */
const RETENTION_MS = 3_600_000;
/** An owner who signs in once more ends the oldest own session. */
export const SESSIONS: StoreCapacity = { maxInAll: 200_000, maxPerOwner: 32, ifOwnerIsFull: 'replace_oldest' };

/** Sign-ins of one account in a row, each while the one before is revoked. */
const MAX_ROUNDS = 64;

/** A digest that no bearer has: an unknown sessionId costs the same comparison as a known one. */
const NO_DIGEST = '0'.repeat(64);

export class Sessions {
  readonly #store: ExpiringStore<StoredSession>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: ExpiringStore<StoredSession>; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `full`: all accounts together have the maximum. */
  async open(account: AccountOrdinal, signIn: SignIn): Promise<{ readonly bearer: string; readonly session: Session } | 'full'> {
    const now = this.#clock.now();
    const { sessionId, bearer, digest } = createSessionBearer();
    const expiresAtEpochMs = (now + SESSION_LIFETIME_MS) as EpochMs;
    const session: Session = { sessionId, account, signIn, createdAtEpochMs: now, expiresAtEpochMs };
    const forgottenAtEpochMs = (expiresAtEpochMs + RETENTION_MS) as EpochMs;
    const owner = renderAccountId(account);
    const times = { countedUntilEpochMs: expiresAtEpochMs, forgottenAtEpochMs };
    const added = await this.#store.add({ id: sessionId, owner, ...times, session, digest, isRevoked: false }, now);
    return added === 'added' ? { bearer, session } : 'full';
  }

  /** Only the holder learns that a session was revoked or has expired: without its secret it is unknown. */
  async identify(bearer: string): Promise<{ readonly session: Session } | { readonly rejection: SessionRejection }> {
    const sessionId = sessionIdOf(bearer);
    if (sessionId === undefined) return { rejection: 'malformed' };
    const now = this.#clock.now();
    const stored = await this.#store.find(sessionId, now);
    const isProven = hasDigest(bearer, stored?.digest ?? NO_DIGEST);
    if (stored === undefined || !isProven) return { rejection: 'unknown' };
    if (stored.isRevoked) return { rejection: 'revoked' };
    return stored.session.expiresAtEpochMs <= now ? { rejection: 'expired' } : { session: stored.session };
  }

  /** Returns false if the account has no such active session. */
  async revoke(account: AccountOrdinal, sessionId: string): Promise<boolean> {
    const now = this.#clock.now();
    const changed = await this.#store.change(sessionId, now, (stored) => {
      const isRevoked = stored.session.account === account && !stored.isRevoked && stored.session.expiresAtEpochMs > now;
      return isRevoked ? { entry: { ...stored, isRevoked }, isEnded: true } : { entry: stored, isEnded: false };
    });
    return changed?.isEnded === true;
  }

  /**
   * All sessions of the account, also those that it opens meanwhile: at the end it had none. Returns their number. Rejects if it
   * opens them too fast.
   */
  async revokeAll(account: AccountOrdinal): Promise<number> {
    let count = 0;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const active = await this.list(account);
      if (active.length === 0) return count;
      const results = await Promise.all(active.map(({ sessionId }) => this.revoke(account, sessionId)));
      count += results.filter((isRevoked) => isRevoked).length;
    }
    throw new StoreUnavailable('the account opens sessions faster than they are revoked', { dependency: 'sessions' });
  }

  /** `undefined` if it ended early, or is forgotten. One that has only expired did not: its tickets expire no later. */
  async unrevoked(sessionId: string): Promise<Session | undefined> {
    const stored = await this.#store.find(sessionId, this.#clock.now());
    return stored?.isRevoked === false ? stored.session : undefined;
  }

  /** The account's active sessions, oldest first. */
  async list(account: AccountOrdinal): Promise<readonly Session[]> {
    const now = this.#clock.now();
    const stored = await this.#store.ofOwner(renderAccountId(account), now);
    return stored.filter(({ isRevoked, session }) => !isRevoked && session.expiresAtEpochMs > now).map(({ session }) => session);
  }

  /** Calls `listener` for every session that is revoked or replaced from now on, by any process: its sockets end. */
  onEnded(listener: (sessionId: string) => void): void {
    this.#store.onEnded(listener);
  }
}
