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

/** Why there is no resource. `unreachable`: no response, or a response that is not from a venue. */
export interface ClientRefusal {
  readonly status: number;
  readonly code: ErrorEnvelope['code'] | 'unreachable';
  readonly message: string;
}

export type ClientResult<Resource> = { readonly resource: Resource } | { readonly refusal: ClientRefusal };

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

const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 10_000;
const REQUEST_TIMEOUT_MS = 10_000;

export class VenueClient {
  readonly accountId: string;
  readonly #options: VenueClientOptions;
  #backoffMs = 0;
  #isBackingOff = false;
  #backoffEnd: Promise<void> = Promise.resolve();

  constructor(options: VenueClientOptions) {
    this.accountId = options.accountId;
    this.#options = options;
  }

  market(marketId: string): Promise<ClientResult<SingleMarket>> {
    return this.#send('GET', `/v1/markets/${encodeURIComponent(marketId)}`);
  }

  stats(marketId: string): Promise<ClientResult<MarketStats>> {
    return this.#send('GET', `/v1/markets/${encodeURIComponent(marketId)}/stats`);
  }

  account(): Promise<ClientResult<AccountSnapshot>> {
    return this.#send('GET', `/v1/accounts/${this.accountId}`);
  }

  /** The newest 500, far more than a market maker has open. */
  openOrders(marketId: string): Promise<ClientResult<OrderList>> {
    return this.#send('GET', `/v1/accounts/${this.accountId}/orders/open?limit=500&marketId=${encodeURIComponent(marketId)}`);
  }

  /** The client order id is also the idempotency key: no order is sent twice. */
  async place(placement: Omit<OrderPlacement, 'accountId'>): Promise<ClientResult<OrderResource>> {
    await this.#options.pace.take(this.#options.signal);
    return this.#send('POST', '/v1/orders', { accountId: this.accountId, ...placement }, placement.clientOrderId);
  }

  async cancel(orderId: string): Promise<ClientResult<OrderResource>> {
    await this.#options.pace.take(this.#options.signal);
    return this.#send('POST', `/v1/orders/${orderId}/cancel`);
  }

  async #send<Resource>(method: string, path: string, body?: object, idempotencyKey?: string): Promise<ClientResult<Resource>> {
    const { url, apiKey, timers, signal } = this.#options;
    await this.#backoffEnd;
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
      const parsed: unknown = await response.json();
      if (response.ok) {
        this.#backoffMs = 0;
        return { resource: parsed as Resource };
      }
      if (response.status === 429 || response.status === 503)
        this.#backOff(Number(response.headers.get('retry-after') ?? 0) * 1_000);
      const { code, safeMessage } = parsed as ErrorEnvelope;
      return { refusal: { status: response.status, code, message: safeMessage } };
    } catch (error) {
      signal.throwIfAborted();
      this.#backOff(0);
      return { refusal: { status: 0, code: 'unreachable', message: error instanceof Error ? error.message : String(error) } };
    } finally {
      timeout.cancel();
    }
  }

  /** Concurrent requests that meet the same trouble back off once. */
  #backOff(atLeastMs: number): void {
    if (this.#isBackingOff) return;
    this.#isBackingOff = true;
    this.#backoffMs = Math.min(MAX_BACKOFF_MS, Math.max(atLeastMs, MIN_BACKOFF_MS, this.#backoffMs * 2));
    // A stop ends the wait early; the waiting request then sees the aborted signal.
    this.#backoffEnd = sleep(this.#options.timers, this.#backoffMs, { signal: this.#options.signal })
      .catch(() => {})
      .finally(() => {
        this.#isBackingOff = false;
      });
  }
}
