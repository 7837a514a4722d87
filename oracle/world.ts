/**
 * Everything that the rules know, as plain lists. There is no index and no sum: whatever follows from other numbers (reservations, the
 * order of a book, who is due) is found by a scan each time.
 */
import type { MarketStatus, Side, Specification, TriggerDirection, TriggerKind, TriggerSource } from './command.ts';

/** Something that happened, spelled like the event of the journal. Postings of money are sums by account and kind. */
export interface Fact {
  readonly type: string;
  readonly [field: string]: unknown;
}

export type Ledger = 'fees' | 'deficit' | 'insurance' | 'funding' | 'withdrawals';

export interface Account {
  readonly ordinal: number;
  readonly partyId: string;
  cash: bigint;
  /** The leverage that the account has chosen in a market. */
  leverages: { market: number; leverageHundredths: bigint }[];
}

/** An open order of a client. */
export interface Order {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly price: bigint;
  remaining: bigint;
  readonly reduceOnly: boolean;
  /** 0 uses `initialMarginBps`. */
  readonly leverageHundredths: bigint;
  readonly initialMarginBps: bigint;
  /** The mark when it was placed. */
  readonly placedAtMark: bigint;
  filled: bigint;
  readonly postOnly: boolean;
  /** 0 if it does not expire. */
  readonly expiresAt: bigint;
  /** The order of arrival in the book: an amended order arrives again. */
  readonly arrival: number;
}

/** An order that waits for a price, or, as a leg of an entry order, for what that order opens. */
export interface WaitingOrder {
  readonly order: number;
  readonly account: number;
  readonly market: number;
  readonly side: Side;
  readonly kind: TriggerKind;
  readonly source: TriggerSource;
  readonly direction: TriggerDirection;
  /** That of a trailing stop follows `best`, at one of the two distances. */
  triggerPrice: bigint;
  readonly trailing: bigint;
  readonly trailingBps: bigint;
  /** The best price since a trailing stop was placed; 0 for other orders. */
  best: bigint;
  /** The limit of what it becomes; 0 for a market order. */
  readonly price: bigint;
  /** 0 if it closes the position, and for a leg whose entry order has opened nothing. */
  quantity: bigint;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
  readonly closePosition: boolean;
  /** The open order whose leg it is, or 0. */
  entry: number;
  /** The waiting order that ends when this one triggers, or 0. */
  linked: number;
  /** The episode that it reduces and with which it ends, or 0. */
  position: number;
  /** Counts the orders that began to wait for a price; 0 for a leg that waits for its entry order. */
  waitsSince: number;
  /** Counts the orders whose price was reached; 0 before that. */
  dueSince: number;
}

/** One open episode. */
export interface Position {
  readonly account: number;
  episode: number;
  /** Positive for a long, negative for a short; never 0. */
  base: bigint;
  entry: bigint;
  margin: bigint;
  /** What the insurance fund paid for the episode and has not got back. */
  insured: bigint;
  /** The notional that liquidation closed in the book and whose fee is not paid. */
  unpaidLiquidation: bigint;
  /** The last funding period that the position settled. */
  fundingPeriod: number;
}

export interface Market {
  readonly ordinal: number;
  specification: Specification;
  status: MarketStatus;
  /** Prices are 0 and times 0 before the first of their kind. */
  index: { price: bigint; observedAt: bigint; pendingPrice: bigint; pendingAt: bigint; confirmations: number };
  mark: bigint;
  /** How far the book and the trades have lately been from the index, in millionths of a tick. */
  averages: {
    bookMicroTicks: bigint;
    tradeMicroTicks: bigint;
    /** The notional of these trades; it decays. */
    traded: bigint;
    updatedAt: bigint;
    /** The trades since then. */
    newTraded: bigint;
    newBase: bigint;
  };
  lastPrice: bigint;
  lastTradedAt: bigint;
  /** In the order of the funding sweep, last to first: a new position is added at the end, the last one takes the place of a closed one. */
  positions: Position[];
  /** The accounts whose positions wait for another price, the longest waiting first. */
  parked: { account: number; nextStep: bigint }[];
  funding: {
    period: number;
    perLotMicroAtoms: bigint;
    ratePpb: bigint;
    endsAt: bigint;
    premiumSumPpb: bigint;
    premiumCount: bigint;
    sampledAt: bigint;
    watchedMs: bigint;
    /** 0 after an interruption. */
    watchedUntil: bigint;
    /** How many positions of the list, from its start, the sweep has yet to visit. */
    unsettled: number;
    pooled: bigint;
  };
  /** What the insurance fund paid on the last UTC day with a payment; and what the positions have brought it, less what it paid for them. */
  fundUse: { day: bigint; spent: bigint; balance: bigint };
}

export interface World {
  now: bigint;
  accounts: Account[];
  markets: Market[];
  /** Open orders in order of arrival. */
  orders: Order[];
  waiting: WaitingOrder[];
  /** Timers that are on. Market 0 is all markets. */
  timers: { account: number; market: number; deadline: bigint }[];
  /** Timers that cancel orders up to a number, in the order in which they fired. */
  fired: { account: number; market: number; lastOrder: number }[];
  ledgers: Record<Ledger, bigint>;
  netDeposits: bigint;
  withdrawals: { withdrawal: number; account: number; amount: bigint }[];
  lastOrder: number;
  lastTrade: number;
  lastEpisode: number;
  lastWithdrawal: number;
  lastArrival: number;
  lastWaiting: number;
  lastDue: number;
  clientOrderIds: { account: number; id: string; order: number; takenAt: bigint }[];
  /** Of the command in progress. */
  facts: Fact[];
  /** Money that moved in the command in progress, by account (or ledger) and kind. */
  postings: Record<string, bigint>;
  /** Accounts whose positions fills of the step in progress changed, in that order. */
  changed: number[];
}

export function emptyWorld(): World {
  return {
    now: 0n,
    accounts: [],
    markets: [],
    orders: [],
    waiting: [],
    timers: [],
    fired: [],
    ledgers: { fees: 0n, deficit: 0n, insurance: 0n, funding: 0n, withdrawals: 0n },
    netDeposits: 0n,
    withdrawals: [],
    lastOrder: 0,
    lastTrade: 0,
    lastEpisode: 0,
    lastWithdrawal: 0,
    lastArrival: 0,
    lastWaiting: 0,
    lastDue: 0,
    clientOrderIds: [],
    facts: [],
    postings: {},
    changed: [],
  };
}

export function note(world: World, fact: Fact): void {
  world.facts.push(fact);
}

export function accountOf(world: World, ordinal: number): Account | undefined {
  return world.accounts.find((account) => account.ordinal === ordinal);
}

export function marketOf(world: World, ordinal: number): Market | undefined {
  return world.markets.find((market) => market.ordinal === ordinal);
}

export function positionOf(market: Market, account: number): Position | undefined {
  return market.positions.find((position) => position.account === account);
}

/** The open orders of an account in a market, in order of arrival. */
export function ordersOf(world: World, market: Market, account: number): Order[] {
  return world.orders.filter((order) => order.account === account && order.market === market.ordinal);
}
