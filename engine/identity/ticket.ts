/**
 * Realtime tickets: 43 characters, of which the first half finds the family and the whole proves itself. What is kept are SHA-256
 * digests of both: nobody can make a ticket of them.
 */
import { hash, randomBytes } from 'node:crypto';

const PART_BYTES = 16;

/** What is known of a ticket without it. */
export interface TicketDigests {
  /** Of the half that all tickets of a family have in common, in hex. */
  readonly familyId: string;
  /** Of the whole ticket, in hex. */
  readonly digest: string;
}

export interface MadeTicket extends TicketDigests {
  /** For its owner, once. */
  readonly ticket: string;
}

/** The first ticket of a new family. */
export function makeTicket(): MadeTicket {
  return ticketOf(randomBytes(2 * PART_BYTES));
}

/** Another ticket of the family that a well-formed ticket is of. */
export function nextTicket(ticket: string): MadeTicket {
  const family = Buffer.from(ticket, 'base64url').subarray(0, PART_BYTES);
  return ticketOf(Buffer.concat([family, randomBytes(PART_BYTES)]));
}

/** `undefined` for what no venue has made. */
export function digestsOf(ticket: string): TicketDigests | undefined {
  const bytes = Buffer.from(ticket, 'base64url');
  // The last character has bits to spare: with others in them it would be another text for the same ticket.
  if (bytes.length !== 2 * PART_BYTES || bytes.toString('base64url') !== ticket) return undefined;
  const { familyId, digest } = ticketOf(bytes);
  return { familyId, digest };
}

function ticketOf(bytes: Buffer): MadeTicket {
  const ticket = bytes.toString('base64url');
  return { ticket, familyId: hash('sha256', bytes.subarray(0, PART_BYTES), 'hex'), digest: hash('sha256', ticket, 'hex') };
}
