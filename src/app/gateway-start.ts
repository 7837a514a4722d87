/** Starts a gateway in a process of its own: /v2 in front of a remote venue. */
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Refused } from '#contract/refused.ts';
import { declaredHeaders, declaredRefusal } from '#gateway/declared-refusals.ts';
import { openGateway } from '#gateway/gateway.ts';
import { Upstream } from '#gateway/upstream.ts';
import { NoVenue, UndeclaredResponse } from '#gateway/upstream-responses.ts';
import { onPort, StartFault } from '#host/start-fault.ts';
import { createGatewayServer } from '#http/server/gateway-server.ts';
import type { OnInternalError } from '#http/server/guarded-events.ts';
import { DEFAULT_HTTP_LIMITS } from '#http/server/ports.ts';
import { TrustedProxies } from '#http/server/trusted-proxies.ts';
import { systemTime } from '#time/system-time.ts';
import type { GatewayConfig } from './gateway-config.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { InternalErrors } from './internal-errors.ts';

export interface RunningGateway {
  /** Without a trailing slash. */
  readonly url: string;
  /** The venue's state at the start, in one line. */
  readonly upstream: string;
  /** The URL of the metrics; absent if they are not served. */
  readonly metricsUrl?: string;
  stop(): Promise<void>;
}

/** Starts even if the venue is unavailable, since it may come back. Refuses a URL that is not a venue's root. */
export async function startGateway(
  config: GatewayConfig,
  onInternalError: OnInternalError,
  upstream = new Upstream(config.upstream, systemTime),
): Promise<RunningGateway> {
  const { host, port, trustedProxies } = config;
  const { address } = await onPort(port, '--port', () => lookup(host));
  await refuseItself(config, address);
  const shown = await probe(upstream, config.upstream);
  const internalErrors = new InternalErrors(systemTime.steadyClock, onInternalError);
  const metrics = new GatewayMetrics(internalErrors);
  const server = createGatewayServer({
    gateway: openGateway(upstream.as({}), systemTime.steadyClock),
    venueOf: (request, passOn) => upstream.as(request, passOn),
    declared: { headers: declaredHeaders, refusal: declaredRefusal },
    readiness: () => upstream.readiness(),
    limits: DEFAULT_HTTP_LIMITS,
    ...systemTime,
    proxies: new TrustedProxies(trustedProxies),
    observe: (operation) => metrics.http.of(operation),
    onInternalError: (error, where) => internalErrors.report(error, 'http', where),
  });
  const metricsText = await metrics.serve(config.metricsPort, internalErrors);
  await onPort(port, '--port', () => server.listen({ host: address, port }));
  const open = (server.server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${open}`,
    upstream: `${config.upstream} (${shown})`,
    ...(metricsText && { metricsUrl: metricsText.url }),
    stop: async () => {
      await server.close();
      await metricsText?.close();
    },
  };
}

/** If its own port is free, the gateway would find no venue there and take itself for an unavailable one. */
async function refuseItself({ upstream, port }: GatewayConfig, address: string): Promise<void> {
  const url = new URL(upstream);
  const upstreamPort = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0 || upstreamPort !== port) return;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const there = await lookup(name).catch(() => undefined);
  if (there !== undefined && isListenedOn(there.address, address))
    throw new StartFault(
      `--upstream ${upstream} is this gateway's own address: give the URL of a venue, or choose another --port`,
    );
}

/** `0.0.0.0` and `::` listen on every address of this machine (`0.0.0.0` on IPv4 only). */
function isListenedOn(there: string, address: string): boolean {
  const isEverywhere = address === '::' || address === '0.0.0.0';
  const own = isEverywhere ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : [];
  return there === address || own.some((it) => it.address === there && (address === '::' || it.family === 'IPv4'));
}

async function probe(upstream: Upstream, url: string): Promise<string> {
  try {
    const { markets } = await upstream.as({}).call('listMarkets', {});
    return `${markets.length} markets`;
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    if (thrown.code === 'path_not_found') {
      const { origin, pathname } = new URL(url);
      throw new StartFault(
        pathname === '/'
          ? `--upstream ${url} has no /v1: give the base URL of a venue, not of another gateway`
          : `--upstream ${url} is a path within a venue: give its base URL, such as ${origin}, without /v1`,
      );
    }
    if (thrown.code !== 'upstream_unavailable') return `it refuses requests now: ${thrown.code}`;
    if (thrown instanceof NoVenue && thrown.respondedWith < 500)
      throw new StartFault(`there is no venue at ${url}: another service answers there`, { cause: thrown });
    if (thrown instanceof UndeclaredResponse)
      return `its responses contradict its contract, so requests get 503: ${thrown.fault}`;
    return 'it does not respond yet; until it does, requests get 503';
  }
}
