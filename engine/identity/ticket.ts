/**
 * Realtime tickets: 43 characters. The first half finds the family, the whole proves the ticket. Only SHA-256 digests of both are
 * stored, from which no ticket can be made.
 */
import { hash, randomBytes } from 'node:crypto';

const PART_BYTES = 16;

/** The digests of a ticket, which do not reveal it. */
export interface TicketDigests {
  /** Of the half that all tickets of a family share, in hex. */
  readonly familyId: string;
  /** Of the whole ticket, in hex. */
  readonly digest: string;
}

export interface NewTicket extends TicketDigests {
  /** Shown to its owner once. */
  readonly ticket: string;
}

/** The first ticket of a new family. */
export function createTicket(): NewTicket {
  return ticketOf(randomBytes(2 * PART_BYTES));
}

/** Another ticket of the same family as a well-formed ticket. */
export function nextTicket(ticket: string): NewTicket {
  const family = Buffer.from(ticket, 'base64url').subarray(0, PART_BYTES);
  return ticketOf(Buffer.concat([family, randomBytes(PART_BYTES)]));
}

/** `undefined` for a malformed ticket. */
export function digestsOf(ticket: string): TicketDigests | undefined {
  const bytes = Buffer.from(ticket, 'base64url');
  // The last character has unused bits: with other values it would be another text for the same ticket.
  if (bytes.length !== 2 * PART_BYTES || bytes.toString('base64url') !== ticket) return undefined;
  const { familyId, digest } = ticketOf(bytes);
  return { familyId, digest };
}

function ticketOf(bytes: Buffer): NewTicket {
  const ticket = bytes.toString('base64url');
  return { ticket, familyId: hash('sha256', bytes.subarray(0, PART_BYTES), 'hex'), digest: hash('sha256', ticket, 'hex') };
}
