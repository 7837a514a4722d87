/** The venue's core as the writer's state machine. */
import { OLDEST_RULES_VERSION, RULES_VERSION, Venue } from '#venue/venue.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';

export const venueRules: StateMachineRules<Venue> = {
  rulesVersion: RULES_VERSION,
  oldestRulesVersion: OLDEST_RULES_VERSION,
  fresh: () => new Venue(),
  restore: (snapshot) => Venue.restore(snapshot),
};
