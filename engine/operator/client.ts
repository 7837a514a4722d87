/** The client of the operator's socket: sends one action per connection to the venue that runs on a data directory. */
import { createConnection } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import { OperatorRefusal, type OperatorRequest, type OperatorResponse } from './action.ts';
import { operatorSocketPath } from './socket-path.ts';

const TIMEOUT_MS = 15_000;

/** Resolves with the action's result. Otherwise rejects with {@link OperatorRefusal}, whose message is one line. */
export async function callOperator(dataDirectory: string, request: OperatorRequest, timeoutMs = TIMEOUT_MS): Promise<object> {
  const line = await exchange(dataDirectory, `${JSON.stringify(request)}\n`, timeoutMs);
  const response = JSON.parse(line) as OperatorResponse;
  if (response.ok) return response.result;
  throw new OperatorRefusal(response.error.code, response.error.message);
}

function exchange(dataDirectory: string, line: string, timeoutMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(operatorSocketPath(dataDirectory), () => socket.write(line));
    let received = '';
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () =>
      socket.destroy(new OperatorRefusal('timeout', `the venue did not respond within ${timeoutMs / 1_000} s`)),
    );
    socket.on('error', (error) => reject(notRunning(dataDirectory, error)));
    socket.on('close', () => reject(new OperatorRefusal('closed', 'the venue closed the connection without a response')));
    socket.on('data', (text: string) => {
      received += text;
      if (!received.includes('\n')) return;
      resolve(received);
      socket.destroy();
    });
  });
}

function notRunning(dataDirectory: string, error: Error & { code?: string }): Error {
  const isAbsent = error.code === 'ENOENT' || error.code === 'ECONNREFUSED';
  if (isAbsent)
    return new OperatorRefusal(
      'not_running',
      `no venue is running on ${resolvePath(dataDirectory)}: start one there, or name its --data-dir`,
    );
  if (error.code === 'EACCES')
    return new OperatorRefusal('not_allowed', `${resolvePath(dataDirectory)} belongs to another user's venue`);
  return error instanceof OperatorRefusal ? error : new OperatorRefusal('failed', error.message);
}
