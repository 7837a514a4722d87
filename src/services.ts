/** The two services that clients reach: REST and realtime, on their ports. */
import type { AddressInfo } from 'node:net';
import { type Ask, readBack } from '#http/answers.ts';
import { DEFAULT_HTTP_LIMITS, type HttpLimits, type Rate, type VenueStatus } from '#http/ports.ts';
import type { Directory, PricedUnderlying } from '#http/reads.ts';
import { createHttpServer } from '#http/server.ts';
import { DEFAULT_REALTIME_LIMITS, type RealtimeReads } from '#realtime/ports.ts';
import { startRealtime } from '#realtime/service.ts';
import type { Clock } from '#writer/clock.ts';
import type { VenueConfig } from './config.ts';
import type { Ledger } from './ledger.ts';
import type { Opened } from './opened.ts';
import { onPort } from './start-fault.ts';

export interface Services {
  /** The base URL of the REST service, without a slash at its end. */
  readonly url: string;
  readonly realtimeUrl: string;
}

/** Of the configuration, what the services are opened with. */
type ServiceConfig = Pick<VenueConfig, 'host' | 'port' | 'realtimePort' | 'prices' | 'ordersPerSecond' | 'readsPerSecond'>;

export interface ServiceParts {
  /** Whether orders are taken. */
  readonly status: () => VenueStatus;
  readonly clock: Clock;
  /** What index prices there are of. */
  readonly pricedUnderlyings: readonly PricedUnderlying[];
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what should not have happened, with what it concerns. */
  readonly onDefect: (error: unknown, where: string) => void;
}

export async function openServices(
  config: ServiceConfig,
  { submit, previewOrder, projection: { directory, ask }, addFollower }: Ledger,
  { clock, status, pricedUnderlyings, log, onDefect }: ServiceParts,
  opened: Opened,
): Promise<Services> {
  const { host, port, realtimePort } = config;
  const server = createHttpServer({
    submit,
    previewOrder,
    directory,
    ask,
    pricedUnderlyings,
    clock,
    limits: httpLimits(config),
    status,
    reportDefect: (defect, requestId) => onDefect(defect, `request ${requestId}`),
  });
  opened.add(() => server.close());
  await onPort(port, '--port', () => server.listen({ host, port }));
  const realtime = await onPort(realtimePort, '--realtime-port', () =>
    startRealtime({
      host,
      port: realtimePort,
      reads: realtimeReadsOf(directory, ask),
      clock,
      limits: DEFAULT_REALTIME_LIMITS,
      provider: config.prices === 'generated' ? 'generated' : 'replayed',
      log,
      onDefect: (defect) => onDefect(defect, 'realtime'),
    }),
  );
  opened.add(() => realtime.close());
  addFollower(realtime.follow);
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${(server.server.address() as AddressInfo).port}`,
    realtimeUrl: `ws://${name}:${realtime.port}`,
  };
}

function httpLimits({ ordersPerSecond, readsPerSecond }: ServiceConfig): HttpLimits {
  return { ...DEFAULT_HTTP_LIMITS, orders: rateOf(ordersPerSecond), publicReads: rateOf(readsPerSecond) };
}

function rateOf(perSecond: number): Rate {
  return { burst: 2 * perSecond, perSecond };
}

function realtimeReadsOf(directory: Directory, ask: Ask): RealtimeReads {
  return {
    sequence: () => directory.sequence(),
    market: (marketId) => {
      const listed = directory.listedMarket(marketId);
      if (listed === undefined) return undefined;
      const { priceScale, quantityScale } = listed.specification;
      return { market: listed.market, marketId, priceScale, quantityScale };
    },
    book: async (market, depth) => readBack(await ask.book(market, depth)),
    stats: async (market) => readBack(await ask.marketStats(market)),
  };
}
