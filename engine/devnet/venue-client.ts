/**
 * An ordinary client of /v1 with one API key. Returns refusals as values, also if the venue is halted or unreachable; throws only
 * when its signal aborts. After 429, 503 or no response it backs off, longer each time, so that a venue in trouble gets less
 * load.
 */
import type { OrderList } from '#contract/account-history.ts';
import type { AccountSnapshot } from '#contract/accounts.ts';
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import type { MarketStats, SingleMarket } from '#contract/markets.ts';
import type { OrderPlacement, OrderResource } from '#contract/orders.ts';
import { sleep, type Timers, timeoutSignal } from '#time/timers.ts';
import type { Pace } from './pace.ts';

/** Why there is no resource. `unreachable`: no response, or none of a venue. */
export interface ClientRefusal {
  readonly status: number;
  readonly code: ErrorEnvelope['code'] | 'unreachable';
  readonly message: string;
}

export type Answer<Resource> = { readonly resource: Resource } | { readonly refusal: ClientRefusal };

export interface VenueClientOptions {
  /** The base URL of the venue, without a trailing slash. */
  readonly url: string;
  readonly accountId: string;
  readonly apiKey: string;
  /** Limits commands; reads are not limited. */
  readonly pace: Pace;
  readonly timers: Timers;
  readonly signal: AbortSignal;
}

const SHORTEST_QUIET_MS = 500;
const LONGEST_QUIET_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;

export class VenueClient {
  readonly accountId: string;
  readonly #options: VenueClientOptions;
  #quietMs = 0;
  #isQuiet = false;
  #quietUntil: Promise<void> = Promise.resolve();

  constructor(options: VenueClientOptions) {
    this.accountId = options.accountId;
    this.#options = options;
  }

  market(marketId: string): Promise<Answer<SingleMarket>> {
    return this.#send('GET', `/v1/markets/${encodeURIComponent(marketId)}`);
  }

  stats(marketId: string): Promise<Answer<MarketStats>> {
    return this.#send('GET', `/v1/markets/${encodeURIComponent(marketId)}/stats`);
  }

  account(): Promise<Answer<AccountSnapshot>> {
    return this.#send('GET', `/v1/accounts/${this.accountId}`);
  }

  /** The newest 500, far more than a market maker has open. */
  openOrders(marketId: string): Promise<Answer<OrderList>> {
    return this.#send('GET', `/v1/accounts/${this.accountId}/orders/open?limit=500&marketId=${encodeURIComponent(marketId)}`);
  }

  /** The client order id is also the idempotency key: no order is sent twice. */
  async place(placement: Omit<OrderPlacement, 'accountId'>): Promise<Answer<OrderResource>> {
    await this.#options.pace.take(this.#options.signal);
    return this.#send('POST', '/v1/orders', { accountId: this.accountId, ...placement }, placement.clientOrderId);
  }

  async cancel(orderId: string): Promise<Answer<OrderResource>> {
    await this.#options.pace.take(this.#options.signal);
    return this.#send('POST', `/v1/orders/${orderId}/cancel`);
  }

  async #send<Resource>(method: string, path: string, body?: object, idempotencyKey?: string): Promise<Answer<Resource>> {
    const { url, apiKey, timers, signal } = this.#options;
    await this.#quietUntil;
    signal.throwIfAborted();
    const timeout = timeoutSignal(timers, REQUEST_TIMEOUT_MS);
    try {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: timeout.signal,
      });
      const answer: unknown = await response.json();
      if (response.ok) {
        this.#quietMs = 0;
        return { resource: answer as Resource };
      }
      if (response.status === 429 || response.status === 503)
        this.#keepQuiet(Number(response.headers.get('retry-after') ?? 0) * 1_000);
      const { code, safeMessage } = answer as ErrorEnvelope;
      return { refusal: { status: response.status, code, message: safeMessage } };
    } catch (error) {
      signal.throwIfAborted();
      this.#keepQuiet(0);
      return { refusal: { status: 0, code: 'unreachable', message: error instanceof Error ? error.message : String(error) } };
    } finally {
      timeout.cancel();
    }
  }

  /** Concurrent requests that meet the same trouble back off once. */
  #keepQuiet(atLeastMs: number): void {
    if (this.#isQuiet) return;
    this.#isQuiet = true;
    this.#quietMs = Math.min(LONGEST_QUIET_MS, Math.max(atLeastMs, SHORTEST_QUIET_MS, this.#quietMs * 2));
    // A stop ends the wait early; the waiting request then sees the aborted signal.
    this.#quietUntil = sleep(this.#options.timers, this.#quietMs, { signal: this.#options.signal })
      .catch(() => {})
      .finally(() => {
        this.#isQuiet = false;
      });
  }
}
