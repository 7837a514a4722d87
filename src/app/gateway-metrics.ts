/** The metrics of a standalone gateway at `/metrics`: requests, the process, and internal errors by edge. */

import { onPort } from '#host/start-fault.ts';
import { HttpMetrics } from '#observability/http-metrics.ts';
import { MetricRegistry } from '#observability/metric-registry.ts';
import { type MetricsServer, serveMetrics } from '#observability/metrics-server.ts';
import { systemTime } from '#time/system-time.ts';
import type { InternalErrors } from './internal-errors.ts';

const HOST = '127.0.0.1';

export class GatewayMetrics {
  readonly http: HttpMetrics;
  readonly #registry: MetricRegistry;

  constructor(internalErrors: InternalErrors) {
    const onScrapeError = (error: unknown, part: string) => internalErrors.report(error, 'metrics', `metrics of ${part}`);
    this.#registry = new MetricRegistry(systemTime.timers, onScrapeError);
    internalErrors.countIn(this.#registry);
    this.http = new HttpMetrics(this.#registry);
  }

  /** Serves the metrics on this machine, if a port is set. Rejects with `StartFault` if the port is in use. */
  async serve(
    port: number | undefined,
    internalErrors: InternalErrors,
  ): Promise<(Pick<MetricsServer, 'close'> & { readonly url: string }) | undefined> {
    if (port === undefined) return undefined;
    const onInternalError = (error: unknown) => internalErrors.report(error, 'metrics');
    const server = await onPort(port, '--metrics-port', () =>
      serveMetrics({ host: HOST, port }, this.#registry, { log: console.log, onInternalError }),
    );
    return { url: `http://${HOST}:${server.port}/metrics`, close: () => server.close() };
  }
}
