/** Every number of the engine's state, in the shape of the oracle's view. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Account } from '#venue/account/account.ts';
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { NO_SLOT, type Slot } from '#venue/order/order-table.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Position } from '#venue/position/position.ts';
import { maintenanceRequirementOf, positionEquityOf } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import type { WaitingTrigger } from '#venue/trigger/waiting-trigger.ts';

export function engineViewOf(state: VenueState): Record<string, unknown> {
  const markets = state.markets.slice(1).map((market) => market!.ordinal);
  return {
    accounts: state.accounts.slice(1).map((account) => accountView(account!)),
    markets: state.markets.slice(1).map((market) => marketView(state, market!)),
    ledgers: { ...state.ledgers },
    netDeposits: state.netDepositsAtoms,
    withdrawals: [...state.withdrawals.values()].map(({ withdrawal, account, amountAtoms: amount }) => ({
      withdrawal,
      account,
      amount,
    })),
    waiting: [...state.triggers.byOrder.values()].map(waitingView),
    timers: state.accounts
      .slice(1)
      .flatMap((account) => state.cancelTimers.of(account!.ordinal, markets))
      .map(({ account, market, deadlineEpochMs: deadline }) => ({ account, market, deadline })),
    firstFired: state.cancelTimers.firstFired ?? null,
    lastOrder: state.lastOrder,
    lastTrade: state.lastTrade,
    lastEpisode: state.lastPosition,
    lastWithdrawal: state.lastWithdrawal,
  };
}

function accountView({ cashAtoms, reservedAtoms, availableAtoms, openOrders, leverages }: Account): unknown {
  return {
    cash: cashAtoms,
    reserved: reservedAtoms,
    available: availableAtoms,
    openOrders,
    leverages: Object.fromEntries(leverages ?? []),
  };
}

function marketView(state: VenueState, market: Market): unknown {
  const { averages, funding, fundUse, index, positions } = market;
  const list = Array.from({ length: positions.count }, (_, at) => positions.at(at));
  return {
    specification: market.specification,
    status: market.status,
    index: {
      price: index.acceptedPriceAtoms,
      observedAt: index.acceptedAtEpochMs,
      pendingPrice: index.pendingPriceAtoms,
      pendingAt: index.pendingAtEpochMs,
      confirmations: index.confirmations,
    },
    mark: market.markPriceAtoms,
    averages: {
      bookMicroTicks: averages.bookMicroTicks,
      tradeMicroTicks: averages.tradeMicroTicks,
      traded: averages.tradedAtoms,
      updatedAt: averages.updatedAtEpochMs,
      newTraded: averages.newTradedAtoms,
      newBase: averages.newBaseAtoms,
    },
    lastPrice: market.lastPriceAtoms,
    lastTradedAt: market.lastTradedAtEpochMs,
    funding: {
      period: funding.period,
      perLotMicroAtoms: funding.perLotMicroAtoms,
      ratePpb: funding.ratePpb,
      endsAt: funding.endsAtEpochMs,
      premiumSumPpb: funding.premiumSumPpb,
      premiumCount: funding.premiumCount,
      sampledAt: funding.sampledAtEpochMs,
      watchedMs: funding.watchedMs,
      watchedUntil: funding.watchedUntilEpochMs,
      unsettled: funding.unsettled,
      pooled: funding.pooledAtoms,
    },
    fundUse: { day: fundUse.day, spent: fundUse.spentAtoms, balance: fundUse.balanceAtoms },
    parked: [...positions.parked()].map((position) => ({
      account: position.account,
      nextStep: positions.nextStepOf(position),
    })),
    positions: list.map((position) => positionView(market, position)),
    due: [...market.triggers.due()].map(({ order }) => order),
    bids: sideView(state, market, 'sell'),
    asks: sideView(state, market, 'buy'),
  };
}

function waitingView(it: WaitingTrigger): unknown {
  return {
    order: it.order,
    account: it.account,
    market: it.market,
    side: it.side,
    kind: it.kind,
    source: it.source,
    direction: it.direction,
    triggerPrice: it.triggerPriceAtoms,
    trailing: it.trailingAtoms,
    trailingBps: it.trailingBps,
    best: it.bestPriceAtoms,
    price: it.priceAtoms,
    quantity: it.quantityAtoms,
    reduceOnly: it.reduceOnly,
    leverageHundredths: it.leverageHundredths,
    closePosition: it.closePosition,
    entry: it.entry,
    linked: it.linked,
    position: it.position,
    isWaiting: it.isLive,
  };
}

function positionView(market: Market, position: Position): unknown {
  const { markPriceAtoms: mark, tickLotAtoms, specification } = market;
  const notional = mark * Math.abs(position.signedBaseAtoms) * tickLotAtoms;
  return {
    account: position.account,
    episode: position.ordinal,
    base: position.signedBaseAtoms,
    entry: position.entryNotionalAtoms,
    margin: position.marginAtoms,
    insured: position.insuredAtoms,
    unpaidLiquidation: position.liquidatedNotionalAtoms,
    fundingPeriod: position.fundingPeriod,
    isParked: market.positions.isParked(position),
    restingBase: position.restingBaseAtoms,
    restingNotional: position.restingNotionalAtoms,
    reduceOnlyBase: position.reduceOnlyBaseAtoms,
    equity: positionEquityOf(position, mark, tickLotAtoms),
    maintenance: maintenanceRequirementOf(notional as never, specification.maintenanceMarginTiers),
    liquidationPrice: position.liquidationPriceAtoms,
  };
}

/** The orders that an incoming order of a side would meet, in that order. */
function sideView({ orders, expiries }: VenueState, { book }: Market, takerSide: Side): unknown[] {
  const found: unknown[] = [];
  for (let price = book.bestAgainst(takerSide); price !== NO_PRICE; price = book.nextAgainst(takerSide, price)) {
    for (let slot: Slot = book.firstAt(price); slot !== NO_SLOT; slot = orders.behind(slot)) {
      found.push({
        order: orders.orderOf(slot),
        account: orders.accountOf(slot) as AccountOrdinal,
        price: orders.priceOf(slot),
        remaining: orders.remainingOf(slot),
        filled: orders.filledOf(slot),
        postOnly: orders.isPostOnly(slot),
        expiresAt: expiries.timeOf(orders.orderOf(slot)) ?? 0,
        reduceOnly: orders.isReduceOnly(slot),
        placedAtMark: orders.markOf(slot),
        initialMarginBps: orders.initialMarginBpsOf(slot),
        leverageHundredths: orders.leverageOf(slot),
        reserved: orders.reservedOf(slot),
      });
    }
  }
  return found;
}
