/** Funding resources of the contract: payments of positions and settled rates. */
import type { FundingPaymentResource, SettledFundingRate } from '#contract/funding.ts';
import { renderDecimal } from '#units/decimal.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { Ppb } from '#units/money.ts';
import type { MarketScales } from './market-scales.ts';
import { renderMoney } from './market-scales.ts';
import { PAST_PERIOD } from './past-candles.ts';
import type { FundingPaymentRow, FundingPeriodRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

const PPB_DECIMALS = 9;

export function renderRate(ppb: Ppb): string {
  return renderDecimal(ppb, PPB_DECIMALS);
}

export function fundingPaymentResource(
  store: ProjectionStore,
  payment: FundingPaymentRow,
  market: MarketScales,
): FundingPaymentResource {
  const { account, position, period, paidAtoms } = payment;
  // The period of a payment is always stored: it is settled before any position pays.
  const { ratePpb } = store.fundingPeriods.find(payment.market, period)!;
  return {
    paymentId: `${renderOrdinal(position)}-${period}`,
    accountId: renderAccountId(account),
    marketId: market.marketId,
    positionId: renderOrdinal(position),
    period,
    fundingRate: renderRate(ratePpb),
    asset: 'USD.E',
    amountAtoms: String(paidAtoms),
    amount: renderMoney(paidAtoms),
    paidAtEpochMs: payment.paidAtEpochMs,
    sequence: payment.sequence,
  };
}

export function fundingRateResource(row: FundingPeriodRow, market: MarketScales): SettledFundingRate {
  const { period, ratePpb, indexPriceAtoms, settledAtEpochMs, sequence } = row;
  return {
    marketId: market.marketId,
    period,
    fundingRate: renderRate(ratePpb),
    indexPrice: market.price(indexPriceAtoms),
    settledAtEpochMs,
    sequence,
    synthetic: period === PAST_PERIOD,
  };
}
