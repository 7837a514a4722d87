/** Cash that moves outside of trading: deposits, withdrawals and transfers, each posted once to the right account. */
import type { Command } from '#venue/command.ts';
import type {
  CashTransferred,
  DepositConfirmed,
  PostingKind,
  WithdrawalReleased,
  WithdrawalRequested,
  WithdrawalReserved,
  WithdrawalSettled,
} from '#venue/event.ts';
import { fail } from './audit-failed.ts';
import type { MoneyBooks } from './money-books.ts';

interface Pending {
  readonly account: number;
  readonly amount: number;
}

export class Transfers {
  readonly #money: MoneyBooks;
  readonly #pending = new Map<number, Pending>();
  #pendingAmount = 0;
  #lastWithdrawal = 0;
  /** The postings that this turn must make, each `account kind amount`. */
  readonly #expected: string[] = [];

  constructor(money: MoneyBooks) {
    this.#money = money;
  }

  /** All pending withdrawals. */
  pending(): Iterable<readonly [withdrawal: number, Pending]> {
    return this.#pending;
  }

  isPending(withdrawal: number): boolean {
    return this.#pending.has(withdrawal);
  }

  /** The account of a pending withdrawal. */
  ownerOf(withdrawal: number): number | undefined {
    return this.#pending.get(withdrawal)?.account;
  }

  /** `command` was not refused. */
  beginTurn(command: Command): void {
    this.#expected.length = 0;
    if (command.type === 'CreditCash') this.#expect(command.account, 'deposit', command.amountAtoms);
    if (command.type === 'CreditInsurance') this.#money.receive(command.amountAtoms);
  }

  deposit({ account, amountAtoms }: DepositConfirmed): void {
    this.#expect(account, 'deposit', amountAtoms);
  }

  reserve({ withdrawal, account, amountAtoms }: WithdrawalReserved | WithdrawalRequested): void {
    if (withdrawal !== this.#lastWithdrawal + 1) fail('transfer', `withdrawal ${withdrawal} came after ${this.#lastWithdrawal}`);
    if (amountAtoms <= 0) fail('transfer', `withdrawal ${withdrawal} is of ${amountAtoms}`);
    this.#lastWithdrawal = withdrawal;
    this.#pending.set(withdrawal, { account, amount: amountAtoms });
    this.#pendingAmount += amountAtoms;
    this.#expect(account, 'withdrawal_reserve', -amountAtoms);
  }

  release(event: WithdrawalReleased): void {
    this.#end(event);
    this.#expect(event.account, 'withdrawal_release', event.amountAtoms);
  }

  settle(event: WithdrawalSettled): void {
    this.#end(event);
    this.#money.payOut(event.amountAtoms);
  }

  transfer({ from, to, amountAtoms }: CashTransferred): void {
    if (from === to || amountAtoms <= 0) fail('transfer', `${amountAtoms} went from account ${from} to account ${to}`);
    this.#expect(from, 'transfer_out', -amountAtoms);
    this.#expect(to, 'transfer_in', amountAtoms);
  }

  checkTurn(): void {
    const postings = this.#money.directPostings;
    if (postings.length > 0 || this.#expected.length > 0) {
      const posted = postings.map(({ account, kind, amountAtoms }) => `${account} ${kind} ${amountAtoms}`);
      const [found, expected] = [posted.sort().join(', '), [...this.#expected].sort().join(', ')];
      if (found !== expected) fail('transfer', `the turn posted (${found}) outside of trading, instead of (${expected})`);
    }
    const { withdrawals } = this.#money.ledgers;
    if (withdrawals !== this.#pendingAmount)
      fail('ledger', `the withdrawals ledger has ${withdrawals}, pending withdrawals are ${this.#pendingAmount}`);
  }

  #end({ withdrawal, account, amountAtoms }: WithdrawalReleased | WithdrawalSettled): void {
    const pending = this.#pending.get(withdrawal) ?? fail('transfer', `withdrawal ${withdrawal} ended and is not pending`);
    if (pending.account !== account || pending.amount !== amountAtoms)
      fail(
        'transfer',
        `withdrawal ${withdrawal} is ${pending.amount} of account ${pending.account}, the event says ${amountAtoms} of ${account}`,
      );
    this.#pending.delete(withdrawal);
    this.#pendingAmount -= amountAtoms;
  }

  #expect(account: number, kind: PostingKind, amount: number): void {
    this.#expected.push(`${account} ${kind} ${amount}`);
  }
}
