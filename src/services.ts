/** The two services that clients reach: REST and realtime, on their ports. */
import type { AddressInfo } from 'node:net';
import { REALTIME_LIMITS } from '#contract/realtime-limits.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits, type Rate, type VenueStatus } from '#http/ports.ts';
import { createHttpServer } from '#http/server.ts';
import { MemoryTicketStore } from '#identity/ticket-store.ts';
import { Tickets } from '#identity/tickets.ts';
import type { Clock } from '#writer/clock.ts';
import type { VenueConfig } from './config.ts';
import type { Ledger } from './ledger.ts';
import type { Opened } from './opened.ts';
import { RealtimeInThread } from './realtime-in-thread.ts';
import { onPort } from './start-fault.ts';

export interface Services {
  /** The base URL of the REST service, without a slash at its end. */
  readonly url: string;
  readonly realtimeUrl: string;
}

/** Of the configuration, what the services are opened with. */
type ServiceConfig = Pick<
  VenueConfig,
  'host' | 'port' | 'realtimePort' | 'origins' | 'prices' | 'ordersPerSecond' | 'readsPerSecond'
>;

export interface ServiceParts {
  /** Whether orders are taken. */
  readonly status: () => VenueStatus;
  readonly clock: Clock;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what should not have happened, with what it concerns. */
  readonly onDefect: (error: unknown, where: string) => void;
}

export async function openServices(
  config: ServiceConfig,
  ledger: Ledger,
  { clock, status, log, onDefect }: ServiceParts,
  opened: Opened,
): Promise<Services> {
  const { host, port, realtimePort, origins } = config;
  const { submit, previewOrder } = ledger;
  const { directory, ask } = ledger.projection;
  const ticketStore = new MemoryTicketStore();
  const tickets = new Tickets({ store: ticketStore, findApiKey: (keyId) => directory.apiKey(keyId), clock });
  const server = createHttpServer({
    submit,
    previewOrder,
    directory,
    ask,
    tickets,
    clock,
    limits: httpLimits(config),
    status,
    reportDefect: (defect, requestId) => onDefect(defect, `request ${requestId}`),
  });
  opened.add(() => server.close());
  await onPort(port, '--port', () => server.listen({ host, port }));
  const { realtime, port: openedPort } = await onPort(realtimePort, '--realtime-port', () =>
    RealtimeInThread.open({
      host,
      port: realtimePort,
      origins,
      ledger,
      tickets,
      ticketStore,
      clock,
      limits: REALTIME_LIMITS,
      provider: config.prices === 'generated' ? 'generated' : 'replayed',
      log,
      onDefect: (defect) => onDefect(defect, 'realtime'),
    }),
  );
  opened.add(() => realtime.close());
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.server.address() as AddressInfo).port}`,
    realtimeUrl: `ws://${name}:${openedPort}`,
  };
}

function httpLimits({ ordersPerSecond, readsPerSecond }: ServiceConfig): HttpLimits {
  return { ...DEFAULT_HTTP_LIMITS, orders: rateOf(ordersPerSecond), publicReads: rateOf(readsPerSecond) };
}

function rateOf(perSecond: number): Rate {
  return { burst: 2 * perSecond, perSecond };
}
