/** The short-lived state of owners: sessions, challenges, device grants and sign-in attempts, in this process or wherever the caller stores them. */
import type { Clock } from '#time/clock.ts';
import { ACCOUNT_CHALLENGES, Challenges, SIGN_IN_CHALLENGES, type StoredChallenge } from './challenges.ts';
import { DEVICE_GRANTS, DeviceGrants, type StoredGrant } from './device-grants.ts';
import { type ExpiringEntry, type ExpiringStore, MemoryExpiringStore, type StoreCapacity } from './expiring-store.ts';
import { SESSIONS, Sessions, type StoredSession } from './sessions.ts';
import { Attempts, SIGN_IN_ATTEMPTS, type StoredAttempt } from './sign-in/attempts.ts';

export interface OwnerStores {
  readonly sessions: Sessions;
  /** Of accounts. */
  readonly challenges: Challenges;
  /** Before anyone has signed in, by network: a store of its own, so that they cannot fill that of accounts. */
  readonly signInChallenges: Challenges;
  readonly deviceGrants: DeviceGrants;
  /** Attempts to register or sign in with a provider. */
  readonly attempts: Attempts;
}

/** Opens an empty store. The name distinguishes it from the others. */
export type OpenStore = <Entry extends ExpiringEntry>(name: string, capacity: StoreCapacity) => ExpiringStore<Entry>;

export function openOwnerStores(open: OpenStore, clock: Clock): OwnerStores {
  return {
    sessions: new Sessions({ store: open<StoredSession>('sessions', SESSIONS), clock }),
    challenges: new Challenges({ store: open<StoredChallenge>('challenges', ACCOUNT_CHALLENGES), clock }),
    signInChallenges: new Challenges({ store: open<StoredChallenge>('sign_in_challenges', SIGN_IN_CHALLENGES), clock }),
    deviceGrants: new DeviceGrants({ store: open<StoredGrant>('device_grants', DEVICE_GRANTS), clock }),
    attempts: new Attempts({ store: open<StoredAttempt>('sign_in_attempts', SIGN_IN_ATTEMPTS), clock }),
  };
}

export const openInProcess: OpenStore = (_name, capacity) => new MemoryExpiringStore(capacity);
