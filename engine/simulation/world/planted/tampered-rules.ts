/** A venue whose events are changed between its core and the writer. */
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { SequencedCommand, StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';

/** Returns the events that replace those of a turn. Each state machine has its own: it may keep state. */
export type Tamper = (events: readonly VenueEvent[], sequenced: SequencedCommand) => readonly VenueEvent[];

/** `instance` counts the state machines from 1, in the order in which they are made. */
export function tamperedRules(rules: StateMachineRules, createTamper: (instance: number) => Tamper): StateMachineRules {
  let instances = 0;
  const tampered = (inner: StateMachine): StateMachine => {
    instances += 1;
    return { ...tamperedVenue(inner, createTamper(instances)), snapshot: () => inner.snapshot() };
  };
  return { ...rules, fresh: () => tampered(rules.fresh()), restore: (snapshot) => tampered(rules.restore(snapshot)) };
}

/** The turns of a state machine with other events. */
export function tamperedVenue(inner: Pick<StateMachine, 'turn'>, tamper: Tamper): Pick<StateMachine, 'turn'> {
  return {
    turn: (sequenced, writer) => {
      const bytes = new ByteWriter();
      const written = new EventWriter(bytes);
      inner.turn(sequenced, written);
      const reader = new ByteReader(bytes.written());
      const events = Array.from({ length: written.count }, () => readEvent(reader));
      for (const event of tamper(events, sequenced)) writer.emit(event);
    },
  };
}
