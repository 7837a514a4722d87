/** The money of a venue: cash by account, the venue's ledgers, and the conservation of all of it. */
import type { CashPosted, LedgerPosted, PostingKind, VenueLedger } from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { FundBudgets } from './fund-budgets.ts';

/** The total of a turn's postings that a kind belongs to; `direct` postings are listed one by one. */
type Purpose = 'margin' | 'pnl' | 'fee' | 'liquidationFee' | 'cover' | 'direct';

/** What each kind of posting is for, and whether it adds to cash (1), takes from it (-1), or does either (0). */
const KINDS: Readonly<Record<PostingKind, readonly [purpose: Purpose, sign: 1 | -1 | 0]>> = {
  deposit: ['direct', 1],
  trade_fee: ['fee', 0],
  liquidation_fee: ['liquidationFee', -1],
  realized_pnl: ['pnl', 0],
  margin_lock: ['margin', -1],
  margin_release: ['margin', 1],
  deficit_cover: ['cover', 1],
  /** The fund covers a loss, or takes back what it has paid for the position. */
  insurance_cover: ['cover', 0],
  withdrawal_reserve: ['direct', -1],
  withdrawal_release: ['direct', 1],
  transfer_out: ['direct', -1],
  transfer_in: ['direct', 1],
};

/** Which balances stay at or above zero (1), or at or below it (-1). */
const LEDGER_SIGNS: Readonly<Record<VenueLedger, 1 | -1 | 0>> = {
  fees: 1,
  deficit: -1,
  insurance: 1,
  funding: 0,
  withdrawals: 1,
};

/** What a turn has posted to one account. */
export type TurnPostings = Record<Exclude<Purpose, 'direct'>, number>;

/** A posting that moves cash in or out of an account by itself, outside of any fill. */
export type DirectPosting = Pick<CashPosted, 'account' | 'kind' | 'amountAtoms'>;

export class MoneyBooks {
  readonly cash = new Map<number, number>();
  readonly ledgers: Record<VenueLedger, number> = { fees: 0, deficit: 0, insurance: 0, funding: 0, withdrawals: 0 };
  /** The money that came in from outside minus the money that left. */
  fromOutside = 0;
  /** All cash and ledgers, the margin of positions and their unrealized PnL. */
  #total = 0;
  readonly #budgets: Pick<FundBudgets, 'ownParts'>;
  readonly #turn = new Map<number, TurnPostings>();
  readonly #direct: DirectPosting[] = [];
  readonly #postedLedgers = new Set<VenueLedger>();

  constructor(budgets: Pick<FundBudgets, 'ownParts'>) {
    this.#budgets = budgets;
  }

  beginTurn(): void {
    if (this.#turn.size > 0) this.#turn.clear();
    this.#direct.length = 0;
    if (this.#postedLedgers.size > 0) this.#postedLedgers.clear();
  }

  cashOf(account: number): number {
    return this.cash.get(account) ?? 0;
  }

  /** What this turn has posted to an account so far. */
  postingsOf(account: number): TurnPostings {
    const known = this.#turn.get(account);
    if (known !== undefined) return known;
    const sums = { margin: 0, pnl: 0, fee: 0, liquidationFee: 0, cover: 0 };
    this.#turn.set(account, sums);
    return sums;
  }

  /** What this turn has posted, by account. */
  turnPostings(): Iterable<readonly [account: number, posted: TurnPostings]> {
    return this.#turn;
  }

  get directPostings(): readonly DirectPosting[] {
    return this.#direct;
  }

  postCash(event: CashPosted): void {
    const { account, kind, amountAtoms, cashAtoms } = event;
    const [purpose, sign] = KINDS[kind] ?? fail('money', `a posting of an unknown kind: ${kind}`);
    if (amountAtoms === 0 || amountAtoms * sign < 0) fail('money', `account ${account} was posted ${amountAtoms} of ${kind}`);
    const cash = exact(this.cashOf(account) + amountAtoms);
    if (cash !== cashAtoms) fail('money', `account ${account} has ${cash}, the event says ${cashAtoms}`);
    this.cash.set(account, cash);
    this.#total += amountAtoms;
    const postings = this.postingsOf(account);
    if (purpose !== 'direct') postings[purpose] += amountAtoms;
    else this.#direct.push(event);
    if (kind === 'deposit') this.receive(amountAtoms);
    if (kind === 'deficit_cover') this.#checkFundIsEmpty();
  }

  postLedger({ ledger, amountAtoms, balanceAtoms }: LedgerPosted): void {
    if (LEDGER_SIGNS[ledger] === undefined) fail('ledger', `a posting to an unknown ledger: ${ledger}`);
    const balance = exact(this.ledgers[ledger] + amountAtoms);
    if (amountAtoms === 0) fail('ledger', `the ${ledger} ledger was posted zero`);
    if (balance !== balanceAtoms) fail('ledger', `the ${ledger} ledger has ${balance}, the event says ${balanceAtoms}`);
    this.ledgers[ledger] = balance;
    this.#postedLedgers.add(ledger);
    this.#total += amountAtoms;
    if (ledger === 'deficit') this.#checkFundIsEmpty();
  }

  /** The margin and unrealized PnL of positions changed by an amount. */
  revalue(change: number): void {
    this.#total += change;
  }

  receive(amount: number): void {
    if (amount <= 0) fail('money', `${amount} came from outside`);
    this.fromOutside += amount;
  }

  payOut(amount: number): void {
    if (amount <= 0) fail('money', `${amount} left the venue`);
    this.fromOutside -= amount;
  }

  checkTurn(): void {
    const total = exact(this.#total);
    const tooMuch = total - this.fromOutside;
    if (tooMuch !== 0) fail('money', `there is ${total} of money, ${this.fromOutside} came in: ${tooMuch} too much`);
    for (const account of this.#turn.keys())
      if (this.cashOf(account) < 0) fail('money', `account ${account} has ${this.cashOf(account)}`);
    for (const ledger of this.#postedLedgers) {
      const balance = this.ledgers[ledger];
      if (balance * LEDGER_SIGNS[ledger] < 0) fail('ledger', `the ${ledger} ledger has ${balance}`);
    }
  }

  /** The venue bears a loss only after the insurance fund, except for the own parts of other markets. */
  #checkFundIsEmpty(): void {
    const { insurance } = this.ledgers;
    if (insurance > this.#budgets.ownParts)
      fail('ledger', `the venue bears a deficit while the insurance fund holds ${insurance}`);
  }
}

function exact(amount: number): number {
  if (!Number.isSafeInteger(amount)) fail('money', `not an exact amount: ${amount}`);
  return amount;
}
