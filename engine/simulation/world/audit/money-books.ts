/**
 * The money of a venue, kept a second time: cash by account, the venue's ledgers, and what there must be in all. It knows
 * where money may come from, and that inside the venue it only moves.
 */
import type { CashPosted, LedgerPosted, PostingKind, VenueLedger } from '#venue/event.ts';
import { demand, fail } from './audit-failed.ts';

/** What a posting belongs to. What moves margin, pays PnL or pays a fee is held against positions and fills, turn by turn. */
type Purpose = 'outside' | 'margin' | 'pnl' | 'fee' | 'liquidation_fee' | 'cover' | 'withdrawal' | 'transfer';

const PURPOSES: Readonly<Record<PostingKind, Purpose>> = {
  deposit: 'outside',
  trade_fee: 'fee',
  liquidation_fee: 'liquidation_fee',
  realized_pnl: 'pnl',
  margin_lock: 'margin',
  margin_release: 'margin',
  deficit_cover: 'cover',
  insurance_cover: 'cover',
  withdrawal_reserve: 'withdrawal',
  withdrawal_release: 'withdrawal',
  transfer_out: 'transfer',
  transfer_in: 'transfer',
};

/** Which balances may not fall below zero (1) or rise above it (-1). */
const LEDGER_SIGNS: Readonly<Record<VenueLedger, 1 | -1 | 0>> = {
  fees: 1,
  deficit: -1,
  insurance: 1,
  funding: 0,
  withdrawals: 1,
};

/** What a turn posted to one account, by purpose. */
export interface TurnPostings {
  margin: number;
  pnl: number;
  fee: number;
  liquidationFee: number;
  cover: number;
}

export class MoneyBooks {
  readonly #cash = new Map<number, number>();
  readonly #ledgers = new Map<VenueLedger, number>();
  readonly #turn = new Map<number, TurnPostings>();
  /** All cash and ledgers, and what positions are worth beyond what they cost; and what of it came from outside. */
  #total = 0;
  #fromOutside = 0;

  beginTurn(): void {
    this.#turn.clear();
  }

  cashOf(account: number): number {
    return this.#cash.get(account) ?? 0;
  }

  ledger(ledger: VenueLedger): number {
    return this.#ledgers.get(ledger) ?? 0;
  }

  /** What this turn has posted so far. */
  postingsOf(account: number): TurnPostings {
    const known = this.#turn.get(account);
    if (known !== undefined) return known;
    const made = { margin: 0, pnl: 0, fee: 0, liquidationFee: 0, cover: 0 };
    this.#turn.set(account, made);
    return made;
  }

  postCash({ account, kind, amountAtoms, cashAtoms }: CashPosted): void {
    const purpose = PURPOSES[kind] ?? fail(`a posting of a kind that this auditor does not know: ${kind}`);
    const cash = this.cashOf(account) + exact(amountAtoms);
    demand(amountAtoms !== 0, `account ${account} was posted nothing`);
    demand(cash === cashAtoms, `account ${account} has ${cash}, was told ${cashAtoms}`);
    this.#cash.set(account, cash);
    this.#total += amountAtoms;
    const turn = this.postingsOf(account);
    if (purpose === 'outside') this.cameIn(amountAtoms);
    if (purpose === 'margin') turn.margin += amountAtoms;
    if (purpose === 'pnl') turn.pnl += amountAtoms;
    if (purpose === 'fee') turn.fee += amountAtoms;
    if (purpose === 'cover') turn.cover += amountAtoms;
    if (purpose === 'liquidation_fee') turn.liquidationFee += amountAtoms;
  }

  postLedger({ ledger, amountAtoms, balanceAtoms }: LedgerPosted): void {
    demand(ledger in LEDGER_SIGNS, `a ledger that this auditor does not know: ${ledger}`);
    const balance = this.ledger(ledger) + exact(amountAtoms);
    demand(balance === balanceAtoms, `the ${ledger} ledger has ${balance}, was told ${balanceAtoms}`);
    this.#ledgers.set(ledger, balance);
    this.#total += amountAtoms;
  }

  /** What positions are worth beyond what they cost has changed. */
  revalue(change: number): void {
    this.#total += change;
  }

  cameIn(amount: number): void {
    demand(amount > 0, `${amount} came from outside`);
    this.#fromOutside += amount;
  }

  wentOut(amount: number): void {
    demand(amount > 0, `${amount} left the venue`);
    this.#fromOutside -= amount;
  }

  checkTurn(): void {
    const { fromOutside, total } = { fromOutside: this.#fromOutside, total: exact(this.#total) };
    demand(total === fromOutside, `there is ${total} of money, ${fromOutside} came in: ${total - fromOutside} too much`);
    for (const account of this.#turn.keys()) demand(this.cashOf(account) >= 0, `account ${account} has less than nothing`);
    for (const [ledger, balance] of this.#ledgers) {
      const isSound = balance * LEDGER_SIGNS[ledger] >= 0;
      demand(isSound, `the ${ledger} ledger has ${balance}`);
    }
  }
}

function exact(amount: number): number {
  demand(Number.isSafeInteger(amount), `not an exact amount: ${amount}`);
  return amount;
}
