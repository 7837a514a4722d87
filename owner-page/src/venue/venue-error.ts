/** What a request ended with instead of a result, with a text for the owner. */
import type { ScriptRefusal } from './agent-resources.ts';

/** The fields of the venue's error envelope that the page uses. */
export interface ErrorEnvelope {
  readonly code: string;
  readonly safeMessage: string;
  readonly retryable: boolean;
  readonly requestId: string;
  readonly scriptRefusals?: readonly ScriptRefusal[] | undefined;
}

export class VenueError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string;
  readonly isRetryable: boolean;
  readonly requestId: string | undefined;
  /** The places of a refused script. */
  readonly scriptRefusals: readonly ScriptRefusal[];
  /** How long the venue wants the page to wait; `undefined` if it does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, envelope: Partial<ErrorEnvelope>, retryAfterMs?: number) {
    super(envelope.safeMessage ?? `The venue answered with status ${status}.`);
    this.name = 'VenueError';
    this.status = status;
    this.code = envelope.code ?? 'unexpected_response';
    this.isRetryable = envelope.retryable ?? status >= 500;
    this.requestId = envelope.requestId;
    this.scriptRefusals = envelope.scriptRefusals ?? [];
    this.retryAfterMs = retryAfterMs;
  }

  static unreachable(): VenueError {
    const safeMessage = 'The venue does not respond. Check your connection.';
    return new VenueError(0, { code: 'unreachable', safeMessage, retryable: true });
  }
}

/** Whether the same request may succeed later. */
export function isPassing(error: unknown): error is VenueError {
  return error instanceof VenueError && error.isRetryable;
}

export function hasCode(error: unknown, ...codes: readonly string[]): error is VenueError {
  return error instanceof VenueError && codes.includes(error.code);
}
