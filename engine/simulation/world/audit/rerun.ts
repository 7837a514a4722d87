/** A second venue: it takes the same commands, never restarts, and must reach the same events and state. */
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { Sequence } from '#units/ids.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedRecord, UnrecordedRefusal } from '#writer/port/submit.ts';
import { demand } from './demand.ts';

export class RerunAudit {
  readonly #state: StateMachine;
  #sequence = 0;

  constructor(rules: StateMachineRules) {
    this.#state = rules.fresh();
  }

  take(record: CommittedRecord): void {
    this.#sequence = record.sequence;
    const events = eventsOfTurn(this.#state, record);
    demand(
      JSON.stringify(events) === JSON.stringify(record.events),
      `the command of record ${record.sequence}, run again, results in other events`,
    );
  }

  /**
   * Checks that this venue refuses the command too, unless it has processed later records. The refused turn leaves no trace here
   * either, or the next {@link compare} fails.
   */
  refused({ sequence, epochMs, command, events }: UnrecordedRefusal): void {
    if (sequence !== this.#sequence) return;
    const again = eventsOfTurn(this.#state, { sequence: (sequence + 1) as Sequence, epochMs, command });
    demand(
      JSON.stringify(again) === JSON.stringify(events),
      `a command that was refused after record ${sequence}, run again, results in other events`,
    );
  }

  /** Compares the states of both venues after the same record. */
  compare(state: StateMachine): void {
    demand(
      Buffer.compare(this.#state.snapshot(), state.snapshot()) === 0,
      `the state after record ${this.#sequence} is not what its commands result in`,
    );
  }
}
