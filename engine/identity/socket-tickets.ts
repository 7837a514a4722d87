/** The ticket operations that sockets need, wherever tickets are stored. */
import type { SocketTicketFailure } from '#contract/realtime-errors.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

/** The access that a ticket grants: to one socket, until its family ends. */
export interface TicketAccess {
  readonly account: AccountOrdinal;
  readonly keyId: string;
  /** Identifies the family; not a secret. */
  readonly familyId: string;
  /** The current expiry: a rotation extends it. */
  readonly expiresAtEpochMs: EpochMs;
  /** The private channels that it permits; all of them if absent. */
  readonly channels?: readonly string[];
}

export type TicketVerdict = { readonly access: TicketAccess } | { readonly failure: SocketTicketFailure };

/**
 * The current expiry of a family, or that it was revoked. `unknown`: the store has no such family, or no longer; this says
 * nothing about a family that was known before.
 */
export type FamilyStatus = EpochMs | 'revoked' | 'unknown';

export interface SocketTickets {
  /** Uses a ticket for one socket. Rejects if tickets cannot be looked up now. */
  authenticate(ticket: string): Promise<TicketVerdict>;
  /** The current expiry of a family. Rejects likewise. */
  validUntil(familyId: string): Promise<FamilyStatus>;
}
