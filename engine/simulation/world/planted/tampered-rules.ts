/** A venue whose core lies: between it and the writer, its events pass through somebody's hands. */
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { Sequenced, StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';

/** Answers what is told instead of the events of a turn. Made anew for every state machine: it may remember. */
export type Tamper = (events: readonly VenueEvent[], sequenced: Sequenced) => readonly VenueEvent[];

/** `instance` counts the state machines from 1, in the order in which they are made. */
export function tamperedRules(rules: StateMachineRules, makeTamper: (instance: number) => Tamper): StateMachineRules {
  let instances = 0;
  const tampered = (inner: StateMachine): StateMachine => {
    instances += 1;
    const tamper = makeTamper(instances);
    return {
      turn: (sequenced, writer) => {
        const bytes = new ByteWriter();
        const told = new EventWriter(bytes);
        inner.turn(sequenced, told);
        const reader = new ByteReader(bytes.written());
        const events = Array.from({ length: told.count }, () => readEvent(reader));
        for (const event of tamper(events, sequenced)) writer.emit(event);
      },
      snapshot: () => inner.snapshot(),
    };
  };
  return { ...rules, fresh: () => tampered(rules.fresh()), restore: (snapshot) => tampered(rules.restore(snapshot)) };
}
