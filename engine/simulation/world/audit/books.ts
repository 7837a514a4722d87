/**
 * The venue's books, kept a second time from committed records alone. Every event has its entry below: one that this auditor
 * does not know is a failure, so that nobody adds an event and forgets to have it audited.
 */
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/submit.ts';
import { demand, fail } from './audit-failed.ts';
import { MatchingAudit } from './matching.ts';
import { MoneyBooks } from './money-books.ts';
import { OrderBooks } from './order-books.ts';
import type { Known } from './outcome.ts';
import { OutcomeAudit } from './outcome.ts';
import { PositionBooks } from './position-books.ts';

type Takers = { readonly [Type in VenueEvent['type']]: (event: Extract<VenueEvent, { type: Type }>) => void };

export class Books implements Known {
  readonly orders = new OrderBooks();
  readonly #money = new MoneyBooks();
  readonly #positions = new PositionBooks();
  readonly #matching = new MatchingAudit(this.orders, this.#positions);
  readonly #outcome = new OutcomeAudit(this);
  readonly #withdrawals = new Map<number, { account: number; amount: number }>();
  /** Accounts whose cash or reservation this turn touched, and what the venue says of the latter. */
  readonly #touched = new Map<number, number | undefined>();
  #accounts = 0;
  #lastWithdrawal = 0;
  #fees = 0;

  get accounts(): number {
    return this.#accounts;
  }

  get lastOrder(): number {
    return this.#matching.lastOrder;
  }

  hasPendingWithdrawal(withdrawal: number): boolean {
    return this.#withdrawals.has(withdrawal);
  }

  /** Takes the next record. Throws `AuditFailed` where it cannot be true. */
  take(record: CommittedRecord): void {
    this.#outcome.check(record);
    this.#money.beginTurn();
    this.#positions.beginTurn();
    this.#matching.beginTurn();
    this.#touched.clear();
    const isRefused = record.events[0]!.type === 'CommandRefused';
    if (record.command.type === 'CreditInsurance' && !isRefused) this.#money.cameIn(record.command.amountAtoms);
    for (const event of record.events) this.#take(event);
    this.#money.checkTurn();
    this.#positions.checkTurn();
    this.#matching.checkTurn();
    this.#checkAccounts();
    demand(this.#money.ledger('fees') === this.#fees, `fills paid ${this.#fees} of fees, the ledger has another sum`);
  }

  readonly #takers: Takers = {
    CommandRefused: () => {},
    EntryRefused: () => {},
    MarketListed: ({ market, specification }) => this.orders.list(market, specification),
    MarketStatusChanged: ({ market }) => this.#mustExist(market),
    MarketPriced: ({ market }) => this.#mustExist(market),
    MarketWorkPending: ({ market }) => this.#mustExist(market),
    FundingSettled: ({ market }) => this.#mustExist(market),
    FundingPaid: (event) => this.#money.revalue(this.#positions.fund(event)),
    AccountOpened: ({ account }) => {
      demand(account === this.#accounts + 1, `account ${account} was opened after ${this.#accounts} others`);
      this.#accounts = account;
    },
    AccountRetired: () => {},
    ApiKeyIssued: () => {},
    ApiKeyRevoked: () => {},
    CashPosted: (event) => {
      this.#money.postCash(event);
      this.#touch(event.account);
    },
    LedgerPosted: (event) => this.#money.postLedger(event),
    WithdrawalReserved: ({ withdrawal, account, amountAtoms }) => {
      demand(withdrawal === this.#lastWithdrawal + 1, `withdrawal ${withdrawal} came after ${this.#lastWithdrawal}`);
      this.#lastWithdrawal = withdrawal;
      this.#withdrawals.set(withdrawal, { account, amount: amountAtoms });
    },
    WithdrawalReleased: (event) => this.#endWithdrawal(event),
    WithdrawalSettled: (event) => {
      this.#endWithdrawal(event);
      this.#money.wentOut(event.amountAtoms);
    },
    CashTransferred: ({ from, to, amountAtoms }) => {
      demand(from !== to && amountAtoms > 0, `${amountAtoms} went from account ${from} to account ${to}`);
    },
    LiquidationStarted: ({ account, market, position, equityAtoms, maintenanceRequirementAtoms }) => {
      demand(this.#positions.of(account, market).ordinal === position, `position ${position} is liquidated and is not there`);
      demand(equityAtoms < maintenanceRequirementAtoms, `position ${position} is liquidated with enough equity`);
    },
    OrderAccepted: (event) => this.#matching.accept(event),
    OrderRested: (event) => {
      this.#matching.rest(event);
      this.#touch(event.account, event.accountReservedAtoms);
    },
    TradeExecuted: (event) => this.#matching.execute(event),
    OrderFilled: (event) => {
      this.#matching.fill(event);
      this.#fees += event.feeAtoms;
      this.#touch(event.account, event.accountReservedAtoms);
      this.#demandPaid(event.account, event.realizedPnlAtoms, event.feeAtoms);
    },
    PositionChanged: (event) => this.#money.revalue(this.#positions.change(event)),
    OrderCancelled: (event) => {
      this.#matching.cancel(event);
      this.#touch(event.account, event.accountReservedAtoms);
    },
  };

  /** What fills of this turn say that an account is to be posted. */
  readonly #told = new Map<number, { pnl: number; fee: number }>();

  #take(event: VenueEvent): void {
    const take = this.#takers[event.type] as ((event: VenueEvent) => void) | undefined;
    if (take === undefined) fail(`an event that this auditor does not know: ${event.type}`);
    take(event);
  }

  #demandPaid(account: number, pnl: number, fee: number): void {
    const told = this.#told.get(account) ?? { pnl: 0, fee: 0 };
    this.#told.set(account, { pnl: told.pnl + pnl, fee: told.fee + fee });
  }

  #checkAccounts(): void {
    for (const [account, reserved] of this.#touched) {
      const need = this.orders.needOf(account);
      const cash = this.#money.cashOf(account);
      demand((reserved ?? need) === need, `account ${account} reserves ${reserved}, its open orders need ${need}`);
      demand(cash >= need, `account ${account} has ${cash}, less than the ${need} that it reserves`);
      const posted = this.#money.postingsOf(account);
      const told = this.#told.get(account) ?? { pnl: 0, fee: 0 };
      demand(posted.pnl === told.pnl, `account ${account} was posted a PnL of ${posted.pnl}, its fills come to ${told.pnl}`);
      demand(posted.fee === -told.fee, `account ${account} was posted fees of ${-posted.fee}, its fills come to ${told.fee}`);
      const moved = this.#positions.movesOfTurn.get(account) ?? { margin: 0, pnl: 0 };
      demand(moved.margin === -posted.margin, `account ${account} was posted ${-posted.margin} of margin, ${moved.margin} moved`);
      demand(moved.pnl === told.pnl, `account ${account} won ${moved.pnl} by its positions, ${told.pnl} by its fills`);
    }
    this.#told.clear();
  }

  #touch(account: number, reserved?: number): void {
    this.#touched.set(account, reserved ?? this.#touched.get(account));
  }

  #endWithdrawal({ withdrawal, account, amountAtoms }: { withdrawal: number; account: number; amountAtoms: number }): void {
    const pending = this.#withdrawals.get(withdrawal) ?? fail(`withdrawal ${withdrawal} ended and was not pending`);
    demand(pending.account === account && pending.amount === amountAtoms, `withdrawal ${withdrawal} ended as another`);
    this.#withdrawals.delete(withdrawal);
  }

  #mustExist(market: number): void {
    demand(this.orders.hasMarket(market), `market ${market} was never listed`);
  }
}
