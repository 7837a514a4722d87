/** The error that refuses a request: a code of the catalogue and a message for the client. */

import type { EpochMs } from '#units/money.ts';
import type { ErrorEnvelope } from './error-envelope.ts';
import type { ErrorCode } from './errors.ts';
import { ERRORS } from './errors.ts';

type EnvelopeDetail =
  | 'apiKeyRejection'
  | 'dependency'
  | 'realtimeTicketFailure'
  | 'agentRefusal'
  | 'rejectionGuard'
  | 'withdrawalFailure'
  | 'scriptRefusals';

export interface RefusalDetails extends Readonly<Pick<ErrorEnvelope, EnvelopeDetail>> {
  readonly headers?: Readonly<Record<string, string>>;
  /** The time of a stored refusal, so that a replay returns the same time. */
  readonly occurredAtEpochMs?: EpochMs;
}

export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  readonly details: RefusalDetails;

  /** The default message is cause and remedy of the catalogue. Has no stack: a stack is not read, and capturing it costs most of the time. */
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
  const { headers: _, occurredAtEpochMs = now, ...details } = refused.details;
  return {
    version: 'external-rest-error/v1',
    requestId,
    code,
    safeMessage: refused.message,
    retryable,
    recoveryActions: [...recoveryActions],
    occurredAtEpochMs,
    ...details,
  };
}
