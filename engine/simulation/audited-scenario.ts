/** A scenario whose every turn is audited. */
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import { Auditor } from './auditor/auditor.ts';
import { compareState } from './auditor/state-comparison.ts';
import { SCENARIO_RULES, Scenario } from './scenario.ts';

export class AuditedScenario extends Scenario {
  readonly #auditor = new Auditor();

  constructor(rules: RiskRules = SCENARIO_RULES) {
    super(rules);
    this.#auditor.leverages.defaultHundredths = rules.defaultLeverageHundredths;
  }

  override run(command: Command): VenueEvent[] {
    const events = super.run(command);
    this.#auditor.take({ sequence: this.sequence, epochMs: this.now, command, events });
    return events;
  }

  /** Compares every balance, position and order with the venue's own. */
  compare(): void {
    compareState(this.#auditor, this.venue.state);
  }
}
