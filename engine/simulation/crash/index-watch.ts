/**
 * Watches what the venue does by the index: every price that it goes by was published, is young and, after a jump, was seen
 * again; no mark leaves its band; and while there is none to rely on nobody is liquidated, no period ends, nothing opens.
 */
import type { MarketPriced, VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

export class IndexIgnored extends Error {
  override readonly name = 'IndexIgnored';
}

export interface Observation {
  readonly priceAtoms: number;
  readonly observedAtEpochMs: number;
}

interface WatchedIndex {
  readonly limits: MarketSpecification;
  /** What the feed has sent, by date: what came late, or a second time, is not in it. */
  readonly published: Observation[];
  /** What the market said last: the price that holds, and whether it counts. */
  told: MarketPriced | undefined;
}

/** More than any market asks to see of a jump. */
const REMEMBERED = 200;

export class IndexWatch {
  readonly #markets: readonly WatchedIndex[];

  constructor(markets: readonly MarketSpecification[]) {
    this.#markets = markets.map((limits) => ({ limits, published: [], told: undefined }));
  }

  /** The feed has sent an observation: told by the feed itself, whatever becomes of it on its way. */
  published(market: number, observation: Observation): void {
    const it = this.#market(market);
    if ((it.published.at(-1)?.observedAtEpochMs ?? 0) >= observation.observedAtEpochMs) return;
    it.published.push(observation);
    if (it.published.length > REMEMBERED) it.published.shift();
  }

  /** Takes the events of one turn at its time. Throws {@link IndexIgnored}. */
  turn(events: readonly VenueEvent[], epochMs: number): void {
    for (const event of events) if (event.type === 'MarketPriced') this.#price(event, epochMs);
    // A turn tells of its price once, and all of it goes by that.
    for (const event of events) {
      if (event.type === 'LiquidationStarted')
        this.#demandIndex(event.market, epochMs, `the liquidation of account ${event.account}`);
      if (event.type === 'FundingSettled') this.#demandIndex(event.market, epochMs, `funding period ${event.period}`);
      if (event.type === 'OrderAccepted' && event.origin === 'client' && !event.reduceOnly)
        this.#demandIndex(event.market, epochMs, `order ${event.order}, which opens,`);
    }
  }

  /** Whether a market has an index to go by, by what it said and by the clock. */
  #isCurrent(market: number, epochMs: number): boolean {
    const { told, limits } = this.#market(market);
    return told?.indexStatus === 'current' && epochMs - told.observedAtEpochMs <= limits.maxIndexAgeMs;
  }

  #price(event: MarketPriced, epochMs: number): void {
    const market = this.#market(event.market);
    const { indexPriceAtoms, observedAtEpochMs, indexStatus } = event;
    const before = market.told;
    market.told = event;
    if (indexPriceAtoms === 0) return;
    const isBeyond = Math.abs(event.markPriceAtoms - indexPriceAtoms) * 10_000 > indexPriceAtoms * market.limits.markBandBps;
    if (isBeyond) fail(`market ${event.market} has a mark of ${event.markPriceAtoms} at an index of ${indexPriceAtoms}`);
    const place = market.published.findIndex(
      (seen) => seen.priceAtoms === indexPriceAtoms && seen.observedAtEpochMs === observedAtEpochMs,
    );
    if (place < 0) fail(`market ${event.market} goes by ${indexPriceAtoms} of ${observedAtEpochMs}, which nobody published`);
    if (indexStatus !== 'current') return;
    const age = epochMs - observedAtEpochMs;
    if (age > market.limits.maxIndexAgeMs) fail(`market ${event.market} goes by a price that is ${age} ms old`);
    if (place !== market.published.length - 1) fail(`market ${event.market} goes by a price that others have followed`);
    if (before === undefined || before.indexPriceAtoms === 0 || isNear(indexPriceAtoms, before.indexPriceAtoms, market)) return;
    const confirming = market.published.slice(-1 - market.limits.indexConfirmations);
    const isConfirmed = confirming.every(({ priceAtoms }, index) => {
      return index === 0 || isNear(priceAtoms, confirming[index - 1]!.priceAtoms, market);
    });
    if (confirming.length <= market.limits.indexConfirmations || !isConfirmed)
      fail(`market ${event.market} jumped from ${before.indexPriceAtoms} to ${indexPriceAtoms} at once`);
  }

  #demandIndex(market: number, epochMs: number, what: string): void {
    if (!this.#isCurrent(market, epochMs)) fail(`${what} goes on though market ${market} has no index to go by`);
  }

  #market(ordinal: number): WatchedIndex {
    return this.#markets[ordinal - 1] ?? fail(`market ${ordinal} was never listed`);
  }
}

function isNear(price: number, from: number, { limits }: WatchedIndex): boolean {
  return Math.abs(price - from) * 10_000 <= from * limits.maxIndexJumpBps;
}

function fail(how: string): never {
  throw new IndexIgnored(how);
}
