/** Converts accounts, positions and fills of /v1 to the structures of the unified library. */
import type { FillResource } from '#contract/account-history.ts';
import type { AccountSnapshot } from '#contract/accounts.ts';
import type { PositionResource } from '#contract/positions.ts';
import type { UnifiedBalance, UnifiedPosition, UnifiedTrade } from '#contract/unified-accounts.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { over, plus, times } from './decimals.ts';
import { numberOf, numberOrNull } from './numbers.ts';

export function unifiedBalance(account: AccountSnapshot): UnifiedBalance {
  const { asset, cashBalance, positionMargin, availableForOrders, freshness } = account;
  const free = numberOf(availableForOrders);
  const total = numberOf(plus(cashBalance, positionMargin)!);
  return {
    free: { [asset]: free },
    total: { [asset]: total },
    [asset]: { free, total },
    timestamp: freshness.asOfEpochMs,
    datetime: renderIsoTime(freshness.asOfEpochMs),
    info: account,
  };
}

export function unifiedPosition(position: PositionResource, symbol: string): UnifiedPosition {
  const { currentQuantity: contracts, entryNotional, margin, markPrice, unrealizedPnl, maintenanceRequirement } = position;
  const notional = times(contracts, markPrice);
  const collateral = plus(margin, unrealizedPnl);
  return {
    id: position.positionId,
    symbol,
    timestamp: position.updatedAtEpochMs,
    datetime: renderIsoTime(position.updatedAtEpochMs),
    lastUpdateTimestamp: position.updatedAtEpochMs,
    contracts: numberOf(contracts),
    contractSize: 1,
    side: position.side,
    hedged: false,
    marginMode: position.marginMode,
    entryPrice: numberOrNull(over(entryNotional, contracts)),
    markPrice: numberOrNull(markPrice),
    lastPrice: null,
    notional: numberOrNull(notional),
    leverage: numberOrNull(over(entryNotional, margin)),
    collateral: numberOrNull(collateral),
    initialMargin: numberOf(margin),
    initialMarginPercentage: numberOrNull(over(margin, entryNotional)),
    maintenanceMargin: numberOrNull(maintenanceRequirement),
    maintenanceMarginPercentage: numberOrNull(over(maintenanceRequirement, notional)),
    marginRatio: numberOrNull(over(maintenanceRequirement, collateral)),
    unrealizedPnl: numberOrNull(unrealizedPnl),
    realizedPnl: numberOf(position.realizedPnl),
    liquidationPrice: numberOrNull(position.liquidationPrice),
    stopLossPrice: null,
    takeProfitPrice: null,
    percentage: numberOrNull(times(over(unrealizedPnl, margin), '100')),
    info: position,
  };
}

export function unifiedTrade(fill: FillResource, symbol: string): UnifiedTrade {
  const fee = { cost: numberOf(fill.fee), currency: fill.feeAsset };
  return {
    id: fill.tradeId,
    order: fill.orderId,
    timestamp: fill.executedAtEpochMs,
    datetime: renderIsoTime(fill.executedAtEpochMs),
    symbol,
    type: fill.orderType,
    side: fill.side,
    takerOrMaker: fill.liquidity,
    price: numberOf(fill.price),
    amount: numberOf(fill.quantity),
    cost: numberOf(fill.notional),
    fee,
    fees: [fee],
    info: fill,
  };
}
