/**
 * Internal errors at an edge: in parsing, rendering, a frame, an operator's line, a scrape. The request or socket that met one ends with it, and
 * the venue goes on: it is counted and logged. What comes out of a turn or a fold never arrives here: that stops the venue.
 */

import type { Counter, MetricRegistry } from '#observability/metric-registry.ts';
import type { SteadyClock } from '#time/clock.ts';
import { TokenBucket } from '#time/token-bucket.ts';

/** Labels of `openperp_internal_errors_total`. `observer`: what counts and logs requests and commands. */
export const EDGES = ['http', 'realtime', 'operator', 'metrics', 'readiness', 'prices', 'market_makers', 'observer'] as const;
export type Edge = (typeof EDGES)[number];

/** `where` says in more detail what was under way, for the log. */
export type ReportInternalError = (error: unknown, edge: Edge, where?: string) => void;

/** Every one is counted. So many are logged at once, and so many per second on and on: a client that found a bug may send its request again and again. */
const LOGGED = { burst: 20, perSecond: 0.2 };

export class InternalErrors {
  readonly #log: (error: unknown, where: string) => void;
  readonly #logged: TokenBucket;
  readonly #counts = new Map<Edge, Counter>();
  #unlogged = 0;

  /** `log` takes those that are to be logged. */
  constructor(steadyClock: SteadyClock, log: (error: unknown, where: string) => void) {
    this.#log = log;
    this.#logged = new TokenBucket(LOGGED, steadyClock);
  }

  countIn(registry: Pick<MetricRegistry, 'counter'>): void {
    const help = 'Internal errors that ended a request, a socket or a piece of work, by where; the process goes on after them.';
    const family = registry.counter('openperp_internal_errors_total', help);
    for (const edge of EDGES) this.#counts.set(edge, family.child({ edge }));
  }

  /** The observer, with what it throws reported and not thrown. */
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
    const before = this.#unlogged === 0 ? '' : ` (${this.#unlogged} internal errors before it were not logged)`;
    this.#unlogged = 0;
    this.#log(error, `${where}${before}`);
  };
}
