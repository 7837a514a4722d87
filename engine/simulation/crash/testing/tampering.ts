/** Ways to change what a venue has told, one thing at a time: what a checker must find. */
import { expect } from 'vitest';
import type { VenueEvent } from '#venue/event.ts';
import { type RecordedTurn, smallCrash } from './small-crash.ts';

type Type = VenueEvent['type'];
export type Of<Name extends Type> = Extract<VenueEvent, { type: Name }>;
/** Changes a turn, or leaves it as it is. */
export type Tamper = (turn: RecordedTurn) => RecordedTurn;
/** What is wrong, how it is brought about, and what the checker says of it. */
export type Fault = readonly [name: string, tamper: Tamper, says: RegExp];

/** The turns of a small crash in a venue without fault. */
export const TURNS = smallCrash();

/** What an edit makes of an event: others in its place, or none. */
export function edit<Name extends Type>(
  type: Name,
  change: (event: Of<Name>) => readonly object[],
  which: (event: Of<Name>) => boolean = () => true,
): Tamper {
  return (turn) => ({
    ...turn,
    events: turn.events.flatMap((event) =>
      event.type === type && which(event as Of<Name>) ? (change(event as Of<Name>) as VenueEvent[]) : [event],
    ),
  });
}

/** Adds to a number of an event. */
export function off<Name extends Type>(
  type: Name,
  field: keyof Of<Name> & string,
  by: number,
  which?: (event: Of<Name>) => boolean,
): Tamper {
  return edit(type, (event) => [{ ...event, [field]: (event[field] as number) + by }], which);
}

export function without<Name extends Type>(type: Name, which?: (event: Of<Name>) => boolean): Tamper {
  return edit(type, () => [], which);
}

export function twice<Name extends Type>(type: Name, which?: (event: Of<Name>) => boolean): Tamper {
  return edit(type, (event) => [event, event], which);
}

/** One edit after the other: a fault that contradicts nothing at first sight. */
export function both(first: Tamper, second: Tamper): Tamper {
  return (turn) => second(first(turn));
}

/** Turns with one fault in them, which must really be there. */
export function tampered(tamper: Tamper): RecordedTurn[] {
  const turns = TURNS.map(tamper);
  expect(turns).not.toEqual(TURNS);
  return turns;
}

/** Of which account an event must be. */
export const isOf = (account: number) => (event: { account: number }) => event.account === account;
