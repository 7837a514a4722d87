/** A devnet market at its base price, and what attackers gain in it. */
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { BTC, Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { mulDivDown, type PriceAtoms, type QuoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

export interface DevnetScenario {
  readonly scenario: Scenario;
  readonly specification: MarketSpecification;
  /** The index at the start, in ticks. */
  readonly startPrice: PriceAtoms;
}

/** Lists the devnet market with that id as market 1, and opens `accounts` accounts with `depositAtoms` each. */
export function devnetScenario(marketId: string, accounts: number, depositAtoms: number, rules: RiskRules): DevnetScenario {
  const { basePrice, specification } = DEVNET_MARKETS.find((market) => market.specification.marketId === marketId)!;
  const startPrice = (basePrice * 10 ** specification.priceScale) as PriceAtoms;
  const scenario = new Scenario(rules);
  scenario.snapshotEvery = Number.POSITIVE_INFINITY;
  scenario.run({ type: 'ListMarket', specification, status: 'open' });
  scenario.price(startPrice);
  for (let account = 1; account <= accounts; account += 1) {
    scenario.run({ type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: 7 });
    scenario.run({
      type: 'CreditCash',
      account: account as AccountOrdinal,
      amountAtoms: depositAtoms as QuoteAtoms,
      reference: 'test',
    });
  }
  return { scenario, specification, startPrice };
}

/** Moves the index in steps that the market accepts at once, one a second. */
export function moveIndex({ scenario }: DevnetScenario, to: number): void {
  let price: number = scenario.venue.state.market(BTC)!.index.acceptedPriceAtoms;
  while (price !== to) {
    const step = mulDivDown<number>(price, 1, 100);
    price = to > price ? Math.min(to, price + step) : Math.max(to, price - step);
    scenario.wait(1_000);
    scenario.price(price);
  }
}
