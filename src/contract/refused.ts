/** A request that ends in a refusal: a code of the catalogue and a message for the client. Thrown, rendered once. */

import type { EpochMs } from '#units/money.ts';
import type { ApiKeyRejection, Dependency, ErrorEnvelope } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import { ERRORS } from './errors.ts';
import type { RealtimeTicketFailure } from './realtime-errors.ts';

export interface RefusalDetails {
  readonly apiKeyRejection?: ApiKeyRejection;
  readonly dependency?: Dependency;
  readonly realtimeTicketFailure?: RealtimeTicketFailure;
  readonly headers?: Readonly<Record<string, string>>;
  /** For a refusal that the journal keeps: its time, so that a replay says the same. */
  readonly occurredAtEpochMs?: EpochMs;
}

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  /** Without a message of its own it says cause and remedy of the catalogue. No stack: nobody reads it, and it would cost most. */
  constructor(code: ErrorCode, safeMessage?: string, details: RefusalDetails = {}) {
    const message = safeMessage ?? `${ERRORS[code].cause} ${ERRORS[code].whatToDo}`;
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = details;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }
}

export function renderEnvelope(refused: Refused, requestId: string, now: EpochMs): ErrorEnvelope {
  const { code } = refused;
  const { retryable, recoveryActions } = ERRORS[code];
  const { apiKeyRejection, dependency, realtimeTicketFailure, occurredAtEpochMs = now } = refused.details;
  return {
    version: 'external-rest-error/v1',
    requestId,
    code,
    safeMessage: refused.message,
    retryable,
    recoveryActions: [...recoveryActions],
    occurredAtEpochMs,
    ...(apiKeyRejection === undefined ? {} : { apiKeyRejection }),
    ...(dependency === undefined ? {} : { dependency }),
    ...(realtimeTicketFailure === undefined ? {} : { realtimeTicketFailure }),
  };
}
