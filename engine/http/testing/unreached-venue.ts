/**
 * The venue's server with one key and one market, and a writer that the test supplies: for refusals before a request reaches the
 * venue. It is driven over a real socket, byte for byte.
 */
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import { DEFAULT_ENVIRONMENT } from '#contract/environments.ts';
import { type ErrorEnvelope, errorEnvelope } from '#contract/error-envelope.ts';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { DEFAULT_RATES } from '#contract/limits.ts';
import { openGateway } from '#gateway/gateway.ts';
import { countersInProcess } from '#http/access/rate-counters.ts';
import { DEFAULT_HTTP_LIMITS, type HttpPorts, type VenueStatus } from '#http/server/ports.ts';
import { createHttpServer } from '#http/server/server.ts';
import { createApiKey } from '#identity/api-key.ts';
import { openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { relyingPartyOf } from '#identity/webauthn/relying-party.ts';
import type { OpenOrders } from '#reads/open-orders.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { Directory } from '#reads/reads.ts';
import { proxyReads } from '#reads/resource-reads.ts';
import { systemTime } from '#time/system-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import type { Submit } from '#writer/port/submit.ts';
import { BITCOIN } from './markets.ts';
import { observeRefusal } from './observed-responses.ts';
import { type RawResponse, sendRaw } from './raw-http.ts';

/** The burst of the placement limit. */
export const PLACEMENTS = 100;
export const apiKey = createApiKey();
export const bearer = `Authorization: Bearer ${apiKey.key}`;
export const json = 'Content-Type: application/json';
export const validBody =
  '{"accountId":"acct-1","marketId":"BTC-USD-PERP","clientOrderId":"a","side":"buy","orderType":"market","quantity":"1"}';

const clock = { now: () => epochMs(1_700_000_000_000) };
const stored = {
  ...apiKey,
  account: 1 as AccountOrdinal,
  scopes: ['read', 'trade'] as const,
  label: '',
  isRevoked: false,
  issuedAtEpochMs: epochMs(0),
};
/** No malformed request may read anything else. */
const directory = new Proxy({} as Directory, {
  get: (_, name) => {
    if (name === 'apiKey') return (keyId: string) => (keyId === apiKey.keyId ? stored : undefined);
    if (name === 'listedMarket') return () => ({ market: 1, specification: BITCOIN });
    throw new Error(`read ${String(name)}`);
  },
});

const owners = new Proxy({} as OwnerDirectory, {
  get: (_, name) => {
    throw new Error(`read ${String(name)}`);
  },
});

/** Starts a server for the tests of a file. */
export function useServer(changes: Partial<HttpPorts> = {}) {
  let newest: Socket | undefined;
  const used = {
    port: 0,
    internalErrors: [] as unknown[],
    submit: (() => Promise.reject(new Error('submitted'))) as Submit,
    status: (): VenueStatus => ({ isReady: true, reasons: [] }),
    /** Called for every response. */
    observed: () => {},
    /** The bytes that the server has read from the newest connection. */
    bytesRead: () => newest?.bytesRead ?? 0,

    async only(bytes: string | Buffer): Promise<RawResponse> {
      const responses = await sendRaw(used.port, bytes);
      expect(responses).toHaveLength(1);
      return responses[0] as RawResponse;
    },
  };
  const ownerStores = openOwnerStores(openInProcess, clock);
  const server = createHttpServer({
    environment: DEFAULT_ENVIRONMENT,
    submit: (submission) => used.submit(submission),
    findOutcome: () => Promise.reject(new Error('looked up')),
    recordDigest: () => Promise.reject(new Error('read a record')),
    previewOrder: () => Promise.reject(new Error('previewed')),
    openOrders: {} as OpenOrders,
    directory,
    owners,
    readsFor: () => proxyReads((name) => Promise.reject(new Error(`read ${name}`))),
    openGateway,
    ...ownerStores,
    signInProviders: [],
    relyingParty: () => relyingPartyOf('http://localhost:8080'),
    tickets: new Tickets({
      store: new MemoryTicketStore(),
      findApiKey: (keyId) => directory.apiKey(keyId),
      sessions: ownerStores.sessions,
      owners,
      clock,
    }),
    ...systemTime,
    clock,
    realtimeUrl: 'ws://localhost:8081',
    pricedUnderlyings: [],
    status: () => used.status(),
    limits: {
      ...DEFAULT_HTTP_LIMITS,
      requestTimeoutMs: 1_200,
      rates: { ...DEFAULT_RATES, orders: { burst: PLACEMENTS, perSecond: 0.5 } },
    },
    rateCounters: countersInProcess({ elapsedMs: () => 0 }),
    observe: () => () => used.observed(),
    onInternalError: (error) => used.internalErrors.push(error),
    ...changes,
  });
  server.server.on('connection', (socket) => {
    newest = socket;
  });
  beforeAll(async () => {
    await server.listen({ host: '127.0.0.1', port: 0 });
    used.port = (server.server.address() as AddressInfo).port;
  });
  afterAll(() => server.close());
  return used;
}

export function request(line: string, headers: readonly string[] = [], body = ''): string {
  return [`${line} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n');
}

export function placement(body: string, headers: readonly string[] = [bearer, json, 'Idempotency-Key: k']): string {
  return request('POST /v1/orders', [...headers, `Content-Length: ${Buffer.byteLength(body, 'latin1')}`], body);
}

export function expectRefusal(response: RawResponse, code: ErrorCode): ErrorEnvelope {
  const envelope = errorEnvelope.parse(JSON.parse(response.body));
  expect(envelope.code).toBe(code);
  observeRefusal(envelope);
  expect(response.status).toBe(ERRORS[code].status);
  expect(response.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'x-request-id': envelope.requestId,
  });
  return envelope;
}
