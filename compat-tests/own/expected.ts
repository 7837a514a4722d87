/**
 * The unified structure of each resource of /v1, derived independently from the interface, so that every field of the class is
 * checked. Money is compared as decimals; null of /v1 is undefined.
 */
import { Precise } from 'ccxt';
import { type Row, symbolOf, type VenueAccount } from '#compat/venue-account.ts';

type Structure = Readonly<Record<string, unknown>>;

/** The market of a resource. */
export interface Context {
  readonly account: VenueAccount;
}

const number = (value: unknown) => (value === null || value === undefined ? undefined : Number(value));
const text = (value: unknown) => (value === null || value === undefined ? undefined : String(value));
const iso = (epochMs: unknown) => new Date(Number(epochMs)).toISOString();
const bps = (value: unknown) => Number(value) / 10_000;

function over(left: unknown, right: unknown): number | undefined {
  if (left === null || left === undefined || right === null || right === undefined) return undefined;
  return number(Precise.stringDiv(String(left), String(right)));
}

function times(left: unknown, right: unknown): number | undefined {
  if (left === null || left === undefined || right === null || right === undefined) return undefined;
  return number(Precise.stringMul(String(left), String(right)));
}

function plus(left: unknown, right: unknown): number | undefined {
  if (left === null || left === undefined || right === null || right === undefined) return undefined;
  return number(Precise.stringAdd(String(left), String(right)));
}

function at(epochMs: unknown): Structure {
  return { timestamp: Number(epochMs), datetime: iso(epochMs) };
}

const symbolIn = ({ marketId }: Row, { account }: Context) => account.symbolOfId(marketId);
const marketOf = (row: Row, context: Context) => context.account.market(symbolIn(row, context));

export function market(row: Row): Structure {
  const atom = 10 ** -Number(row.settlementAssetDecimals);
  return {
    id: row.marketId,
    symbol: symbolOf(row),
    base: row.baseAsset,
    baseId: row.baseAsset,
    quote: row.quoteAsset,
    quoteId: row.quoteAsset,
    settle: row.settlementAsset,
    settleId: row.settlementAsset,
    type: 'swap',
    subType: 'linear',
    ...{ swap: true, contract: true, linear: true },
    ...{ spot: false, margin: false, future: false, option: false, index: false, inverse: false },
    active: row.status === 'open',
    contractSize: number(row.contractSize),
    ...fees(row),
    precision: { amount: number(row.lotSize), price: number(row.tickSize), cost: atom, quote: atom },
    limits: {
      leverage: { min: 1, max: row.maxLeverageX },
      amount: { min: number(row.minQuantity), max: number(row.maxQuantity) },
      price: { min: number(row.minPrice), max: number(row.maxPrice) },
      cost: { min: 0, max: undefined },
    },
    marginModes: { cross: false, isolated: true },
    info: row,
  };
}

function fees(row: Row): Structure {
  return { maker: bps(row.makerFeeBps), taker: bps(row.takerFeeBps) };
}

export function tradingFee(row: Row): Structure {
  return { symbol: symbolOf(row), ...fees(row), percentage: true, tierBased: false, info: row };
}

export function tiers(row: Row): readonly Structure[] {
  const entries = row.maintenanceMarginTiers as readonly Row[];
  const atom = `0.${'1'.padStart(Number(row.settlementAssetDecimals), '0')}`;
  return entries.map((entry, index) => {
    const next = entries[index + 1];
    return {
      tier: index + 1,
      symbol: symbolOf(row),
      currency: row.settlementAsset,
      minNotional: times(entry.notionalThresholdAtoms, atom),
      maxNotional: next === undefined ? number(row.maxPositionNotional) : times(next.notionalThresholdAtoms, atom),
      maintenanceMarginRate: bps(entry.maintenanceMarginBps),
      maxLeverage: entry.maxLeverageX,
      info: entry,
    };
  });
}

export function ticker(row: Row, context: Context): Structure {
  return {
    symbol: symbolIn(row, context),
    ...at(row.asOfEpochMs),
    high: number(row.highPrice24h),
    low: number(row.lowPrice24h),
    bid: number(row.bestBidPrice),
    bidVolume: number(row.bestBidQuantity),
    ask: number(row.bestAskPrice),
    askVolume: number(row.bestAskQuantity),
    open: number(row.openPrice24h),
    close: number(row.lastPrice),
    last: number(row.lastPrice),
    baseVolume: number(row.baseVolume24h),
    quoteVolume: number(row.quoteVolume24h),
    markPrice: number(row.markPrice),
    indexPrice: number(row.indexPrice),
    info: row,
  };
}

export function lastPrice(row: Row): Structure {
  return { symbol: symbolOf(row), price: number(row.lastPrice), info: row };
}

export function openInterest(row: Row, context: Context): Structure {
  return {
    symbol: symbolIn(row, context),
    openInterestAmount: number(row.openInterest),
    openInterestValue: times(row.openInterest, row.markPrice),
    ...at(row.asOfEpochMs),
    info: row,
  };
}

export function fundingRate(row: Row, context: Context): Structure {
  const { fundingInterestRate, fundingPeriodMs } = marketOf(row, context);
  const last = row.lastFundingAtEpochMs;
  return {
    symbol: symbolIn(row, context),
    markPrice: number(row.markPrice),
    indexPrice: number(row.indexPrice),
    interestRate: number(fundingInterestRate),
    ...at(row.asOfEpochMs),
    fundingRate: number(row.estimatedFundingRate),
    fundingTimestamp: row.nextFundingAtEpochMs,
    fundingDatetime: iso(row.nextFundingAtEpochMs),
    previousFundingRate: number(row.lastFundingRate),
    previousFundingTimestamp: last,
    previousFundingDatetime: last === null || last === undefined ? undefined : iso(last),
    interval: intervalOf(Number(fundingPeriodMs)),
    info: row,
  };
}

function intervalOf(periodMs: number): string {
  if (periodMs % 3_600_000 === 0) return `${periodMs / 3_600_000}h`;
  return periodMs % 60_000 === 0 ? `${periodMs / 60_000}m` : `${periodMs / 1_000}s`;
}

export function settledRate(row: Row, context: Context): Structure {
  return { symbol: symbolIn(row, context), fundingRate: number(row.fundingRate), ...at(row.settledAtEpochMs), info: row };
}

export function book(row: Row, context: Context): Structure {
  const levels = (side: unknown) => (side as [string, string][]).map(([price, size]) => [Number(price), Number(size)]);
  return {
    symbol: symbolIn(row, context),
    bids: levels(row.bids),
    asks: levels(row.asks),
    nonce: row.sequence,
    ...at(row.asOfEpochMs),
  };
}

export function candle(row: Row): readonly unknown[] {
  const { openTimeEpochMs, open, high, low, close, volume } = row;
  return [openTimeEpochMs, ...[open, high, low, close, volume].map(number)];
}

/** A public trade, or a fill of the account. */
export function trade(row: Row, context: Context): Structure {
  const fee = row.fee === undefined ? undefined : { cost: number(row.fee), currency: row.feeAsset };
  return {
    id: row.tradeId,
    order: text(row.orderId),
    ...at(row.executedAtEpochMs),
    symbol: symbolIn(row, context),
    type: row.orderType,
    side: row.side,
    takerOrMaker: row.liquidity,
    price: number(row.price),
    amount: number(row.quantity),
    cost: number(row.notional),
    ...(fee !== undefined && { fee, fees: [fee] }),
    info: row,
  };
}

export function balance(row: Row): Structure {
  const asset = String(row.asset);
  const total = plus(row.cashBalance, row.positionMargin);
  const free = number(row.availableForOrders);
  const used = number(Precise.stringSub(String(total), String(free)));
  return {
    [asset]: { free, used, total },
    free: { [asset]: free },
    used: { [asset]: used },
    total: { [asset]: total },
    ...at((row.freshness as Row).asOfEpochMs),
    info: row,
  };
}

export function position(row: Row, context: Context): Structure {
  const { currentQuantity, entryNotional, margin, markPrice, unrealizedPnl, maintenanceRequirement } = row;
  const notional = times(currentQuantity, markPrice);
  const collateral = plus(margin, unrealizedPnl);
  return {
    ...positionKeys(row, context),
    contracts: number(currentQuantity),
    entryPrice: over(entryNotional, currentQuantity),
    markPrice: number(markPrice),
    lastPrice: undefined,
    notional,
    leverage: over(entryNotional, margin),
    collateral,
    initialMargin: number(margin),
    initialMarginPercentage: over(margin, entryNotional),
    maintenanceMargin: number(maintenanceRequirement),
    maintenanceMarginPercentage: over(maintenanceRequirement, notional),
    marginRatio: over(maintenanceRequirement, collateral),
    unrealizedPnl: number(unrealizedPnl),
    liquidationPrice: number(row.liquidationPrice),
    percentage: number(Precise.stringMul(Precise.stringDiv(String(unrealizedPnl), String(margin)) as string, '100')),
  };
}

export function closedPosition(row: Row, context: Context): Structure {
  const absent = [
    'markPrice',
    'notional',
    'leverage',
    'collateral',
    'initialMargin',
    'marginRatio',
    'unrealizedPnl',
    'percentage',
  ];
  return {
    ...positionKeys(row, context),
    contracts: number(row.maxQuantity),
    entryPrice: number(row.avgEntryPrice),
    lastPrice: number(row.avgExitPrice),
    ...Object.fromEntries(absent.map((key) => [key, undefined])),
  };
}

function positionKeys(row: Row, context: Context): Structure {
  return {
    id: row.positionId,
    symbol: symbolIn(row, context),
    side: row.side,
    contractSize: 1,
    hedged: false,
    marginMode: row.marginMode,
    realizedPnl: number(row.realizedPnl),
    ...at(row.updatedAtEpochMs),
    lastUpdateTimestamp: row.updatedAtEpochMs,
    info: row,
  };
}

export function adlRank(row: Row, context: Context): Structure {
  return { symbol: symbolIn(row, context), rank: row.adlIndicator, ...at(row.updatedAtEpochMs), info: row };
}

export function payment(row: Row, context: Context): Structure {
  return {
    id: row.paymentId,
    symbol: symbolIn(row, context),
    code: row.asset,
    ...at(row.paidAtEpochMs),
    amount: -Number(row.amount) + 0,
    rate: number(row.fundingRate),
    info: row,
  };
}

export function transfer(row: Row): Structure {
  const statuses: Readonly<Record<string, string>> = { credited: 'ok', reserved: 'pending', settled: 'ok', released: 'canceled' };
  return {
    id: row.transferId,
    txid: text(row.ledgerEventId),
    ...at(row.updatedAtEpochMs),
    updated: row.updatedAtEpochMs,
    network: 'LEDGER',
    type: row.kind,
    amount: number(row.amount),
    currency: row.asset,
    status: statuses[String(row.status)],
    internal: false,
    fee: { cost: 0, currency: row.asset },
    info: row,
  };
}

export function order(row: Row, context: Context): Structure {
  const statuses: Readonly<Record<string, string>> = { open: 'open', filled: 'closed', cancelled: 'canceled' };
  const fee = { cost: number(row.feePaid), currency: marketOf(row, context).settlementAsset };
  const trigger = Object(row.trigger);
  // A trailing stop shows the price of its placement, which is not the current one.
  const isUnknown = trigger.type === 'trailing_stop' && trigger.status !== 'triggered';
  const triggerPrice = isUnknown ? undefined : number(trigger.price);
  return {
    id: row.orderId,
    clientOrderId: text(row.clientOrderId),
    ...at(row.createdAtEpochMs),
    lastTradeTimestamp: row.lastFillAtEpochMs,
    lastUpdateTimestamp: row.updatedAtEpochMs,
    status: statuses[String(row.status)],
    symbol: symbolIn(row, context),
    type: row.orderType,
    timeInForce: row.timeInForce,
    postOnly: row.postOnly,
    reduceOnly: row.reduceOnly,
    side: row.side,
    // ccxt's base shows the average price of an order without a limit price.
    price: number(row.price ?? row.averagePrice),
    amount: number(row.quantity ?? row.filledQuantity),
    cost: number(row.filledNotional),
    average: number(row.averagePrice),
    filled: number(row.filledQuantity),
    remaining: number(row.remainingQuantity),
    triggerPrice,
    stopPrice: triggerPrice,
    stopLossPrice: trigger.type === 'stop_loss' ? triggerPrice : undefined,
    takeProfitPrice: trigger.type === 'take_profit' ? triggerPrice : undefined,
    fee,
    fees: [fee],
    trades: [],
    info: row,
  };
}
