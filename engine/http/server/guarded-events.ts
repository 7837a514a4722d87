/**
 * Event handlers of a server, beside what the framework catches. An exception in one would end the process, and the request that caused it would
 * end the next process too: it ends its connection instead.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Takes an exception at an edge of the venue, which goes on; `where` says what was under way. */
export type OnInternalError = (error: unknown, where: string) => void;

/** An event handler whose first argument is a connection, or a request that has one: closed if the handler throws. */
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

/** A task of a timer, or a handler of an event that leaves no connection to close: an exception is reported, and the next one runs. */
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
