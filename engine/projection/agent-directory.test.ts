/** The directory of agents that follows the journal equals one that is built from the core's state, however the records are grouped. */
import { expect, test } from 'vitest';
import { recordWorld } from '#simulation/auditor/planted/recorded-runs.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AgentDeploymentOrdinal, AgentDraftOrdinal, Sequence } from '#units/ids.ts';
import { AGENT_EVENTS } from '#venue/event.ts';
import { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { VenueAgentDirectory } from './agent-directory.ts';
import { AGENT_COMMANDS } from './command-effects.ts';

const MIN_WORLDS = 20;
const MAX_WORLDS = 200;

/** All that the directory can say about the agents of a venue. */
function seen(directory: VenueAgentDirectory, { agents, accounts }: VenueState) {
  const numbers = (last: number) => Array.from({ length: last + 1 }, (_, number) => number);
  return {
    sequence: directory.sequence(),
    drafts: numbers(agents.lastDraft).map((draft) => directory.draft(draft as AgentDraftOrdinal)),
    deployments: numbers(agents.lastDeployment).map((it) => directory.openDeployment(it as AgentDeploymentOrdinal)),
    open: directory.openDeployments(),
    byOwner: accounts.map((it) => it && directory.openDeploymentsOf(it.ordinal)),
  };
}

/** Only the records that a directory reads. */
function ofAgents(records: readonly CommittedRecord[]): readonly CommittedRecord[] {
  return records.filter(({ command }) => AGENT_COMMANDS.has(command.type));
}

test('equals the state of the core after any history', { timeout: 600_000 }, async () => {
  const missing = new Set<string>([...AGENT_COMMANDS, ...Object.keys(AGENT_EVENTS)]);
  for (let seed = 1; seed <= MIN_WORLDS || (missing.size > 0 && seed <= MAX_WORLDS); seed += 1) {
    const records = await recordWorld(seed);
    const venue = new Venue();
    const whole = new VenueAgentDirectory(new VenueState(), 0 as Sequence);
    const cut = Math.floor(records.length / 2);
    let goingOn: VenueAgentDirectory | undefined;
    for (const record of records) {
      if (record.sequence === cut + 1) goingOn = new VenueAgentDirectory(venue.state, cut as Sequence);
      eventsOfTurn(venue, record);
      for (const { type } of [record.command, ...record.events]) missing.delete(type);
    }
    const last = records.length as Sequence;
    whole.follow(cut as Sequence, ofAgents(records.slice(0, cut)));
    for (const directory of [whole, goingOn!]) directory.follow(last, ofAgents(records));
    const expected = seen(new VenueAgentDirectory(venue.state, last), venue.state);
    expect(seen(whole, venue.state), `world ${seed}`).toEqual(expected);
    expect(seen(goingOn!, venue.state), `world ${seed}`).toEqual(expected);
  }
  expect([...missing]).toEqual([]);
});
