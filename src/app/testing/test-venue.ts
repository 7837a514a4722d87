/** A venue inside the test process: a directory of its own, free ports, and its log lines recorded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningVenue, startVenue, type VenueParts } from '#app/compose.ts';
import { DEFAULT_ORDERS_PER_SECOND, DEFAULT_READS_PER_SECOND, type VenueConfig } from '#app/config.ts';
import { systemTime } from '#time/system-time.ts';

export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'openperp-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function testConfig(dataDirectory: string, changes: Partial<VenueConfig> = {}): VenueConfig {
  return {
    dataDirectory,
    environment: 'development',
    seed: 1,
    host: 'localhost',
    port: 0,
    realtimePort: 0,
    metrics: { host: '127.0.0.1', port: 0 },
    prices: 'generated',
    speed: 1,
    historyMs: 0,
    ordersPerSecond: DEFAULT_ORDERS_PER_SECOND,
    readsPerSecond: DEFAULT_READS_PER_SECOND,
    origins: [],
    trustedProxies: [],
    withMarketMakers: false,
    ...changes,
  };
}

/** Room for any test: more than one segment is rare. */
export const SEGMENT_BYTES = 4 << 20;

export interface TestVenue extends RunningVenue {
  readonly lines: readonly string[];
  readonly internalErrors: readonly unknown[];
}

export async function startTestVenue(config: VenueConfig, parts: Partial<VenueParts> = {}): Promise<TestVenue> {
  const lines: string[] = [];
  const internalErrors: unknown[] = [];
  const venue = await startVenue(config, {
    ...systemTime,
    segmentBytes: SEGMENT_BYTES,
    log: (line) => lines.push(line),
    onFatalError: (error) => internalErrors.push(error),
    onInternalError: (error) => internalErrors.push(error),
    onHalt: (halt) => internalErrors.push(halt),
    ...parts,
  });
  return { ...venue, lines, internalErrors };
}

/** Sends requests to a venue, or to its successor, with an API key. */
export function callerWith(apiKey: string) {
  return async (at: { readonly url: string }, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${at.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...init.headers },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
}
