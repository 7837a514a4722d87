/** Starts a venue in a damaged data directory as users do, and reports what it healed, logged and served. */
import { expect } from 'vitest';
import { startBuiltInMarketMakers } from '#app/built-in-market-makers.ts';
import { type RunningVenue, startVenue } from '#app/compose.ts';
import type { VenueConfig } from '#app/config.ts';
import { openDemoAccount } from '#app/demo-account.ts';
import { callerWith, testConfig } from '#app/testing/test-venue.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { callOperator } from '#operator/client.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import { SocketClient } from '#realtime/testing/socket-client.ts';
import type { RecoveryReport } from '#writer/recovery/recovery.ts';
import { type RecordedReads, responsesOf } from './recorded-reads.ts';
import { stillTime } from './still-time.ts';
import { PRICE_SPEED, type TradedDirectories } from './traded-directory.ts';

export interface StartReport {
  readonly lines: readonly string[];
  readonly recovered: RecoveryReport;
  readonly responses: RecordedReads;
  /** The bootstrap snapshots of the demo account's connections. */
  readonly shown: Readonly<Record<string, unknown>>;
  /** The replay of updates before the start, or that it is refused. */
  readonly replayed: readonly unknown[] | 'resync_required';
  readonly prices: string;
  /** The number of accounts. */
  readonly createdAccounts: { readonly demo: number; readonly marketMakers: number };
  /** Internal errors and halts. */
  readonly internalErrors: readonly unknown[];
}

type StartPlace = Pick<TradedDirectories, 'prices' | 'startsAtEpochMs' | 'demo' | 'replayFrom'>;

export const MARKET_IDS = DEVNET_MARKETS.map(({ specification }) => specification.marketId);
const SHOWN_FIRST = ['account.orders', 'account.positions', 'account.balance'];

export function configOf(path: string, { prices }: Pick<StartPlace, 'prices'>): VenueConfig {
  return testConfig(path, { prices, speed: PRICE_SPEED, metrics: undefined });
}

/** Rejects if the start fails. */
export async function startAndStop(path: string, place: StartPlace): Promise<StartReport> {
  const config = configOf(path, place);
  const lines: string[] = [];
  const internalErrors: unknown[] = [];
  const time = stillTime(place.startsAtEpochMs);
  const log = (line: string) => lines.push(line);
  const onFatalError = (error: unknown) => internalErrors.push(error);
  const venue = await startVenue(config, { ...time, log, onFatalError, onInternalError: onFatalError, onHalt: onFatalError });
  await using resources = new AsyncDisposableStack();
  resources.defer(() => venue.stop());
  const responses = await responsesOf(venue, MARKET_IDS);
  const sockets = await socketsOf(venue, place);
  expect(await callOperator(path, { action: 'venue.status' })).toMatchObject({ isReady: true });
  const before = await accountCount(venue);
  await openDemoAccount(venue, path, log);
  const withDemo = await accountCount(venue);
  await startBuiltInMarketMakers(venue, config, { ...time, log, reportInternalError: onFatalError }, resources);
  const createdAccounts = { demo: withDemo - before, marketMakers: (await accountCount(venue)) - withDemo };
  const { recovered, prices } = venue;
  return { lines, internalErrors, recovered, prices, responses, ...sockets, createdAccounts };
}

async function accountCount({ reads }: RunningVenue): Promise<number> {
  return parseRendered(await reads.accountList({ limit: 100 })).accounts.length;
}

async function socketsOf(
  { url, realtimeUrl }: { readonly url: string; readonly realtimeUrl: string },
  { demo: { accountId, apiKey }, replayFrom }: StartPlace,
): Promise<Pick<StartReport, 'shown' | 'replayed'>> {
  const client = await SocketClient.connect(realtimeUrl);
  try {
    const { body } = await callerWith(apiKey)({ url }, '/v1/realtime/ticket', { method: 'POST', body: '{}' });
    expect(await client.request({ op: 'auth', ticket: body.ticket })).toMatchObject({ type: 'auth_ok' });
    const shown: Record<string, unknown> = {};
    for (const channel of SHOWN_FIRST) shown[channel] = (await client.subscribed(channel, { accountId })).snapshot;
    const fromSequence = replayFrom;
    const response = await client.request({ op: 'subscribe', channel: 'account.fills', accountId, fromSequence });
    await client.drained();
    client.demandValid();
    const isReplayed = response.type === 'subscribed';
    if (!isReplayed) expect(response).toMatchObject({ code: 'resync_required' });
    return { shown, replayed: isReplayed ? client.updates('account.fills') : 'resync_required' };
  } finally {
    client.socket.terminate();
  }
}
