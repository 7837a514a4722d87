/** The rule of a command: its plan, its commit and the layout of its record. */
import type { RecordLayout } from './record/layout.ts';
import type { Refusal } from './refusal.ts';
import type { Turn } from './turn.ts';

export interface CommandRule<Kind> {
  /** Reads the state and returns a refusal or `undefined`; changes nothing. */
  readonly plan: (turn: Turn, command: Kind) => Refusal | undefined;
  /** Runs after a plan without a refusal. Changes the state and emits at least one event. */
  readonly commit: (turn: Turn, command: Kind) => void;
  readonly layout: RecordLayout<Kind>;
}

/** One rule for each command of a union. A missing rule does not compile. */
export type CommandRules<Kinds extends { readonly type: string }> = {
  readonly [Type in Kinds['type']]: CommandRule<Extract<Kinds, { readonly type: Type }>>;
};
