/**
 * `GET /metrics` on a port of its own, which clients do not reach: a proxy on this machine that leads them to another port cannot
 * be told from this machine. Nothing else is answered there.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricRegistry } from './metric-registry.ts';

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]+)?$/i;

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface MetricsServerPorts {
  /** Takes lines for people: of connections that cannot be accepted. */
  readonly log: (line: string) => void;
  /** Takes what a scrape is answered 500 for. */
  readonly onInternalError: (error: unknown) => void;
}

/** Rejects where the port is taken. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: MetricRegistry,
  { log, onInternalError }: MetricsServerPorts,
): Promise<MetricsServer> {
  const options = { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 };
  const server = createServer(options, (request, response) => {
    answer(request, response, metrics).catch((error: unknown) => {
      onInternalError(error);
      if (response.headersSent) response.destroy();
      else response.writeHead(500, { 'content-type': 'text/plain' }).end('internal error\n');
    });
  });
  server.maxConnections = 64;
  server.listen({ host, port });
  await once(server, 'listening');
  server.on('error', (error) => log(`metrics: ${error.message}`));
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, metrics: MetricRegistry): Promise<void> {
  const isAsked = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
  if (!isAsked || isRebound(request)) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n');
    return;
  }
  const text = await metrics.scrape();
  response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
}

/** A page in a browser could have a name of its own lead to this machine. */
function isRebound({ socket, headers }: IncomingMessage): boolean {
  return LOOPBACK.test(socket.localAddress ?? '') && !LOOPBACK_HOST.test(headers.host ?? '');
}
