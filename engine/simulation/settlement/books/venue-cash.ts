/** Cash of accounts and the venue's ledgers, from postings alone: each record posts exactly what its transfers say. */
import { demand } from '#simulation/world/audit/demand.ts';
import type { VenueEvent } from '#venue/event.ts';

export class VenueCash {
  readonly #cash = new Map<number, number>();
  readonly #ledgers = new Map<string, number>();
  /** What the record should post and has not posted, by account and kind or by ledger. */
  readonly #expected = new Map<string, number>();
  /** Money from outside: confirmed deposits and the operator's credits, less settled withdrawals. */
  #netAtoms = 0;
  creditedAtoms = 0;
  settledAtoms = 0;

  cashOf(account: number): number {
    return this.#cash.get(account) ?? 0;
  }

  /** A confirmed deposit. */
  deposit(account: number, amount: number): void {
    this.creditedAtoms += amount;
    this.credit(account, amount);
  }

  credit(account: number, amount: number): void {
    this.#netAtoms += amount;
    this.#expect(`${account} deposit`, amount);
  }

  reserve(account: number, amount: number): void {
    this.#expect(`${account} withdrawal_reserve`, -amount);
    this.#expect('withdrawals', amount);
  }

  release(account: number, amount: number): void {
    this.#expect(`${account} withdrawal_release`, amount);
    this.#expect('withdrawals', -amount);
  }

  settle(amount: number): void {
    this.settledAtoms += amount;
    this.#netAtoms -= amount;
    this.#expect('withdrawals', -amount);
  }

  take(event: VenueEvent): void {
    if (event.type === 'CashPosted') {
      const { account, kind, amountAtoms, cashAtoms } = event;
      this.#cash.set(account, this.cashOf(account) + amountAtoms);
      demand(this.cashOf(account) === cashAtoms, `account ${account} has ${cashAtoms}; its postings result in another sum`);
      demand(cashAtoms >= 0, `the cash of account ${account} is below zero`);
      this.#expect(`${account} ${kind}`, -amountAtoms);
    } else if (event.type === 'LedgerPosted') {
      const { ledger, amountAtoms, balanceAtoms } = event;
      const balance = (this.#ledgers.get(ledger) ?? 0) + amountAtoms;
      this.#ledgers.set(ledger, balance);
      demand(balance === balanceAtoms, `the ledger ${ledger} has ${balanceAtoms}; its postings result in ${balance}`);
      this.#expect(ledger, -amountAtoms);
    }
  }

  /** At the end of a record. `pendingAtoms`: of all open withdrawals. */
  check(sequence: number, pendingAtoms: number): void {
    for (const [posting, missing] of this.#expected)
      demand(missing === 0, `record ${sequence} posts ${-missing} too much to ${posting}`);
    this.#expected.clear();
    const held = [...this.#cash.values(), ...this.#ledgers.values()].reduce((sum, amount) => sum + amount, 0);
    demand(held === this.#netAtoms, `after record ${sequence} the venue has ${held}, and its net deposits are ${this.#netAtoms}`);
    const reserved = this.#ledgers.get('withdrawals') ?? 0;
    demand(reserved === pendingAtoms, `after record ${sequence} ${reserved} is reserved, for withdrawals of ${pendingAtoms}`);
  }

  #expect(posting: string, amount: number): void {
    this.#expected.set(posting, (this.#expected.get(posting) ?? 0) + amount);
  }
}
