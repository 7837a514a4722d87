/**
 * An exchange whose sockets use a connection that a test can cut, another that trades for the same account, and the conditions
 * that a test waits for.
 */
import { expect, onTestFinished } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import type { OwnMarket } from '#compat/testing/own-market.ts';
import { startSeverableProxy } from '#compat/testing/severable-proxy.ts';
import { eventually } from '#time/testing/eventually.ts';

/** Programs wait longer between reconnects. */
export const SOON = { ws: { backoff: { base: 50, factor: 1, stableAfter: 100 } } };

interface Watching {
  readonly credit?: string;
  readonly options?: object;
  /** Without an API key it watches public channels only. */
  readonly hasKey?: boolean;
}

export async function overProxy(venue: OwnMarket, { credit, options = SOON, hasKey = true }: Watching = {}) {
  const proxy = await startSeverableProxy(venue.realtimeUrl);
  onTestFinished(() => proxy.close());
  const { apiKey } = await venue.openAccount(credit);
  const rest = { rest: venue.url };
  const trader = new OpenPerp({ apiKey, urls: { api: rest }, enableRateLimit: false });
  const urls = { api: { ...rest, ws: proxy.url } };
  const exchange = new OpenPerpPro({ ...(hasKey && { apiKey }), urls, enableRateLimit: false, options });
  onTestFinished(() => exchange.close());
  await exchange.loadMarkets();
  return { proxy, trader, exchange };
}

/** The live channels, one for each feed that has it. */
export function liveChannels({ realtime }: OpenPerpPro): readonly string[] {
  return Object.values<{ live: object }>(realtime.feeds).flatMap(({ live }) => Object.keys(live));
}

export async function untilLive(exchange: OpenPerpPro, channel: string): Promise<void> {
  await eventually(() => expect(liveChannels(exchange)).toContain(channel));
}

/** Resolves when the exchange has noticed the end of all its sockets. */
export async function untilLost(exchange: OpenPerpPro, cut: () => void): Promise<void> {
  cut();
  await eventually(() => expect(exchange.clients).toEqual({}));
}
