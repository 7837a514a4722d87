/**
 * What the writer needs from the venue's core: process a command, emit events, save and restore the state. The writer knows
 * nothing else about the core, so its tests run with a toy state machine of a few lines as well as with the venue.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { ByteWriter } from '#venue/record/cursor.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';

/** A command with its place in the journal and the journal's time. */
export interface SequencedCommand {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly command: Command;
}

export interface StateMachine {
  /**
   * One turn; `sequenced` is valid for the call only. Never throws for bad input (that is a `CommandRefused` event): a throw is
   * an internal error and halts the venue.
   */
  turn(sequenced: SequencedCommand, events: EventWriter): void;
  /**
   * Canonical bytes of the whole state: same state, same bytes. The caller owns them, unless they lie in the buffer that it
   * lends: then they are valid until it uses that buffer again.
   */
  snapshot(lent?: ByteWriter): Uint8Array;
}

export interface StateMachineRules<State extends StateMachine = StateMachine> {
  /** An integer that increases whenever the same commands would result in other events or another state. */
  readonly rulesVersion: number;
  /** The oldest version whose journals these rules can read and upgrade (`journal upgrade`). */
  readonly oldestRulesVersion: number;
  fresh(): State;
  restore(snapshot: Uint8Array): State;
}
