/**
 * The funding periods of a market: the end and the rate of each. Every position settles a period once. The payments add up to
 * zero, except for the remainder, which the insurance fund receives.
 */
import type { FundingPaid, FundingSettled, MarketPriced } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import { FundingForecast, type PriceUpdate } from './funding-forecast.ts';
import { afterFunding, endOfPeriod, fundingOwed, fundingPerLot } from './funding-rules.ts';
import type { Listing } from './listing.ts';
import type { Position } from './position-books.ts';
import { equityAt } from './position-rules.ts';

export class FundingPeriods {
  readonly #listing: Listing;
  readonly #forecast: FundingForecast;
  /** By account: what its position owes for the last period, negative if it receives. */
  readonly #due = new Map<number, number>();
  #period = 0;
  #endsAt = 0;
  /** This turn has ended a period, and its price update is already in the forecast. */
  #hasEnded = false;
  /** What the settled positions of the last period owed: in the funding ledger until all have settled. */
  #pooled = 0;
  #wasCurrentUntil = 0;

  constructor(listing: Listing) {
    this.#listing = listing;
    this.#forecast = new FundingForecast(listing);
  }

  /** When the running period ends; 0 before the first price. */
  get endsAt(): number {
    return this.#endsAt;
  }

  get pooled(): number {
    return this.#pooled;
  }

  /** How many positions have not settled the last period. */
  get unsettled(): number {
    return this.#due.size;
  }

  /** The position after the last period; itself if it has settled it. */
  afterDue(position: Position): Position {
    const owed = this.#due.get(position.account);
    return owed === undefined || position.account === 0 ? position : afterFunding(position, owed);
  }

  interrupt(): void {
    this.#forecast.interrupt();
  }

  /** Takes a price update. `mayFund`: the market settles funding now; `hasWork`: it may not have settled the last period. */
  price(event: MarketPriced, update: PriceUpdate, mayFund: boolean, hasWork: boolean): void {
    const { epochMs } = update;
    const { fundingEstimatePpb, nextFundingAtEpochMs: endsAt, observedAtEpochMs, indexStatus } = event;
    const name = `market ${event.market}`;
    if (this.#endsAt === 0 && mayFund) this.#endsAt = endOfPeriod(epochMs, this.#listing);
    if (endsAt !== this.#endsAt) fail('funding', `${name} ends its period at ${endsAt}, it is to end at ${this.#endsAt}`);
    if (mayFund && !hasWork && epochMs >= this.#endsAt) fail('funding', `${name} did not end its period at ${this.#endsAt}`);
    if (!mayFund) this.#forecast.interrupt();
    else if (!this.#hasEnded) this.#update(update);
    this.#hasEnded = false;
    const rate = this.#forecast.rate(epochMs, endsAt);
    if (fundingEstimatePpb !== rate) fail('funding', `${name} estimates a rate of ${fundingEstimatePpb}, it is ${rate}`);
    this.#wasCurrentUntil = indexStatus === 'current' ? observedAtEpochMs + this.#listing.specification.maxIndexAgeMs : 0;
  }

  /** Ends a period. The index of this turn is in use already. */
  end(event: FundingSettled, update: PriceUpdate, mayFund: boolean, positions: Iterable<Position>): void {
    const { epochMs, index } = update;
    const name = `period ${event.period} of market ${event.market}`;
    if (!mayFund) fail('funding', `${name} ended though the market settles no funding now`);
    if (this.#due.size > 0) fail('funding', `${name} ended before ${this.#due.size} positions settled the one before`);
    if (event.period !== this.#period + 1) fail('funding', `${name} follows period ${this.#period}`);
    if (event.settledAtEpochMs !== epochMs || epochMs < this.#endsAt)
      fail('funding', `${name} ended at ${event.settledAtEpochMs}, in the turn at ${epochMs}; it was to end at ${this.#endsAt}`);
    if (event.indexPriceAtoms !== index) fail('funding', `${name} ended at an index of ${event.indexPriceAtoms}, it is ${index}`);
    this.#update(update);
    const rate = this.#forecast.rate(epochMs, this.#endsAt);
    if (event.ratePpb !== rate) fail('funding', `${name} has a rate of ${event.ratePpb}, it is ${rate}`);
    const perLot = fundingPerLot(index, rate, this.#listing);
    if (event.perLotMicroAtoms !== perLot) fail('funding', `${name} costs ${event.perLotMicroAtoms} a lot, it is ${perLot}`);
    this.#forecast.end();
    for (const { account, signedBase } of positions) {
      const owed = fundingOwed(signedBase, perLot);
      if (owed !== 0) this.#due.set(account, owed);
    }
    this.#period = event.period;
    this.#endsAt = endOfPeriod(epochMs, this.#listing);
    this.#hasEnded = true;
  }

  /** A position pays all that it owes. If it is parked and worth less, the insurance fund pays the rest, within `fund`. Returns what it does not pay. */
  pay(event: FundingPaid, before: Position, mark: number, fund: number): number {
    const { account, period, marginAtoms, entryNotionalAtoms } = event;
    const owed = this.#due.get(account) ?? fail('funding', `account ${account} settled funding that it does not owe`);
    if (period !== this.#period) fail('funding', `account ${account} settled period ${period}, the last one is ${this.#period}`);
    this.#due.delete(account);
    this.#pooled += owed;
    const isPaid = (payment: number) => {
      const after = afterFunding(before, payment);
      return after.margin === marginAtoms && after.entry === entryNotionalAtoms;
    };
    if (isPaid(owed)) return owed - event.paidAtoms;
    const notional = Math.max(0, equityAt(mark, before, this.#listing));
    const insured = this.#listing.specification.autoDeleveraging ? Math.min(fund, Math.max(0, owed - notional)) : 0;
    if (isPaid(owed - insured)) return owed - event.paidAtoms;
    const after = afterFunding(before, owed);
    fail(
      'funding',
      `account ${account} owes ${owed} of funding: its margin is ${marginAtoms}, not ${after.margin}, its entry ` +
        `${entryNotionalAtoms}, not ${after.entry}`,
    );
  }

  /** Nothing may change a position that has yet to settle. */
  checkSettled(account: number): void {
    const owed = this.#due.get(account);
    if (owed !== undefined) fail('funding', `account ${account} moved before it settled ${owed} of funding`);
  }

  /** Called at the end of a turn of this market. `hasWork`: the turn announced unfinished work. */
  checkTurn(hasWork: boolean): void {
    if (hasWork) return;
    if (this.#due.size > 0)
      fail('funding', `${this.#due.size} positions in market ${this.#listing.market} never settled their funding`);
    this.#pooled = 0;
  }

  /** Called when all positions have settled and the pool was emptied, although other work is unfinished. */
  emptyPool(): void {
    this.#pooled = 0;
  }

  /** Prices are uninterrupted if the one before was current until now. */
  #update(update: PriceUpdate): void {
    if (update.epochMs > this.#wasCurrentUntil) this.#forecast.interrupt();
    this.#forecast.update(update);
  }
}
