/** The listed markets: status, index and mark price of each, and what these permit. */
import type { PublishIndexPrice } from '#venue/command.ts';
import type { FundingSettled, MarketPriced, OrderAccepted, TradeExecuted } from '#venue/event.ts';
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { fail } from './audit-failed.ts';
import type { PriceUpdate } from './funding-forecast.ts';
import { FundingPeriods } from './funding-periods.ts';
import { IndexPrice } from './index-price.ts';
import { partsLost } from './liquidation-limit.ts';
import type { Listing } from './listing.ts';
import { listingOf } from './listing.ts';
import type { Quotes } from './mark-rules.ts';
import { MarkHistory } from './mark-rules.ts';
import { openInterestIn, openInterestWith, raisedRate } from './open-interest.ts';
import { permitsLeverage } from './order-rules.ts';
import type { Position, PositionBooks } from './position-books.ts';
import { initialRates } from './position-rules.ts';

export interface Market {
  readonly listing: Listing;
  /** The rates at which a client's order may reserve. */
  initialRates: readonly number[];
  readonly index: IndexPrice;
  readonly funding: FundingPeriods;
  /** Episodes whose liquidation was tried and that have been due since. They may be parked. */
  readonly tried: Set<number>;
  /** What the market permits: its own status within the limit of the venue. */
  status: MarketStatus;
  ownStatus: MarketStatus;
  /** 0 before the first price. */
  mark: number;
  readonly history: MarkHistory;
  /** Of the last trade that an order quoted; 0 before the first one. */
  lastPrice: number;
  /** The effect of this turn's observation on the index. */
  observation: Observation;
  /** The last turn of this market announced unfinished work. */
  hasWork: boolean;
}

/** Ids and scales, and what books, funding periods and parked positions are made for. */
const FIXED_FIELDS = [
  'marketId',
  'underlyingSymbol',
  'priceScale',
  'quantityScale',
  'minPriceAtoms',
  'maxPriceAtoms',
  'fundingPeriodMs',
  'autoDeleveraging',
] as const;

interface Observation {
  readonly isAccepted: boolean;
  readonly isFirst: boolean;
  /** The index before it; 0 if that was not current. */
  readonly before: number;
}

export class Markets {
  readonly #markets = new Map<number, Market>();
  #limit: MarketStatus = 'open';

  get count(): number {
    return this.#markets.size;
  }

  list(market: number, specification: MarketSpecification, status: MarketStatus): Market {
    if (market !== this.#markets.size + 1) fail('market', `market ${market} was listed after ${this.#markets.size} others`);
    const listing = listingOf(market, specification);
    const listed: Market = {
      listing,
      initialRates: initialRates(listing),
      index: new IndexPrice(listing),
      funding: new FundingPeriods(listing),
      tried: new Set(),
      status: within(this.#limit, status),
      ownStatus: status,
      mark: 0,
      history: new MarkHistory(),
      lastPrice: 0,
      observation: NO_OBSERVATION,
      hasWork: false,
    };
    this.#markets.set(market, listed);
    return listed;
  }

  has(market: number): boolean {
    return this.#markets.has(market);
  }

  all(): Iterable<Market> {
    return this.#markets.values();
  }

  of(market: number): Market {
    return this.#markets.get(market) ?? fail('market', `market ${market} was never listed`);
  }

  setStatus(ordinal: number, status: MarketStatus): void {
    const market = this.of(ordinal);
    market.ownStatus = status;
    market.status = within(this.#limit, status);
    market.funding.interrupt();
  }

  /** An update keeps what a listing fixes, and takes no position below maintenance or further in its liquidation, at mark or index. */
  update(ordinal: number, specification: MarketSpecification, positions: Iterable<Position>): void {
    const market = this.of(ordinal);
    const { listing, mark, index } = market;
    for (const field of FIXED_FIELDS)
      if (specification[field] !== listing.specification[field])
        fail('market', `an update of market ${ordinal} changes ${field}`);
    const updated = { ...listing, specification };
    for (const position of positions)
      for (const price of [mark, index.price])
        if (partsLost(price, position, updated) > partsLost(price, position, listing))
          fail(
            'market',
            `an update of market ${ordinal} puts position ${position.ordinal} below maintenance, or further below it`,
          );
    listing.specification = specification;
    market.initialRates = initialRates(listing);
  }

  /** Limits what all markets permit. Returns whether the limit is another one. */
  setLimit(limit: MarketStatus): boolean {
    if (limit === this.#limit) return false;
    this.#limit = limit;
    for (const market of this.#markets.values()) {
      market.status = within(limit, market.ownStatus);
      market.funding.interrupt();
    }
    return true;
  }

  /** Only trades of clients count for the mark. A deleveraging sets no last price, because no order quoted it. */
  trade({ market, origin, priceAtoms, quantityAtoms }: TradeExecuted): void {
    const listed = this.of(market);
    const { status } = listed;
    if (status !== 'open' && status !== 'reduce_only') fail('market', `market ${market} is ${status} and traded`);
    if (origin === 'client') listed.history.trade({ priceAtoms, quantityAtoms });
    if (origin !== 'auto_deleveraging') listed.lastPrice = priceAtoms;
  }

  /** Takes an observation that the venue did not refuse, and checks the index that the venue reports after it. */
  observe(
    { market: ordinal, priceAtoms, observedAtEpochMs }: PublishIndexPrice,
    priced: MarketPriced | undefined,
    epochMs: number,
  ): void {
    const market = this.of(ordinal);
    const { index } = market;
    const isFirst = index.price === 0;
    const before = index.statusAt(epochMs) === 'current' ? index.price : 0;
    market.observation = { isAccepted: index.observe(priceAtoms, observedAtEpochMs, epochMs), isFirst, before };
    if (priced !== undefined) index.check(priced.indexPriceAtoms, priced.observedAtEpochMs, priced.indexStatus, epochMs);
  }

  /** Takes the prices after an observation, whose index `observe` has checked. */
  price(event: MarketPriced, epochMs: number, quotes: Quotes): void {
    const market = this.of(event.market);
    const { index, funding, status, listing } = market;
    const { isAccepted, before } = market.observation;
    if (isAccepted) market.mark = market.history.next(index.price, before, quotes, epochMs, status, listing);
    const { mark } = market;
    if (event.markPriceAtoms !== mark)
      fail(
        'mark',
        `market ${event.market} has a mark price of ${event.markPriceAtoms}, at an index of ${index.price} it is ${mark}`,
      );
    funding.price(event, updateOf(market, epochMs, quotes), permits(market, 'fund', epochMs), market.hasWork);
  }

  /** Takes the end of a funding period, which comes before the prices of its turn. */
  endPeriod(event: FundingSettled, epochMs: number, quotes: Quotes, positions: Iterable<Position>): void {
    const market = this.of(event.market);
    market.funding.end(event, updateOf(market, epochMs, quotes), permits(market, 'fund', epochMs), positions);
  }

  /**
   * A client's order needs a market that permits it now; every order is placed at the mark price and a rate of the tiers, which the open
   * interest raises.
   */
  accept(accepted: OrderAccepted, epochMs: number, positions: PositionBooks): void {
    const {
      order,
      account,
      market: ordinal,
      markPriceAtoms,
      initialMarginBps,
      origin,
      leverageHundredths,
      reduceOnly,
    } = accepted;
    const market = this.of(ordinal);
    const { mark, listing } = market;
    if (markPriceAtoms !== mark || mark === 0)
      fail('order', `order ${order} was placed at a mark price of ${markPriceAtoms}, it is ${mark}`);
    const { maxLeverageX } = listing.specification;
    if (leverageHundredths > maxLeverageX * 100 || !permitsLeverage(initialMarginBps, leverageHundredths))
      fail('order', `order ${order} has a leverage of ${leverageHundredths / 100}`);
    if (origin !== 'client') {
      if (initialMarginBps !== 0) fail('reservation', `order ${order} of the venue reserves at ${initialMarginBps} bps`);
      return;
    }
    const closable = positions.closableBy(accepted.side, account, ordinal);
    const openInterest = openInterestWith(accepted, openInterestIn(listing, positions, mark), closable, mark, listing);
    if (!market.initialRates.some((rate) => raisedRate(rate, openInterest, listing) === initialMarginBps))
      fail('reservation', `order ${order} reserves at ${initialMarginBps} bps`);
    if (!permitsLeverage(initialMarginBps, leverageHundredths))
      fail('order', `order ${order} has a leverage of ${leverageHundredths / 100}`);
    if (!permits(market, reduceOnly ? 'reduce' : 'open', epochMs))
      fail(
        'index',
        `order ${order} ${reduceOnly ? 'reduces' : 'opens'} in market ${ordinal}, which is ${market.status} with an index that is ` +
          `${market.index.statusAt(epochMs)}`,
      );
  }
}

const NO_OBSERVATION: Observation = { isAccepted: false, isFirst: false, before: 0 };

function updateOf({ index, status, observation }: Market, epochMs: number, quotes: Quotes): PriceUpdate {
  return { epochMs, index: index.price, quotes, status, isFirst: observation.isFirst };
}

/** A market permits no more than the venue's limit, which is open, reduce_only or cancel_only. */
function within(limit: MarketStatus, status: MarketStatus): MarketStatus {
  if (status !== 'open' && status !== 'reduce_only') return status;
  return limit === 'open' ? status : limit;
}

/** Whether status and index of a market permit an activity now. */
export function permits({ status, index }: Market, activity: 'open' | 'reduce' | 'liquidate' | 'fund', epochMs: number): boolean {
  if (status !== 'open' && (status !== 'reduce_only' || activity === 'open')) return false;
  return activity === 'reduce' || index.statusAt(epochMs) === 'current';
}
