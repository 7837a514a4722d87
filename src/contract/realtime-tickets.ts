/** Realtime access (4.7): tickets that authenticate a socket. A ticket is in a body or in a frame, never in an address. */
import * as z from 'zod';
import { accountId, epochMs } from './fields.ts';
import type { Operation } from './operation.ts';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from './realtime-limits.ts';

export const REALTIME_TICKET_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export const realtimeTicket = z
  .string()
  .regex(REALTIME_TICKET_PATTERN, 'must be a ticket: 43 letters, digits, _ and -')
  .meta({ description: 'A secret: whoever holds it can read the account by a socket.', maxLength: 43 });

const HOUR_MS = 3_600_000;
const LIFETIME =
  `A ticket is good for ${TICKET_LIFETIMES.ticketMs / HOUR_MS} h; rotated before that it makes a new one, for at most ` +
  `${TICKET_LIFETIMES.familyMs / HOUR_MS} h from the first. A socket is closed when its tickets have ended.`;

export const mintedTicket = z
  .strictObject({
    ticket: realtimeTicket,
    accountId,
    expiresAt: epochMs.meta({ description: 'Milliseconds since the Unix epoch. Rotate the ticket before.' }),
  })
  .meta({ id: 'RealtimeTicket', description: LIFETIME });
export type MintedTicket = z.infer<typeof mintedTicket>;

const ticketBody = z.strictObject({ ticket: realtimeTicket }).meta({ id: 'RealtimeTicketBody', 'x-openperp-ours': true });

export const mintRealtimeTicket = {
  id: 'mintRealtimeTicket',
  group: 'Realtime access',
  method: 'POST',
  path: '/v1/realtime/ticket',
  summary: 'Mint a realtime ticket',
  description:
    `Begins a family of tickets for the account of the API key, which is revoked with the key. ${LIFETIME} An account has at most ${MAX_TICKET_FAMILIES} families ` +
    'at once. Needs no body. Each ticket authenticates one socket.',
  access: 'bearer:read',
  success: { status: 200, schema: mintedTicket, description: 'The first ticket of a new family.' },
  refusals: ['too_many_realtime_tickets', 'dependency_unavailable'],
} as const satisfies Operation;

export const rotateRealtimeTicket = {
  id: 'rotateRealtimeTicket',
  group: 'Realtime access',
  method: 'PUT',
  path: '/v1/realtime/ticket',
  summary: 'Rotate a realtime ticket',
  description:
    'Makes the next ticket of a family. The ticket in the body, the current one or the one before it, is the only credential. Rotated again, it makes another: ' +
    'so an answer that was lost costs nothing. A ticket that is older than the previous one revokes its family: somebody else may hold it.',
  access: 'none',
  body: ticketBody,
  success: { status: 200, schema: mintedTicket, description: 'The next ticket.' },
  refusals: ['realtime_ticket_rejected', 'dependency_unavailable'],
} as const satisfies Operation;

export const revokeRealtimeTicket = {
  id: 'revokeRealtimeTicket',
  group: 'Realtime access',
  method: 'DELETE',
  path: '/v1/realtime/ticket',
  summary: 'Revoke a family of realtime tickets',
  description:
    'Ends all tickets of the family that the ticket in the body belongs to, and closes their sockets. Repeating it is a no-op; so is a ticket that the venue does not know.',
  access: 'none',
  body: ticketBody,
  success: { status: 204, description: 'The tickets are good for nothing any more.' },
  refusals: ['dependency_unavailable'],
} as const satisfies Operation;

export const realtimeOperations = { mintRealtimeTicket, rotateRealtimeTicket, revokeRealtimeTicket };
