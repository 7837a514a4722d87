/**
 * `GET /metrics` on a port of its own that clients cannot reach: a reverse proxy on this machine looks like this machine, so a
 * check of the address on a shared port would not protect it. The port serves nothing else.
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
  /** Takes log lines about connections that cannot be accepted. */
  readonly log: (line: string) => void;
  /** Receives errors that end a scrape with 500. */
  readonly onInternalError: (error: unknown) => void;
}

/** Rejects if the port is taken. */
export async function serveMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: MetricRegistry,
  { log, onInternalError }: MetricsServerPorts,
): Promise<MetricsServer> {
  const options = { requestTimeout: 5_000, headersTimeout: 5_000, maxHeaderSize: 8_192 };
  const server = createServer(options, (request, response) => {
    respondTo(request, response, metrics).catch((error: unknown) => {
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

async function respondTo(request: IncomingMessage, response: ServerResponse, metrics: MetricRegistry): Promise<void> {
  const isRequested = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
  if (!isRequested || isRebound(request)) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n');
    return;
  }
  const text = await metrics.scrape();
  response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
}

/** A page in a browser could resolve a host name of its own to this machine (DNS rebinding). */
function isRebound({ socket, headers }: IncomingMessage): boolean {
  return LOOPBACK.test(socket.localAddress ?? '') && !LOOPBACK_HOST.test(headers.host ?? '');
}
