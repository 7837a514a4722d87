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
    rule: 'cutsReduceOnly',
    play: (scenario) => {
      scenario.limit(2, 'sell', 10_000, 1_000);
      scenario.market(1, 'buy', 1_000);
      scenario.limit(1, 'sell', 10_100, 1_001, { reduceOnly: true });
    },
    says: /account 1 offers 1001 of 1000 in market 1/,
  },
];

test.each(RULES_OFF)('finds a venue without $rule', ({ rule, play, says }) => {
  const played = (rules: RiskRules) => () => {
    const scenario = new AuditedScenario(rules);
    scenario.populate(2);
    play(scenario);
  };
  expect(played(RISK_RULES)).not.toThrow();
  const without = played({ ...RISK_RULES, [rule]: false });
  expect(without).toThrow(AuditFailed);
  expect(without).toThrow(says);
});
