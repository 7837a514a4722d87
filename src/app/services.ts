/** Opens the two services that clients reach, REST and realtime, on their ports. */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { RealtimeUrl } from '#contract/asyncapi.ts';
import { DEFAULT_RATES, type Rate } from '#contract/limits.ts';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { openGateway } from '#gateway/gateway.ts';
import { type Ledger, REPLAY_FOLDER } from '#host/ledger.ts';
import { RealtimeInThread } from '#host/realtime-in-thread.ts';
import { onPort } from '#host/start-fault.ts';
import type { RateCounters } from '#http/access/rate-counters.ts';
import type { Observe } from '#http/server/observation.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits, type VenueStatus } from '#http/server/ports.ts';
import { createHttpServer } from '#http/server/server.ts';
import type { OwnerStores } from '#identity/owner-stores.ts';
import type { ProviderConditions } from '#identity/sign-in/provider-condition.ts';
import type { TicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import { relyingPartyOf } from '#identity/webauthn/relying-party.ts';
import { serveMetrics } from '#observability/metrics-server.ts';
import type { PricedUnderlying } from '#reads/reads.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import type { Time } from '#time/time.ts';
import type { VenueConfig } from './config.ts';
import { hasTestFunds } from './environment.ts';
import type { ReportInternalError } from './internal-errors.ts';
import { endSessionsOfRetired } from './retired-sessions.ts';
import { type ConfiguredProvider, checkSignInProviders, openSignInProviders } from './sign-in-providers.ts';
import type { VenueMetrics } from './venue-metrics.ts';

export interface Services {
  /** The base URL of the REST service, without a trailing slash. */
  readonly url: string;
  readonly realtimeUrl: string;
  /** The URL of the metrics, for the operator; absent if they are off. */
  readonly metricsUrl?: string;
}

/** The services as the composition root sees them. */
export interface RunningServices extends Services {
  readonly realtime: RealtimeInThread;
}

/** The part of the configuration that the services need. */
type ServiceConfig = Pick<
  VenueConfig,
  | 'environment'
  | 'dataDirectory'
  | 'host'
  | 'port'
  | 'realtimePort'
  | 'realtimeUrl'
  | 'publicOrigin'
  | 'origins'
  | 'trustedProxies'
  | 'prices'
  | 'ordersPerSecond'
  | 'readsPerSecond'
  | 'metrics'
>;

/** Called for every response, with the id of its operation. */
export type LogRequests = Observe;

/** The clock is the venue's: it dates what clients see, and expires keys and tickets. */
export interface ServiceParts extends Time {
  /** Whether orders are taken. */
  readonly status: () => Promise<VenueStatus>;
  /** Counters of the rate limits. */
  readonly rateCounters: RateCounters;
  /** Storage of realtime tickets. */
  readonly ticketStore: TicketStore;
  readonly ownerStores: OwnerStores;
  /** Those of the configuration. */
  readonly signInProviders: readonly ConfiguredProvider[];
  readonly signInConditions: ProviderConditions;
  /** Absent on a venue without an external ledger. */
  readonly settlement?: Coordinator | undefined;
  readonly metrics: VenueMetrics;
  /** Called for every response too. */
  readonly logRequests: LogRequests | undefined;
  /** The underlyings that have index prices. */
  readonly pricedUnderlyings: readonly PricedUnderlying[];
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  /** Receives an error that the venue cannot survive, with the part concerned; the venue must stop. */
  readonly onFatalError: (error: unknown, where: string) => void;
  /** Receives an internal error that the venue survives. */
  readonly reportInternalError: ReportInternalError;
}

export async function openServices(
  config: ServiceConfig,
  ledger: Ledger,
  parts: ServiceParts,
  resources: AsyncDisposableStack,
): Promise<RunningServices> {
  const { clock, steadyClock, timers, status, pricedUnderlyings, log, onFatalError, reportInternalError } = parts;
  const { rateCounters, ticketStore, ownerStores, signInProviders, signInConditions, metrics, logRequests } = parts;
  const { environment, host, port, realtimePort, origins, trustedProxies } = config;
  const { submit, findOutcome, previewOrder, openOrders } = ledger;
  const { directory } = ledger.projection;
  const { sessions } = ownerStores;
  const tickets = new Tickets({
    store: ticketStore,
    findApiKey: (keyId) => directory.apiKey(keyId),
    sessions,
    owners: ledger.owners,
    clock,
  });
  ledger.addListener(
    endSessionsOfRetired(sessions, (error) => reportInternalError(error, 'http', 'the sessions of a retired account')),
  );
  // Realtime opens first, so that its address is known and it closes last: it still publishes whatever REST accepts.
  const { realtime, port: openPort } = await onPort(realtimePort, '--realtime-port', () =>
    RealtimeInThread.open({
      environment,
      host,
      port: realtimePort,
      origins,
      trustedProxies,
      ledger,
      tickets,
      ticketStore,
      sessions,
      clock,
      timers,
      limits: REALTIME_LIMITS,
      replayLogDirectory: join(config.dataDirectory, REPLAY_FOLDER),
      provider: config.prices.startsWith('file:') ? 'replayed' : 'generated',
      log,
      onFatalError: (error) => onFatalError(error, 'realtime'),
      onInternalError: (error) => reportInternalError(error, 'realtime'),
    }),
  );
  resources.defer(() => realtime.close());
  const realtimeUrl: RealtimeUrl = `ws://${named(host)}:${openPort}`;
  if (config.publicOrigin === undefined && !hasTestFunds(environment)) log(NO_SITE);
  const publicOrigin = () => config.publicOrigin ?? `http://localhost:${portOf(server)}`;
  const providers = openSignInProviders(signInProviders, environment, {
    timers,
    steadyClock,
    redirectUri: () => `${publicOrigin()}/app`,
    conditions: signInConditions,
  });
  checkSignInProviders(providers);
  const server: ReturnType<typeof createHttpServer> = createHttpServer({
    ...ownerStores,
    relyingParty: () => relyingPartyOf(publicOrigin()),
    signInProviders: providers,
    environment,
    submit,
    findOutcome,
    recordDigest: (sequence) => ledger.writer.recordDigest(sequence),
    previewOrder,
    openOrders,
    directory,
    owners: ledger.owners,
    settlement: parts.settlement,
    readsFor: (reader) => ledger.projection.readsFor(reader),
    tickets,
    openGateway,
    realtimeUrl: config.realtimeUrl ?? realtimeUrl,
    pricedUnderlyings,
    clock,
    steadyClock,
    timers,
    limits: httpLimits(config),
    trustedProxies,
    rateCounters,
    status,
    observe: observing(metrics, logRequests),
    onInternalError: (error, where) => reportInternalError(error, 'http', where),
  });
  resources.defer(() => server.close());
  // Listens on one address: for a name with two, fastify would open a second server, to which this one's limits do not apply.
  await onPort(port, '--port', async () => server.listen({ host: (await lookup(host)).address, port }));
  const url = `http://${named(host)}:${portOf(server)}`;
  const shown = await showMetrics(config, parts, resources);
  return { url, realtimeUrl, ...shown, realtime };
}

/** A passkey belongs to a site for good. */
const NO_SITE =
  'owners: registration and passkey login are closed, because passkeys need the site of the venue: start with --public-origin https://…';

/**
 * Checks that the services can listen, and closes the ports again. Another process may take a port in between; opening the
 * service reports that.
 */
export async function refusePortsInUse({ host, port, realtimePort, metrics }: ServiceConfig): Promise<void> {
  await onPort(port, '--port', () => tryPort(host, port));
  await onPort(realtimePort, '--realtime-port', () => tryPort(host, realtimePort));
  if (metrics !== undefined) await onPort(metrics.port, '--metrics-port', () => tryPort(metrics.host, metrics.port));
}

async function tryPort(host: string, port: number): Promise<void> {
  const { address } = await lookup(host);
  const server = createServer().listen({ host: address, port });
  await once(server, 'listening');
  await new Promise((resolve) => server.close(resolve));
}

async function showMetrics(
  { metrics: place }: ServiceConfig,
  { metrics: { registry }, log, reportInternalError }: ServiceParts,
  resources: AsyncDisposableStack,
): Promise<Pick<Services, 'metricsUrl'>> {
  if (place === undefined) return {};
  const server = await onPort(place.port, '--metrics-port', () =>
    serveMetrics(place, registry, { log, onInternalError: (error) => reportInternalError(error, 'metrics') }),
  );
  resources.defer(() => server.close());
  return { metricsUrl: `http://${named(place.host)}:${server.port}/metrics` };
}

function portOf({ server }: ReturnType<typeof createHttpServer>): number {
  return (server.address() as AddressInfo).port;
}

function named(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function observing({ http }: VenueMetrics, logRequests: LogRequests | undefined): Observe {
  return (operation) => {
    const count = http.of(operation);
    const log = logRequests?.(operation);
    if (log === undefined) return count;
    return (status, elapsedMs, refusal, request) => {
      count(status, elapsedMs, refusal);
      log(status, elapsedMs, refusal, request);
    };
  };
}

function httpLimits({ ordersPerSecond, readsPerSecond }: ServiceConfig): HttpLimits {
  const [orders, reads] = [rateOf(ordersPerSecond), rateOf(readsPerSecond)];
  return { ...DEFAULT_HTTP_LIMITS, rates: { ...DEFAULT_RATES, orders, cancels: orders, previews: orders, reads, public: reads } };
}

function rateOf(perSecond: number): Rate {
  return { burst: 2 * perSecond, perSecond };
}
