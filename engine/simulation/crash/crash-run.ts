/**
 * Drives a venue through candles: index prices as they come, traders in between, and after every single command the
 * bookkeeper's comparison and, now and then, the core's own invariants. Feed outages stay outages.
 */

import type { CandlePath } from '#prices/candle-path.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, OrderTerms, Side } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { Venue } from '#venue/venue.ts';
import { Bookkeeper } from './bookkeeper.ts';
import { type Desk, gambler, maker, type Trader, taker } from './traders.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';

export interface CrashFeed {
  readonly specification: MarketSpecification;
  readonly path: CandlePath;
}

export interface CrashPlan {
  readonly feeds: readonly CrashFeed[];
  /** The stretches of candle time to play, each from and to, in order. */
  readonly windows: readonly (readonly [fromEpochMs: number, toEpochMs: number])[];
  readonly stepMs: number;
  readonly random: () => number;
  /** Every so many commands the core's own invariants are checked too. */
  readonly invariantsEvery: number;
  readonly report?: (line: string) => void;
}

/** What the run came to: what a reader checks against what a crash should look like. */
export interface CrashFigures {
  commands: number;
  refused: number;
  trades: number;
  steps: number;
  outageSteps: number;
  openOrders: number;
  openPositions: number;
  feesAtoms: bigint;
  deficitAtoms: bigint;
  /** The lowest and the highest index of each market, in ticks. */
  range: [number, number][];
}

const LEVERAGES = [1, 2, 3, 5, 8, 10, 15, 20, 25, 40];
const MAKER_CASH = 50_000_000_000_000;
const TAKER_CASH = 1_000_000_000_000;
const GAMBLER_CASH = 20_000_000_000;

/** The two markets as the scenario trades them. */
export function crashMarket(
  symbol: string,
  priceScale: number,
  quantityScale: number,
  initialMarginBps: number,
): MarketSpecification {
  return {
    marketId: `${symbol}-USD-PERP`,
    underlyingSymbol: symbol,
    priceScale,
    quantityScale,
    minPriceAtoms: 1 as PriceAtoms,
    maxPriceAtoms: 10_000_000 as PriceAtoms,
    minQuantityAtoms: 1 as BaseAtoms,
    maxQuantityAtoms: 50_000_000 as BaseAtoms,
    initialMarginBps: initialMarginBps as Bps,
    maxLeverageX: Math.floor(10_000 / initialMarginBps),
    maintenanceMarginTiers: [{ notionalThresholdAtoms: 0 as QuoteAtoms, maintenanceMarginBps: (initialMarginBps / 2) as Bps }],
    makerFeeBps: 2 as Bps,
    takerFeeBps: 5 as Bps,
    priceBandBps: 1_000 as Bps,
    markBandBps: 50 as Bps,
    liquidationFeeBps: 50 as Bps,
    autoDeleveraging: true,
    // Twice the step of minute candles; the windows of the real month lie further apart than any jump allowed.
    maxIndexAgeMs: 120_000,
    maxIndexJumpBps: 1_000 as Bps,
    indexConfirmations: 2,
    fundingPeriodMs: 3_600_000,
    fundingInterestPpb: 12_500 as Ppb,
    fundingCapPpb: 7_500_000 as Ppb,
    premiumSampleMs: 60_000,
    impactNotionalAtoms: 10_000_000_000 as QuoteAtoms,
  };
}

export function runCrash(plan: CrashPlan): CrashFigures {
  const world = new CrashWorld(plan);
  world.open();
  for (const [from, to] of plan.windows) world.play(from, to);
  return world.close();
}

class CrashWorld implements Desk {
  readonly #plan: CrashPlan;
  readonly #venue = new Venue();
  readonly #books = new Bookkeeper();
  readonly #traders: Trader[] = [];
  readonly #figures: CrashFigures;
  #sequence = 0;
  #now = 0;
  #events: VenueEvent[] = [];

  constructor(plan: CrashPlan) {
    this.#plan = plan;
    this.#figures = {
      commands: 0,
      refused: 0,
      trades: 0,
      steps: 0,
      outageSteps: 0,
      openOrders: 0,
      openPositions: 0,
      feesAtoms: 0n,
      deficitAtoms: 0n,
      range: plan.feeds.map(() => [Number.POSITIVE_INFINITY, 0]),
    };
  }

  open(): void {
    this.#now = this.#plan.windows[0]![0];
    for (const { specification } of this.#plan.feeds) this.#run({ type: 'ListMarket', specification, status: 'open' });
    for (const market of this.#plan.feeds.map((_, index) => index + 1)) {
      for (let count = 0; count < 3; count += 1) this.#traders.push(maker(this.#account(MAKER_CASH), market));
      for (let count = 0; count < 3; count += 1) this.#traders.push(taker(this.#account(TAKER_CASH), market));
    }
    for (let count = 0; count < 20; count += 1) {
      const market = 1 + (count % this.#plan.feeds.length);
      const most = this.#plan.feeds[market - 1]!.specification.maxLeverageX;
      const leverageX = Math.min(most, LEVERAGES[Math.floor(count / this.#plan.feeds.length) % LEVERAGES.length]!);
      this.#traders.push(gambler(this.#account(GAMBLER_CASH), market, leverageX));
    }
  }

  play(from: number, to: number): void {
    for (let time = from; time < to; time += this.#plan.stepMs) {
      this.#now = time;
      this.#figures.steps += 1;
      const isPriced = this.#plan.feeds.map(({ path, specification }, index) =>
        this.#publish(index, path.priceAt(time), specification),
      );
      if (!isPriced.includes(true)) this.#figures.outageSteps += 1;
      for (const trade of this.#traders) trade(this, this.#plan.random);
      if (this.#figures.steps % 1_000 === 0) this.#plan.report?.(`${this.#figures.steps} steps, ${this.#sequence} commands`);
    }
  }

  close(): CrashFigures {
    checkInvariants(this.#venue.state);
    const { fees, deficit } = this.#books.ledgers;
    return Object.assign(this.#figures, {
      commands: this.#sequence,
      trades: this.#books.trades,
      openOrders: this.#books.openOrders,
      openPositions: this.#books.openPositions,
      feesAtoms: fees,
      deficitAtoms: deficit,
    });
  }

  limit(account: number, market: number, side: Side, price: number, lots: number): number | undefined {
    const { maxPriceAtoms, maxQuantityAtoms } = this.#plan.feeds[market - 1]!.specification;
    const terms = {
      kind: 'limit' as const,
      priceAtoms: Math.max(1, Math.min(price, maxPriceAtoms)) as PriceAtoms,
      quantityAtoms: Math.min(lots, maxQuantityAtoms) as BaseAtoms,
      postOnly: false,
    };
    const events = this.#place(account, market, side, terms, 0, false);
    return events.find((event) => event.type === 'OrderRested')?.order;
  }

  market(account: number, market: number, side: Side, lots: number, leverageX: number, reduceOnly: boolean): void {
    const quantityAtoms = Math.min(lots, this.#plan.feeds[market - 1]!.specification.maxQuantityAtoms) as BaseAtoms;
    this.#place(account, market, side, { kind: 'market', quantityAtoms }, leverageX, reduceOnly);
  }

  cancel(account: number, order: number): void {
    this.#run({ type: 'CancelOrder', account: account as AccountOrdinal, order: order as OrderOrdinal });
  }

  indexOf(market: number): number {
    return this.#venue.state.market(market as MarketOrdinal)!.indexPriceAtoms;
  }

  holdingOf(account: number, market: number): number {
    return this.#venue.state.account(account as AccountOrdinal)!.holdingIn(market as MarketOrdinal).signedBaseAtoms;
  }

  availableOf(account: number): number {
    return this.#venue.state.account(account as AccountOrdinal)!.availableAtoms;
  }

  lotPriceOf(market: number): number {
    const it = this.#venue.state.market(market as MarketOrdinal)!;
    return it.lotPrice(it.indexPriceAtoms);
  }

  #publish(index: number, price: number | undefined, { priceScale }: MarketSpecification): boolean {
    if (price === undefined) return false;
    const priceAtoms = Math.round(price * 10 ** priceScale) as PriceAtoms;
    const range = this.#figures.range[index]!;
    this.#figures.range[index] = [Math.min(range[0], priceAtoms), Math.max(range[1], priceAtoms)];
    this.#run({
      type: 'PublishIndexPrice',
      market: (index + 1) as MarketOrdinal,
      priceAtoms,
      observedAtEpochMs: this.#now as EpochMs,
    });
    return true;
  }

  #account(cash: number): number {
    const opened = this.#run({ type: 'OpenAccount', label: 'trader', partyId: 'party', digestSeed: 7 }).find(
      (event) => event.type === 'AccountOpened',
    )!;
    this.#run({ type: 'CreditCash', account: opened.account, amountAtoms: cash as QuoteAtoms, reference: 'scenario' });
    return opened.account;
  }

  #place(account: number, market: number, side: Side, terms: OrderTerms, leverageX: number, reduceOnly: boolean): VenueEvent[] {
    const clientOrderId = `order-${this.#sequence}`;
    const rest = { clientOrderId, side, terms, reduceOnly, leverageX, idempotencyKey: clientOrderId };
    return this.#run({ type: 'PlaceOrder', account: account as AccountOrdinal, market: market as MarketOrdinal, ...rest });
  }

  #run(command: Command): VenueEvent[] {
    this.#sequence += 1;
    const sequenced = { sequence: this.#sequence as Sequence, epochMs: this.#now as EpochMs, command };
    this.#events = eventsOfTurn(this.#venue, sequenced);
    this.#books.turn(this.#events);
    if (this.#events[0]?.type === 'CommandRefused') this.#figures.refused += 1;
    if (this.#sequence % this.#plan.invariantsEvery === 0) checkInvariants(this.#venue.state);
    return this.#events;
  }
}
