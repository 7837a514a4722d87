/** The session of an owner: its facts, and its end. */
import * as z from 'zod';
import { accountId, epochMs } from './fields.ts';
import type { Operation } from './operation.ts';

const currentSession = z
  .strictObject({
    version: z.literal('owner-session-current/v1'),
    accountId,
    sessionId: z.string().meta({ description: 'Not a secret.' }),
    signedInBy: z.enum(['passkey', 'social']),
    createdAtEpochMs: epochMs,
    expiresAtEpochMs: epochMs.meta({ description: 'The session is refused from this time on; use does not extend it.' }),
  })
  .meta({ id: 'OwnerSessionCurrent', 'x-openperp-ours': true });

export const getCurrentSession = {
  id: 'getCurrentSession',
  group: 'Auth',
  method: 'GET',
  path: '/v1/auth/session',
  summary: 'Inspect the current session',
  description: 'The account of the session in the request, and how it was made.',
  isOurs: true,
  access: 'session',
  success: { status: 200, schema: currentSession, description: 'The session, without its bearer.' },
  refusals: [],
} as const satisfies Operation;

export const endSession = {
  id: 'endSession',
  group: 'Auth',
  method: 'DELETE',
  path: '/v1/auth/session',
  summary: 'Sign out',
  description: 'Ends the session in the request, its realtime tickets and their sockets.',
  isOurs: true,
  access: 'session',
  limit: 'signing',
  success: { status: 204, description: 'The session has ended.' },
  refusals: [],
} as const satisfies Operation;

export const endSessions = {
  id: 'endSessions',
  group: 'Auth',
  method: 'DELETE',
  path: '/v1/auth/sessions',
  summary: 'Sign out everywhere',
  description: 'Ends all sessions of the account, also the one in the request. API keys stay valid.',
  isOurs: true,
  access: 'session:passkey',
  limit: 'signing',
  success: { status: 204, description: 'All sessions have ended.' },
  refusals: [],
} as const satisfies Operation;

export const sessionOperations = { getCurrentSession, endSession, endSessions };
