/** The auditor finds each rule of the insurance fund missing in a venue that has it off. */
import { describe, expect, test } from 'vitest';
import { AuditedScenario } from '#simulation/audited-scenario.ts';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import { SCENARIO_MARKET, SCENARIO_RULES } from '#simulation/scenario.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const UNIT = 1_000;

interface Play {
  readonly name: string;
  readonly off: Partial<RiskRules>;
  readonly says: RegExp;
  readonly insurance: number;
  readonly autoDeleveraging?: boolean;
  /** After account 1 is long 1 BTC from 1,000.0 at 20 ×, against account 2. Equity is zero at 950.0. */
  readonly play: (scenario: AuditedScenario) => void;
}

const PLAYS: readonly Play[] = [
  {
    name: 'a liquidation fee that waits for the last fill',
    off: { chargesFeeByFill: false },
    says: /feeAtoms of position 2 is 194400, expected 4082400/,
    insurance: 1,
    play: (scenario) => {
      scenario.limit(3, 'buy', 9_720, 400, { leverageX: 5 });
      scenario.price(9_743);
    },
  },
  {
    name: 'a liquidation that fills further than its step permits',
    off: { stepsLimit: false },
    says: /was filled at 9712, beyond its limit/,
    insurance: 1,
    play: (scenario) => {
      scenario.limit(3, 'buy', 9_712, 400, { leverageX: 5 });
      scenario.price(9_743);
    },
  },
  {
    name: 'a liquidation that fills beyond the mark',
    off: { boundsFund: false },
    says: /was filled at 9460, beyond its limit/,
    insurance: 1_000_000_000,
    play: (scenario) => {
      scenario.limit(3, 'buy', 9_460, UNIT, { leverageX: 5 });
      scenario.price(9_490);
    },
  },
  {
    name: 'a fund that pays more than a tenth for a market',
    off: { boundsFund: false },
    says: /cost the insurance fund 4000000, market 1 may spend 3999999/,
    insurance: 39_999_999,
    play: (scenario) => {
      scenario.limit(3, 'buy', 9_460, UNIT, { leverageX: 5 });
      scenario.price(9_460);
    },
  },
  {
    name: 'an owner who keeps what the fund has paid for',
    off: { clawsBack: false },
    says: /position 2 owes 0, 2000000 on day \d+, -2000000 left, expected .*owes 2000000/,
    insurance: 1_000_000_000,
    autoDeleveraging: false,
    play: (scenario) => {
      scenario.limit(3, 'buy', 9_460, UNIT / 2, { leverageX: 5 });
      scenario.price(9_460);
      scenario.jump(10_000);
      scenario.limit(3, 'buy', 10_000, UNIT / 2, { leverageX: 5 });
      scenario.market(1, 'sell', UNIT / 2);
    },
  },
];

function run({ insurance, play, autoDeleveraging = true }: Play, off: Partial<RiskRules>): void {
  const scenario = new AuditedScenario({ ...SCENARIO_RULES, ...off });
  scenario.populate(3, { ...SCENARIO_MARKET, maxPriceAtoms: 1_000_000 as PriceAtoms, autoDeleveraging });
  scenario.run({ type: 'CreditInsurance', amountAtoms: insurance as QuoteAtoms, reference: 'test' });
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  scenario.market(1, 'buy', UNIT);
  play(scenario);
  scenario.compare();
}

describe.each(PLAYS)('$name', (it) => {
  test('is found', () => {
    let found: unknown;
    try {
      run(it, it.off);
    } catch (cause) {
      found = cause;
    }
    expect(found).toBeInstanceOf(AuditFailed);
    expect((found as AuditFailed).message).toMatch(it.says);
  });

  test('is not found with all rules on', () => {
    run(it, {});
  });
});
