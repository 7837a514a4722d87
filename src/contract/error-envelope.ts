/** The envelope that every refusal comes in (7.1), and what it can say beside its code. */
import * as z from 'zod';
import { ERROR_CODES, type ErrorCode, RECOVERY_ACTIONS } from './errors.ts';
import { REALTIME_TICKET_FAILURE_NAMES, REALTIME_TICKET_FAILURES } from './realtime-errors.ts';

/** Why a bearer was not accepted. */
export const API_KEY_REJECTIONS = ['missing', 'malformed', 'unknown', 'revoked', 'expired'] as const;
export type ApiKeyRejection = (typeof API_KEY_REJECTIONS)[number];

/** What an operation may need that is not the venue itself. */
export const DEPENDENCIES = ['realtime_tickets'] as const;
export type Dependency = (typeof DEPENDENCIES)[number];

/** Where the id of an answer is from. */
export const REQUEST_ID_ORIGIN =
  "the request's own where it sent one of 1 to 64 letters, digits and . _ - that is not shaped like a key or a ticket, a new one otherwise";

/** The answer to every request that is refused. */
export const errorEnvelope = z
  .strictObject({
    version: z.literal('external-rest-error/v1'),
    requestId: z
      .string()
      .min(1)
      .meta({
        description:
          `The x-request-id of the answer: ${REQUEST_ID_ORIGIN}. ` +
          'A refusal that is repeated for its idempotency key differs from its first answer in this field alone.',
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
  .meta({ id: 'Error', description: 'The answer to every request that is refused.' });
export type ErrorEnvelope = z.infer<typeof errorEnvelope>;
