/**
 * One life of the venue: it starts on the files that the last one left, takes commands, and is closed, killed or cut from power.
 */

import type { ManualTime } from '#time/testing/manual-time.ts';
import type { Files } from '#writer/journal/files.ts';
import type { Halt } from '#writer/port/halt.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedGroup, GroupListener, Submit } from '#writer/port/submit.ts';
import type { FollowerPosition, RecoveryReport } from '#writer/recovery/recovery.ts';
import type { Writer, WriterLimits } from '#writer/writer.ts';
import { openWriter } from '#writer/writer.ts';

/** Hooks between the venue and its world, to plant faults other than those of the disk. */
export interface Plant {
  readonly files?: (files: Files) => Files;
  readonly rules?: (rules: StateMachineRules) => StateMachineRules;
  readonly submit?: (submit: Submit) => Submit;
  readonly follow?: (follow: GroupListener) => GroupListener;
  /** Changes what a start finds on the disk. */
  readonly contents?: (
    flip: (name: string, position: number, bit: number) => void,
    contents: ReadonlyMap<string, Uint8Array>,
  ) => void;
}

export interface LifeParts {
  readonly files: Files;
  readonly clock: ManualTime;
  readonly rules: StateMachineRules;
  readonly limits: Partial<WriterLimits>;
  /** Older segments are archived after this time. Without it they stay. */
  readonly archiveAfterMs: number | undefined;
  readonly follow: (group: CommittedGroup) => void;
  readonly followFrom: FollowerPosition;
  readonly plant: Plant;
}

export class VenueLife {
  readonly #writer: Writer;
  readonly submit: Submit;
  readonly state: StateMachine;
  /** The life has ended. Groups that it still publishes are ignored. */
  isOver = false;

  private constructor(writer: Writer, state: StateMachine, submit: Submit) {
    this.#writer = writer;
    this.state = state;
    this.submit = submit;
  }

  /** Rejects with the reason for which the start was refused. */
  static async start({ files, clock, rules, limits, archiveAfterMs, follow, followFrom, plant }: LifeParts): Promise<VenueLife> {
    let state: StateMachine | undefined;
    let life: VenueLife | undefined;
    const remember = (created: StateMachine): StateMachine => {
      state = created;
      return created;
    };
    const publish: GroupListener = (group) => {
      if (life?.isOver !== true) follow(group);
    };
    const writer = await openWriter({
      files: plant.files?.(files) ?? files,
      clock,
      steadyClock: clock,
      timers: clock,
      rules: { ...rules, fresh: () => remember(rules.fresh()), restore: (snapshot) => remember(rules.restore(snapshot)) },
      follow: plant.follow?.(publish) ?? publish,
      followFrom,
      onHalt: () => undefined,
      archiveAfterMs,
      limits,
    });
    life = new VenueLife(writer, state!, plant.submit?.(writer.submit) ?? writer.submit);
    return life;
  }

  get recovered(): RecoveryReport {
    return this.#writer.recovered;
  }

  get halt(): Halt | undefined {
    return this.#writer.status().halt;
  }

  close(): Promise<void> {
    return this.#writer.close();
  }
}
