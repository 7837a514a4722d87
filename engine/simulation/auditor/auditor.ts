/**
 * One independent auditor for every test run. It rebuilds accounts, orders, positions and money from commands and events alone and
 * does not import the engine's rules: its formulas are written from the documentation.
 */
import type { VenueEvent } from '#venue/event.ts';
import { Accounts } from './accounts.ts';
import { AuditedAffiliates } from './affiliates.ts';
import { AgentAccounts } from './agent-accounts.ts';
import { AgentFundings } from './agent-fundings.ts';
import { AuditedAgents } from './agents.ts';
import { ApiKeys } from './api-keys.ts';
import { fail } from './audit-failed.ts';
import type { AuditedTurn, Handlers } from './audited-turn.ts';
import { AuditedTimers } from './cancel-timers.ts';
import { checkEffects } from './command-effects.ts';
import { Deleveraging } from './deleveraging.ts';
import { FundBudgets } from './fund-budgets.ts';
import { Leverages } from './leverages.ts';
import { checkAllTried, noteOwnerChange, startLiquidation } from './liquidations.ts';
import type { Market } from './markets.ts';
import { Markets } from './markets.ts';
import { Matching } from './matching.ts';
import { MoneyBooks } from './money-books.ts';
import { OrderBooks } from './order-books.ts';
import { Outcomes } from './outcomes.ts';
import { ownerHandlers } from './owner-handlers.ts';
import { OwnerMoney } from './owner-money.ts';
import { AuditedOwners } from './owners.ts';
import { PositionBooks } from './position-books.ts';
import { Settlement } from './settlement.ts';
import { AuditedSwitches } from './switches.ts';
import { Transfers } from './transfers.ts';
import { WaitingOrders } from './waiting-orders.ts';
import { entryLimitOf } from './waiting-outcomes.ts';

export class Auditor {
  readonly fundBudgets = new FundBudgets();
  readonly money = new MoneyBooks(this.fundBudgets);
  readonly positions = new PositionBooks();
  readonly orders = new OrderBooks();
  readonly markets = new Markets();
  readonly accounts = new Accounts();
  readonly keys = new ApiKeys();
  readonly transfers = new Transfers(this.money);
  readonly ownerMoney = new OwnerMoney(this.accounts);
  readonly switches = new AuditedSwitches();
  readonly owners = new AuditedOwners();
  readonly agentAccounts = new AgentAccounts(this.accounts, this.owners);
  readonly agents = new AuditedAgents(this);
  readonly affiliates = new AuditedAffiliates(this.accounts);
  readonly agentFundings = new AgentFundings({
    accounts: this.accounts,
    agentAccounts: this.agentAccounts,
    owners: this.owners,
    switches: this.switches,
    availableTo: (account) => this.availableTo(account),
  });
  readonly leverages = new Leverages(this.markets);
  readonly #timers = new AuditedTimers();
  readonly waiting = new WaitingOrders(this.markets, this.positions, this.leverages, this.#timers);
  readonly #matching = new Matching({
    orders: this.orders,
    positions: this.positions,
    markets: this.markets,
    waiting: this.waiting,
    timers: this.#timers,
  });
  readonly #settlement = new Settlement(this.money, this.positions, this.fundBudgets);
  readonly #deleveraging = new Deleveraging(this.positions);
  readonly #outcomes = new Outcomes({
    accounts: this.accounts,
    markets: this.markets,
    orders: this.orders,
    waiting: this.waiting,
    matching: this.#matching,
    transfers: this.transfers,
    ownerMoney: this.ownerMoney,
    switches: this.switches,
    owners: this.owners,
    agentAccounts: this.agentAccounts,
    agents: this.agents,
    affiliates: this.affiliates,
    agentFundings: this.agentFundings,
    leverages: this.leverages,
  });
  #turn: AuditedTurn | undefined;
  /** Accounts whose cash, reservation or position this turn changed. */
  readonly #touched = new Set<number>();
  /** The markets whose pending work this turn announced. */
  readonly #withWork = new Set<number>();
  /** The turn changed the limit of all markets. */
  #isLimitChanged = false;
  #fees = 0;

  /** The cash of an account that no order reserves. */
  availableTo(account: number): number {
    return this.money.cashOf(account) - this.orders.reservedOf(account);
  }

  /** Takes the next turn. Throws `AuditFailed` if it broke a rule. */
  take(turn: AuditedTurn): void {
    const { sequence, epochMs, command, events } = turn;
    const [first] = events;
    if (first === undefined) fail('event', `record ${sequence} has no event`);
    const isRefused = first.type === 'CommandRefused';
    if (isRefused) {
      this.#outcomes.checkRefusal(sequence, command, epochMs, events);
      return;
    }
    checkEffects(sequence, command, events);
    this.#outcomes.checkOrders(sequence, command, epochMs, events);
    this.#begin(turn);
    for (const event of events) this.#handle(event);
    this.#check(turn);
  }

  /** A new event does not compile without a line here. */
  readonly #handlers: Handlers = {
    CommandRefused: () => {},
    EntryRefused: () => {},
    MarketListed: ({ market, specification, status }) =>
      this.orders.list(this.markets.list(market, specification, status).listing),
    MarketStatusChanged: ({ market, status }) => this.markets.setStatus(market, status),
    MarketUpdated: ({ market, specification }) => this.markets.update(market, specification, this.positions.in(market)),
    MarketPriced: (event) => {
      this.markets.price(event, this.#turn!.epochMs, this.orders.quotesIn(event.market));
      if (this.markets.of(event.market).observation.isAccepted) this.waiting.observe(event.market);
    },
    MarketWorkPending: ({ market }) => {
      this.#withWork.add(market);
    },
    EnvironmentBound: (event) => {
      this.switches.bind(event, this.accounts.count > 0 || this.markets.count > 0);
      this.#limitMarkets();
    },
    VenueStatusChanged: ({ status }) => {
      this.switches.status = status;
      this.#limitMarkets();
    },
    CapabilitySet: (event) => {
      this.switches.set(event);
      this.#limitMarkets();
    },
    FundingSettled: (event) => {
      const { market } = event;
      this.markets.endPeriod(event, this.#turn!.epochMs, this.orders.quotesIn(market), this.positions.in(market));
    },
    FundingPaid: (event) => {
      this.#settlement.end();
      const { funding, listing, mark } = this.markets.of(event.market);
      const before = this.positions.of(event.account, event.market);
      this.money.revalue(this.positions.fund(event));
      const { insurance } = this.money.ledgers;
      const { epochMs } = this.#turn!;
      const unpaid = funding.pay(event, before, mark, this.fundBudgets.of(listing, insurance, epochMs));
      const payer = { market: event.market, account: event.account, episode: event.position };
      this.fundBudgets.note(payer, Math.min(unpaid, this.fundBudgets.fundFor(event.market, insurance)), epochMs);
    },
    ...ownerHandlers(this, () => this.#turn!),
    AccountRetired: (event) => this.accounts.retire(event, this.#isBusy(event.account)),
    CashPosted: (event) => {
      this.money.postCash(event);
      this.#touched.add(event.account);
    },
    LedgerPosted: (event) => this.money.postLedger(event),
    FundMoved: (event) => this.fundBudgets.move(event),
    FavoriteSet: ({ market, account }) => {
      if (!this.markets.has(market) || !this.accounts.has(account))
        fail('command', `account ${account} made market ${market} a favorite`);
    },
    LeverageSet: (event) => {
      if (!this.accounts.has(event.account)) fail('account', `account ${event.account} was never opened`);
      this.leverages.set(event);
    },
    LeaderboardListingSet: ({ account }) => {
      if (!this.accounts.has(account)) fail('account', `account ${account} was never opened`);
    },
    LiquidationStarted: (event) => {
      const position = this.positions.of(event.account, event.market);
      startLiquidation(event, this.markets.of(event.market), position, this.#turn!.epochMs);
      this.#matching.liquidate(event.account, event.market);
      this.#deleveraging.start(event);
    },
    OrderAccepted: (event) => {
      this.#matching.number(event.order);
      this.markets.accept(event, this.#turn!.epochMs, this.positions);
      this.#matching.accept(event);
    },
    TriggerAccepted: (event) => {
      this.#matching.number(event.order);
      this.waiting.accept(event, entryLimitOf(this.#turn!, event.entry));
    },
    LegChanged: (event) => this.waiting.change(event),
    OrderTriggered: (event) => {
      const accepted = this.waiting.trigger(event);
      this.markets.accept(accepted, this.#turn!.epochMs, this.positions);
      this.#matching.accept(accepted);
    },
    OrderRested: (event) => {
      this.#matching.rest(event);
      this.#checkReservation(event);
    },
    TradeExecuted: (event) => {
      this.#settlement.end();
      this.#matching.execute(event);
      this.markets.trade(event);
      if (event.origin !== 'auto_deleveraging') this.waiting.trade(event.market, event.priceAtoms);
    },
    OrderFilled: (event) => {
      // The other side's fill is settled first.
      this.#settlement.end();
      const market = this.markets.of(event.market);
      const isDeleveraged = this.#matching.trade?.origin === 'auto_deleveraging';
      if (isDeleveraged) this.#deleveraging.fill(event, market);
      const context = this.#matching.fill(event);
      const owesNothing = isDeleveraged && this.#deleveraging.isOfBankrupt;
      this.#settlement.begin(event, owesNothing ? { ...context, gain: 0 } : context, market);
      this.#fees += event.feeAtoms;
      this.affiliates.fill(event, this.#turn!.epochMs);
      this.waiting.fill(event);
      if (event.isComplete) this.waiting.endOrder(event.order);
      this.#checkReservation(event);
    },
    PositionChanged: (event) => {
      const market = this.markets.of(event.market);
      market.funding.checkSettled(event.account);
      this.#settlement.move(event);
      this.money.revalue(this.positions.change(event));
      this.waiting.move(event);
      this.#touched.add(event.account);
      if (event.cause === 'client') noteOwnerChange(market, event.position, this.positions.of(event.account, event.market));
    },
    CancelAllAfterSet: (event) => this.#timers.set(event, this.#turn!),
    CancelAllAfterFired: (event) => this.#timers.fire(event, this.#turn!.epochMs, this.#matching.lastOrder),
    CancelAllAfterFinished: (event) => this.#timers.finish(event, this.orders, this.waiting.opening()),
    OrderAmended: (event) => {
      const accepted = this.#matching.amend(event);
      this.waiting.amend(event);
      if (accepted !== undefined) this.markets.accept(accepted, this.#turn!.epochMs, this.positions);
      this.#checkReservation(event);
    },
    PositionMarginAdjusted: (event) => {
      const { account, market: ordinal, addedAtoms } = event;
      this.markets.of(ordinal).funding.checkSettled(account);
      this.#settlement.adjust(event);
      this.money.revalue(this.positions.adjust(event));
      if (addedAtoms < 0) this.#matching.view.checkRemoval(this.positions.of(account, ordinal), ordinal);
      this.#touched.add(account);
    },
    OrderReduced: (event) => {
      this.#matching.reduce(event);
      this.#touched.add(event.account);
    },
    OrderCancelled: (event) => {
      if (this.waiting.has(event.order)) {
        this.waiting.cancel(event);
        this.#checkReservation(event);
        return;
      }
      this.waiting.endOrder(event.order);
      this.#matching.cancel(event);
      this.#settlement.endOrder(event);
      this.#checkReservation(event);
    },
  };

  #handle(event: VenueEvent): void {
    const handle = this.#handlers[event.type] as ((event: VenueEvent) => void) | undefined;
    if (handle === undefined) fail('event', `an unknown event: ${event.type}`);
    handle(event);
  }

  #begin(turn: AuditedTurn): void {
    const { command, epochMs } = turn;
    this.#turn = turn;
    this.switches.checkIntake(command);
    this.money.beginTurn();
    this.#settlement.beginTurn(epochMs);
    this.#deleveraging.beginTurn();
    this.#matching.beginTurn(command, epochMs);
    this.waiting.beginTurn(command, epochMs);
    this.transfers.beginTurn(command);
    this.ownerMoney.beginTurn(command, epochMs);
    this.agentAccounts.beginTurn();
    this.agentFundings.beginTurn(epochMs);
    if (this.#touched.size > 0) this.#touched.clear();
    if (this.#withWork.size > 0) this.#withWork.clear();
    this.#isLimitChanged = false;
    if (command.type !== 'PublishIndexPrice') return;
    // The index first: everything else in the turn depends on it.
    const priced = turn.events.find((event) => event.type === 'MarketPriced');
    this.markets.observe(command, priced, epochMs);
  }

  #check({ command, epochMs, events }: AuditedTurn): void {
    this.#settlement.end();
    this.money.checkTurn();
    this.positions.checkTurn();
    this.#checkTouched();
    this.#matching.checkTurn();
    this.#timers.checkTurn(command, events.length);
    this.waiting.checkTurn();
    this.#settlement.checkTurn();
    this.fundBudgets.checkTurn();
    this.transfers.checkTurn();
    this.ownerMoney.checkTurn();
    this.agentFundings.checkTurn(command);
    this.agents.checkTurn(command);
    this.keys.checkTurn(command, epochMs);
    this.owners.checkTurn(command, this.accounts.count);
    this.affiliates.checkTurn(command);
    if (this.money.ledgers.fees !== this.#fees)
      fail('ledger', `fills paid ${this.#fees} of fees, the ledger has ${this.money.ledgers.fees}`);
    const { type } = command;
    const isOfMarket =
      type === 'PublishIndexPrice' || type === 'AdvanceMarket' || type === 'SetMarketStatus' || type === 'UpdateMarket';
    const isWorking = type === 'PublishIndexPrice' || type === 'AdvanceMarket';
    this.#checkWork(isOfMarket ? this.markets.of(command.market) : undefined, isWorking, epochMs);
  }

  /** `market` is the market of the turn, if it has one. `isAdvanced`: the turn did as much of the market's work as it could. */
  #checkWork(market: Market | undefined, isAdvanced: boolean, epochMs: number): void {
    if (market !== undefined) {
      market.hasWork = this.#withWork.has(market.listing.market);
      if (isAdvanced) market.funding.checkTurn(market.hasWork);
      if (isAdvanced && !market.hasWork) checkAllTried(market, this.positions, epochMs);
      this.waiting.checkMarket(market.listing.market, market.hasWork);
    }
    if (this.#isLimitChanged) for (const limited of this.markets.all()) this.#checkAnnounced(limited, epochMs);
    let pooled = 0;
    for (const { funding } of this.markets.all()) pooled += funding.pooled;
    const { funding: ledger } = this.money.ledgers;
    if (ledger === pooled) return;
    const isEmptied = market !== undefined && market.funding.unsettled === 0 && ledger === pooled - market.funding.pooled;
    if (!isEmptied) fail('funding', `the funding ledger has ${ledger}, unfinished periods collected ${pooled}`);
    market.funding.emptyPool();
  }

  /** A turn that changes the limit of all markets announces the work of each that has some. */
  #checkAnnounced(market: Market, epochMs: number): void {
    const { listing, funding } = market;
    market.hasWork = this.#withWork.has(listing.market);
    if (market.hasWork) return;
    this.waiting.checkMarket(listing.market, false);
    if (funding.unsettled > 0)
      fail('funding', `${funding.unsettled} positions in market ${listing.market} wait for an announcement`);
    checkAllTried(market, this.positions, epochMs);
  }

  #limitMarkets(): void {
    this.#isLimitChanged = this.markets.setLimit(this.switches.marketLimit);
  }

  #checkTouched(): void {
    for (const account of this.#touched) {
      const cash = this.money.cashOf(account);
      const reserved = this.orders.reservedOf(account);
      if (cash < reserved) fail('reservation', `account ${account} has ${cash}, less than the ${reserved} that it reserves`);
      for (const order of this.orders.of(account))
        if (order.reduceOnly && this.#matching.view.hasNothingToReduce(order))
          fail('order', `order ${order.order} is reduce-only, rests, and has nothing to reduce`);
      this.#checkReduceOnly(account);
    }
  }

  #checkReduceOnly(account: number): void {
    const offered = new Map<number, number>();
    for (const { side, market, remaining, reduceOnly } of this.orders.of(account)) {
      if (!reduceOnly) continue;
      const sum = (offered.get(market) ?? 0) + remaining;
      offered.set(market, sum);
      const closable = this.positions.closableBy(side, account, market);
      if (sum > closable)
        fail('order', `account ${account} offers ${sum} of ${closable} in market ${market} by reduce-only orders`);
    }
  }

  #checkReservation({
    account,
    accountReservedAtoms,
  }: {
    readonly account: number;
    readonly accountReservedAtoms: number;
  }): void {
    const reserved = this.orders.reservedOf(account);
    if (accountReservedAtoms !== reserved)
      fail('reservation', `account ${account} reserves ${accountReservedAtoms}, its open orders need ${reserved}`);
    this.#touched.add(account);
  }

  #isBusy(account: number): boolean {
    if (this.orders.of(account).size > 0 || this.waiting.hasAny(account)) return true;
    for (const { listing } of this.markets.all()) if (this.positions.of(account, listing.market).ordinal !== 0) return true;
    return false;
  }
}
