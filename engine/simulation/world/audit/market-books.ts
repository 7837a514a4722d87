/** Prices and funding of each market, as they were told: what may move them, and that a period is settled by its rate. */
import type { Command } from '#venue/command.ts';
import type { FundingPaid, FundingSettled, LiquidationStarted, MarketPriced, OrderAccepted } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { demand, fail } from './audit-failed.ts';
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

interface KeptMarket {
  readonly specification: MarketSpecification;
  index: number;
  mark: number;
  periodEndsAt: number;
  period: number;
  perLot: number;
  /** Who has paid or got their funding of the last period. */
  readonly settled: Set<number>;
}

export class MarketBooks {
  readonly #markets = new Map<number, KeptMarket>();

  list(market: number, specification: MarketSpecification): void {
    const nothing = { index: 0, mark: 0, periodEndsAt: 0, period: 0, perLot: 0 };
    this.#markets.set(market, { specification, ...nothing, settled: new Set() });
  }

  /** The index is the price that was published, or what it was before; the mark is near it. */
  price(event: MarketPriced, command: Command, epochMs: number): void {
    const market = this.#of(event.market);
    const name = `market ${event.market}`;
    const { indexPriceAtoms: index, markPriceAtoms: mark, fundingEstimatePpb, nextFundingAtEpochMs } = event;
    const published = command.type === 'PublishIndexPrice' && command.market === event.market ? command.priceAtoms : undefined;
    demand(index === market.index || index === published, `${name} has an index of ${index} that nobody published`);
    const { markBandBps, fundingCapPpb } = market.specification;
    const isNear = mark * 10_000 >= index * (10_000 - markBandBps) && mark * 10_000 <= index * (10_000 + markBandBps);
    demand(isNear, `${name} has a mark of ${mark}, too far from its index of ${index}`);
    demand(Math.abs(fundingEstimatePpb) <= fundingCapPpb, `${name} estimates a funding of ${fundingEstimatePpb}`);
    const isFirst = market.periodEndsAt === 0 && nextFundingAtEpochMs === endOfPeriod(epochMs, market.specification);
    demand(isFirst || nextFundingAtEpochMs === market.periodEndsAt, `${name} has its funding at ${nextFundingAtEpochMs}`);
    Object.assign(market, { index, mark, periodEndsAt: nextFundingAtEpochMs });
  }

  /** By the index that was published last, which may be told of only afterwards. */
  endPeriod(event: FundingSettled, command: Command, epochMs: number): void {
    const market = this.#of(event.market);
    const name = `period ${event.period} of market ${event.market}`;
    demand(event.period === market.period + 1, `${name} follows period ${market.period}`);
    demand(event.settledAtEpochMs === epochMs && epochMs >= market.periodEndsAt, `${name} ends at the wrong time`);
    const isPublished = command.type === 'PublishIndexPrice' && event.indexPriceAtoms === command.priceAtoms;
    demand(event.indexPriceAtoms === market.index || isPublished, `${name} ends by an index that nobody published`);
    demand(Math.abs(event.ratePpb) <= market.specification.fundingCapPpb, `${name} ends with a rate of ${event.ratePpb}`);
    const perLot = fundingPerLot(event.indexPriceAtoms, event.ratePpb, market.specification);
    demand(event.perLotMicroAtoms === perLot, `${name} costs ${perLot} a lot, was told ${event.perLotMicroAtoms}`);
    market.settled.clear();
    Object.assign(market, { period: event.period, perLot, periodEndsAt: endOfPeriod(epochMs, market.specification) });
  }

  /** A position pays once for a period, and all of it while it has margin. */
  pay({ market: ordinal, period, position, paidAtoms, marginAtoms }: FundingPaid, { signedBase }: Readonly<KeptPosition>): void {
    const market = this.#of(ordinal);
    const owed = fundingOwed(signedBase, market.perLot);
    demand(period === market.period, `position ${position} paid for period ${period}, the last one is ${market.period}`);
    demand(!market.settled.has(position), `position ${position} paid twice for period ${period}`);
    market.settled.add(position);
    const isAllItCan = paidAtoms === owed || (paidAtoms < owed && marginAtoms === 0);
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

  #of(market: number): KeptMarket {
    return this.#markets.get(market) ?? fail(`market ${market} was never listed`);
  }
}
