/**
 * Drives an audited venue through candles: observations of the index, makers, takers, and a crowd of two hundred at all
 * leverages. Outages of the feed stay outages.
 */
import type { CandlePath } from '#prices/candle-path.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { leverageHundredths } from '#units/leverage.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, OrderTerms, Side, TriggerTerms } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { AuditedVenue, type TurnTaker } from './audited-venue.ts';
import { CROWD, dollars, FEED_MS, INSURANCE_START_ATOMS, MAKERS, TAKERS } from './crash-parameters.ts';
import { crowdOf } from './crowd.ts';
import { type CrashFigures, FigureCount } from './figures.ts';
import { IndexFeed } from './index-feed.ts';
import { gambler, type Maker, maker, type Protection, type Quote, type Trader, type TradingDesk, taker } from './traders.ts';

export interface CrashPlan {
  readonly markets: readonly MarketSpecification[];
  /** The price of each market's underlying through time. */
  readonly paths: readonly CandlePath[];
  readonly fromEpochMs: number;
  readonly toEpochMs: number;
  readonly random: () => number;
  /** Half of the crowd places trigger orders with each position. */
  readonly withStops?: boolean | undefined;
  /** The interval, in turns, at which the core's own invariants are checked too. */
  readonly invariantsEvery: number;
  /** Wraps the venue in a fault that the auditor must find. */
  readonly around?: ((venue: Venue) => TurnTaker) | undefined;
  /** Called with every turn, once it is audited. */
  readonly onTurn?: ((turn: CommittedRecord) => void) | undefined;
  readonly report?: ((line: string) => void) | undefined;
}

/** Plays a crash. Throws at the first turn that the auditor finds fault with. */
export function runCrash(plan: CrashPlan): CrashFigures {
  const world = new CrashWorld(plan);
  world.open();
  world.play();
  return world.close();
}

/** The interval, in observations, at which the operator processes pending withdrawals. */
const OPERATOR_CHECKS = 60;

/** Of neighbors in the crowd, who have about the same leverage. */
const PROTECTIONS: readonly (Protection | undefined)[] = ['stop', undefined, 'trailing', undefined];

class CrashWorld implements TradingDesk {
  readonly #plan: CrashPlan;
  readonly #count: FigureCount;
  readonly #venue: AuditedVenue;
  readonly #feeds: readonly IndexFeed[];
  readonly #makers: { readonly market: number; readonly maker: Maker }[] = [];
  readonly #traders: Trader[] = [];
  readonly #withdrawals: WithdrawalOrdinal[] = [];

  constructor(plan: CrashPlan) {
    this.#plan = plan;
    const { invariantsEvery, around, onTurn } = plan;
    this.#venue = new AuditedVenue({
      invariantsEvery,
      around,
      onTurn: (turn) => {
        this.#count.turn(turn.events);
        onTurn?.(turn);
      },
    });
    this.#count = new FigureCount(this.#venue.auditor);
    this.#feeds = plan.paths.map((path, index) => new IndexFeed(path, 10 ** plan.markets[index]!.priceScale));
  }

  open(): void {
    const { markets, random, withStops } = this.#plan;
    this.#venue.now = this.#plan.fromEpochMs;
    this.#run({ type: 'CreditInsurance', amountAtoms: INSURANCE_START_ATOMS, reference: 'crash' });
    for (const [index, specification] of markets.entries()) {
      const market = index + 1;
      this.#run({ type: 'ListMarket', specification, status: 'open' });
      for (let count = 0; count < MAKERS.perMarket; count += 1)
        this.#makers.push({ market, maker: maker(this.#account(dollars(MAKERS.cash)), market) });
      for (let count = 0; count < TAKERS.perMarket; count += 1)
        this.#traders.push(taker(this.#account(dollars(TAKERS.cash)), market));
    }
    for (const [index, member] of crowdOf(CROWD.traders, markets, random).entries()) {
      const account = this.#account(member.depositAtoms);
      const protection = withStops ? PROTECTIONS[Math.floor(index / markets.length) % PROTECTIONS.length] : undefined;
      this.#traders.push(gambler({ ...member, account, protection }));
    }
  }

  play(): void {
    const { fromEpochMs, toEpochMs, random, report } = this.#plan;
    const { figures } = this.#count;
    for (let time = fromEpochMs; time < toEpochMs; time += FEED_MS) {
      this.#venue.now = time;
      figures.steps += 1;
      this.#observe(time);
      for (const trade of this.#traders) trade(this, random);
      if (figures.steps % OPERATOR_CHECKS === 0) this.#endWithdrawals();
      if (figures.steps % 10_000 === 0) report?.(`${Math.round((time - fromEpochMs) / 3_600_000)} h: ${figures.turns} turns`);
    }
  }

  /** Makers see the price of the source before the venue does. Then the source publishes it. */
  #observe(time: number): void {
    const { random } = this.#plan;
    const seen = this.#feeds.map((feed) => feed.observe(time, random));
    if (seen.every(({ price }) => price === undefined)) this.#count.figures.outageSteps += 1;
    for (const { market, maker } of this.#makers) maker.stepBack(this, seen[market - 1]!.price, random);
    for (const { maker } of this.#makers) maker.quote(this, random);
    for (const [index, { sent }] of seen.entries()) {
      for (const observation of sent) this.#venue.publish(index + 1, observation);
    }
  }

  close(): CrashFigures {
    this.#venue.compare();
    return this.#count.close();
  }

  quote(account: number, market: number, quotes: readonly Quote[], leverageX: number): readonly number[] {
    const entries = quotes.map(([side, price, lots], index) => ({
      market: market as MarketOrdinal,
      clientOrderId: `quote-${this.#venue.sequence}-${index}`,
      side,
      terms: {
        kind: 'limit' as const,
        priceAtoms: price as PriceAtoms,
        quantityAtoms: lots as BaseAtoms,
        postOnly: true,
      },
      reduceOnly: false,
      leverageHundredths: leverageHundredths(leverageX),
    }));
    const idempotencyKey = `quotes-${this.#venue.sequence}`;
    const events = this.#run({ type: 'PlaceOrders', account: account as AccountOrdinal, entries, idempotencyKey });
    return events.filter((event) => event.type === 'OrderRested').map(({ order }) => order);
  }

  pull(account: number, orders: readonly number[]): void {
    this.#run({ type: 'CancelOrders', account: account as AccountOrdinal, orders: orders as OrderOrdinal[] });
  }

  market(account: number, market: number, side: Side, lots: number, leverageX: number, reduceOnly: boolean): void {
    const { maxQuantityAtoms } = this.#plan.markets[market - 1]!;
    const terms: OrderTerms = { kind: 'market', quantityAtoms: Math.min(lots, maxQuantityAtoms) as BaseAtoms };
    const clientOrderId = `order-${this.#venue.sequence}`;
    this.#run({
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      market: market as MarketOrdinal,
      clientOrderId,
      side,
      terms,
      reduceOnly,
      leverageHundredths: leverageHundredths(leverageX),
      idempotencyKey: clientOrderId,
    });
  }

  protect(account: number, market: number, stop: number, target: number): void {
    const linkedClientOrderId = this.#wait(account, market, {
      ...AT_THE_MARK,
      kind: 'stop_loss',
      priceAtoms: stop as PriceAtoms,
    });
    const priceAtoms = target as PriceAtoms;
    this.#wait(account, market, { ...AT_THE_MARK, kind: 'take_profit', priceAtoms, linkedClientOrderId });
  }

  trail(account: number, market: number, distanceBps: number): void {
    this.#wait(account, market, { ...AT_THE_MARK, kind: 'trailing_stop', trailingBps: distanceBps as Bps });
  }

  /** Places an order that closes the position when it triggers. Returns its client order id. */
  #wait(account: number, market: number, trigger: TriggerTerms): string {
    const clientOrderId = `waiting-${this.#venue.sequence}`;
    this.#run({
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      market: market as MarketOrdinal,
      clientOrderId,
      side: this.holdingOf(account, market) > 0 ? 'sell' : 'buy',
      terms: { kind: 'market', quantityAtoms: 0 as BaseAtoms },
      reduceOnly: true,
      leverageHundredths: 0,
      idempotencyKey: clientOrderId,
      trigger,
    });
    return clientOrderId;
  }

  withdraw(account: number, atoms: number): void {
    const events = this.#run({
      type: 'ReserveWithdrawal',
      account: account as AccountOrdinal,
      amountAtoms: atoms as QuoteAtoms,
      destination: 'party',
    });
    for (const event of events) if (event.type === 'WithdrawalReserved') this.#withdrawals.push(event.withdrawal);
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

  markOf(market: number): number {
    return this.#venue.state.market(market as MarketOrdinal)!.markPriceAtoms;
  }

  /** Settles every other pending withdrawal and releases the rest. */
  #endWithdrawals(): void {
    for (const [index, withdrawal] of this.#withdrawals.entries())
      this.#run({ type: index % 2 === 0 ? 'SettleWithdrawal' : 'ReleaseWithdrawal', withdrawal });
    this.#withdrawals.length = 0;
  }

  #account(cash: number): number {
    const opened = this.#run({ type: 'OpenAccount', label: 'trader', partyId: 'party', digestSeed: 7 }).find(
      (event) => event.type === 'AccountOpened',
    )!;
    this.#run({ type: 'CreditCash', account: opened.account, amountAtoms: cash as QuoteAtoms, reference: 'crash' });
    return opened.account;
  }

  #run(command: Command): readonly VenueEvent[] {
    return this.#venue.run(command);
  }
}

const AT_THE_MARK: TriggerTerms = {
  kind: 'stop_loss',
  source: 'mark',
  direction: 'derived',
  priceAtoms: 0 as PriceAtoms,
  trailingAtoms: 0 as PriceAtoms,
  trailingBps: 0 as Bps,
  closePosition: true,
  linkedClientOrderId: '',
};
