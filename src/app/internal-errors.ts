/**
 * Internal errors at an edge: parsing, rendering, a frame, an operator's request, a scrape. The request or connection ends; the
 * venue goes on, counts and logs the error. An error in a turn or a fold does not arrive here: it stops the venue.
 */

import type { Counter, MetricRegistry } from '#observability/metric-registry.ts';
import type { SteadyClock } from '#time/clock.ts';
import { TokenBucket } from '#time/token-bucket.ts';

/** Labels of `openperp_internal_errors_total`. `observer`: counting and logging of requests and commands. */
export const EDGES = [
  'http',
  'realtime',
  'operator',
  'metrics',
  'readiness',
  'prices',
  'orders',
  'settlement',
  'market_makers',
  'agents',
  'observer',
] as const;
export type Edge = (typeof EDGES)[number];

/** `where` is detail for the log. */
export type ReportInternalError = (error: unknown, edge: Edge, where?: string) => void;

/** All are counted; only this many are logged, since a client that found a bug may repeat its request. */
const LOGGED = { burst: 20, perSecond: 0.2 };

export class InternalErrors {
  readonly #log: (error: unknown, where: string) => void;
  readonly #logged: TokenBucket;
  readonly #counts = new Map<Edge, Counter>();
  #unlogged = 0;

  /** `log` takes the errors that pass the limit. */
  constructor(steadyClock: SteadyClock, log: (error: unknown, where: string) => void) {
    this.#log = log;
    this.#logged = new TokenBucket(LOGGED, steadyClock);
  }

  countIn(registry: Pick<MetricRegistry, 'counter'>): void {
    const help = 'Internal errors that ended a request, a connection or a task, by edge; the process goes on.';
    const family = registry.counter('openperp_internal_errors_total', help);
    for (const edge of EDGES) this.#counts.set(edge, family.child({ edge }));
  }

  /** Wraps the observer: reports its exceptions instead of throwing them. */
  observing<Arguments extends readonly unknown[]>(observe: (...given: Arguments) => void): (...given: Arguments) => void {
    return (...given) => {
      try {
        observe(...given);
      } catch (error) {
        this.report(error, 'observer');
      }
    };
  }

  readonly report: ReportInternalError = (error, edge, where = edge) => {
    this.#counts.get(edge)?.add();
    if (!this.#logged.take(1)) {
      this.#unlogged += 1;
      return;
    }
    const before = this.#unlogged === 0 ? '' : ` (${this.#unlogged} earlier internal errors were not logged)`;
    this.#unlogged = 0;
    this.#log(error, `${where}${before}`);
  };
}
