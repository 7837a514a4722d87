/** Prices and funding of each market, as they were told: what may move them, and that a period is settled by its rate. */
import type { Command } from '#venue/command.ts';
import type {
  FundingPaid,
  FundingSettled,
  LiquidationStarted,
  MarketPriced,
  OrderAccepted,
  TradeExecuted,
} from '#venue/event.ts';
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { demand, fail } from './audit-failed.ts';
import { FundingForecast } from './funding-forecast.ts';
import type { Quotes, Trade } from './mark-rules.ts';
import { markFor } from './mark-rules.ts';
import type { KeptPosition } from './position-books.ts';
import { tickLotOf } from './requirement.ts';
import {
  bankruptcyPriceFor,
  endOfPeriod,
  equityAt,
  fundingOwed,
  fundingPerLot,
  initialRates,
  maintenanceFor,
} from './risk-rules.ts';

/** Whether orders that were there before may open: `unless_due` where that depends on whether a liquidation is due or waits. */
export type Opening = 'yes' | 'no' | 'unless_due';

interface KeptMarket {
  readonly specification: MarketSpecification;
  status: MarketStatus;
  /** The index is relied on until this time. */
  currentUntil: number;
  /** When the index price was observed that holds. */
  observedAt: number;
  index: number;
  mark: number;
  lastTrade: Trade | undefined;
  periodEndsAt: number;
  period: number;
  perLot: number;
  readonly funding: FundingForecast;
  /** The turn that is being audited has ended a period: its price is known by that. */
  hasEndedPeriod: boolean;
  /** Who has paid or got their funding of the last period. */
  readonly settled: Set<number>;
}

export class MarketBooks {
  readonly #markets = new Map<number, KeptMarket>();

  list(market: number, specification: MarketSpecification, status: MarketStatus): void {
    const nothing = { currentUntil: 0, observedAt: 0, index: 0, mark: 0, periodEndsAt: 0, period: 0, perLot: 0 };
    const funding = new FundingForecast(specification);
    const some = { funding, hasEndedPeriod: false, lastTrade: undefined, settled: new Set<number>() };
    this.#markets.set(market, { specification, status, ...nothing, ...some });
  }

  setStatus(market: number, status: MarketStatus): void {
    this.#of(market).status = status;
    this.#of(market).funding.break();
  }

  /** Only an open market with an index that is relied on lets anybody open, and only once nobody is due any more. */
  opening(ordinal: number, epochMs: number, positions: Iterable<Readonly<KeptPosition>>): Opening {
    const { status, currentUntil, mark, specification } = this.#of(ordinal);
    if (status !== 'open' || epochMs > currentUntil) return 'no';
    for (const held of positions) {
      const notional = Math.abs(held.signedBase) * mark * tickLotOf(specification);
      if (equityAt(mark, held, specification) < maintenanceFor(notional, specification)) return 'unless_due';
    }
    return 'yes';
  }

  /** A deleveraging is no trade that anybody quoted. */
  trade({ market, origin, priceAtoms }: TradeExecuted, epochMs: number): void {
    if (origin !== 'auto_deleveraging') this.#of(market).lastTrade = { priceAtoms, epochMs };
  }

  /** The index is the price that was published, or what it was before; the mark follows a new one. */
  price(event: MarketPriced, command: Command, epochMs: number, quotes: Quotes): void {
    const market = this.#of(event.market);
    const name = `market ${event.market}`;
    const { indexPriceAtoms: index, markPriceAtoms: mark, fundingEstimatePpb, nextFundingAtEpochMs, observedAtEpochMs } = event;
    const published = command.type === 'PublishIndexPrice' && command.market === event.market ? command.priceAtoms : undefined;
    demand(index === market.index || index === published, `${name} has an index of ${index} that nobody published`);
    const { specification, status, lastTrade } = market;
    const isNew = observedAtEpochMs !== market.observedAt;
    const expected = isNew ? markFor(index, quotes, lastTrade, epochMs, status, specification) : market.mark;
    demand(mark === expected, `${name} has a mark of ${mark}, which is to be ${expected} at an index of ${index}`);
    const isFirst = market.periodEndsAt === 0 && nextFundingAtEpochMs === endOfPeriod(epochMs, specification);
    demand(isFirst || nextFundingAtEpochMs === market.periodEndsAt, `${name} has its funding at ${nextFundingAtEpochMs}`);
    const isFunding = event.indexStatus === 'current' && (status === 'open' || status === 'reduce_only');
    if (!isFunding) market.funding.break();
    else if (!market.hasEndedPeriod) this.#look(market, index, epochMs, quotes);
    const rate = market.funding.rate(epochMs, nextFundingAtEpochMs);
    demand(fundingEstimatePpb === rate, `${name} estimates a funding of ${fundingEstimatePpb}, it comes to ${rate}`);
    const currentUntil = event.indexStatus === 'current' ? observedAtEpochMs + specification.maxIndexAgeMs : 0;
    const told = { index, mark, currentUntil, observedAt: observedAtEpochMs, periodEndsAt: nextFundingAtEpochMs };
    Object.assign(market, told, { hasEndedPeriod: false });
  }

  /** By the index that was published last, which may be told of only afterwards. */
  endPeriod(event: FundingSettled, command: Command, epochMs: number, quotes: Quotes): void {
    const market = this.#of(event.market);
    const name = `period ${event.period} of market ${event.market}`;
    demand(event.period === market.period + 1, `${name} follows period ${market.period}`);
    demand(event.settledAtEpochMs === epochMs && epochMs >= market.periodEndsAt, `${name} ends at the wrong time`);
    const isPublished = command.type === 'PublishIndexPrice' && event.indexPriceAtoms === command.priceAtoms;
    demand(event.indexPriceAtoms === market.index || isPublished, `${name} ends by an index that nobody published`);
    this.#look(market, event.indexPriceAtoms, epochMs, quotes);
    const rate = market.funding.rate(epochMs, market.periodEndsAt);
    demand(event.ratePpb === rate, `${name} ends with a rate of ${event.ratePpb}, it comes to ${rate}`);
    market.funding.end();
    const perLot = fundingPerLot(event.indexPriceAtoms, event.ratePpb, market.specification);
    demand(event.perLotMicroAtoms === perLot, `${name} costs ${perLot} a lot, was told ${event.perLotMicroAtoms}`);
    market.settled.clear();
    const periodEndsAt = endOfPeriod(epochMs, market.specification);
    Object.assign(market, { period: event.period, perLot, periodEndsAt, hasEndedPeriod: true });
  }

  /** A position pays once for a period: all of it while it has margin, but for one that waits and is not worth so much. */
  pay({ market: ordinal, period, position, paidAtoms, marginAtoms }: FundingPaid, held: Readonly<KeptPosition>): void {
    const market = this.#of(ordinal);
    const owed = fundingOwed(held.signedBase, market.perLot);
    demand(period === market.period, `position ${position} paid for period ${period}, the last one is ${market.period}`);
    demand(!market.settled.has(position), `position ${position} paid twice for period ${period}`);
    market.settled.add(position);
    const worth = Math.max(0, equityAt(market.mark, held, market.specification));
    const isSpared = market.specification.autoDeleveraging && paidAtoms >= worth;
    const isAllItCan = paidAtoms === owed || (paidAtoms < owed && (marginAtoms === 0 || isSpared));
    demand(isAllItCan, `position ${position} owes ${owed} of funding and paid ${paidAtoms}`);
  }

  /** What is told of a liquidation is what its position comes to at the mark, and that is too little. */
  liquidate(event: LiquidationStarted, held: Readonly<KeptPosition>): void {
    const { specification, mark } = this.#of(event.market);
    const name = `the liquidation of position ${event.position}`;
    demand(held.ordinal === event.position, `${name} is of none that account ${event.account} holds`);
    demand(event.markPriceAtoms === mark, `${name} is at ${event.markPriceAtoms}, the mark is ${mark}`);
    const equity = equityAt(mark, held, specification);
    const required = maintenanceFor(Math.abs(held.signedBase) * mark * tickLotOf(specification), specification);
    demand(event.equityAtoms === equity, `${name} tells of an equity of ${event.equityAtoms}, not ${equity}`);
    demand(
      event.maintenanceRequirementAtoms === required,
      `${name} asks for ${event.maintenanceRequirementAtoms}, not ${required}`,
    );
    demand(equity < required, `${name} is of one that has enough: ${equity} of ${required}`);
    const price = bankruptcyPriceFor(held, specification);
    demand(event.bankruptcyPriceAtoms === price, `${name} has its bankruptcy at ${event.bankruptcyPriceAtoms}, not at ${price}`);
  }

  /** An order is placed at the mark, and reserves at the rate of one of the tiers. */
  accept({ order, market, markPriceAtoms, initialMarginBps, origin }: OrderAccepted): void {
    const { mark, specification } = this.#of(market);
    demand(markPriceAtoms === mark && mark > 0, `order ${order} was placed at a mark of ${markPriceAtoms}, it is ${mark}`);
    const rates = origin === 'client' ? initialRates(specification) : [0];
    demand(rates.includes(initialMarginBps), `order ${order} reserves at a rate of ${initialMarginBps}`);
  }

  /** A price that can be relied on: so was the one before it until now, or the book is of before. */
  #look(market: KeptMarket, index: number, epochMs: number, quotes: Quotes): void {
    if (epochMs > market.currentUntil) market.funding.break();
    market.funding.look({ epochMs, index, quotes, status: market.status, isFirst: market.index === 0 });
  }

  #of(market: number): KeptMarket {
    return this.#markets.get(market) ?? fail(`market ${market} was never listed`);
  }
}
