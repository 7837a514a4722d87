/** The error envelope of every refused request (7.1), with its details. */
import * as z from 'zod';
import { RECOVERY_ACTIONS } from './error-entry.ts';
import { ERROR_CODES, type ErrorCode } from './errors.ts';
import { ours } from './fields.ts';
import { REALTIME_TICKET_FAILURE_NAMES, REALTIME_TICKET_FAILURES } from './realtime-errors.ts';

/** Why a bearer, an API key or an owner's session, was not accepted. */
export const API_KEY_REJECTIONS = ['missing', 'malformed', 'unknown', 'revoked', 'expired'] as const;
export type ApiKeyRejection = (typeof API_KEY_REJECTIONS)[number];

/** A service that an operation needs besides the venue itself: a store that processes share, or a provider that the operator configures. */
export const dependency = z
  .string()
  .regex(/^[a-z][a-z0-9_-]{0,63}$/)
  .meta({
    description:
      'The unavailable service: realtime_tickets, sessions, challenges, sign_in_challenges, sign_in_attempts, device_grants, external_ledger, ' +
      'or the id of a provider.',
  });

/** Why an agent or passkey operation is refused (7.3). */
export const AGENT_REFUSALS = [
  'owner_signature_invalid',
  'transfer_eligibility_insufficient',
  'transfer_blocked',
  'account_unavailable',
  'agent_funding_expired',
  'venue_halted',
  'account_transfer_unavailable',
  'engine_view_unavailable',
  'account_transfer_not_enabled',
  'agents_not_admitted_in_environment',
] as const;

/** The largest number of refusals that one review lists. */
export const MAX_SCRIPT_REFUSALS = 20;

/** Why a script is refused, at a place of its text. The reason can quote the script: it is data. */
export const scriptRefusal = z.strictObject({
  line: z.int().min(1),
  column: z.int().min(1).meta({ description: 'In UTF-16 units.' }),
  reason: z.string(),
  remedy: z.string(),
});

/** Which check of a financial request failed. */
export const REJECTION_GUARDS = ['amount_atoms_invalid'] as const;

/** The status of the withdrawal when its step failed: the statuses of 2.5. */
export const WITHDRAWAL_FAILURES = ['requested', 'reserved', 'authorized', 'submitted', 'blocked'] as const;

/** How the id of a response is chosen. */
export const REQUEST_ID_ORIGIN =
  'the x-request-id of the request if it has 1 to 64 letters, digits and . _ - and does not look like an API key or a ticket; otherwise a new one';

/** The response to every refused request. */
export const errorEnvelope = z
  .strictObject({
    version: z.literal('external-rest-error/v1'),
    requestId: z
      .string()
      .min(1)
      .meta({
        description:
          `The x-request-id of the response: ${REQUEST_ID_ORIGIN}. ` +
          'A stored refusal that is returned again for its idempotency key differs from the first one in this field only.',
      }),
    code: z.enum(ERROR_CODES as [ErrorCode, ...ErrorCode[]]),
    safeMessage: z.string().min(1),
    retryable: z.boolean(),
    recoveryActions: z.array(z.enum(RECOVERY_ACTIONS)).min(1),
    occurredAtEpochMs: z.int().min(0),
    apiKeyRejection: z.enum(API_KEY_REJECTIONS).optional(),
    dependency: dependency.optional(),
    realtimeTicketFailure: z
      .enum(REALTIME_TICKET_FAILURE_NAMES)
      .optional()
      .meta({
        description: Object.entries(REALTIME_TICKET_FAILURES)
          .map(([name, meaning]) => `${name}: ${meaning}`)
          .join(' '),
      }),
    agentRefusal: z.enum(AGENT_REFUSALS).optional(),
    rejectionGuard: z.enum(REJECTION_GUARDS).optional(),
    withdrawalFailure: z.enum(WITHDRAWAL_FAILURES).meta({ description: 'The status in which the withdrawal failed.' }).optional(),
    scriptRefusals: ours(
      z.array(scriptRefusal).min(1).max(MAX_SCRIPT_REFUSALS).optional(),
      'Each place of a script that is refused.',
    ),
  })
  .meta({ id: 'Error', description: 'The response to every refused request.' });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;

/** Details that only some operations can return: each declares its own. */
export const DECLARED_DETAILS = ['agentRefusal', 'rejectionGuard', 'withdrawalFailure', 'scriptRefusals'] as const;
export type DeclaredDetail = (typeof DECLARED_DETAILS)[number];
