/**
 * A venue that a test drives, composed like `openperp start`: its ledger with the projection in a thread, and its services with
 * realtime in another. Only the test submits commands, prices included.
 */

import { bindEnvironment } from '#app/environment.ts';
import { InternalErrors } from '#app/internal-errors.ts';
import { openServices } from '#app/services.ts';
import { openSettlement } from '#app/settlement.ts';
import { VenueMetrics } from '#app/venue-metrics.ts';
import { closeAll } from '#host/close-all.ts';
import { openLedger } from '#host/ledger.ts';
import { countersInProcess } from '#http/access/rate-counters.ts';
import { type DrivenVenue, drivenVenue } from '#http/testing/driven-venue.ts';
import { KnownSecrets } from '#http/testing/known-secrets.ts';
import { BITCOIN, UNLISTED } from '#http/testing/markets.ts';
import { SITE } from '#http/testing/software-owner.ts';
import { type OpenStore, openInProcess, openOwnerStores } from '#identity/owner-stores.ts';
import { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { RunningTime } from '#time/testing/running-time.ts';
import type { Environment } from '#venue/command.ts';
import { SEGMENT_BYTES, temporaryDirectory, testConfig } from './test-venue.ts';

/** High enough that no request exceeds a rate limit, or the share of one network in a store. */
const PER_SECOND = 100_000;

export interface VenueInThreads extends DrivenVenue {
  readonly realtimeUrl: string;
  readonly dataDirectory: string;
}

/** The journal is bound to an environment only if one is given. */
export async function startInThreads(environment?: Environment): Promise<VenueInThreads> {
  const { path, remove } = temporaryDirectory();
  const resources = new AsyncDisposableStack();
  const internalErrors: unknown[] = [];
  const onFatalError = (error: unknown) => internalErrors.push(error);
  const time = new RunningTime();
  const { clock, steadyClock } = time;
  const log = () => {};
  const open: OpenStore = (name, capacity) =>
    openInProcess(name, { ...capacity, maxPerOwner: PER_SECOND, maxPerSite: PER_SECOND });
  const ownerStores = openOwnerStores(open, clock);
  const ledger = await openLedger(
    { ...time, dataDirectory: path, onHalt: onFatalError, log, segmentBytes: SEGMENT_BYTES },
    resources,
  );
  if (environment !== undefined) await bindEnvironment(ledger, environment);
  const config = testConfig(path, {
    ...(environment && { environment }),
    host: '127.0.0.1',
    publicOrigin: SITE.origin,
    ordersPerSecond: PER_SECOND,
    readsPerSecond: PER_SECOND,
  });
  const { url, realtimeUrl } = await openServices(
    config,
    ledger,
    {
      ...time,
      status: async () => ({ isReady: true, reasons: [] }),
      // No option sets the limits of settings and sign-in, so the clock of the rate limits runs a million times as fast.
      rateCounters: countersInProcess({ elapsedMs: () => steadyClock.elapsedMs() * 1_000_000 }),
      ticketStore: new MemoryTicketStore(),
      ownerStores,
      settlement: await openSettlement(config, ledger, { timers: time.timers, log, onInternalError: onFatalError }, resources),
      metrics: new VenueMetrics(time, resources, new InternalErrors(steadyClock, onFatalError)),
      logRequests: undefined,
      signInProviders: [],
      signInConditions: new ProviderConditions(log),
      pricedUnderlyings: [BITCOIN, UNLISTED],
      log,
      onFatalError,
      reportInternalError: onFatalError,
    },
    resources,
  );
  const driven = await drivenVenue({
    port: Number(new URL(url).port),
    submit: ledger.submit,
    sessions: ownerStores.sessions,
    sequence: () => ledger.writer.status().sequence,
    clock,
    internalErrors,
    secrets: new KnownSecrets(),
  });
  return {
    ...driven,
    realtimeUrl,
    dataDirectory: path,
    pass: (ms) => {
      time.pass(ms);
      return clock.now();
    },
    close: async () => {
      await closeAll(resources);
      remove();
    },
  };
}
