/** The error envelope of every refused request (7.1), with its details. */
import * as z from 'zod';
import { ERROR_CODES, type ErrorCode, RECOVERY_ACTIONS } from './errors.ts';
import { REALTIME_TICKET_FAILURE_NAMES, REALTIME_TICKET_FAILURES } from './realtime-errors.ts';

/** Why an API key was not accepted. */
export const API_KEY_REJECTIONS = ['missing', 'malformed', 'unknown', 'revoked', 'expired'] as const;
export type ApiKeyRejection = (typeof API_KEY_REJECTIONS)[number];

/** Dependencies of operations besides the venue itself. */
export const DEPENDENCIES = ['realtime_tickets'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

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
    dependency: z.enum(DEPENDENCIES).optional(),
    realtimeTicketFailure: z
      .enum(REALTIME_TICKET_FAILURE_NAMES)
      .optional()
      .meta({
        description: Object.entries(REALTIME_TICKET_FAILURES)
          .map(([name, meaning]) => `${name}: ${meaning}`)
          .join(' '),
      }),
  })
  .meta({ id: 'Error', description: 'The response to every refused request.' });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
