/** What sockets need of tickets, wherever those are kept. */
import type { SocketTicketFailure } from '#contract/realtime-errors.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

/** What a ticket gives: to one socket, until its family has ended. */
export interface TicketAccess {
  readonly account: AccountOrdinal;
  readonly keyId: string;
  /** Tells families apart; no secret. */
  readonly familyId: string;
  /** As things stand: a rotation moves it. */
  readonly expiresAtEpochMs: EpochMs;
}

export type TicketVerdict = { readonly access: TicketAccess } | { readonly failure: SocketTicketFailure };

/**
 * Until when a family lasts as things stand, or that it was revoked. `unknown`: whoever keeps families has no such one, or no more; that says
 * nothing of one that was known before.
 */
export type FamilyStanding = EpochMs | 'revoked' | 'unknown';

export interface SocketTickets {
  /** Uses a ticket up for one socket. Rejects where tickets cannot be looked up just now. */
  authenticate(ticket: string): Promise<TicketVerdict>;
  /** Rejects likewise. */
  lastsUntil(familyId: string): Promise<FamilyStanding>;
}
