/** A resting order that is met after the mark has moved against it: the leverage with which its position opens. */
import { describe, expect, test } from 'vitest';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { cancelsOf, tradesOf, withdrawAvailable } from '#venue/testing/outcome.ts';
import { devnetScenario, moveIndex } from './testing/devnet-scenario.ts';

const WITH_MAINTENANCE_ONLY: RiskRules = { ...RISK_RULES, needsInitialMargin: false };
const LOTS = 10_000;

/** Account 1 bids at the starting price; the index falls to a price, and account 2 sells to it. By default account 1 has no other cash. */
function bidMetAt(marketId: string, leverageX: number, fallTo: (start: number) => number, rules: RiskRules, hasCash = false) {
  const world = devnetScenario(marketId, 2, 1_000_000_000_000, rules);
  const { scenario, startPrice } = world;
  scenario.limit(1, 'buy', startPrice, LOTS, { leverageX });
  if (!hasCash) withdrawAvailable(scenario, 1);
  moveIndex(world, fallTo(startPrice));
  const events = scenario.limit(2, 'sell', startPrice, LOTS, { leverageX: 1 });
  const market = scenario.venue.state.market(BTC)!;
  const position = scenario.venue.state.account(1 as AccountOrdinal)!.holdingIn(BTC);
  const notional = market.notional(market.markPriceAtoms, position.signedBaseAtoms);
  const equity = position.marginAtoms + notional - position.entryNotionalAtoms;
  const liquidationPrice = scenario.venue.state.account(1 as AccountOrdinal)!.positionIn(BTC).liquidationPriceAtoms;
  return {
    traded: tradesOf(events).length > 0,
    cancels: cancelsOf(events),
    leverage: notional === 0 ? 0 : notional / equity,
    ticksToLiquidation: market.markPriceAtoms - liquidationPrice,
  };
}

describe.each([
  { marketId: 'BTC-USD-PERP', maxLeverageX: 50, maintenance: 0.01, opened: 99 },
  { marketId: 'SOL-USD-PERP', maxLeverageX: 20, maintenance: 0.025, opened: 39 },
])('in $marketId', ({ marketId, maxLeverageX, maintenance, opened }) => {
  /** The lowest mark at which the bid has its maintenance margin, and a tick. */
  const edge = (start: number) => Math.ceil((start * (1 - 1 / maxLeverageX)) / (1 - maintenance)) + 1;

  test('opens at twice the highest leverage, two ticks from liquidation, if only the maintenance margin is required', () => {
    const met = bidMetAt(marketId, maxLeverageX, edge, WITH_MAINTENANCE_ONLY);
    expect(met.traded).toBe(true);
    expect(met.leverage).toBeGreaterThan(opened);
    expect(met.ticksToLiquidation).toBeLessThanOrEqual(2);
  });

  test('opens at the highest leverage if the account has the cash', () => {
    const met = bidMetAt(marketId, maxLeverageX, edge, RISK_RULES, true);
    expect(met.traded).toBe(true);
    expect(met.leverage).toBeGreaterThan(maxLeverageX * 0.999);
    expect(met.leverage).toBeLessThanOrEqual(maxLeverageX);
  });

  test('is cancelled if it has not', () => {
    const met = bidMetAt(marketId, maxLeverageX, edge, RISK_RULES);
    expect(met).toMatchObject({ traded: false, leverage: 0, cancels: [[1, 'margin_unbacked']] });
  });

  test('never opens above the highest leverage, wherever the mark is when it is met', () => {
    let trades = 0;
    for (const share of [1, 0.8, 0.5, 0.25]) {
      for (let part = 0; part <= 10; part += 1) {
        const fallTo = (start: number) => start - Math.floor(((start - edge(start)) * part) / 10);
        const { traded, leverage } = bidMetAt(marketId, Math.floor(maxLeverageX * share), fallTo, RISK_RULES);
        expect(leverage).toBeLessThanOrEqual(maxLeverageX);
        if (traded) trades += 1;
      }
    }
    // All at the starting price, and those with enough margin below it.
    expect(trades).toBeGreaterThan(10);
    expect(trades).toBeLessThan(44);
  });
});
