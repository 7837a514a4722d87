/**
 * The log for machines: a JSON object per line. It logs the caller, the operation and the outcome of a request, and nothing that
 * the client wrote: no URL, no header, no body. Every line passes {@link withoutSecrets}.
 */
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import type { ErrorCode } from '#contract/errors.ts';
import type { Principal } from '#identity/directory.ts';
import { renderAccountId } from '#units/ids.ts';
import type { Halt } from '#writer/port/halt.ts';
import { errorFields } from './error-text.ts';
import { withoutSecrets } from './secrets.ts';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const STDERR = 2;
/** If the reader is too slow, lines beyond this are dropped: they must not fill the memory. */
const MAX_BUFFERED_BYTES = 16 << 20;

/** Writes asynchronously; call `flushSync` after a line about a fatal error. */
export function stderrStream(): ReturnType<typeof destination> {
  return destination({ fd: STDERR, sync: false, maxLength: MAX_BUFFERED_BYTES });
}

/** The fields of a request that may be logged. */
export interface LoggedRequest {
  readonly id: string;
  readonly method: string;
  readonly clientAddress: string;
  readonly principal?: Principal | undefined;
}

export type LogResponse = (status: number, elapsedMs: number, refusal: ErrorCode | undefined, request: LoggedRequest) => void;

export class StructuredLog {
  readonly #log: Logger;

  constructor(level: LogLevel, destination: DestinationStream) {
    this.#log = pino(
      {
        level,
        base: { name: 'openperp', pid: process.pid },
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        serializers: { err: errorFields },
        hooks: { streamWrite: withoutSecrets },
      },
      destination,
    );
  }

  line(text: string): void {
    this.#log.info(text);
  }

  fatal(error: unknown, where: string): void {
    this.#log.error({ err: error, where }, 'fatal error');
  }

  /** The venue continues after it. */
  internalError(error: unknown, where: string): void {
    this.#log.error({ err: error, where }, 'internal error');
  }

  halt({ reason, detail, cause }: Halt): void {
    this.#log.fatal({ reason, detail, err: cause }, 'the venue is halted and takes no commands until it is started again');
  }

  /** The log of one operation: requests at `info`, probes at `debug`, server errors at `warn`. */
  requests(operation: string, isProbe: boolean): LogResponse {
    const level = isProbe ? 'debug' : 'info';
    const isReported = this.#log.isLevelEnabled(level);
    return (status, elapsedMs, refusal, { id, method, clientAddress, principal }) => {
      if (!isReported && status < 500) return;
      this.#log[status < 500 ? level : 'warn'](
        {
          requestId: id,
          operation,
          method,
          status,
          code: refusal,
          elapsedMs: Math.round(elapsedMs * 1_000) / 1_000,
          clientAddress,
          accountId: principal && renderAccountId(principal.account),
          keyId: principal?.keyId,
        },
        'request',
      );
    };
  }
}
