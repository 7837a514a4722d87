/**
 * Keeps orders, depth and reservations a second time, from events alone: no book crosses, every order fills at its price
 * for its fee, and what accounts reserve is what their open orders need. It imports nothing, as the bookkeeper does.
 */

/** Orders and the venue disagree, or what the venue tells cannot be. */
export class OrdersDiffer extends Error {
  override readonly name = 'OrdersDiffer';
}

type Fields = Readonly<Record<string, unknown>>;
type Side = 'buy' | 'sell';

interface MarketBooks {
  readonly tickLot: bigint;
  readonly initialMarginBps: bigint;
  readonly maxLeverageX: bigint;
  readonly makerFeeBps: bigint;
  readonly takerFeeBps: bigint;
  readonly priceBandBps: bigint;
  /** Open quantity by price, of each side. */
  readonly depth: Readonly<Record<Side, Map<number, bigint>>>;
}

interface OrderBooks {
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly origin: string;
  readonly reduceOnly: boolean;
  readonly leverageX: bigint;
  readonly initialMarginBps: bigint;
  /** The mark when it was placed. */
  readonly mark: bigint;
  /** 0 while it is not in the book. */
  price: number;
  remaining: bigint;
  need: bigint;
}

interface AccountBooks {
  cash: bigint;
  /** What the venue says is reserved, and what its open orders need by our own count. */
  reserved: bigint;
  need: bigint;
}

interface TradeBooks {
  readonly price: bigint;
  readonly quantity: bigint;
  readonly notional: bigint;
  readonly takerSide: Side;
  readonly origin: string;
  fills: number;
  /** What both sides paid. */
  fees: bigint;
}

export class OrderKeeper {
  readonly #markets: readonly MarketBooks[];
  readonly #accounts = new Map<number, AccountBooks>();
  /** Orders that are not done. */
  readonly #orders = new Map<number, OrderBooks>();
  readonly #trades = new Map<number, TradeBooks>();
  /** What this turn has accepted, whom it touched, and whose book it moved. */
  readonly #accepted = new Set<number>();
  readonly #touched = new Set<number>();
  readonly #moved = new Set<number>();

  /** Takes the specifications of the markets that will be listed, in that order. */
  constructor(markets: readonly object[]) {
    this.#markets = (markets as readonly Fields[]).map((it) => ({
      tickLot: 10n ** (6n - integer(it.priceScale) - integer(it.quantityScale)),
      initialMarginBps: integer(it.initialMarginBps),
      maxLeverageX: integer(it.maxLeverageX),
      makerFeeBps: integer(it.makerFeeBps),
      takerFeeBps: integer(it.takerFeeBps),
      priceBandBps: integer(it.priceBandBps),
      depth: { buy: new Map(), sell: new Map() },
    }));
  }

  /** Takes the events of one turn and throws {@link OrdersDiffer} where they do not fit each other. */
  turn(events: readonly object[]): void {
    for (const event of events) this.#take(event as Fields);
    for (const [trade, { fills, fees }] of this.#trades) {
      if (fills !== 2) differ(`trade ${trade} has ${fills} sides`);
      if (fees < 0n) differ(`trade ${trade} cost the venue ${-fees}`);
    }
    for (const ordinal of this.#moved) this.#checkCrossed(ordinal);
    for (const ordinal of this.#touched) {
      const { cash, reserved, need } = this.#account(ordinal);
      if (reserved !== need) differ(`account ${ordinal} reserves ${reserved}, its open orders need ${need}`);
      if (cash < reserved) differ(`account ${ordinal} has ${cash}, less than the ${reserved} that it reserves`);
    }
    for (const order of this.#accepted) if (this.#orders.get(order)?.price === 0) differ(`order ${order} neither rests nor ends`);
    this.#trades.clear();
    this.#accepted.clear();
    this.#touched.clear();
    this.#moved.clear();
  }

  #take(event: Fields): void {
    if (event.type === 'CashPosted') {
      this.#account(Number(event.account)).cash = integer(event.cashAtoms);
      this.#touched.add(Number(event.account));
    }
    if (event.type === 'OrderAccepted') this.#accept(event);
    if (event.type === 'OrderRested') this.#rest(event);
    if (event.type === 'TradeExecuted') this.#trade(event);
    if (event.type === 'OrderFilled') this.#fill(event);
    if (event.type === 'OrderCancelled') this.#cancel(event);
  }

  #accept(event: Fields): void {
    const order = Number(event.order);
    const market = this.#market(Number(event.market));
    if (this.#orders.has(order)) differ(`order ${order} was accepted before`);
    const accepted: OrderBooks = {
      account: Number(event.account),
      market: Number(event.market),
      side: event.side as Side,
      origin: String(event.origin),
      reduceOnly: event.reduceOnly === true,
      leverageX: integer(event.leverageX),
      initialMarginBps: integer(event.initialMarginBps),
      mark: integer(event.markPriceAtoms),
      price: 0,
      remaining: 0n,
      need: 0n,
    };
    const { leverageX, initialMarginBps, origin } = accepted;
    if (leverageX > market.maxLeverageX) differ(`order ${order} has a leverage of ${leverageX}`);
    if (origin === 'client' && initialMarginBps < market.initialMarginBps)
      differ(`order ${order} reserves at ${initialMarginBps} bps`);
    this.#orders.set(order, accepted);
    this.#accepted.add(order);
  }

  #rest(event: Fields): void {
    const order = this.#orders.get(Number(event.order)) ?? differ(`order ${event.order} rests without being accepted`);
    if (order.price !== 0) differ(`order ${event.order} rests twice`);
    order.price = Number(event.priceAtoms);
    this.#resize(order, integer(event.remainingAtoms));
    this.#reserve(event);
  }

  #trade(event: Fields): void {
    const { tickLot } = this.#market(Number(event.market));
    const [price, quantity] = [integer(event.priceAtoms), integer(event.quantityAtoms)];
    const notional = price * quantity * tickLot;
    if (notional !== integer(event.notionalAtoms))
      differ(`trade ${event.trade} is worth ${notional}, told ${event.notionalAtoms}`);
    this.#trades.set(Number(event.trade), {
      price,
      quantity,
      notional,
      takerSide: event.takerSide as Side,
      origin: String(event.origin),
      fills: 0,
      fees: 0n,
    });
  }

  #fill(event: Fields): void {
    const name = `order ${event.order}`;
    const order = this.#orders.get(Number(event.order)) ?? differ(`${name} fills without being accepted`);
    const trade = this.#trades.get(Number(event.trade)) ?? differ(`${name} fills in no trade of this turn`);
    trade.fills += 1;
    const [price, quantity] = [integer(event.priceAtoms), integer(event.quantityAtoms)];
    if (price !== trade.price || quantity !== trade.quantity) differ(`${name} filled otherwise than its trade`);
    if (integer(event.notionalAtoms) !== trade.notional) differ(`${name} was told another notional than its trade`);
    const isTaker = event.side === trade.takerSide;
    if (order.side !== event.side || isTaker !== (event.liquidity === 'taker'))
      differ(`${name} is on the wrong side of its trade`);
    this.#reserve(event);
    if (order.price !== 0) {
      if (order.price !== Number(price)) differ(`${name} rests at ${order.price}, filled at ${price}`);
      this.#resize(order, order.remaining - quantity);
      if (order.remaining !== integer(event.remainingAtoms))
        differ(`${name} has ${order.remaining} left, told ${event.remainingAtoms}`);
    }
    this.#checkFee(name, order, trade, event);
    if (isTaker && order.origin !== 'auto_deleveraging') this.#checkBand(name, order, price);
    if (event.isComplete === true) this.#forget(Number(event.order), order);
  }

  /**
   * Whom the venue closes pays what the fill gives beyond bankruptcy, and nothing where nobody asked for the trade; a maker who
   * is paid for it gets no more than that.
   */
  #checkFee(name: string, { origin, market }: OrderBooks, trade: TradeBooks, event: Fields): void {
    const { makerFeeBps, takerFeeBps } = this.#market(market);
    const fee = integer(event.feeAtoms);
    // Big integers divide toward zero, as fees are rounded.
    const whole = (integer(event.notionalAtoms) * (event.liquidity === 'maker' ? makerFeeBps : takerFeeBps)) / 10_000n;
    trade.fees += fee;
    const isCut = trade.origin === 'liquidation' && fee <= 0n && fee >= whole;
    const isRight =
      origin === 'client' ? fee === whole || isCut : origin === 'liquidation' ? fee >= 0n && fee <= whole : fee === 0n;
    if (!isRight) differ(`${name} (${origin}) paid a fee of ${fee} where ${whole} is the whole`);
  }

  /** Nobody buys further above the mark, or sells further below it, than the band. */
  #checkBand(name: string, { side, mark, market }: OrderBooks, price: bigint): void {
    const { priceBandBps } = this.#market(market);
    const beyond = (side === 'buy' ? price - mark : mark - price) * 10_000n;
    if (beyond > mark * priceBandBps) differ(`${name} took ${price} where the mark was ${mark}`);
  }

  #cancel(event: Fields): void {
    const order = this.#orders.get(Number(event.order)) ?? differ(`order ${event.order} ends without being accepted`);
    this.#reserve(event);
    if (event.wasResting !== (order.price !== 0))
      differ(`order ${event.order} was ${order.price === 0 ? 'not ' : ''}in the book`);
    this.#forget(Number(event.order), order);
  }

  #forget(ordinal: number, order: OrderBooks): void {
    if (order.price !== 0) this.#resize(order, 0n);
    this.#orders.delete(ordinal);
  }

  /** Sets what is left of an order in the book, and with it the depth at its price and what its account must reserve. */
  #resize(order: OrderBooks, remaining: bigint): void {
    if (remaining < 0n) differ(`an order at ${order.price} has ${remaining} left`);
    const market = this.#market(order.market);
    const depth = market.depth[order.side];
    const left = (depth.get(order.price) ?? 0n) + remaining - order.remaining;
    if (left === 0n) depth.delete(order.price);
    else depth.set(order.price, left);
    const need = order.reduceOnly ? 0n : needOf(order, remaining, market);
    this.#account(order.account).need += need - order.need;
    order.remaining = remaining;
    order.need = need;
    this.#moved.add(order.market);
  }

  #reserve(event: Fields): void {
    this.#account(Number(event.account)).reserved = integer(event.accountReservedAtoms);
    this.#touched.add(Number(event.account));
  }

  #checkCrossed(ordinal: number): void {
    const { depth } = this.#market(ordinal);
    const bid = Math.max(0, ...depth.buy.keys());
    const ask = Math.min(Number.POSITIVE_INFINITY, ...depth.sell.keys());
    if (bid >= ask) differ(`market ${ordinal} is crossed: ${bid} is bid, ${ask} is asked`);
  }

  #account(ordinal: number): AccountBooks {
    const existing = this.#accounts.get(ordinal);
    if (existing !== undefined) return existing;
    const created = { cash: 0n, reserved: 0n, need: 0n };
    this.#accounts.set(ordinal, created);
    return created;
  }

  #market(ordinal: number): MarketBooks {
    return this.#markets[ordinal - 1] ?? differ(`market ${ordinal} was never listed`);
  }
}

/** Margin, what opening at its price would have lost at the mark of its placement, and the fee of a taker. */
function needOf({ price, side, mark, leverageX, initialMarginBps }: OrderBooks, remaining: bigint, market: MarketBooks): bigint {
  const notional = BigInt(price) * remaining * market.tickLot;
  const margin = leverageX === 0n ? up(notional * initialMarginBps, 10_000n) : up(notional, leverageX);
  const behind = side === 'buy' ? BigInt(price) - mark : mark - BigInt(price);
  const loss = behind > 0n ? behind * remaining * market.tickLot : 0n;
  return margin + loss + up(notional * market.takerFeeBps, 10_000n);
}

function up(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}

function integer(value: unknown): bigint {
  return BigInt(value as number);
}

function differ(how: string): never {
  throw new OrdersDiffer(how);
}
