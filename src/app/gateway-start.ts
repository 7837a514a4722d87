/** A gateway in a process of its own: /v2 in front of a venue that is somewhere else. */
import { lookup } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { Refused } from '#contract/refused.ts';
import { declaredHeaders, declaredRefusal } from '#gateway/declared-refusals.ts';
import { openGateway } from '#gateway/gateway.ts';
import { Upstream } from '#gateway/upstream.ts';
import { NoVenue, UndeclaredAnswer } from '#gateway/upstream-answers.ts';
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
  /** Without a slash at its end. */
  readonly url: string;
  /** How the venue answered at the start, in one line. */
  readonly upstream: string;
  /** Where its metrics are; absent if they are not served. */
  readonly metricsUrl?: string;
  stop(): Promise<void>;
}

/** A venue that is away at the start may be there later; what is no venue, or none at this path, will not be, and is refused. */
export async function startGateway(
  config: GatewayConfig,
  onInternalError: OnInternalError,
  upstream = new Upstream(config.upstream, systemTime),
): Promise<RunningGateway> {
  const { host, port, trustedProxies } = config;
  const { address } = await onPort(port, '--port', () => lookup(host));
  await refuseItself(config, address);
  const shown = await lookAt(upstream, config.upstream);
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
  const shownMetrics = await metrics.serve(config.metricsPort, internalErrors);
  await onPort(port, '--port', () => server.listen({ host: address, port }));
  const open = (server.server.address() as AddressInfo).port;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    url: `http://${name}:${open}`,
    upstream: `${config.upstream} (${shown})`,
    ...(shownMetrics && { metricsUrl: shownMetrics.url }),
    stop: async () => {
      await server.close();
      await shownMetrics?.close();
    },
  };
}

/** Where its own port is free it would find no venue there, and take itself for one that is away. */
async function refuseItself({ upstream, port }: GatewayConfig, address: string): Promise<void> {
  const url = new URL(upstream);
  const upstreamPort = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
  if (port === 0 || upstreamPort !== port) return;
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const there = await lookup(name).catch(() => undefined);
  if (there !== undefined && isListenedOn(there.address, address))
    throw new StartFault(`--upstream ${upstream} is this gateway's own address: give that of a venue, or choose another --port`);
}

/** Who listens everywhere does so on each address of this machine, or on each of IPv4. */
function isListenedOn(there: string, address: string): boolean {
  const isEverywhere = address === '::' || address === '0.0.0.0';
  const own = isEverywhere ? Object.values(networkInterfaces()).flatMap((each) => each ?? []) : [];
  return there === address || own.some((it) => it.address === there && (address === '::' || it.family === 'IPv4'));
}

async function lookAt(upstream: Upstream, url: string): Promise<string> {
  try {
    const { markets } = await upstream.as({}).call('listMarkets', {});
    return `${markets.length} markets`;
  } catch (thrown) {
    if (!(thrown instanceof Refused)) throw thrown;
    if (thrown.code === 'path_not_found') {
      const { origin, pathname } = new URL(url);
      throw new StartFault(
        pathname === '/'
          ? `--upstream ${url} has no /v1: give the root of a venue, not of another gateway`
          : `--upstream ${url} is within a venue: give its root, such as ${origin}, without /v1`,
      );
    }
    if (thrown.code !== 'upstream_unavailable') return `it refuses for now: ${thrown.code}`;
    if (thrown instanceof NoVenue && thrown.answeredWith < 500)
      throw new StartFault(`there is no venue at ${url}: what answers there is none`, { cause: thrown });
    if (thrown instanceof UndeclaredAnswer)
      return `it does not answer as declared, so requests are answered 503: ${thrown.fault}`;
    return 'it does not answer yet; until it does, requests are answered 503';
  }
}
