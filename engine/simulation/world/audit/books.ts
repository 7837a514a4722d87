/**
 * The venue's books, kept a second time from committed records alone. Every event has its entry below: one that this auditor
 * does not know is a failure, so that nobody adds an event and forgets to have it audited.
 */
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { demand, fail } from './audit-failed.ts';
import { auditEcho } from './echo.ts';
import { KeyBooks } from './key-books.ts';
import { MarketBooks } from './market-books.ts';
import { MatchingAudit } from './matching.ts';
import { MoneyBooks } from './money-books.ts';
import { OrderBooks } from './order-books.ts';
import type { Known } from './outcome.ts';
import { OutcomeAudit } from './outcome.ts';
import { PositionBooks } from './position-books.ts';
import { SettlementAudit } from './settlement.ts';

type Takers = { readonly [Type in VenueEvent['type']]: (event: Extract<VenueEvent, { type: Type }>) => void };

export class Books implements Known {
  readonly orders = new OrderBooks();
  readonly #money = new MoneyBooks();
  readonly #positions = new PositionBooks();
  readonly #markets = new MarketBooks();
  readonly #matching = new MatchingAudit(this.orders, this.#positions, (market) =>
    this.#markets.opening(market, this.#record!.epochMs, this.#positions.in(market)),
  );
  readonly #settlement = new SettlementAudit(this.#money, this.#positions);
  readonly #keys = new KeyBooks();
  readonly #outcome = new OutcomeAudit(this);
  readonly #withdrawals = new Map<number, { account: number; amount: number }>();
  /** Accounts whose cash or reservation this turn touched. */
  readonly #touched = new Set<number>();
  #record: CommittedRecord | undefined;
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
    demand(record.events.length > 0, `record ${record.sequence} has no event`);
    this.#outcome.check(record);
    this.#money.beginTurn();
    this.#positions.beginTurn();
    this.#matching.beginTurn(record.command);
    this.#settlement.beginTurn();
    this.#keys.beginTurn(record);
    this.#touched.clear();
    const isRefused = record.events[0]!.type === 'CommandRefused';
    if (!isRefused) auditEcho(record.sequence, record.command, record.events);
    if (record.command.type === 'CreditInsurance' && !isRefused) this.#money.cameIn(record.command.amountAtoms);
    this.#record = record;
    for (const event of record.events) this.#take(event);
    this.#money.checkTurn();
    this.#positions.checkTurn();
    this.#matching.checkTurn();
    this.#checkAccounts();
    if (!isRefused) this.#keys.checkTurn();
    demand(this.#money.ledger('fees') === this.#fees, `fills paid ${this.#fees} of fees, the ledger has another sum`);
  }

  readonly #takers: Takers = {
    CommandRefused: () => {},
    EntryRefused: () => {},
    MarketListed: ({ market, specification, status }) => {
      this.orders.list(market, specification);
      this.#markets.list(market, specification, status);
    },
    MarketStatusChanged: ({ market, status }) => {
      this.#mustExist(market);
      this.#markets.setStatus(market, status);
    },
    MarketPriced: (event) =>
      this.#markets.price(event, this.#record!.command, this.#record!.epochMs, this.orders.quotesIn(event.market)),
    MarketWorkPending: ({ market }) => this.#mustExist(market),
    FundingSettled: (event) =>
      this.#markets.endPeriod(event, this.#record!.command, this.#record!.epochMs, this.orders.quotesIn(event.market)),
    FundingPaid: (event) => {
      // It is settled before whatever touches the position: between the fills of a turn, never within one.
      this.#settlement.end();
      this.#markets.pay(event, this.#positions.of(event.account, event.market));
      this.#money.revalue(this.#positions.fund(event));
    },
    AccountOpened: ({ account }) => {
      demand(account === this.#accounts + 1, `account ${account} was opened after ${this.#accounts} others`);
      this.#accounts = account;
    },
    AccountRetired: () => {},
    ApiKeyIssued: (event) => this.#keys.issue(event),
    ApiKeyRevoked: (event) => this.#keys.revoke(event),
    CashPosted: (event) => {
      this.#money.postCash(event);
      this.#touched.add(event.account);
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
    FavoriteSet: ({ market }) => this.#mustExist(market),
    LeaderboardListingSet: () => {},
    LiquidationStarted: (event) => {
      this.#markets.liquidate(event, this.#positions.of(event.account, event.market));
      this.#matching.liquidate(event.account, event.market);
    },
    OrderAccepted: (event) => {
      this.#markets.accept(event);
      this.#matching.accept(event);
    },
    OrderRested: (event) => {
      this.#matching.rest(event);
      this.#reserve(event);
    },
    TradeExecuted: (event) => {
      this.#settlement.end();
      this.#matching.execute(event);
      this.#markets.trade(event, this.#record!.epochMs);
    },
    OrderFilled: (event) => {
      this.#settlement.begin(event, this.#matching.fill(event), this.orders.specificationOf(event.market));
      this.#fees += event.feeAtoms;
      this.#reserve(event);
    },
    PositionChanged: (event) => {
      this.#settlement.move(event);
      this.#money.revalue(this.#positions.change(event));
    },
    OrderCancelled: (event) => {
      this.#matching.cancel(event);
      this.#reserve(event);
    },
  };

  #take(event: VenueEvent): void {
    const take = this.#takers[event.type] as ((event: VenueEvent) => void) | undefined;
    if (take === undefined) fail(`an event that this auditor does not know: ${event.type}`);
    take(event);
  }

  /** Whoever was touched has at least what its orders hold, and was told how much that is when it changed. */
  #checkAccounts(): void {
    for (const account of this.#touched) {
      const need = this.orders.needOf(account);
      const cash = this.#money.cashOf(account);
      demand(cash >= need, `account ${account} has ${cash}, less than the ${need} that it reserves`);
    }
    this.#settlement.checkTurn(this.#touched);
  }

  #reserve({ account, accountReservedAtoms }: { readonly account: number; readonly accountReservedAtoms: number }): void {
    const need = this.orders.needOf(account);
    demand(accountReservedAtoms === need, `account ${account} reserves ${accountReservedAtoms}, its open orders need ${need}`);
    this.#touched.add(account);
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
