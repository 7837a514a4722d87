/**
 * What the insurance fund pays for each market, where positions can be deleveraged instead: on a UTC day a tenth of the market's own and
 * of the common part, and beyond its own part at most a quarter of what was credited. What it paid for an episode and has not got back.
 */
import type { FundMoved } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { Listing } from './listing.ts';

const DAY_MS = 86_400_000;

/** The position that costs or brings the fund something. */
export interface Payer {
  readonly market: number;
  readonly account: number;
  readonly episode: number;
}

function lineOf(move: { readonly [Field in keyof Omit<FundMoved, 'type'>]: number }): string {
  const { market, account, position, amountAtoms, insuredAtoms, day, spentAtoms, balanceAtoms } = move;
  return `${amountAtoms} for ${account}/${market}, position ${position} owes ${insuredAtoms}, ${spentAtoms} on day ${day}, ${balanceAtoms} left`;
}

export class FundBudgets {
  /** By market: the day of the last payment, and the sum of that day. */
  readonly #paid = new Map<number, { readonly day: number; readonly amount: number }>();

  readonly #debts = new Map<number, number>();
  /** By market: what its positions have brought the fund, less what it has paid for them. */
  readonly #balances = new Map<number, number>();
  /** What this turn's fills and funding cost and brought the fund, and the events of it. */
  readonly #expected: string[] = [];
  readonly #moves: string[] = [];

  /** What the fund may pay for a market at a time when it has `fund`. */
  of({ market, specification }: Listing, fund: number, epochMs: number): number {
    const available = this.fundFor(market, fund);
    if (!specification.autoDeleveraging) return available;
    const paid = this.#paidOn(market, epochMs);
    const today = Math.floor((available + paid) / 10) - paid;
    let credited = fund;
    for (const balance of this.#balances.values()) credited -= balance;
    return Math.max(0, Math.min(today, Math.floor(Math.max(0, credited) / 4) + this.#balanceOf(market)));
  }

  /** All of `fund` but the own parts of other markets. */
  fundFor(market: number, fund: number): number {
    let others = 0;
    for (const [other, balance] of this.#balances) if (other !== market) others += Math.max(0, balance);
    return Math.max(0, fund - others);
  }

  /** The own parts of all markets. */
  get ownParts(): number {
    let sum = 0;
    for (const balance of this.#balances.values()) sum += Math.max(0, balance);
    return sum;
  }

  move({ type: _, ...move }: FundMoved): void {
    this.#moves.push(lineOf(move));
  }

  /** Checks the turn's events against what its fills and funding cost and brought. */
  checkTurn(): void {
    for (let at = 0; at < Math.max(this.#moves.length, this.#expected.length); at += 1)
      if (this.#moves[at] !== this.#expected[at])
        fail('ledger', `the insurance fund moved by ${this.#moves[at]}, expected ${this.#expected[at]}`);
    this.#moves.length = 0;
    this.#expected.length = 0;
  }

  /** A position brings the fund an amount. */
  receive({ market, account, episode }: Payer, amount: number): void {
    if (amount === 0) return;
    this.#balances.set(market, this.#balanceOf(market) + amount);
    const { day, amount: spentAtoms } = this.#paid.get(market) ?? { day: 0, amount: 0 };
    const insuredAtoms = this.debtOf(episode);
    const move = { market, account, position: episode, amountAtoms: amount, insuredAtoms, day, spentAtoms };
    this.#expected.push(lineOf({ ...move, balanceAtoms: this.#balanceOf(market) }));
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

  note(payer: Payer, amount: number, epochMs: number): void {
    if (amount <= 0) return;
    const { market, episode } = payer;
    this.#debts.set(episode, this.debtOf(episode) + amount);
    this.#paid.set(market, { day: Math.floor(epochMs / DAY_MS), amount: this.#paidOn(market, epochMs) + amount });
    this.receive(payer, -amount);
  }

  /** By market, for the comparison with the venue's state. */
  *lines(): Generator<string> {
    for (const [market, { day, amount }] of this.#paid) yield `fund of market ${market} paid ${amount} on day ${day}`;
    for (const [market, balance] of this.#balances) if (balance !== 0) yield `fund of market ${market} has ${balance}`;
  }

  #balanceOf(market: number): number {
    return this.#balances.get(market) ?? 0;
  }

  #paidOn(market: number, epochMs: number): number {
    const paid = this.#paid.get(market);
    return paid?.day === Math.floor(epochMs / DAY_MS) ? paid.amount : 0;
  }
}
