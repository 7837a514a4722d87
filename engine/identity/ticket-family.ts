/**
 * A family of tickets: the current one and the previous one. Each function maps a stored family to the changed one, so that a
 * store only needs to swap the two atomically.
 */
import { timingSafeEqual } from 'node:crypto';
import type { RealtimeTicketFailure, SocketTicketFailure } from '#contract/realtime-errors.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { TicketAccess } from './socket-tickets.ts';

export interface StoredTicket {
  readonly digest: string;
  readonly expiresAtEpochMs: EpochMs;
  /** It has authenticated a socket. */
  readonly isUsed: boolean;
}

/** Plain values, as in JSON. */
export interface TicketFamily {
  readonly familyId: string;
  readonly account: AccountOrdinal;
  readonly keyId: string;
  /** The private channels that its tickets permit; all of them if absent. */
  readonly channels?: readonly string[];
  /** The limit, however often it is rotated. */
  readonly endsAtEpochMs: EpochMs;
  readonly isRevoked: boolean;
  readonly current: StoredTicket;
  readonly previous?: StoredTicket;
}

/** The changed family (the same object if unchanged), and the verdict for the caller. */
export interface FamilyChange<Failure extends SocketTicketFailure = RealtimeTicketFailure> {
  readonly family: TicketFamily;
  readonly verdict: { readonly access: TicketAccess } | { readonly failure: Failure };
}

/** Authenticates a socket with the ticket, once. */
export function used(family: TicketFamily, digest: string, now: EpochMs): FamilyChange<SocketTicketFailure> {
  const found = find(family, digest, now);
  if ('verdict' in found) return found;
  const { name, ticket } = found;
  if (ticket.isUsed) return { family, verdict: { failure: 'used' } };
  return accepted({ ...family, [name]: { ...ticket, isUsed: true } });
}

/**
 * Replaces the ticket by the next one. A ticket that was rotated before can be rotated again: its client may not have received
 * the result.
 */
export function rotated(
  family: TicketFamily,
  digest: string,
  next: { digest: string; lifetimeMs: number },
  now: EpochMs,
): FamilyChange {
  const found = find(family, digest, now);
  if ('verdict' in found) return found;
  const expiresAtEpochMs = Math.min(now + next.lifetimeMs, family.endsAtEpochMs) as EpochMs;
  const current: StoredTicket = { digest: next.digest, expiresAtEpochMs, isUsed: false };
  return accepted({ ...family, current, previous: found.ticket });
}

export function revoked(family: TicketFamily): TicketFamily {
  return family.isRevoked ? family : { ...family, isRevoked: true };
}

export function accessOf({ account, keyId, familyId, current, channels }: TicketFamily): TicketAccess {
  const access = { account, keyId, familyId, expiresAtEpochMs: current.expiresAtEpochMs };
  return channels === undefined ? access : { ...access, channels };
}

function accepted(family: TicketFamily): FamilyChange {
  return { family, verdict: { access: accessOf(family) } };
}

type TicketMatch = { readonly name: 'current' | 'previous'; readonly ticket: StoredTicket } | FamilyChange;

/** A ticket that is neither of the two known ones is older: it was probably stolen, so the family is revoked. */
function find(family: TicketFamily, digest: string, now: EpochMs): TicketMatch {
  if (family.isRevoked) return { family, verdict: { failure: 'revoked' } };
  const name = isSame(family.current.digest, digest) ? 'current' : 'previous';
  const ticket = family[name];
  if (ticket === undefined || !isSame(ticket.digest, digest)) return { family: revoked(family), verdict: { failure: 'reused' } };
  if (ticket.expiresAtEpochMs <= now) return { family, verdict: { failure: 'expired' } };
  return { name, ticket };
}

function isSame(left: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(left, 'hex'), Buffer.from(right, 'hex'));
}
