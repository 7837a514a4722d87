/**
 * What the writer asks of the venue's core: take a command, tell what happened, be saved and restored. The writer knows
 * nothing else about it, so its tests run with a toy of a few lines and with the venue alike.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { ByteWriter } from '#venue/record/cursor.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';

/** A command with its place in the journal and the journal's time. */
export interface Sequenced {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
}

export interface StateMachine {
  /**
   * One turn; `sequenced` is valid for the call only. Never throws for bad input (that is a `CommandRefused` event): a throw is
   * a defect and halts the venue.
   */
  turn(sequenced: Sequenced, events: EventWriter): void;
  /**
   * Canonical bytes of the whole state: same state, same bytes. They are the caller's to keep; or they may lie in the memory
   * that it lends, until it uses that again.
   */
  snapshot(lent?: ByteWriter): Uint8Array;
}

export interface StateMachineRules<State extends StateMachine = StateMachine> {
  /** A whole number that goes up whenever the same commands would come to other events or another state. */
  readonly rulesVersion: number;
  /** The oldest version whose journals it can read and take up (`journal upgrade`). */
  readonly oldestRulesVersion: number;
  fresh(): State;
  restore(snapshot: Uint8Array): State;
}
