/**
 * The auditor finds a change of any field of any event. The changes are derived from the layouts of the events, so that a new event
 * is included; a field that the auditor cannot know is listed here with the reason.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import { Auditor } from '#simulation/auditor/auditor.ts';
import type { VenueEvent } from '#venue/event.ts';
import { EVENTS } from '#venue/record/event-layouts.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { changedFields } from './changed-fields.ts';
import { recordWorld } from './recorded-runs.ts';
import { replaced } from './turn-edits.ts';

const WORLDS = 80;
/** Events of each type, from different worlds, whose fields are changed. */
const EVENTS_OF_TYPE = 8;

/** Fields that the auditor does not decide. */
const UNVERIFIABLE: Readonly<Record<string, string>> = {
  'CommandRefused.code': 'the auditor checks what a refusal changes, and has no rules for refusing',
  'CommandRefused.order': 'as code',
  'CommandRefused.bound': 'as code',
  'EntryRefused.code': 'as code',
  'EntryRefused.order': 'as code',
  'EntryRefused.bound': 'as code',
};

let worlds: readonly (readonly CommittedRecord[])[];

beforeAll(async () => {
  const seeds = Array.from({ length: WORLDS }, (_, index) => index + 1);
  worlds = await Promise.all(seeds.map((seed) => recordWorld(seed)));
}, 600_000);

/** The first event of a type in each world that has one: those with the fewest turns before them, which are audited again for each change. */
function firstOf(type: VenueEvent['type']) {
  return worlds
    .flatMap((turns) => {
      const index = turns.findIndex(({ events }) => events.some((event) => event.type === type));
      const turn = turns[index];
      const event = turn?.events.find((one) => one.type === type);
      return turn === undefined || event === undefined ? [] : [{ turns, turn, index, event }];
    })
    .sort((left, right) => left.index - right.index)
    .slice(0, EVENTS_OF_TYPE);
}

function isFound(turns: readonly CommittedRecord[], turn: CommittedRecord, event: VenueEvent, other: VenueEvent): boolean {
  const auditor = new Auditor();
  try {
    for (const one of turns) auditor.take(one === turn ? replaced(turn, event, other) : one);
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return true;
  }
  return false;
}

describe.each(Object.keys(EVENTS) as VenueEvent['type'][])('%s', (type) => {
  test('has no field that may change unnoticed', () => {
    const missed = new Set<string>();
    const seen = new Set<string>();
    for (const { turns, turn, event } of firstOf(type)) {
      for (const { field, event: other } of changedFields(event)) {
        const name = `${type}.${field}`;
        seen.add(name);
        if (!isFound(turns, turn, event, other)) missed.add(name);
      }
    }
    expect(seen.size).toBeGreaterThan(0);
    expect([...missed].sort()).toEqual([...seen].filter((name) => name in UNVERIFIABLE).sort());
  });
});
