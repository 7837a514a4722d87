/** The other end of the operator's socket: asks the venue that runs on a data directory, one action per connection. */
import { createConnection } from 'node:net';
import { resolve as resolvePath } from 'node:path';
import { type OperatorAnswer, OperatorRefusal, type OperatorRequest } from './action.ts';
import { operatorSocketPath } from './socket-path.ts';

const PATIENCE_MS = 15_000;

/** The result of the action. Rejects with {@link OperatorRefusal}, whose message is one line, for everything else. */
export async function askOperator(dataDirectory: string, request: OperatorRequest, patienceMs = PATIENCE_MS): Promise<object> {
  const line = await exchange(dataDirectory, `${JSON.stringify(request)}\n`, patienceMs);
  const answer = JSON.parse(line) as OperatorAnswer;
  if (answer.ok) return answer.result;
  throw new OperatorRefusal(answer.error.code, answer.error.message);
}

function exchange(dataDirectory: string, line: string, patienceMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(operatorSocketPath(dataDirectory), () => socket.write(line));
    let received = '';
    socket.setEncoding('utf8');
    socket.setTimeout(patienceMs, () =>
      socket.destroy(new OperatorRefusal('timeout', `the venue did not answer within ${patienceMs / 1_000} s`)),
    );
    socket.on('error', (error) => reject(notRunning(dataDirectory, error)));
    socket.on('close', () => reject(new OperatorRefusal('closed', 'the venue closed the connection without an answer')));
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
