/**
 * Settles funding a second time: what everybody who holds a position at the end of a period owes for it, each once, from
 * where it has to come, and that payers and receivers come to nothing but a remainder of less than an atom for each.
 */
import type { FundingPaid, FundingSettled, VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { PositionView, profitOf, type SeenPosition } from './position-view.ts';

export class FundingDiffers extends Error {
  override readonly name = 'FundingDiffers';
}

interface MarketFunding {
  readonly specification: MarketSpecification;
  mark: number;
  period: number;
  settledAtEpochMs: number;
  /** By account: what it has yet to pay, or below zero to get, for the last period. */
  readonly due: Map<number, number>;
  /** How many had to, and what all of them come to. */
  count: number;
  sum: number;
}

export class FundingKeeper {
  readonly #markets: readonly MarketFunding[];
  readonly #positions = new PositionView();
  #pooled = 0;
  #fund = 0;

  constructor(markets: readonly MarketSpecification[]) {
    this.#markets = markets.map((specification) => {
      return { specification, mark: 0, period: 0, settledAtEpochMs: 0, due: new Map(), count: 0, sum: 0 };
    });
  }

  /** Takes the events of one turn. Throws {@link FundingDiffers}. */
  turn(events: readonly VenueEvent[]): void {
    for (const event of events) {
      this.#take(event);
      this.#positions.take(event);
    }
    if (!events.some(({ type }) => type === 'MarketWorkPending')) this.#checkSettled();
  }

  #take(event: VenueEvent): void {
    if (event.type === 'FundingSettled') this.#settle(event);
    if (event.type === 'FundingPaid') this.#pay(event);
    if (event.type === 'PositionChanged') {
      const due = this.#market(event.market).due.get(event.account);
      if (due !== undefined) differ(`account ${event.account} moved before it settled ${due} of funding`);
    }
    if (event.type === 'MarketPriced') this.#market(event.market).mark = event.markPriceAtoms;
    if (event.type === 'LedgerPosted' && event.ledger === 'funding') this.#pooled = event.balanceAtoms;
    if (event.type === 'LedgerPosted' && event.ledger === 'insurance') this.#fund = event.balanceAtoms;
  }

  #settle(event: FundingSettled): void {
    const market = this.#market(event.market);
    const { specification, due } = market;
    const { period, ratePpb, indexPriceAtoms, perLotMicroAtoms, settledAtEpochMs } = event;
    if (due.size > 0) differ(`period ${period} ended before ${due.size} settled the one before it`);
    if (period !== market.period + 1) differ(`period ${period} came after ${market.period}`);
    const periodOf = (epochMs: number) => Math.floor(epochMs / specification.fundingPeriodMs);
    if (periodOf(settledAtEpochMs) === periodOf(market.settledAtEpochMs))
      differ(`two periods ended within one, at ${settledAtEpochMs}`);
    if (Math.abs(ratePpb) > specification.fundingCapPpb) differ(`a rate of ${ratePpb} is beyond the cap`);
    // Big integers divide toward zero, as the amount of one lot is rounded.
    const perLot = Number((BigInt(indexPriceAtoms) * tickLotOf(specification) * BigInt(ratePpb)) / 1_000n);
    if (perLot !== perLotMicroAtoms) differ(`a lot costs ${perLot}, told ${perLotMicroAtoms}`);
    market.period = period;
    market.settledAtEpochMs = settledAtEpochMs;
    market.sum = 0;
    for (const { account, signedBase } of this.#positions.in(event.market)) {
      const payment = paymentOf(signedBase, perLot);
      if (payment !== 0) due.set(account, payment);
      market.sum += payment;
    }
    market.count = due.size;
  }

  #pay(event: FundingPaid): void {
    const { account, market: ordinal, period } = event;
    const market = this.#market(ordinal);
    const payment = market.due.get(account) ?? differ(`account ${account} settled funding that it does not owe`);
    if (period !== market.period) differ(`account ${account} settled period ${period} instead of ${market.period}`);
    const before = this.#positions.of(account, ordinal)!;
    const isRight = [0, this.#spared(market, before, payment)].some((spared) => {
      const expected = charged(before, payment - spared);
      return expected.margin === event.marginAtoms && expected.entry === event.entryNotionalAtoms;
    });
    if (!isRight)
      differ(`account ${account} has ${event.marginAtoms} and ${event.entryNotionalAtoms} after ${payment} of funding`);
    market.due.delete(account);
  }

  /** Who waits for a liquidation that finds nobody pays what the position is worth, and the fund the rest, as far as it goes. */
  #spared({ specification, mark }: MarketFunding, position: SeenPosition, payment: number): number {
    if (!specification.autoDeleveraging) return 0;
    const worth = position.margin + profitOf(position, mark, Number(tickLotOf(specification)));
    return Math.min(this.#fund, Math.max(0, payment - Math.max(0, worth)));
  }

  /** Nothing is pending: everybody has settled, and the pool is empty. */
  #checkSettled(): void {
    for (const [index, { due, count, sum }] of this.#markets.entries()) {
      if (due.size > 0) differ(`${due.size} positions in market ${index + 1} never settled their funding`);
      if (sum < 0 || (sum > 0 && sum >= count)) differ(`funding of market ${index + 1} leaves ${sum} between ${count}`);
    }
    if (this.#pooled !== 0) differ(`${this.#pooled} of funding was paid to nobody`);
  }

  #market(ordinal: number): MarketFunding {
    return this.#markets[ordinal - 1] ?? differ(`market ${ordinal} was never listed`);
  }
}

/** Who pays rounds up, who gets rounds down. Above zero a long pays. */
function paymentOf(signedBase: number, perLotMicroAtoms: number): number {
  const micro = BigInt(signedBase) * BigInt(perLotMicroAtoms);
  return Number(micro > 0n ? (micro + 999_999n) / 1_000_000n : -(-micro / 1_000_000n));
}

/** A payment comes out of the margin, and what that does not hold makes the entry worse, down to one atom of a short. */
function charged({ signedBase, entry, margin }: SeenPosition, payment: number): { entry: number; margin: number } {
  if (payment <= margin) return { entry, margin: margin - payment };
  const beyond = payment - margin;
  return { entry: signedBase > 0 ? entry + beyond : Math.max(1, entry - beyond), margin: 0 };
}

function tickLotOf({ priceScale, quantityScale }: MarketSpecification): bigint {
  return 10n ** BigInt(6 - priceScale - quantityScale);
}

function differ(how: string): never {
  throw new FundingDiffers(how);
}
