/** Ways to change the events of a venue, one thing at a time: faults that the auditor must find. */
import { expect } from 'vitest';
import type { Check } from '#simulation/auditor/audit-failed.ts';
import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import { Auditor } from '#simulation/auditor/auditor.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { smallCrash } from './small-crash.ts';

type Type = VenueEvent['type'];
export type Of<Name extends Type> = Extract<VenueEvent, { type: Name }>;
/** Changes a turn, or leaves it as it is. */
export type Tamper = (turn: CommittedRecord) => CommittedRecord;
/** The fault's name, the tampering, the check that finds it, and its message. */
export type Fault = readonly [name: string, tamper: Tamper, check: Check, says: RegExp];

/** The turns of a small crash in a venue without fault. */
export const TURNS = smallCrash();

/** Replaces each matching event with the events that `change` returns. */
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

/** Adds to the amount of postings to cash; the balances of their accounts agree from then on. */
export function offCash(by: number, which: (event: Of<'CashPosted'>) => boolean): Tamper {
  const offsets = new Map<number, number>();
  return edit('CashPosted', (event) => {
    const change = which(event) ? by : 0;
    const offset = (offsets.get(event.account) ?? 0) + change;
    offsets.set(event.account, offset);
    const amountAtoms = event.amountAtoms + change;
    return amountAtoms === 0 ? [] : [{ ...event, amountAtoms, cashAtoms: event.cashAtoms + offset }];
  });
}

/** Adds to the amount of postings to a ledger; its balance agrees from then on. */
export function offLedger(ledger: string, by: number, which: (event: Of<'LedgerPosted'>) => boolean): Tamper {
  let offset = 0;
  return edit('LedgerPosted', (event) => {
    if (event.ledger !== ledger) return [event];
    const change = which(event) ? by : 0;
    offset += change;
    const amountAtoms = event.amountAtoms + change;
    return amountAtoms === 0 ? [] : [{ ...event, amountAtoms, balanceAtoms: event.balanceAtoms + offset }];
  });
}

/** One edit after the other: a fault whose events agree with each other. */
export function both(first: Tamper, second: Tamper): Tamper {
  return (turn) => second(first(turn));
}

/** The turns with one fault. Fails if the fault changes nothing. */
export function tampered(tamper: Tamper): CommittedRecord[] {
  const turns = TURNS.map(tamper);
  expect(turns).not.toEqual(TURNS);
  return turns;
}

/** Returns what the auditor finds in the turns, or `undefined`. */
export function findingIn(turns: readonly CommittedRecord[]): AuditFailed | undefined {
  const auditor = new Auditor();
  try {
    for (const turn of turns) auditor.take(turn);
  } catch (cause) {
    expect(cause).toBeInstanceOf(AuditFailed);
    return cause as AuditFailed;
  }
  return undefined;
}

/** Selects the events of an account. */
export const isOf = (account: number) => (event: { account: number }) => event.account === account;
