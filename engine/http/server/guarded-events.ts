/**
 * Wrappers for event handlers outside the framework. An exception in one would end the process, and the same request would end
 * the next process too: instead it closes the connection.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Receives an exception that the venue survives; `where` names the activity. */
export type OnInternalError = (error: unknown, where: string) => void;

/** Wraps an event handler whose first argument is a connection, or a request with one: closes it if the handler throws. */
export function guarded<Source extends Duplex | IncomingMessage, Rest extends readonly unknown[]>(
  onInternalError: OnInternalError,
  handle: (source: Source, ...rest: Rest) => void,
): (source: Source, ...rest: Rest) => void {
  return (source, ...rest) => {
    try {
      handle(source, ...rest);
    } catch (error) {
      ('socket' in source ? source.socket : source).destroy();
      onInternalError(error, 'a connection');
    }
  };
}

/**
 * Wraps a timer task, or an event handler without a connection to close: reports an exception, and the next run is unaffected.
 */
export function contained<Given extends readonly unknown[]>(
  onInternalError: OnInternalError,
  where: string,
  handle: (...given: Given) => void,
): (...given: Given) => void {
  return (...given) => {
    try {
      handle(...given);
    } catch (error) {
      onInternalError(error, where);
    }
  };
}
