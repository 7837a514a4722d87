/**
 * Where a running venue reports events: as lines for people, or as a JSON log. The banner and the last line are text for people
 * in both cases.
 */

import type { VenueParts } from '#app/compose.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS, type OperationId } from '#contract/operations.ts';
import { errorText } from '#observability/error-text.ts';
import { withoutSecrets } from '#observability/secrets.ts';
import { type LogLevel, StructuredLog, stderrStream } from '#observability/structured-log.ts';

export interface Reports
  extends Required<Pick<VenueParts, 'log' | 'onFatalError' | 'onInternalError' | 'onHalt'>>,
    Pick<VenueParts, 'logRequests'> {
  /** Call before the process ends. */
  readonly flush: () => void;
}

export function reportsForPeople(): Reports {
  return {
    log: (line) => console.log(withoutSecrets(line)),
    onFatalError: (error, where) => console.error(`openperp: internal error in ${where}: ${errorText(error)}`),
    onInternalError: (error, where) =>
      console.error(`openperp: internal error in ${where}; the venue goes on: ${errorText(error)}`),
    onHalt: ({ reason, detail, cause }) => {
      const text = withoutSecrets(`${reason}: ${detail}`);
      console.error(`openperp: THE VENUE IS HALTED and takes no commands until it is restarted: ${text}\n${errorText(cause)}`);
    },
    flush: () => {},
  };
}

export function reportsForMachines(level: LogLevel): Reports {
  const stream = stderrStream();
  const log = new StructuredLog(level, stream);
  return {
    log: (line) => log.line(line),
    logRequests: (operation) => log.requests(operation, isProbe(operation)),
    onFatalError: (error, where) => {
      log.fatal(error, where);
      stream.flushSync();
    },
    onInternalError: (error, where) => log.internalError(error, where),
    onHalt: (halt) => {
      log.halt(halt);
      stream.flushSync();
    },
    flush: () => stream.flushSync(),
  };
}

/** Operations that monitoring calls at any rate. */
function isProbe(operation: string): boolean {
  const declared: Operation | undefined = OPERATIONS[operation as OperationId];
  return operation === 'metrics' || declared?.isProbe === true;
}
