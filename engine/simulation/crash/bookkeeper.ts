/**
 * Keeps the venue's money a second time, from events as anyone would read them, and compares after every turn. It
 * imports nothing: its numbers are big integers, its formulas are written from the rules that clients are told.
 */

/** The books and the venue disagree, or what the venue tells cannot be. */
export class BooksDiffer extends Error {
  override readonly name = 'BooksDiffer';
}

type Fields = Readonly<Record<string, unknown>>;

interface PositionBooks {
  ordinal: number;
  signedBase: bigint;
  signedEntry: bigint;
  margin: bigint;
}

/** What a turn did for one account: told by its positions and fills on one side, posted to its cash on the other. */
interface AccountTurn {
  margin: bigint;
  pnl: bigint;
  /** Of its fills, and of the changes of its positions. */
  fillFees: bigint;
  positionFees: bigint;
  posted: Map<string, bigint>;
}

/** What every kind of posting does to cash: adds to it (1), takes from it (-1), or either (0). */
const CASH_SIGNS: Readonly<Record<string, number>> = {
  deposit: 1,
  trade_fee: 0,
  realized_pnl: 0,
  margin_lock: -1,
  margin_release: 1,
  deficit_cover: 1,
  insurance_cover: 1,
  liquidation_fee: -1,
  withdrawal_reserve: -1,
  withdrawal_release: 1,
  transfer_out: -1,
  transfer_in: 1,
};

/** On which side of nothing a ledger of the venue stays. No maker is paid more than what the taker pays. */
const LEDGER_SIGNS: Readonly<Record<string, bigint>> = { fees: 1n, deficit: -1n, insurance: 1n, funding: 0n, withdrawals: 1n };

export class Bookkeeper {
  readonly #listed = new Set<number>();
  readonly #cash = new Map<number, bigint>();
  readonly #positions = new Map<string, PositionBooks>();
  /** By market: all signed quantities together. */
  readonly #longShort = new Map<number, bigint>();
  readonly #withdrawals = new Map<number, { account: number; amount: bigint }>();
  readonly #ledgers: Record<string, bigint> = { fees: 0n, deficit: 0n, insurance: 0n, funding: 0n, withdrawals: 0n };
  /** What came in, less what has left. */
  #netDeposits = 0n;
  /** Everything there is: cash, margin, ledgers, less what positions have cost (long) or brought (short). */
  #total = 0n;
  #turn = new Map<number, AccountTurn>();
  #ledgerTurn: Record<string, bigint> = {};
  #fundingPaid = 0n;
  #transferred = 0n;
  #withdrawn = 0n;

  /** Takes the events of one turn and throws {@link BooksDiffer} where they do not add up. */
  turn(events: readonly object[]): void {
    this.#turn = new Map();
    this.#ledgerTurn = { fees: 0n, deficit: 0n, insurance: 0n, funding: 0n, withdrawals: 0n };
    this.#fundingPaid = 0n;
    this.#transferred = 0n;
    this.#withdrawn = 0n;
    for (const event of events as readonly Fields[]) this.#take(event);
    this.#checkMoney(events as readonly Fields[]);
    for (const [account, moves] of this.#turn) this.#checkAccount(account, moves);
    for (const [market, imbalance] of this.#longShort)
      if (imbalance !== 0n) differ(`market ${market} has ${imbalance} more long than short`);
  }

  #cashOf(account: number): bigint {
    return this.#cash.get(account) ?? 0n;
  }

  #take(event: Fields): void {
    switch (event.type) {
      case 'MarketListed':
        this.#listed.add(Number(event.market));
        return;
      case 'CashPosted':
        this.#postCash(event);
        return;
      case 'LedgerPosted':
        this.#postLedger(event);
        return;
      case 'OrderFilled':
        this.#turnOf(Number(event.account)).fillFees += integer(event.feeAtoms);
        return;
      case 'PositionChanged':
        this.#move(event);
        return;
      case 'FundingPaid':
        this.#fund(event);
        return;
      case 'WithdrawalReserved':
        this.#reserveWithdrawal(event);
        return;
      case 'WithdrawalReleased':
      case 'WithdrawalSettled':
        this.#endWithdrawal(event);
        return;
      case 'CashTransferred':
        this.#transferred += integer(event.amountAtoms);
        return;
      case 'CommandRefused':
      case 'EntryRefused':
      case 'MarketStatusChanged':
      case 'MarketPriced':
      case 'MarketWorkPending':
      case 'FundingSettled':
      case 'AccountOpened':
      case 'AccountRetired':
      case 'ApiKeyIssued':
      case 'ApiKeyRevoked':
      case 'FavoriteSet':
      case 'LeaderboardListingSet':
      case 'LiquidationStarted':
      case 'OrderAccepted':
      case 'OrderRested':
      case 'OrderCancelled':
      case 'TradeExecuted':
        return;
      default:
        differ(`an event that these books do not know: ${event.type}`);
    }
  }

  #postCash({ account, kind, amountAtoms, cashAtoms }: Fields): void {
    const amount = integer(amountAtoms);
    const sign = CASH_SIGNS[String(kind)] ?? differ(`a posting of a kind that these books do not know: ${kind}`);
    if (amount === 0n || Number(amount) * sign < 0) differ(`account ${account} was posted ${amount} of ${kind}`);
    const cash = this.#cashOf(Number(account)) + amount;
    this.#cash.set(Number(account), cash);
    this.#total += amount;
    if (kind === 'deposit') this.#netDeposits += amount;
    if (cash !== integer(cashAtoms)) differ(`account ${account} has ${cash}, told ${cashAtoms}`);
    const { posted } = this.#turnOf(Number(account));
    posted.set(String(kind), (posted.get(String(kind)) ?? 0n) + amount);
  }

  #postLedger({ ledger, amountAtoms, balanceAtoms }: Fields): void {
    const name = String(ledger);
    const balance = (this.#ledgers[name] ?? differ(`a ledger that these books do not know: ${name}`)) + integer(amountAtoms);
    this.#ledgers[name] = balance;
    this.#ledgerTurn[name]! += integer(amountAtoms);
    this.#total += integer(amountAtoms);
    if (balance !== integer(balanceAtoms)) differ(`the ${name} ledger has ${balance}, told ${balanceAtoms}`);
  }

  #move(event: Fields): void {
    const before = this.#positionOf(event);
    const signedBase = integer(event.signedBaseAtoms);
    const entry = integer(event.entryNotionalAtoms);
    const ordinal = signedBase === 0n ? 0 : Number(event.position);
    const signedEntry = signedBase < 0n ? -entry : entry;
    const after = { ordinal, signedBase, signedEntry, margin: integer(event.marginAtoms) };
    const name = nameOf(event);
    if (before.signedBase + integer(event.changedBaseAtoms) !== signedBase) differ(`${name} did not move by what it says`);
    if (before.ordinal !== 0 && before.ordinal !== event.position)
      differ(`${name} is ${before.ordinal}, told as ${event.position}`);
    this.#checkProfit(event, before, after);
    const turn = this.#turnOf(Number(event.account));
    turn.margin += after.margin - before.margin;
    turn.pnl += integer(event.realizedPnlAtoms);
    turn.positionFees += integer(event.feeAtoms);
    const market = Number(event.market);
    this.#longShort.set(market, (this.#longShort.get(market) ?? 0n) + signedBase - before.signedBase);
    this.#keep(event, before, after);
  }

  /** What a close wins or loses is what it brought less its share of the entry; what opens adds to the entry and wins nothing. */
  #checkProfit(event: Fields, before: PositionBooks, after: PositionBooks): void {
    const name = nameOf(event);
    const [size, left] = [absolute(before.signedBase), absolute(after.signedBase)];
    const notional = integer(event.changedNotionalAtoms);
    const entered = absolute(after.signedEntry) - absolute(before.signedEntry);
    const pnl = integer(event.realizedPnlAtoms);
    if (before.signedBase * after.signedBase < 0n) differ(`${name} went through nothing in one step`);
    if (left > size) {
      if (entered !== notional || pnl !== 0n) differ(`${name} opened ${notional}, its entry rose by ${entered}, it won ${pnl}`);
      return;
    }
    const won = before.signedBase > 0n ? notional + entered : -entered - notional;
    if (pnl !== won) differ(`${name} won ${won}, told ${pnl}`);
    // The remainder of the share is less than an atom, on either side.
    const shareOff = -entered * size - absolute(before.signedEntry) * (size - left);
    if (absolute(shareOff) >= size) differ(`${name} closed ${size - left} of ${size} and gave up ${-entered} of its entry`);
  }

  #fund(event: Fields): void {
    const before = this.#positionOf(event);
    const entry = integer(event.entryNotionalAtoms);
    const signedEntry = before.signedBase < 0n ? -entry : entry;
    if (before.ordinal !== event.position || before.ordinal === 0) differ(`${nameOf(event)} paid funding as ${event.position}`);
    const after = { ...before, signedEntry, margin: integer(event.marginAtoms) };
    const paid = worthOf(before) - worthOf(after);
    if (paid !== integer(event.paidAtoms)) differ(`${nameOf(event)} paid ${paid} of funding, told ${event.paidAtoms}`);
    this.#fundingPaid += paid;
    this.#keep(event, before, after);
  }

  #keep(event: Fields, before: PositionBooks, after: PositionBooks): void {
    if (after.margin < 0n) differ(`${nameOf(event)} has a margin of ${after.margin}`);
    if (after.signedBase === 0n && (after.margin !== 0n || after.signedEntry !== 0n))
      differ(`${nameOf(event)} is flat and holds money`);
    if (after.signedBase !== 0n && after.signedBase * after.signedEntry <= 0n)
      differ(`${nameOf(event)} cost ${after.signedEntry}`);
    this.#total += worthOf(after) - worthOf(before);
    this.#positions.set(nameOf(event), after);
  }

  #reserveWithdrawal({ withdrawal, account, amountAtoms }: Fields): void {
    if (this.#withdrawals.has(Number(withdrawal))) differ(`withdrawal ${withdrawal} was reserved before`);
    this.#withdrawals.set(Number(withdrawal), { account: Number(account), amount: integer(amountAtoms) });
    this.#withdrawn += integer(amountAtoms);
  }

  #endWithdrawal({ type, withdrawal, account, amountAtoms }: Fields): void {
    const pending = this.#withdrawals.get(Number(withdrawal)) ?? differ(`withdrawal ${withdrawal} is not pending`);
    const amount = integer(amountAtoms);
    if (pending.amount !== amount || pending.account !== account)
      differ(`withdrawal ${withdrawal} is ${pending.amount} of account ${pending.account}, told ${amount} of ${account}`);
    this.#withdrawals.delete(Number(withdrawal));
    this.#withdrawn -= amount;
    if (type === 'WithdrawalSettled') this.#netDeposits -= amount;
  }

  #checkMoney(events: readonly Fields[]): void {
    const turn = this.#ledgerTurn;
    let [fees, covers, penalties, moved, reserved] = [0n, 0n, 0n, 0n, 0n];
    for (const { posted } of this.#turn.values()) {
      fees -= posted.get('trade_fee') ?? 0n;
      covers += (posted.get('insurance_cover') ?? 0n) + (posted.get('deficit_cover') ?? 0n);
      penalties -= posted.get('liquidation_fee') ?? 0n;
      moved += posted.get('transfer_in') ?? 0n;
      reserved -= (posted.get('withdrawal_reserve') ?? 0n) + (posted.get('withdrawal_release') ?? 0n);
    }
    // Money for the fund comes as a turn that is nothing else.
    const isCredit = events.length === 1 && events[0]?.type === 'LedgerPosted' && events[0]?.ledger === 'insurance';
    const credit = isCredit ? turn.insurance! : 0n;
    this.#netDeposits += credit;
    if (this.#total !== this.#netDeposits) differ(`there is ${this.#total}, but ${this.#netDeposits} came in`);
    if (turn.fees !== fees) differ(`${fees} of fees were paid, their ledger took ${turn.fees}`);
    const venue = turn.insurance! + turn.deficit! + turn.funding!;
    if (venue !== penalties - covers + this.#fundingPaid + credit)
      differ(`covers of ${covers}, fees of ${penalties} and funding of ${this.#fundingPaid} came to ${venue} for the venue`);
    if (moved !== this.#transferred) differ(`${this.#transferred} was transferred, ${moved} arrived`);
    const isSettled = events.some(({ type }) => type === 'WithdrawalSettled');
    if (turn.withdrawals !== this.#withdrawn || (!isSettled && reserved !== this.#withdrawn))
      differ(`${this.#withdrawn} was reserved for withdrawals, accounts gave ${reserved}, their ledger took ${turn.withdrawals}`);
    for (const [name, balance] of Object.entries(this.#ledgers))
      if (balance * LEDGER_SIGNS[name]! < 0n) differ(`the ${name} ledger has ${balance}`);
  }

  /** What was posted to an account is what its positions and fills told. */
  #checkAccount(account: number, { margin, pnl, fillFees, positionFees, posted }: AccountTurn): void {
    const of = (...kinds: readonly string[]) => kinds.reduce((sum, kind) => sum + (posted.get(kind) ?? 0n), 0n);
    const locked = -of('margin_lock', 'margin_release');
    if (locked !== margin) differ(`account ${account} locked ${locked}, its margins changed by ${margin}`);
    const won = of('realized_pnl');
    if (won !== pnl) differ(`account ${account} was posted ${won} of PnL, its positions won ${pnl}`);
    const paid = -of('trade_fee');
    if (paid !== fillFees) differ(`account ${account} paid fees of ${paid}, its fills cost ${fillFees}`);
    const paidInAll = paid - of('liquidation_fee');
    if (paidInAll !== positionFees)
      differ(`account ${account} paid fees of ${paidInAll} in all, its positions cost ${positionFees}`);
    if (this.#cashOf(account) < 0n) differ(`account ${account} has ${this.#cashOf(account)}`);
  }

  #turnOf(account: number): AccountTurn {
    const known = this.#turn.get(account);
    if (known !== undefined) return known;
    const made = { margin: 0n, pnl: 0n, fillFees: 0n, positionFees: 0n, posted: new Map<string, bigint>() };
    this.#turn.set(account, made);
    return made;
  }

  #positionOf(event: Fields): PositionBooks {
    if (!this.#listed.has(Number(event.market))) differ(`market ${event.market} was never listed`);
    return this.#positions.get(nameOf(event)) ?? { ordinal: 0, signedBase: 0n, signedEntry: 0n, margin: 0n };
  }
}

function nameOf({ account, market }: Fields): string {
  return `the position of account ${account} in market ${market}`;
}

/** Margin, and what would come in if it were closed at nothing: a long has lost its entry, a short has won it. */
function worthOf({ signedEntry, margin }: PositionBooks): bigint {
  return margin - signedEntry;
}

function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function integer(value: unknown): bigint {
  return BigInt(value as number);
}

function differ(how: string): never {
  throw new BooksDiffer(how);
}
