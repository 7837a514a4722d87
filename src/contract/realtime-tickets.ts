/** Realtime access (4.7): tickets that authenticate a socket. A ticket is sent in a body or in a frame, never in a URL. */
import * as z from 'zod';
import { deploymentParams } from './agent-deployments.ts';
import { PARTIAL_FEATURES } from './environments.ts';
import { accountId, epochMs } from './fields.ts';
import type { Operation } from './operation.ts';
import { MAX_TICKET_FAMILIES, TICKET_LIFETIMES } from './realtime-limits.ts';

export const REALTIME_TICKET_PATTERN = /^[A-Za-z0-9_-]{43}$/;

export const realtimeTicket = z
  .string()
  .regex(REALTIME_TICKET_PATTERN, 'must be a ticket: 43 letters, digits, _ and -')
  .meta({ description: 'Secret: with the ticket a socket can read the account.', maxLength: 43 });

const HOUR_MS = 3_600_000;
const LIFETIME =
  `A ticket is valid for ${TICKET_LIFETIMES.ticketMs / HOUR_MS} h. Rotate it before that to get a new one, up to ` +
  `${TICKET_LIFETIMES.familyMs / HOUR_MS} h after the first ticket of the family. A socket is closed when its ticket family ends.`;

export const mintedTicket = z
  .strictObject({
    ticket: realtimeTicket,
    accountId,
    expiresAt: epochMs.meta({ description: 'Milliseconds since the Unix epoch. Rotate the ticket before this time.' }),
  })
  .meta({ id: 'RealtimeTicket', description: LIFETIME });
export type MintedTicket = z.infer<typeof mintedTicket>;

/** What a ticket of an agent account permits (4.5). */
export const AGENT_TICKET_CHANNELS = ['account.orders', 'account.fills', 'account.margin', 'account.pnl'] as const;

const ticketBody = z.strictObject({ ticket: realtimeTicket }).meta({ id: 'RealtimeTicketBody', 'x-openperp-ours': true });

export const mintRealtimeTicket = {
  id: 'mintRealtimeTicket',
  group: 'Realtime access',
  method: 'POST',
  path: '/v1/realtime/ticket',
  summary: 'Mint a realtime ticket',
  description:
    `Starts a family of tickets for the account of the API key or session. The family ends with that key or session. ${LIFETIME} An account has at most ` +
    `${MAX_TICKET_FAMILIES} families at a time. Needs no body. Each ticket authenticates one socket.`,
  access: 'bearer:read',
  success: { status: 200, schema: mintedTicket, description: 'The first ticket of a new family.' },
  refusals: ['too_many_realtime_tickets'],
} as const satisfies Operation;

export const rotateRealtimeTicket = {
  id: 'rotateRealtimeTicket',
  group: 'Realtime access',
  method: 'PUT',
  path: '/v1/realtime/ticket',
  summary: 'Rotate a realtime ticket',
  description:
    'Returns the next ticket of a family. The ticket in the body is the only credential: the current one or the previous one. Rotating the same ' +
    'ticket again returns another ticket, so a client can retry after a lost response. A ticket older than the previous one revokes its ' +
    'family, because it may be stolen.',
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
    'Revokes all tickets of the family of the ticket in the body, and closes their sockets. Repeating it is a no-op; so is an unknown ticket.',
  access: 'none',
  body: ticketBody,
  success: { status: 204, description: 'The tickets are revoked.' },
  refusals: ['dependency_unavailable'],
} as const satisfies Operation;

export const mintAgentTicket = {
  id: 'mintAgentTicket',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/agents/{deploymentId}/realtime-ticket',
  summary: 'Mint a realtime ticket of an agent account',
  description:
    'Starts a family of tickets for the agent account that the deployment is bound to, which must be identity-ready. They permit ' +
    `${AGENT_TICKET_CHANNELS.join(', ')}, with the accountId of the response. The family ends with the API key or session of this request, and ` +
    'counts for the agent account. Rotate and revoke it as any ticket. Needs no body.',
  environments: PARTIAL_FEATURES.agentTickets.environments,
  access: 'bearer:agents',
  params: deploymentParams,
  success: { status: 200, schema: mintedTicket, description: 'The first ticket of a new family.' },
  refusals: [
    'account_forbidden',
    'agent_deployment_not_found',
    'agent_account_not_ready',
    'too_many_realtime_tickets',
    'venue_busy',
    'venue_halted',
  ],
} as const satisfies Operation;

export const realtimeOperations = { mintRealtimeTicket, rotateRealtimeTicket, revokeRealtimeTicket, mintAgentTicket };
