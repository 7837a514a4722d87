/** Reruns records of the journal and compares the resulting events with those in the journal. */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { readCommand } from '#venue/record/command-record.ts';
import { ByteReader, ByteWriter, MalformedRecord } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { ScannedGroup } from '#writer/journal/chain-walk.ts';
import { GROUP_HEADER_BYTES } from '#writer/journal/group.ts';
import { JournalDamaged, RecoveryRefused } from '#writer/journal/journal-fault.ts';
import { RecordOffsets } from '#writer/journal/record.ts';
import type { StateMachine } from '#writer/port/state-machine.ts';
import type { RulesInUse } from './older-rules.ts';
import { remedyForRecord } from './older-rules.ts';

export class Rerun {
  readonly #state: StateMachine;
  readonly #rules: RulesInUse;
  readonly #eventBytes = new ByteWriter();
  readonly #events = new EventWriter(this.#eventBytes);
  /** The memory of `#eventBytes` as a `Buffer`, which compares a range without allocating a view. */
  #written = Buffer.alloc(0);
  /** Reused for every record: millions are rerun without allocating objects for each. */
  readonly #place = new RecordOffsets();
  readonly #turn: { sequence: Sequence; epochMs: EpochMs; command: Command | undefined } = {
    sequence: 0 as Sequence,
    epochMs: 0 as EpochMs,
    command: undefined,
  };
  #count = 0;

  constructor(state: StateMachine, rules: RulesInUse) {
    this.#state = state;
    this.#rules = rules;
  }

  /** How many records were rerun. */
  get count(): number {
    return this.#count;
  }

  /**
   * Reruns the records of a group, up to `until`. Returns the last one that was rerun, or 0. Throws {@link JournalDamaged} or
   * {@link RecoveryRefused}.
   */
  run(group: ScannedGroup, until = Number.POSITIVE_INFINITY): number {
    const { bytes, header } = group;
    const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const reader = new ByteReader(bytes);
    const place = this.#place;
    let last = 0;
    let start = GROUP_HEADER_BYTES;
    for (let index = 0; index < header.recordCount; index += 1) {
      reader.moveTo(start);
      place.read(reader);
      if (place.sequence > until) break;
      if (place.rulesVersion !== this.#rules.rulesVersion) throw createdByOtherRules(place, this.#rules);
      this.#runCommand(reader);
      if (!this.#isSameEvents(stored)) {
        const what = 'its command, run again, results in other events than those in the journal';
        throw JournalDamaged.at(group.segment, group.offset + start, place.sequence, what);
      }
      this.#count += 1;
      last = place.sequence;
      start = place.end;
    }
    return last;
  }

  /** Leaves the events in `#eventBytes`. */
  #runCommand(reader: ByteReader): void {
    const { sequence, epochMs, eventsAt } = this.#place;
    this.#eventBytes.reset();
    this.#events.restart();
    try {
      const command = readCommand(reader);
      if (reader.offset !== eventsAt) throw new MalformedRecord(`a command ends at byte ${reader.offset} and not ${eventsAt}`);
      const turn = this.#turn;
      turn.sequence = sequence;
      turn.epochMs = epochMs;
      turn.command = command;
      this.#state.turn(turn as { sequence: Sequence; epochMs: EpochMs; command: Command }, this.#events);
    } catch (cause) {
      const what = `record ${sequence} cannot be run again: an internal error stopped its turn (${String(cause)})`;
      throw new RecoveryRefused(what, { cause });
    }
  }

  #isSameEvents(stored: Buffer): boolean {
    const { eventCount, eventsAt, end } = this.#place;
    const { length, view } = this.#eventBytes;
    if (this.#events.count !== eventCount || length !== end - eventsAt) return false;
    if (this.#written.buffer !== view.buffer) this.#written = Buffer.from(view.buffer as ArrayBuffer);
    return this.#written.compare(stored, eventsAt, end, 0, length) === 0;
  }
}

function createdByOtherRules({ sequence, rulesVersion }: RecordOffsets, rules: RulesInUse): RecoveryRefused {
  const difference = `record ${sequence} was made by version ${rulesVersion} of the rules and this is version ${rules.rulesVersion}`;
  return new RecoveryRefused(`${difference}: ${remedyForRecord(rulesVersion, rules)}`);
}
