/** Requests by operation and status, their duration, and the codes of refusals. A response costs three additions. */
import type { ErrorCode } from '#contract/errors.ts';
import type { Counter, Histogram, MetricRegistry } from './metric-registry.ts';

/** A request to a venue that syncs to a disk takes from a tenth of a millisecond to some seconds. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Called when a response is handed over to be sent. */
export type CountResponse = (status: number, elapsedMs: number, refusal: ErrorCode | undefined) => void;

export class HttpMetrics {
  readonly #requests;
  readonly #seconds;
  readonly #refusals;
  readonly #refusalsByCode = new Map<ErrorCode, Counter>();

  constructor(registry: MetricRegistry) {
    this.#requests = registry.counter('openperp_http_requests_total', 'Requests by operation and status of the response.');
    this.#seconds = registry.histogram(
      'openperp_http_request_duration_seconds',
      'From the headers of a request to its response, by operation.',
      SECONDS,
    );
    this.#refusals = registry.counter('openperp_http_refusals_total', 'Refused requests, by the code of the refusal.');
  }

  /** Counts the responses of one operation, or of requests without an operation. */
  of(operation: string): CountResponse {
    const byStatus: Counter[] = [];
    let seconds: Histogram | undefined;
    return (status, elapsedMs, refusal) => {
      const counter = byStatus[status] ?? this.#requests.child({ operation, status: String(status) });
      byStatus[status] = counter;
      counter.add();
      // An operation without requests is not shown.
      seconds ??= this.#seconds.child({ operation });
      seconds.observe(elapsedMs / 1_000);
      if (refusal !== undefined) this.#countRefusal(refusal);
    };
  }

  #countRefusal(code: ErrorCode): void {
    const counter = this.#refusalsByCode.get(code) ?? this.#refusals.child({ code });
    this.#refusalsByCode.set(code, counter);
    counter.add();
  }
}
