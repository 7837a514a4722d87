/**
 * Keeps the venue's books a second time, from events as anyone would read them, and compares after every turn. It
 * imports nothing: its numbers are big integers, its formulas are written from the rules that clients are told.
 */

export class BooksDiffer extends Error {
  override readonly name = 'BooksDiffer';
}

type Fields = Readonly<Record<string, unknown>>;

interface MarketBooks {
  readonly tickLot: bigint;
  readonly initialMarginBps: bigint;
  readonly takerFeeBps: bigint;
  /** Open quantity by price, of each side. */
  readonly depth: { readonly buy: Map<number, bigint>; readonly sell: Map<number, bigint> };
  longShort: bigint;
}

interface OrderBooks {
  readonly account: number;
  readonly market: number;
  readonly side: 'buy' | 'sell';
  readonly price: number;
  readonly reduceOnly: boolean;
  readonly leverageX: bigint;
  /** The mark when it was placed. */
  readonly mark: bigint;
  remaining: bigint;
  need: bigint;
}

interface AccountBooks {
  cash: bigint;
  /** What the venue says is reserved, and what its open orders need by our own count. */
  reserved: bigint;
  need: bigint;
}

interface PositionBooks {
  signedBase: bigint;
  signedEntry: bigint;
  margin: bigint;
}

export class Bookkeeper {
  readonly #markets = new Map<number, MarketBooks>();
  readonly #accounts = new Map<number, AccountBooks>();
  readonly #accepted = new Map<number, { leverageX: bigint; reduceOnly: boolean; mark: bigint }>();
  readonly #orders = new Map<number, OrderBooks>();
  readonly #positions = new Map<string, PositionBooks>();
  readonly ledgers: Record<string, bigint> = { fees: 0n, deficit: 0n };
  deposits = 0n;
  trades = 0;
  /** Everything there is: cash, margin, ledgers, less what positions have cost (long) or brought (short). */
  #total = 0n;

  /** Takes the events of one turn and throws {@link BooksDiffer} where they do not add up. */
  turn(events: readonly object[]): void {
    const touched = new Set<number>();
    for (const event of events) this.#take(event as Fields, touched);
    if (this.#total !== this.deposits) differ(`there is ${this.#total}, but ${this.deposits} came in`);
    for (const ordinal of touched) {
      const { cash, reserved, need } = this.#account(ordinal);
      if (reserved !== need) differ(`account ${ordinal} reserves ${reserved}, its open orders need ${need}`);
      if (cash < reserved) differ(`account ${ordinal} has ${cash}, less than the ${reserved} that it reserves`);
    }
    for (const [ordinal, { depth, longShort }] of this.#markets) {
      const bid = Math.max(0, ...depth.buy.keys());
      const ask = Math.min(Number.POSITIVE_INFINITY, ...depth.sell.keys());
      if (bid >= ask) differ(`market ${ordinal} is crossed: ${bid} is bid, ${ask} is asked`);
      if (longShort !== 0n) differ(`market ${ordinal} has ${longShort} more long than short`);
    }
  }

  get openOrders(): number {
    return this.#orders.size;
  }

  get openPositions(): number {
    return [...this.#positions.values()].filter((position) => position.signedBase !== 0n).length;
  }

  #take(event: Fields, touched: Set<number>): void {
    if (event.type === 'MarketListed') this.#listMarket(event);
    if (event.type === 'CashPosted') this.#postCash(event, touched);
    if (event.type === 'LedgerPosted') this.#postLedger(event);
    if (event.type === 'OrderAccepted') {
      this.#accepted.set(Number(event.order), {
        leverageX: integer(event.leverageX),
        reduceOnly: event.reduceOnly === true,
        mark: integer(event.markPriceAtoms),
      });
    }
    if (event.type === 'OrderRested') this.#rest(event, touched);
    if (event.type === 'OrderFilled') this.#fill(event, touched);
    if (event.type === 'OrderCancelled') this.#end(event, touched);
    if (event.type === 'PositionChanged') this.#move(event);
    if (event.type === 'TradeExecuted') this.trades += 1;
  }

  #listMarket({ market, specification }: Fields): void {
    const it = specification as Fields;
    this.#markets.set(Number(market), {
      tickLot: 10n ** (6n - integer(it.priceScale) - integer(it.quantityScale)),
      initialMarginBps: integer(it.initialMarginBps),
      takerFeeBps: integer(it.takerFeeBps),
      depth: { buy: new Map(), sell: new Map() },
      longShort: 0n,
    });
  }

  #postCash(event: Fields, touched: Set<number>): void {
    const account = this.#account(Number(event.account));
    const amount = integer(event.amountAtoms);
    account.cash += amount;
    this.#total += amount;
    if (event.kind === 'deposit') this.deposits += amount;
    if (account.cash !== integer(event.cashAtoms))
      differ(`account ${event.account} has ${account.cash}, told ${event.cashAtoms}`);
    touched.add(Number(event.account));
  }

  #postLedger({ ledger, amountAtoms, balanceAtoms }: Fields): void {
    const balance = (this.ledgers[String(ledger)] ?? 0n) + integer(amountAtoms);
    this.ledgers[String(ledger)] = balance;
    this.#total += integer(amountAtoms);
    if (balance !== integer(balanceAtoms)) differ(`the ${ledger} ledger has ${balance}, told ${balanceAtoms}`);
  }

  #rest(event: Fields, touched: Set<number>): void {
    const accepted = this.#accepted.get(Number(event.order)) ?? differ(`order ${event.order} rests without being accepted`);
    const order: OrderBooks = {
      account: Number(event.account),
      market: Number(event.market),
      side: event.side as 'buy' | 'sell',
      price: Number(event.priceAtoms),
      ...accepted,
      remaining: 0n,
      need: 0n,
    };
    this.#orders.set(Number(event.order), order);
    this.#resize(order, integer(event.remainingAtoms));
    this.#reserve(event, touched);
  }

  #fill(event: Fields, touched: Set<number>): void {
    const order = this.#orders.get(Number(event.order));
    this.#reserve(event, touched);
    if (order === undefined) return;
    if (order.price !== Number(event.priceAtoms))
      differ(`order ${event.order} rests at ${order.price}, filled at ${event.priceAtoms}`);
    this.#resize(order, order.remaining - integer(event.quantityAtoms));
    if (order.remaining !== integer(event.remainingAtoms))
      differ(`order ${event.order} has ${order.remaining} left, told ${event.remainingAtoms}`);
    if (order.remaining === 0n) this.#forget(Number(event.order));
  }

  #end(event: Fields, touched: Set<number>): void {
    const order = this.#orders.get(Number(event.order));
    this.#reserve(event, touched);
    if (event.wasResting !== (order !== undefined))
      differ(`order ${event.order} was ${order === undefined ? 'not ' : ''}in the book`);
    if (order !== undefined) this.#resize(order, 0n);
    this.#forget(Number(event.order));
  }

  #forget(order: number): void {
    this.#orders.delete(order);
    this.#accepted.delete(order);
  }

  /** Sets what is left of an open order, and with it the depth at its price and what its account must reserve. */
  #resize(order: OrderBooks, remaining: bigint): void {
    const market = this.#market(order.market);
    const depth = market.depth[order.side];
    const left = (depth.get(order.price) ?? 0n) + remaining - order.remaining;
    if (left === 0n) depth.delete(order.price);
    else depth.set(order.price, left);
    const notional = BigInt(order.price) * remaining * market.tickLot;
    const margin = order.leverageX === 0n ? up(notional * market.initialMarginBps, 10_000n) : up(notional, order.leverageX);
    const behind = order.side === 'buy' ? BigInt(order.price) - order.mark : order.mark - BigInt(order.price);
    const loss = behind > 0n ? behind * remaining * market.tickLot : 0n;
    const need = order.reduceOnly ? 0n : margin + loss + up(notional * market.takerFeeBps, 10_000n);
    this.#account(order.account).need += need - order.need;
    order.remaining = remaining;
    order.need = need;
  }

  #reserve(event: Fields, touched: Set<number>): void {
    this.#account(Number(event.account)).reserved = integer(event.accountReservedAtoms);
    touched.add(Number(event.account));
  }

  #move(event: Fields): void {
    const key = `${event.account}/${event.market}`;
    const before = this.#positions.get(key) ?? { signedBase: 0n, signedEntry: 0n, margin: 0n };
    const signedBase = integer(event.signedBaseAtoms);
    const entry = integer(event.entryNotionalAtoms);
    const after = { signedBase, signedEntry: signedBase < 0n ? -entry : entry, margin: integer(event.marginAtoms) };
    if (after.margin < 0n) differ(`position ${key} has a margin of ${after.margin}`);
    if (before.signedBase + integer(event.changedBaseAtoms) !== signedBase)
      differ(`position ${key} did not move by what it says`);
    this.#total += after.margin - before.margin - (after.signedEntry - before.signedEntry);
    this.#market(Number(event.market)).longShort += signedBase - before.signedBase;
    this.#positions.set(key, after);
  }

  #account(ordinal: number): AccountBooks {
    const existing = this.#accounts.get(ordinal);
    if (existing !== undefined) return existing;
    const created = { cash: 0n, reserved: 0n, need: 0n };
    this.#accounts.set(ordinal, created);
    return created;
  }

  #market(ordinal: number): MarketBooks {
    return this.#markets.get(ordinal) ?? differ(`market ${ordinal} was never listed`);
  }
}

function integer(value: unknown): bigint {
  return BigInt(value as number);
}

function up(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function differ(how: string): never {
  throw new BooksDiffer(how);
}
