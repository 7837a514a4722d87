/** A gateway in front of an HTTP server with scripted responses: one pair for each test of a file. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect } from 'vitest';
import { type RunningGateway, startGateway } from '#app/gateway-start.ts';
import { EXAMPLES } from '#contract/examples.ts';
import { Upstream } from '#gateway/upstream.ts';
import { systemTime } from '#time/system-time.ts';
import { ManualTime } from '#time/testing/manual-time.ts';

export type ScriptedResponse = (request: IncomingMessage, response: ServerResponse) => void;

export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export const KEY = `Bearer opk_${'a'.repeat(16)}_${'A'.repeat(43)}`;

export const ENTRY = {
  symbol: 'BTC/USD.E:USD.E',
  type: 'limit',
  side: 'buy',
  amount: 0.01,
  price: 60_000,
  params: { clientOrderId: 'a' },
};

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): ScriptedResponse =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

/** The recorded example of an operation. */
export const recorded = (id: string) => json(EXAMPLES[id]!.response.status, EXAMPLES[id]!.response.body);

/** How long the gateway waits for a response, by timers that only {@link ScriptedVenue.pastTimeout} advances. */
const TIMEOUT_MS = 10_000;

export class ScriptedVenue {
  /** By path; any other path gets 404. */
  responses: Record<string, ScriptedResponse> = {};
  received: ReceivedRequest[] = [];
  #server!: Server;
  #gateway!: RunningGateway;
  #errors: unknown[] = [];
  #timers = new ManualTime();

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get gatewayUrl(): string {
    return this.#gateway.url;
  }

  async start(): Promise<void> {
    this.#errors = [];
    this.responses = {
      '/v1/markets': recorded('listMarkets'),
      '/v1/api-keys/current': recorded('getCurrentApiKey'),
      '/v1/auth/session': recorded('getCurrentSession'),
      '/v1/orders': recorded('placeOrder'),
    };
    this.#server = createServer(async (request, response) => {
      const { method = '', url = '', headers } = request;
      this.received.push({ method, url, headers, body: Buffer.concat(await request.toArray()).toString() });
      (this.responses[url.split('?')[0]!] ?? json(404, {}))(request, response);
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const config = { upstream: this.url, host: 'localhost', port: 0, trustedProxies: [] };
    this.#timers = new ManualTime();
    const upstream = new Upstream(this.url, { steadyClock: systemTime.steadyClock, timers: this.#timers }, TIMEOUT_MS);
    this.#gateway = await startGateway(config, (error) => this.#errors.push(error), upstream);
    this.received = [];
  }

  /** Also expects that the gateway had no internal error. */
  async stop(): Promise<void> {
    await this.#gateway.stop();
    this.disconnect();
    expect(this.#errors).toEqual([]);
  }

  disconnect(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** A response that does not come before the gateway's timeout. */
  get pastTimeout(): ScriptedResponse {
    return () => void this.#timers.advance(TIMEOUT_MS);
  }

  /** Sends a request to the gateway. */
  async send(path: string, init: RequestInit = {}) {
    const response = await fetch(`${this.gatewayUrl}${path}`, { ...init, headers: { authorization: KEY, ...init.headers } });
    return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  }

  place(headers: Record<string, string> = {}) {
    return this.send('/v2/order', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'my-key', ...headers },
      body: JSON.stringify(ENTRY),
    });
  }
}

/** Starts a venue and a gateway for each test. */
export function useScriptedVenue(): ScriptedVenue {
  const venue = new ScriptedVenue();
  beforeEach(() => venue.start());
  afterEach(() => venue.stop());
  return venue;
}
