/** The auditor finds a venue that lacks one of the rules of orders. With all of them it has no objection to the same commands. */
import { expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import type { Scenario } from '#simulation/scenario.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';

interface RuleOff {
  readonly rule: keyof RiskRules;
  readonly play: (scenario: Scenario) => void;
  readonly says: RegExp;
}

const RULES_OFF: readonly RuleOff[] = [
  {
    rule: 'needsInitialMargin',
    play: (scenario) => {
      scenario.limit(1, 'buy', 10_000, 1_000, { leverageX: 20 });
      scenario.price(9_990);
      scenario.limit(2, 'sell', 10_000, 1_000);
    },
    says: /marginAtoms of position \d+ is 50000000, expected 50950000/,
  },
  {
    rule: 'cutsReduceOnly',
    play: (scenario) => {
      scenario.limit(2, 'sell', 10_000, 1_000);
      scenario.market(1, 'buy', 1_000);
      scenario.limit(1, 'sell', 10_100, 1_001, { reduceOnly: true });
    },
    says: /account 1 offers 1001 of 1000 in market 1/,
  },
  {
    // 1,001 small bids at one price: without the rule they hide the bid behind them, and the mark stays at the index.
    rule: 'walksLevels',
    play: (scenario) => {
      scenario.limit(1, 'buy', 10_050, 5_000);
      scenario.limit(2, 'sell', 10_060, 9_000);
      for (let count = 0; count < 1_001; count += 1) scenario.limit((count % 3) + 3, 'buy', 10_051, 1, { leverageX: 20 });
      scenario.market(1, 'buy', 3_000);
      scenario.wait(3_000);
      scenario.price(10_000);
    },
    says: /market 1 has a mark price of 10000, /,
  },
  {
    // Quotes and a trade of one lot: the mark follows both at once.
    rule: 'averagesMark',
    play: (scenario) => {
      scenario.limit(1, 'buy', 10_020, 5_000);
      scenario.limit(2, 'sell', 10_030, 5_000);
      scenario.market(1, 'buy', 1);
      scenario.price(10_000);
    },
    says: /market 1 has a mark price of 10025, at an index of 10000 it is 10000/,
  },
  {
    // Quotes and a trade below the index take the mark to the liquidation price, which the index has not reached.
    rule: 'confirmsByIndex',
    play: (scenario) => {
      scenario.limit(2, 'sell', 10_000, 1_000);
      scenario.market(1, 'buy', 1_000, { leverageX: 20 });
      scenario.price(9_745);
      scenario.limit(4, 'sell', 9_705, 8_000);
      scenario.limit(3, 'buy', 9_700, 5_000);
      scenario.market(5, 'buy', 2_000);
      scenario.wait(5_000);
      scenario.price(9_745);
    },
    says: /the liquidation of account 1 is not due at the index of 9745/,
  },
  {
    // Bids 1 % above the index.
    rule: 'boundsPremium',
    play: (scenario) => {
      scenario.limit(3, 'buy', 10_100, 5_000);
      scenario.wait(5_000);
      scenario.price(10_000);
    },
    says: /market 1 estimates a rate of 4500000, /,
  },
];

test.each(RULES_OFF)('finds a venue without $rule', ({ rule, play, says }) => {
  const played = (rules: RiskRules) => () => {
    const scenario = new AuditedScenario(rules);
    scenario.snapshotEvery = Number.POSITIVE_INFINITY;
    scenario.populate(5);
    play(scenario);
  };
  expect(played(RISK_RULES)).not.toThrow();
  const without = played({ ...RISK_RULES, [rule]: false });
  expect(without).toThrow(AuditFailed);
  expect(without).toThrow(says);
});
