/**
 * The rows of an account with a long history: orders of every status, a fill for each, closed positions and funding payments in
 * the devnet's markets; and as many of another account in between. Not measured.
 */
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { untradedMarket } from '#projection/market-fold.ts';
import type { EpisodeRow, FillRow, OrderRow } from '#projection/rows.ts';
import type { ProjectionStore } from '#projection/store.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, Sequence, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, Ppb, PriceAtoms, QuoteAtoms, WideAtoms } from '#units/money.ts';

export const START_EPOCH_MS = 1_700_000_000_000;
export const ACCOUNT = 1 as AccountOrdinal;
export const MARKETS = DEVNET_MARKETS.map((_, place) => (place + 1) as MarketOrdinal);
const OPEN_ORDERS = 500;
const BATCH_ROWS = 20_000;

/** The time of the account's row with that number, one per second. */
export function timeOf(number: number): EpochMs {
  return (START_EPOCH_MS + number * 1_000) as EpochMs;
}

export function putHistory(store: ProjectionStore, rows: number): void {
  for (const [place, { specification }] of DEVNET_MARKETS.entries()) {
    const market = MARKETS[place]!;
    together(store, 0, () => {
      store.markets.put({
        market,
        marketId: specification.marketId,
        specification: JSON.stringify(specification),
        history: null,
        status: 'open',
        ownStatus: 'open',
      });
      store.marketActivity.put(untradedMarket(market));
      store.fundingPeriods.put({
        market,
        period: 1,
        ratePpb: 12_500 as Ppb,
        indexPriceAtoms: 10_000 as PriceAtoms,
        perLotMicroAtoms: 1,
        settledAtEpochMs: timeOf(0),
        sequence: 1 as Sequence,
      });
    });
  }
  for (let begin = 1; begin <= rows; begin += BATCH_ROWS) {
    const end = Math.min(rows, begin + BATCH_ROWS - 1);
    together(store, end, () => {
      for (let number = begin; number <= end; number += 1) putRows(store, number, rows);
    });
  }
}

function together(store: ProjectionStore, sequence: number, put: () => void): void {
  store.fold(() => {
    put();
    return { ...store.checkpoint, sequence: sequence as Sequence, epochMs: timeOf(sequence) };
  });
  store.save();
}

/** The account's rows have odd numbers, the other account's even ones. */
function putRows(store: ProjectionStore, number: number, rows: number): void {
  for (const account of [ACCOUNT, 2 as AccountOrdinal]) {
    const order = orderOf(number, account, number > rows - OPEN_ORDERS);
    store.orders.put(order);
    const fill = fillOf(order);
    store.fills.put(fill);
    const {
      trade,
      market,
      origin,
      side: takerSide,
      priceAtoms,
      quantityAtoms,
      notionalAtoms,
      executedAtEpochMs,
      sequence,
    } = fill;
    store.trades.put({ trade, market, origin, takerSide, priceAtoms, quantityAtoms, notionalAtoms, executedAtEpochMs, sequence });
    if (number % 4 === 0) {
      store.episodes.put(episodeOf(order));
      store.fundingPayments.put({
        account,
        market: order.market,
        period: 1,
        position: order.order as number as PositionOrdinal,
        paidAtoms: 12 as QuoteAtoms,
        fromMarginAtoms: 12 as QuoteAtoms,
        paidAtEpochMs: order.createdAtEpochMs,
        sequence: order.lastSequence,
      });
      store.cashMovements.put({
        account,
        movedAtEpochMs: order.createdAtEpochMs,
        sequence: order.lastSequence,
        posting: 1,
        kind: 'deposit',
        amountAtoms: 1 as QuoteAtoms,
        market: 0,
        position: 0,
        order: 0,
        trade: 0,
        reference: `deposit-${order.order}`,
      });
      store.deposits.put({
        sequence: order.order as number as Sequence,
        account,
        amountAtoms: 1 as QuoteAtoms,
        deposit: null,
        ledgerEventId: '',
        updatedAtEpochMs: order.createdAtEpochMs,
      });
    }
  }
}

export function numberedFor(number: number, account: AccountOrdinal): number {
  return 2 * number - (account === ACCOUNT ? 1 : 0);
}

function orderOf(number: number, account: AccountOrdinal, isOpen: boolean): OrderRow {
  const quantityAtoms = 1_000 as BaseAtoms;
  const isFilled = number % 2 === 0;
  return {
    order: numberedFor(number, account) as OrderOrdinal,
    account,
    market: MARKETS[number % MARKETS.length]!,
    origin: 'client',
    clientOrderId: `order-${number}`,
    idempotencyKey: `key-${number}`,
    side: isFilled ? 'buy' : 'sell',
    orderType: 'limit',
    priceAtoms: (10_000 + (number % 100)) as PriceAtoms,
    quantityAtoms,
    notionalAtoms: null,
    postOnly: 0,
    reduceOnly: 0,
    leverageHundredths: 0,
    timeInForce: null,
    expiresAtEpochMs: null,
    createdAtEpochMs: timeOf(number),
    status: isOpen ? 'open' : isFilled ? 'filled' : 'cancelled',
    cancelReason: isOpen || isFilled ? null : 'user',
    filledAtoms: (isFilled && !isOpen ? quantityAtoms : 0) as BaseAtoms,
    filledNotionalAtoms: 10_000_000 as QuoteAtoms,
    feeAtoms: 5_000 as QuoteAtoms,
    lastFillAtEpochMs: isFilled ? timeOf(number) : null,
    updatedAtEpochMs: timeOf(number),
    lastSequence: number as Sequence,
    trigger: null,
    attached: null,
  };
}

function fillOf(order: OrderRow): FillRow {
  const { account, market, origin, clientOrderId, orderType, side } = order;
  return {
    account,
    trade: order.order as number as TradeOrdinal,
    order: order.order,
    market,
    position: order.order as number as PositionOrdinal,
    origin,
    clientOrderId,
    orderType,
    side,
    liquidity: 'maker',
    priceAtoms: order.priceAtoms!,
    quantityAtoms: order.quantityAtoms!,
    notionalAtoms: order.filledNotionalAtoms,
    feeAtoms: order.feeAtoms,
    realizedPnlAtoms: 0 as QuoteAtoms,
    liquidationFeeAtoms: 0 as QuoteAtoms,
    insuranceCoveredAtoms: 0 as QuoteAtoms,
    executedAtEpochMs: order.createdAtEpochMs,
    sequence: order.lastSequence,
  };
}

function episodeOf({ order, account, market, createdAtEpochMs, lastSequence }: OrderRow): EpisodeRow {
  const total = '10000000' as WideAtoms;
  return {
    position: order as number as PositionOrdinal,
    account,
    market,
    side: 'long',
    openedAtEpochMs: createdAtEpochMs,
    status: 'closed',
    closedAtEpochMs: createdAtEpochMs,
    closeReason: 'user_close',
    signedBaseAtoms: 0 as BaseAtoms,
    entryNotionalAtoms: 0 as QuoteAtoms,
    marginAtoms: 0 as QuoteAtoms,
    maxQuantityAtoms: 1_000 as BaseAtoms,
    openedBaseAtoms: '1000' as WideAtoms,
    openedNotionalAtoms: total,
    closedBaseAtoms: '1000' as WideAtoms,
    closedNotionalAtoms: total,
    realizedPnlAtoms: 0 as QuoteAtoms,
    feesPaidAtoms: 10_000 as QuoteAtoms,
    insuranceCoveredAtoms: 0 as QuoteAtoms,
    insuredAtoms: 0 as QuoteAtoms,
    fundingPaidAtoms: 12 as QuoteAtoms,
    updatedAtEpochMs: createdAtEpochMs,
    lastSequence,
  };
}
