/**
 * A server that records requests and gives scripted responses: for responses that a running venue cannot be made to give, and for
 * counting requests. Listens on the loopback interface on a free port.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface CannedResponse {
  readonly status: number;
  /** JSON, or text that is sent unchanged. */
  readonly body: object | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sends half of the body, then breaks the connection or stalls. */
  readonly half?: 'breaks' | 'stalls';
}

/** Breaks the connection instead of responding. */
export const LOST = 'lost';

export interface Recorder {
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Clears the recorded requests. */
  clear(): void;
  close(): Promise<void>;
}

export async function startRecorder(
  response: (request: RecordedRequest) => CannedResponse | Promise<CannedResponse | typeof LOST>,
): Promise<Recorder> {
  const requests: RecordedRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const request = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      headers: incoming.headers,
      body: await readAll(incoming),
    };
    requests.push(request);
    const responded = await response(request);
    if (responded === LOST) incoming.socket.destroy();
    else send(responded, outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    clear: () => {
      requests.length = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send({ status, headers, body, half }: CannedResponse, outgoing: ServerResponse): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const bytes = headers?.['content-encoding'] === 'gzip' ? gzipSync(text) : Buffer.from(text);
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers, ...(half && { 'content-length': bytes.length }) });
  if (half === undefined) outgoing.end(status === 204 ? undefined : bytes);
  else
    outgoing.write(bytes.subarray(0, bytes.length / 2), () => {
      if (half === 'breaks') outgoing.socket?.destroySoon();
    });
}

/** The headers that are forwarded between client and venue. */
const REQUEST_HEADERS = [
  'authorization',
  'content-type',
  'idempotency-key',
  'origin',
  'access-control-request-method',
  'access-control-request-headers',
];
const RESPONSE_HEADERS = ['access-control-allow-origin', 'access-control-allow-headers'];

/** The response of the venue at the URL to the request. */
export async function passOn(
  url: string,
  { method, path, headers, body }: RecordedRequest,
): Promise<CannedResponse & { readonly body: object }> {
  const recordedHeaders: Record<string, string> = {};
  for (const name of REQUEST_HEADERS) {
    const value = headers[name];
    if (typeof value === 'string') recordedHeaders[name] = value;
  }
  const response = await fetch(`${url}${path}`, { method, headers: recordedHeaders, ...(body !== '' && { body }) });
  const responseHeaders = RESPONSE_HEADERS.map((name) => [name, response.headers.get(name)] as const).filter(
    ([, value]) => value !== null,
  );
  const text = await response.text();
  return {
    status: response.status,
    headers: Object.fromEntries(responseHeaders) as Record<string, string>,
    body: text === '' ? {} : JSON.parse(text),
  };
}

async function readAll(incoming: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of incoming.setEncoding('utf8')) text += chunk;
  return text;
}
