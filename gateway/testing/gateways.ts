/** The two kinds of gateways of the suite: /v2 of a venue itself, and a standalone gateway in front of one. */
import { expect } from 'vitest';
import { startGateway } from '#app/gateway-start.ts';
import type { Operation } from '#contract/operation.ts';
import { type UnifiedOperationId, unifiedOperations } from '#contract/unified.ts';
import { unifiedError } from '#contract/unified-errors.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { type Request, startVenue, type VenueResponse, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

export interface GatewayUnderTest {
  readonly venue: VenueUnderTest;
  /** Checks every response against its declaration. */
  call(id: UnifiedOperationId, request?: Request): Promise<VenueResponse>;
  close(): Promise<void>;
}

type Start = () => Promise<GatewayUnderTest>;

export const GATEWAYS: readonly [where: string, start: Start][] = [
  ['in the venue', startInVenue],
  ['alone', startAlone],
];

async function startInVenue(): Promise<GatewayUnderTest> {
  const venue = await startVenue(UNLIMITED);
  return { venue, call: (id, request) => venue.call(id, request), close: () => closed(venue, []) };
}

async function startAlone(): Promise<GatewayUnderTest> {
  const venue = await startVenue(UNLIMITED);
  const internalErrors: unknown[] = [];
  const config = { upstream: `http://127.0.0.1:${venue.port}`, host: 'localhost', port: 0, trustedProxies: [] };
  const gateway = await startGateway(config, (error) => internalErrors.push(error));
  return {
    venue,
    call: (id, request) => callOver(gateway.url, id, request),
    close: async () => {
      await gateway.stop();
      await closed(venue, internalErrors);
    },
  };
}

async function closed(venue: VenueUnderTest, internalErrors: readonly unknown[]): Promise<void> {
  expect([...venue.internalErrors, ...internalErrors]).toEqual([]);
  await venue.close();
}

async function callOver(url: string, id: UnifiedOperationId, request: Request = {}): Promise<VenueResponse> {
  const operation: Operation = unifiedOperations[id];
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(request.params?.[name] ?? ''));
  const { bot, idempotencyKey, body } = request;
  const response = await fetch(`${url}${path}?${new URLSearchParams(request.query)}`, {
    method: operation.method,
    headers: {
      ...(bot !== undefined && { authorization: `Bearer ${bot.key}` }),
      ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...request.headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const parsed = { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
  (parsed.status === operation.success.status ? operation.success.schema! : unifiedError).parse(parsed.body);
  return parsed;
}
