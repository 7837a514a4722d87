/** Sends raw bytes to a server and reads every response, for requests that no client library would send. */
import { connect } from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Resolves with the responses when the server closes, or after `quietMs`, if given, without a byte. */
export async function sendRaw(port: number, bytes: string | Buffer, quietMs?: number): Promise<readonly RawResponse[]> {
  const received = await new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks));
    };
    if (quietMs !== undefined) socket.setTimeout(quietMs, end);
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', end);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? end() : reject(error),
    );
  });
  return [...responsesIn(received)];
}

/** Parses all responses in the received bytes. */
export function* responsesIn(received: Buffer): Generator<RawResponse> {
  let rest = received;
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd < 0) throw new Error(`not an HTTP response: ${rest.subarray(0, 200).toString('latin1')}`);
    const [statusLine = '', ...lines] = rest.subarray(0, headEnd).toString('latin1').split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const bodyEnd = headEnd + 4 + Number(headers['content-length'] ?? 0);
    yield { status: Number(statusLine.split(' ')[1]), headers, body: rest.subarray(headEnd + 4, bodyEnd).toString('utf8') };
    rest = rest.subarray(bodyEnd);
  }
}
