/** Runs records of the journal again, and holds each against the events that the journal says it had. */
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { ScannedGroup } from './chain-walk.ts';
import { JournalDamaged, RecoveryRefused } from './journal-fault.ts';
import type { StoredRecord } from './record.ts';
import { commandOf } from './record.ts';
import type { StateMachine } from './state-machine.ts';

export class Rerun {
  readonly #state: StateMachine;
  readonly #rulesVersion: number;
  readonly #eventBytes = new ByteWriter();
  readonly #events = new EventWriter(this.#eventBytes);
  #count = 0;

  constructor(state: StateMachine, rulesVersion: number) {
    this.#state = state;
    this.#rulesVersion = rulesVersion;
  }

  /** How many records were run again. */
  get count(): number {
    return this.#count;
  }

  /** `offset` counts from the start of the group. Throws {@link JournalDamaged} or {@link RecoveryRefused}. */
  run(record: StoredRecord, group: ScannedGroup, offset: number): void {
    if (record.rulesVersion !== this.#rulesVersion) throw madeByOthers(record, this.#rulesVersion);
    this.#turn(record);
    if (this.#events.count !== record.eventCount || Buffer.compare(this.#eventBytes.written(), record.eventBytes) !== 0) {
      const what = 'its command, run again, comes to other events than those in the journal';
      throw JournalDamaged.at(group.segment, group.offset + offset, record.sequence, what);
    }
    this.#count += 1;
  }

  /** Leaves the events in `#eventBytes`. */
  #turn(record: StoredRecord): void {
    const { sequence, epochMs } = record;
    this.#eventBytes.reset();
    this.#events.restart();
    try {
      this.#state.turn({ sequence, epochMs, command: commandOf(record) }, this.#events);
    } catch (cause) {
      const what = `record ${sequence} cannot be run again: a defect stopped its turn (${String(cause)})`;
      throw new RecoveryRefused(what, { cause });
    }
  }
}

function madeByOthers({ sequence, rulesVersion }: StoredRecord, known: number): RecoveryRefused {
  const made = `record ${sequence} was made by version ${rulesVersion} of the rules and this is version ${known}`;
  const next =
    rulesVersion < known
      ? 'start a program of that version once and stop it cleanly, so that it leaves a snapshot after its last record, and ' +
        'take this version up with: npm run openperp -- journal upgrade'
      : 'start a program of that version';
  return new RecoveryRefused(`${made}: ${next}`);
}
