/** The leverage that an account has in a market, for clients. */
import type { LeverageSetting } from '#contract/leverage.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { DEFAULT_LEVERAGE_X } from '#venue/risk/risk-rules.ts';
import type { MarketScales } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

export function leverageSetting(store: ProjectionStore, market: MarketScales, account: AccountOrdinal): LeverageSetting {
  const chosenX = store.leverages.find(account, market.market)?.leverageX ?? 0;
  const { maxLeverageX } = market.specification;
  return {
    marketId: market.marketId,
    leverageX: Math.min(maxLeverageX, chosenX === 0 ? DEFAULT_LEVERAGE_X : chosenX),
    isDefault: chosenX === 0,
    maxLeverageX,
  };
}
