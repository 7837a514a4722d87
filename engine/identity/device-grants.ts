/**
 * Pending device grants (RFC 8628): a program requests an API key, the owner approves or denies it by its user code, and the program
 * collects the approval once. The caller limits the rate at which user codes are tried. Lost with the store: the program starts again.
 */
import type { Clock } from '#time/clock.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Scope } from '#venue/command.ts';
import { hasDigest } from './api-key.ts';
import { createDeviceCode, grantOfDeviceCode, grantOfUserCode } from './device-code.ts';
import type { ExpiringEntry, ExpiringStore, StoreCapacity } from './expiring-store.ts';

/** What the program requests, and the owner sees before the approval. */
export interface RequestedAccess {
  /** The program's name for itself. The caller bounds its length. */
  readonly label: string;
  readonly scopes: readonly Scope[];
  /** How long the key is valid, from its delivery on. */
  readonly keyLifetimeDays: number;
}

/**
 * The account that approved, its session, and the passkey that signed. If one of the two ends before the delivery, the caller issues no
 * key.
 */
export interface Approver {
  readonly account: AccountOrdinal;
  readonly sessionId: string;
  readonly credentialId: string;
}

type GrantState =
  | { readonly status: 'pending' | 'denied' | 'delivered' }
  | { readonly status: 'approved'; readonly approver: Approver };

export interface StoredGrant extends ExpiringEntry {
  /** SHA-256 of the device code, in hex. */
  readonly digest: string;
  readonly access: RequestedAccess;
  readonly state: GrantState;
  readonly startedAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs;
  /** The program waits this long between polls. */
  readonly intervalMs: number;
  readonly nextPollAtEpochMs: EpochMs;
}

export interface StartedGrant {
  readonly userCode: string;
  /** Shown to the program once. */
  readonly deviceCode: string;
  readonly intervalMs: number;
  readonly expiresAtEpochMs: EpochMs;
}

export interface GrantedAccess extends RequestedAccess, Approver {
  readonly keyExpiresAtEpochMs: EpochMs;
}

/** The failures have the names of RFC 8628, section 3.5. `invalid_grant`: unknown, or delivered before. */
export type PollResult =
  | { readonly granted: GrantedAccess }
  | {
      readonly failure: 'authorization_pending' | 'slow_down' | 'access_denied' | 'expired_token' | 'invalid_grant';
      readonly intervalMs?: number;
    };

/** A grant as its owner sees it. */
export interface ShownGrant {
  readonly grantId: string;
  readonly access: RequestedAccess;
  readonly startedAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs;
}

export type DecisionResult = ShownGrant | { readonly failure: DecisionFailure };

/** `unknown`: mistyped, or forgotten. `decided`: approved or denied before. */
export type DecisionFailure = 'unknown' | 'expired' | 'decided';

export const GRANT_LIFETIME_MS = 600_000;
/** How long an expired one is remembered, to report it as expired. */
const RETENTION_MS = 300_000;
export const POLL_INTERVAL_MS = 5_000;
/** `slow_down` adds as much, RFC 8628, section 3.5. */
export const SLOW_DOWN_MS = 5_000;
export const MAX_INTERVAL_MS = 60_000;
const DAY_MS = 86_400_000;
/** The owner is a network, which strangers share: they cannot replace each other's. */
export const DEVICE_GRANTS: StoreCapacity = {
  maxInAll: 10_000,
  maxPerOwner: 10,
  maxPerSite: 40,
  ifOwnerIsFull: 'refuse',
};
/** With all grants pending, a new code is taken with a probability of 4 in 10 million. */
const MAX_CODES = 4;

export class DeviceGrants {
  readonly #store: ExpiringStore<StoredGrant>;
  readonly #clock: Clock;

  constructor({ store, clock }: { store: ExpiringStore<StoredGrant>; clock: Clock }) {
    this.#store = store;
    this.#clock = clock;
  }

  /** `full`: the network, its site, or all together have the maximum. */
  async start(network: string, access: RequestedAccess): Promise<StartedGrant | 'full'> {
    const now = this.#clock.now();
    const expiresAtEpochMs = (now + GRANT_LIFETIME_MS) as EpochMs;
    const forgottenAtEpochMs = (expiresAtEpochMs + RETENTION_MS) as EpochMs;
    for (let tries = 0; tries < MAX_CODES; tries += 1) {
      const { grantId, userCode, deviceCode, digest } = createDeviceCode();
      const times = { startedAtEpochMs: now, expiresAtEpochMs, countedUntilEpochMs: expiresAtEpochMs, forgottenAtEpochMs };
      const polls = { intervalMs: POLL_INTERVAL_MS, nextPollAtEpochMs: now };
      const added = await this.#store.add(
        { id: grantId, owner: network, digest, access, state: { status: 'pending' }, ...times, ...polls },
        now,
      );
      if (added === 'added') return { userCode, deviceCode, intervalMs: POLL_INTERVAL_MS, expiresAtEpochMs };
      if (added !== 'taken') return 'full';
    }
    return 'full';
  }

  /** What the owner is about to approve. */
  async describe(userCode: string): Promise<DecisionResult> {
    const now = this.#clock.now();
    const grantId = grantOfUserCode(userCode);
    const grant = grantId === undefined ? undefined : await this.#store.find(grantId, now);
    if (grant === undefined) return { failure: 'unknown' };
    const failure = checkUndecided(grant, now);
    return failure === undefined ? grantOf(grant) : { failure };
  }

  /** Returns what was approved. Of concurrent decisions one is made. */
  approve(userCode: string, approver: Approver): Promise<DecisionResult> {
    return this.#decide(userCode, { status: 'approved', approver });
  }

  deny(userCode: string): Promise<DecisionResult> {
    return this.#decide(userCode, { status: 'denied' });
  }

  /**
   * The program collects the decision. An approval is delivered once: the caller then issues the key. If the process ends before
   * that, the program starts again, and no key was issued in its name that it does not have.
   */
  async poll(deviceCode: string): Promise<PollResult> {
    const grantId = grantOfDeviceCode(deviceCode);
    if (grantId === undefined) return { failure: 'invalid_grant' };
    const now = this.#clock.now();
    const polled = await this.#store.change(grantId, now, (grant) => polledAt(grant, deviceCode, now));
    return polled?.result ?? { failure: 'invalid_grant' };
  }

  /** Undoes the delivery of an approval for which certainly no key was issued. */
  async giveBack(deviceCode: string, { account, sessionId, credentialId }: Approver): Promise<void> {
    const state = { status: 'approved', approver: { account, sessionId, credentialId } } as const;
    await this.#store.change(grantOfDeviceCode(deviceCode)!, this.#clock.now(), (grant) => {
      const isDelivered = grant.state.status === 'delivered' && hasDigest(deviceCode, grant.digest);
      return { entry: isDelivered ? { ...grant, state } : grant };
    });
  }

  async #decide(userCode: string, state: GrantState): Promise<DecisionResult> {
    const grantId = grantOfUserCode(userCode);
    if (grantId === undefined) return { failure: 'unknown' };
    const now = this.#clock.now();
    const decided = await this.#store.change(grantId, now, (grant) => {
      const failure = checkUndecided(grant, now);
      if (failure !== undefined) return { entry: grant, failure };
      return { entry: { ...grant, state }, failure, ...(state.status === 'denied' && ENDED) };
    });
    if (decided === undefined) return { failure: 'unknown' };
    return decided.failure === undefined ? grantOf(decided.entry) : { failure: decided.failure };
  }
}

function grantOf({ id: grantId, access, startedAtEpochMs, expiresAtEpochMs }: StoredGrant): ShownGrant {
  return { grantId, access, startedAtEpochMs, expiresAtEpochMs };
}

function checkUndecided(grant: StoredGrant, now: EpochMs): DecisionFailure | undefined {
  if (grant.state.status !== 'pending') return 'decided';
  return grant.expiresAtEpochMs <= now ? 'expired' : undefined;
}

/** An ended grant is found until it is forgotten, and counts for its network no more. */
const ENDED = { isCounted: false } as const;

interface Poll {
  readonly entry: StoredGrant;
  readonly isCounted?: false;
  readonly result: PollResult;
}

function polledAt(grant: StoredGrant, deviceCode: string, now: EpochMs): Poll {
  // A user code is no secret: it must not delay, or end, the program's grant.
  if (!hasDigest(deviceCode, grant.digest)) return { entry: grant, result: { failure: 'invalid_grant' } };
  const { state, access } = grant;
  if (state.status === 'delivered') return { entry: grant, result: { failure: 'invalid_grant' } };
  if (state.status === 'denied') return { entry: grant, result: { failure: 'access_denied' } };
  if (grant.expiresAtEpochMs <= now) return { entry: grant, result: { failure: 'expired_token' } };
  if (now < grant.nextPollAtEpochMs) return slowedDown(grant);
  if (state.status !== 'approved') {
    const { intervalMs } = grant;
    const entry = { ...grant, nextPollAtEpochMs: (now + intervalMs) as EpochMs };
    return { entry, result: { failure: 'authorization_pending', intervalMs } };
  }
  const entry = { ...grant, state: { status: 'delivered' } as const };
  const keyExpiresAtEpochMs = (now + access.keyLifetimeDays * DAY_MS) as EpochMs;
  return { entry, ...ENDED, result: { granted: { ...access, ...state.approver, keyExpiresAtEpochMs } } };
}

/** The interval grows once for each poll that is too early, up to a maximum: then a fast program changes nothing any more. */
function slowedDown(grant: StoredGrant): Poll {
  const intervalMs = Math.min(grant.intervalMs + SLOW_DOWN_MS, MAX_INTERVAL_MS);
  const result: PollResult = { failure: 'slow_down', intervalMs };
  if (intervalMs === grant.intervalMs) return { entry: grant, result };
  const nextPollAtEpochMs = (grant.nextPollAtEpochMs + intervalMs - grant.intervalMs) as EpochMs;
  return { entry: { ...grant, intervalMs, nextPollAtEpochMs }, result };
}
