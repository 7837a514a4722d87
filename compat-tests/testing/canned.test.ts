/** The canned responses match the contract. */
import { test } from 'vitest';
import { orderList, positionHistory } from '#contract/account-history.ts';
import { ledgerEntryList } from '#contract/account-ledger.ts';
import { accountSnapshot } from '#contract/accounts.ts';
import { apiKeyCurrent } from '#contract/auth.ts';
import { cancelAllAfterSet } from '#contract/cancel-all-after.ts';
import { fundingPaymentList, fundingRateList } from '#contract/funding.ts';
import { marketLeverage } from '#contract/leverage.ts';
import { marketStatsList } from '#contract/market-data.ts';
import { marketCatalogue, marketStats, singleMarket } from '#contract/markets.ts';
import { orderAmendment, orderAmendmentOutcomes } from '#contract/order-amendments.ts';
import { orderBatch } from '#contract/order-batches.ts';
import { cancelledOrders, orderCancelOutcomes } from '#contract/order-cancels.ts';
import { order } from '#contract/orders.ts';
import { marginAdjustment } from '#contract/position-margin.ts';
import { positionSnapshot } from '#contract/positions.ts';
import { transferHistory } from '#contract/transfers.ts';
import {
  AMENDED,
  AMENDMENTS,
  API_KEY,
  BATCH,
  CANCELLED,
  CANCELS,
  CATALOGUE,
  FUNDING_RATES,
  ORDER,
  ORDERS,
  SINGLE_MARKET,
  STATS_BEFORE_TRADES,
  STATS_LIST,
  TIMER,
  TRAILING_ORDER,
  WAITING_ORDER,
} from './canned.ts';
import {
  ACCOUNT,
  FUNDING_PAYMENTS,
  LEDGER,
  LEVERAGE,
  MARGIN_CHANGE,
  MORE_TRANSFERS,
  POSITION_HISTORY,
  POSITIONS,
  TRANSFERS,
} from './canned-account.ts';

test('match the schemas of the contract', () => {
  marketCatalogue.parse(CATALOGUE);
  singleMarket.parse(SINGLE_MARKET);
  marketStats.parse(STATS_BEFORE_TRADES);
  apiKeyCurrent.parse(API_KEY);
  order.parse(ORDER);
  orderList.parse(ORDERS);
  for (const waiting of [WAITING_ORDER, TRAILING_ORDER]) order.parse(waiting);
  orderAmendment.parse(AMENDED);
  orderAmendmentOutcomes.parse(AMENDMENTS);
  cancelAllAfterSet.parse(TIMER);
  marketLeverage.parse(LEVERAGE);
  marginAdjustment.parse(MARGIN_CHANGE);
  orderBatch.parse(BATCH);
  orderCancelOutcomes.parse(CANCELS);
  cancelledOrders.parse(CANCELLED);
  accountSnapshot.parse(ACCOUNT);
  positionSnapshot.parse(POSITIONS);
  marketStatsList.parse(STATS_LIST);
  fundingRateList.parse(FUNDING_RATES);
  fundingPaymentList.parse(FUNDING_PAYMENTS);
  positionHistory.parse(POSITION_HISTORY);
  ledgerEntryList.parse(LEDGER);
  transferHistory.parse(TRANSFERS);
  transferHistory.parse(MORE_TRANSFERS);
});
