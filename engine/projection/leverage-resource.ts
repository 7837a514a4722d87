/** The leverage that an account has in a market, for clients. */
import type { LeverageSetting } from '#contract/leverage.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { leverageXOf } from '#units/leverage.ts';
import { DEFAULT_LEVERAGE_HUNDREDTHS } from '#venue/risk/risk-rules.ts';
import type { MarketScales } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

export function leverageSetting(store: ProjectionStore, market: MarketScales, account: AccountOrdinal): LeverageSetting {
  const chosen = store.leverages.find(account, market.market)?.leverageHundredths ?? 0;
  const { maxLeverageX } = market.specification;
  return {
    marketId: market.marketId,
    leverageX: Math.min(maxLeverageX, leverageXOf(chosen === 0 ? DEFAULT_LEVERAGE_HUNDREDTHS : chosen)),
    isDefault: chosen === 0,
    maxLeverageX,
  };
}
