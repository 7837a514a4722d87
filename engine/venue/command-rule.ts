/** What a command is to the venue: its plan, its commit and the layout of its record. */
import type { RecordLayout } from './record/layout.ts';
import type { Refusal } from './refusal.ts';
import type { Turn } from './turn.ts';

export interface CommandRule<Kind> {
  /** Reads the state and returns the refusal, if there is one; changes nothing. */
  readonly plan: (turn: Turn, command: Kind) => Refusal | undefined;
  /** Follows a plan without a refusal: changes the state and emits at least one event. */
  readonly commit: (turn: Turn, command: Kind) => void;
  readonly layout: RecordLayout<Kind>;
}

/** One rule for each command of a union: a command without one does not compile. */
export type CommandRules<Kinds extends { readonly type: string }> = {
  readonly [Type in Kinds['type']]: CommandRule<Extract<Kinds, { readonly type: Type }>>;
};
