/**
 * What the insurance fund pays for each market on a UTC day: a tenth of itself, where positions can be deleveraged instead. What it paid
 * for an episode and has not got back.
 */
import { fail } from './audit-failed.ts';
import type { Listing } from './listing.ts';

const DAY_MS = 86_400_000;

export class FundBudgets {
  /** By market: the day of the last payment, and the sum of that day. */
  readonly #paid = new Map<number, { readonly day: number; readonly amount: number }>();

  readonly #debts = new Map<number, number>();

  /** What the fund may pay for a market at a time when it has `fund`. */
  of({ market, specification }: Listing, fund: number, epochMs: number): number {
    if (!specification.autoDeleveraging) return fund;
    const paid = this.#paidOn(market, epochMs);
    return Math.max(0, Math.floor((fund + paid) / 10) - paid);
  }

  /** Checks a payment that the market's budget bounds. */
  check(name: string, amount: number, listing: Listing, fund: number, epochMs: number): void {
    const budget = this.of(listing, fund, epochMs);
    if (amount > budget)
      fail('liquidation', `${name} cost the insurance fund ${amount}, market ${listing.market} may spend ${budget}`);
  }

  /** What an episode owes the fund. */
  debtOf(episode: number): number {
    return this.#debts.get(episode) ?? 0;
  }

  repay(episode: number, amount: number): void {
    if (amount !== 0) this.#debts.set(episode, this.debtOf(episode) - amount);
  }

  endEpisode(episode: number): void {
    this.#debts.delete(episode);
  }

  note(market: number, episode: number, amount: number, epochMs: number): void {
    if (amount <= 0) return;
    this.#debts.set(episode, this.debtOf(episode) + amount);
    this.#paid.set(market, { day: Math.floor(epochMs / DAY_MS), amount: this.#paidOn(market, epochMs) + amount });
  }

  /** By market, for the comparison with the venue's state. */
  *lines(): Generator<string> {
    for (const [market, { day, amount }] of this.#paid) yield `fund of market ${market} paid ${amount} on day ${day}`;
  }

  #paidOn(market: number, epochMs: number): number {
    const paid = this.#paid.get(market);
    return paid?.day === Math.floor(epochMs / DAY_MS) ? paid.amount : 0;
  }
}
