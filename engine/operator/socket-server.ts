/**
 * The operator's socket: one JSON object per line in, one per line out, in order. It is in the data directory with mode 0600, so
 * that only the user that can read the venue's files can operate it.
 */
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { parseExactJson } from '#contract/exact-json.ts';
import { JsonRefusal } from '#contract/json-refusal.ts';
import { parseFields } from '#contract/parse.ts';
import { quarantine } from '#writer/journal/quarantine.ts';
import { type OperatorAction, OperatorRefusal, type OperatorResponse, operatorAction } from './action.ts';
import { operatorSocketPath } from './socket-path.ts';

export interface OperatorSocketOptions {
  /** A directory whose lock this process holds: a socket left in it by a crash is removed. */
  readonly dataDirectory: string;
  readonly perform: (action: OperatorAction) => Promise<object>;
  /** Takes the errors that callers get as `internal_error`. */
  readonly onInternalError: (error: unknown) => void;
  /** Takes log lines. */
  readonly log: (line: string) => void;
}

export interface OperatorSocket {
  close(): Promise<void>;
}

const MAX_LINE_BYTES = 16_384;
const IDLE_MS = 60_000;
const MAX_CONNECTIONS = 32;

export async function openOperatorSocket(options: OperatorSocketOptions): Promise<OperatorSocket> {
  const path = operatorSocketPath(options.dataDirectory);
  clearPath(path, options.log);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    orEnd(socket, options, () => serve(socket, options));
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);
  chmodSync(path, 0o600);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Removes a socket that a crash left; sets anything else aside. */
function clearPath(path: string, log: (line: string) => void): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSocket()) rmSync(path);
  else log(`operator: ${path} was not a socket and is now ${quarantine(path)}`);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.off('error', reject);
      // The caller of a connection that cannot be accepted may try again.
      server.on('error', () => {});
      resolve();
    });
  });
}

function serve(socket: Socket, options: OperatorSocketOptions): void {
  let pending = '';
  let responded = Promise.resolve();
  socket.setEncoding('utf8');
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  // Ignores callers that disconnect early.
  socket.on('error', () => socket.destroy());
  const take = (text: string) => {
    const lines = (pending + text).split('\n');
    pending = lines.pop() ?? '';
    for (const line of lines) {
      responded = responded.then(async () => {
        const response = await respondTo(line, options);
        orEnd(socket, options, () => socket.writable && socket.write(`${response}\n`));
      });
    }
    if (pending.length > MAX_LINE_BYTES) socket.destroy();
  };
  socket.on('data', (text: string) => orEnd(socket, options, () => take(text)));
}

/** An exception ends only the connection: nothing else would catch it. */
function orEnd(socket: Socket, { onInternalError }: OperatorSocketOptions, run: () => void): void {
  try {
    run();
  } catch (error) {
    socket.destroy();
    onInternalError(error);
  }
}

/** As JSON. Never rejects. */
async function respondTo(line: string, { perform, onInternalError }: OperatorSocketOptions): Promise<string> {
  try {
    return rendered({ ok: true, result: await perform(parseAction(line)) });
  } catch (error) {
    if (error instanceof OperatorRefusal) return rendered({ ok: false, error: { code: error.code, message: error.message } });
    onInternalError(error);
    return rendered({ ok: false, error: { code: 'internal_error', message: 'Internal error. The log of the venue says more.' } });
  }
}

function rendered(response: OperatorResponse): string {
  return JSON.stringify(response);
}

function parseAction(line: string): OperatorAction {
  if (line.length > MAX_LINE_BYTES)
    throw new OperatorRefusal('invalid_request', `a line is at most ${MAX_LINE_BYTES} characters`);
  let request: unknown;
  try {
    request = parseExactJson(line);
  } catch (error) {
    if (error instanceof JsonRefusal) throw new OperatorRefusal('invalid_request', error.faultOf('line'));
    if (!(error instanceof SyntaxError)) throw error;
    throw new OperatorRefusal('invalid_request', 'the line is not JSON');
  }
  const parsed = parseFields(operatorAction, request, 'body');
  if ('value' in parsed) return parsed.value;
  throw new OperatorRefusal('invalid_request', parsed.fault);
}
