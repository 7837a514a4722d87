/**
 * Watches every liquidation and deleveraging from events alone: that it was due, and that everybody due had it; that it
 * took nothing but what backed the position; that the fund paid only beyond that; and at which price others were closed.
 */
import type {
  CashPosted,
  LiquidationStarted,
  MarketPriced,
  OrderFilled,
  OrderOrigin,
  PositionChanged,
  VenueEvent,
} from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { PositionView, profitOf, type SeenPosition } from './position-view.ts';

export class LiquidationWrong extends Error {
  override readonly name = 'LiquidationWrong';
}

interface WatchedMarket {
  readonly specification: MarketSpecification;
  readonly tickLot: number;
  mark: number;
  isCurrent: boolean;
  /** Episodes whose liquidation was tried: they may wait for another price. */
  readonly tried: Set<number>;
}

/** A fill that the venue made, and what was posted for it before the position changed. */
interface ForcedFill {
  readonly fill: OrderFilled;
  readonly origin: OrderOrigin;
  cash: number;
  cover: number;
  penalty: number;
}

/** A liquidation that this turn has begun. */
interface Started {
  readonly position: number;
  readonly isLong: boolean;
  /** At which others are closed against it, once they are. */
  deleveragedAt: number | undefined;
  /** Nobody was left who could bear that price: those that follow are closed at the mark. */
  isAtMark: boolean;
  /** Once it is covered: what a tick of it was worth then. A bankruptcy price is a whole tick, so that much may remain. */
  tickWhenCovered: number | undefined;
}

export class LiquidationWatch {
  readonly #markets: readonly WatchedMarket[];
  readonly #positions = new PositionView();
  /** By episode that is being closed: what the book has taken of it so far. */
  readonly #closed = new Map<number, number>();
  /** Orders of this turn that the venue placed, and what for. */
  readonly #forced = new Map<number, OrderOrigin>();
  /** The liquidation that was told of last in this turn. */
  #started: Started | undefined;
  #fill: ForcedFill | undefined;

  constructor(markets: readonly MarketSpecification[]) {
    this.#markets = markets.map((specification) => {
      const tickLot = 10 ** (6 - specification.priceScale - specification.quantityScale);
      return { specification, tickLot, mark: 0, isCurrent: false, tried: new Set() };
    });
  }

  /** Takes the events of one turn. Throws {@link LiquidationWrong}. */
  turn(events: readonly VenueEvent[]): void {
    this.#started = undefined;
    this.#forced.clear();
    for (const event of events) {
      this.#take(event);
      this.#positions.take(event);
    }
    const isPending = events.some(({ type }) => type === 'MarketWorkPending');
    const isAdvanced = events.some(({ type }) => type === 'MarketPriced' || type === 'LiquidationStarted');
    if (isAdvanced && !isPending)
      for (const [index, market] of this.#markets.entries()) this.#checkNobodyIsLeft(index + 1, market);
  }

  #take(event: VenueEvent): void {
    switch (event.type) {
      case 'MarketPriced':
        this.#price(event);
        return;
      case 'LiquidationStarted':
        this.#start(event);
        return;
      case 'OrderAccepted':
        if (event.origin !== 'client') this.#forced.set(event.order, event.origin);
        return;
      case 'OrderFilled':
        this.#noteFill(event);
        return;
      case 'CashPosted':
        this.#post(event);
        return;
      case 'PositionChanged':
        this.#change(event);
    }
  }

  #noteFill(fill: OrderFilled): void {
    const origin = this.#forced.get(fill.order);
    if (origin !== undefined) this.#fill = { fill, origin, cash: 0, cover: 0, penalty: 0 };
  }

  #price({ market, markPriceAtoms, indexStatus }: MarketPriced): void {
    const it = this.#market(market);
    it.mark = markPriceAtoms;
    it.isCurrent = indexStatus === 'current';
  }

  #start(event: LiquidationStarted): void {
    const market = this.#market(event.market);
    const position =
      this.#positions.of(event.account, event.market) ?? fail(`account ${event.account} holds nothing to liquidate`);
    const name = `the liquidation of account ${event.account}`;
    const equity = position.margin + profitOf(position, market.mark, market.tickLot);
    const requirement = requirementOf(market.mark * Math.abs(position.signedBase) * market.tickLot, market.specification);
    if (event.position !== position.ordinal) fail(`${name} is of ${event.position}, not of ${position.ordinal}`);
    if (event.markPriceAtoms !== market.mark) fail(`${name} goes by a mark of ${event.markPriceAtoms}, it is ${market.mark}`);
    if (event.equityAtoms !== equity) fail(`${name} tells an equity of ${event.equityAtoms}, it is ${equity}`);
    if (event.maintenanceRequirementAtoms !== requirement)
      fail(`${name} tells a requirement of ${event.maintenanceRequirementAtoms}, it is ${requirement}`);
    if (equity >= requirement) fail(`${name} is not due: it has ${equity} for ${requirement}`);
    const bankruptcy = bankruptcyOf(position, market.tickLot);
    if (event.bankruptcyPriceAtoms !== bankruptcy)
      fail(`${name} tells a bankruptcy at ${event.bankruptcyPriceAtoms}, not ${bankruptcy}`);
    market.tried.add(position.ordinal);
    this.#started = {
      position: position.ordinal,
      isLong: position.signedBase > 0,
      deleveragedAt: undefined,
      isAtMark: false,
      tickWhenCovered: undefined,
    };
  }

  #post({ account, kind, amountAtoms }: CashPosted): void {
    if (this.#fill?.fill.account !== account) return;
    this.#fill.cash += amountAtoms;
    if (kind === 'insurance_cover' || kind === 'deficit_cover') this.#fill.cover += amountAtoms;
    if (kind === 'liquidation_fee') this.#fill.penalty -= amountAtoms;
  }

  #change(event: PositionChanged): void {
    const market = this.#market(event.market);
    if (event.cause === 'client') {
      market.tried.delete(event.position);
      return;
    }
    const forced = this.#fill ?? fail(`account ${event.account} was moved by the venue without a fill`);
    const started = this.#started ?? fail(`account ${event.account} was moved by the venue though nothing is liquidated`);
    const before = this.#positions.of(event.account, event.market) ?? fail(`account ${event.account} was opened a position`);
    this.#fill = undefined;
    // Isolated margin: the cash beside the position is not touched, so no more than its margin can be lost.
    if (forced.cash < 0) fail(`account ${event.account} lost ${-forced.cash} of its cash beside the margin of a position`);
    // Who is bankrupt is liquidated to the end, and those who are closed for it are deleveraged.
    const cause = event.position === started.position ? 'liquidation' : 'auto_deleveraging';
    if (event.cause !== cause) fail(`account ${event.account} was moved by ${event.cause}, not by ${cause}`);
    if (forced.origin === 'auto_deleveraging') this.#checkDeleveraged(event, forced, before, started, market);
    if (event.position === started.position) this.#checkLiquidated(event, forced, before, started, market);
  }

  #checkLiquidated(
    event: PositionChanged,
    forced: ForcedFill,
    before: SeenPosition,
    started: Started,
    market: WatchedMarket,
  ): void {
    const { fill, origin, cover, penalty } = forced;
    const name = `the liquidated position of account ${event.account}`;
    const needed = missingFor(before, fill.priceAtoms, fill.quantityAtoms, market.tickLot);
    if (cover !== needed) fail(`${name} was covered with ${cover}, it needed ${needed}`);
    if (cover > 0) started.tickWhenCovered ??= Math.abs(before.signedBase) * market.tickLot;
    const inBook = (this.#closed.get(event.position) ?? 0) + (origin === 'liquidation' ? fill.notionalAtoms : 0);
    this.#closed.set(event.position, inBook);
    if (event.signedBaseAtoms !== 0) {
      if (penalty !== 0) fail(`${name} paid a fee of ${penalty} before its end`);
      // All that it gains or loses on the way stays with what is left of it.
      if (forced.cash !== 0) fail(`${name} gave its account ${forced.cash} before its end`);
      return;
    }
    // What is left over pays the fee first, and the owner gets the rest.
    const fee = share(inBook, market.specification.liquidationFeeBps);
    const isPaid = penalty === fee || (penalty < fee && forced.cash === 0);
    if (!isPaid) fail(`${name} paid a fee of ${penalty} instead of ${fee}, and kept ${forced.cash}`);
    if (cover > 0 && forced.cash + penalty !== 0) fail(`${name} was covered with ${cover} and had ${forced.cash + penalty} left`);
    if (forced.cash + penalty > (started.tickWhenCovered ?? Number.POSITIVE_INFINITY))
      fail(`${name} had ${forced.cash + penalty} left though it was covered`);
    this.#closed.delete(event.position);
  }

  /**
   * At the bankruptcy price of who is bankrupt and cannot be closed otherwise, or where nobody can bear that, at the mark;
   * without a fee, and so that nobody else becomes bankrupt by it.
   */
  #checkDeleveraged(
    event: PositionChanged,
    { fill, cover, penalty }: ForcedFill,
    before: SeenPosition,
    started: Started,
    { specification, tickLot, mark }: WatchedMarket,
  ): void {
    const name = `the deleveraging of account ${event.account}`;
    if (!specification.autoDeleveraging) fail(`${name} in a market that has none`);
    if (fill.feeAtoms !== 0) fail(`${name} cost a fee of ${fill.feeAtoms}`);
    if (event.position === started.position) {
      if (started.deleveragedAt === undefined) {
        const { minPriceAtoms, maxPriceAtoms } = specification;
        const bankruptcy = bankruptcyOf(before, tickLot);
        // Where the market does not know that price, the nearest that it knows, and the venue bears what is missing.
        started.deleveragedAt = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, bankruptcy));
        const equity = before.margin + profitOf(before, mark, tickLot);
        if (equity >= 0) fail(`${name} is of one that has ${equity} at the mark`);
      }
      if (fill.priceAtoms === started.deleveragedAt && !started.isAtMark) return;
      if (fill.priceAtoms !== mark) fail(`${name} is at ${fill.priceAtoms}, its bankruptcy at ${started.deleveragedAt}`);
      if (!started.isAtMark) this.#checkNobodyBears(event.market, started, tickLot);
      started.isAtMark = true;
      return;
    }
    if (penalty !== 0 || cover !== 0) fail(`${name} cost a penalty of ${penalty} and a cover of ${cover}`);
    if (before.signedBase > 0 === started.isLong) fail(`${name} is on the side of who is bankrupt`);
    const equity = before.margin + profitOf(before, fill.priceAtoms, tickLot);
    if (equity < 0) fail(`${name} at ${fill.priceAtoms} leaves it with ${equity}`);
  }

  /** Those that are deleveraged at the mark come after everybody who could have borne the bankruptcy price. */
  #checkNobodyBears(ordinal: number, started: Started, tickLot: number): void {
    for (const other of this.#positions.in(ordinal)) {
      if (other.signedBase > 0 === started.isLong) continue;
      const equity = other.margin + profitOf(other, started.deleveragedAt!, tickLot);
      if (equity >= 0) fail(`account ${other.account} would keep ${equity} at ${started.deleveragedAt}, and was passed over`);
    }
  }

  /** Nothing is pending: whoever is below maintenance at a mark that counts has been tried. */
  #checkNobodyIsLeft(ordinal: number, { specification, tickLot, mark, isCurrent, tried }: WatchedMarket): void {
    if (!isCurrent) return;
    const highestBps = specification.maintenanceMarginTiers.at(-1)!.maintenanceMarginBps;
    for (const position of this.#positions.in(ordinal)) {
      const equity = position.margin + profitOf(position, mark, tickLot);
      const notional = mark * Math.abs(position.signedBase) * tickLot;
      // Most are far from it, by a comparison that need not be exact.
      if (equity > (notional * highestBps) / 9_000) continue;
      const requirement = requirementOf(notional, specification);
      if (equity < requirement && !tried.has(position.ordinal))
        fail(`account ${position.account} has ${equity} for ${requirement} at ${mark} and is left alone`);
    }
  }

  #market(ordinal: number): WatchedMarket {
    return this.#markets[ordinal - 1] ?? fail(`market ${ordinal} was never listed`);
  }
}

/** What a close of all of it would cost at a price beyond what backs it, the share of a quantity, rounded up. */
function missingFor(position: SeenPosition, price: number, quantity: number, tickLot: number): number {
  const missing = BigInt(Math.max(0, -(position.margin + profitOf(position, price, tickLot))));
  const size = BigInt(Math.abs(position.signedBase));
  return Number((missing * BigInt(quantity) + size - 1n) / size);
}

/** The price, rounded toward profit, at which nothing is left of what backs a position; 0 where a long never comes to that. */
function bankruptcyOf({ signedBase, entry, margin }: SeenPosition, tickLot: number): number {
  const tickValue = BigInt(Math.abs(signedBase) * tickLot);
  if (signedBase < 0) return Number(BigInt(entry + margin) / tickValue);
  const uncovered = BigInt(entry - margin);
  return uncovered <= 0n ? 0 : Number((uncovered + tickValue - 1n) / tickValue);
}

/** Every tier's rate of the part of the notional that lies in it, rounded up once. */
function requirementOf(notional: number, { maintenanceMarginTiers: tiers }: MarketSpecification): number {
  let sum = 0n;
  for (const [index, { notionalThresholdAtoms, maintenanceMarginBps }] of tiers.entries()) {
    const until = tiers[index + 1]?.notionalThresholdAtoms ?? Number.POSITIVE_INFINITY;
    const inside = Math.min(notional, until) - notionalThresholdAtoms;
    if (inside > 0) sum += BigInt(inside) * BigInt(maintenanceMarginBps);
  }
  return Number((sum + 9_999n) / 10_000n);
}

function share(amount: number, rateBps: number): number {
  return Number((BigInt(amount) * BigInt(rateBps) + 9_999n) / 10_000n);
}

function fail(how: string): never {
  throw new LiquidationWrong(how);
}
