/**
 * A history in which the insurance fund pays 2 for a partial liquidation of account 1. The account repays 0.5 by margin that it removes, and
 * the rest by the close of its position.
 */
import { History } from '#simulation/history.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';

const [OWNER, SHORT, BIDDER] = [1, 2, 3];

export function repaidCover(): History {
  const history = History.begin(3, { ...SCENARIO_MARKET, autoDeleveraging: false });
  history.run({ type: 'CreditInsurance', amountAtoms: 1_000_000_000 as QuoteAtoms, reference: 'test' });
  history.limit(SHORT, 'sell', 10_000, 1_000, { leverageX: 2 });
  history.limit(OWNER, 'buy', 10_000, 1_000, { leverageX: 20 });
  // Below the bankruptcy price of 950.0.
  history.limit(BIDDER, 'buy', 9_450, 400);
  history.price(9_400);
  history.price(10_000);
  adjustMargin(history, 'add', 100_000_000);
  adjustMargin(history, 'remove', 500_000);
  history.limit(BIDDER, 'buy', 10_000, 600);
  history.market(OWNER, 'sell', 600, { reduceOnly: true });
  return history;
}

function adjustMargin(history: History, direction: 'add' | 'remove', atoms: number): void {
  const [account, market] = [OWNER as AccountOrdinal, 1 as MarketOrdinal];
  history.run({ type: 'AdjustPositionMargin', account, market, direction, amountAtoms: atoms as QuoteAtoms });
}
