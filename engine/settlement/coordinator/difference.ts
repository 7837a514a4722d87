/**
 * Compares the ledger with the journal: after a start, and after every time without the ledger. Each of the two stores may have been
 * restored from an older copy, or replaced. What the ledger has after the offset that the journal knows is reviewed entry by entry.
 */

import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { LedgerView } from '#reads/owner-money.ts';
import type { LedgerHead } from '#settlement/port/contracts.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import type { LedgerCalls } from './ledger-calls.ts';

/** `unbalanced`: the ledger's money does not add up. `lost_entries`: the ledger has entries that the journal has lost. */
export type DifferenceKind = 'other_ledger' | 'older_ledger' | 'other_history' | 'unbalanced' | 'lost_entries';

/** Why no money may move. */
export interface LedgerDifference {
  readonly kind: DifferenceKind;
  /** For the operator. */
  readonly text: string;
  /** The ledger's event that shows it; null if there is none. */
  readonly ledgerOffset: number | null;
  readonly ledgerEventId: string | null;
}

export interface Comparison {
  readonly head: LedgerHead;
  readonly difference: LedgerDifference | undefined;
}

/** Whether the ledger has the history that the journal knows. Rejects if the ledger is unavailable. */
export async function compareWithLedger(calls: LedgerCalls, owners: OwnerDirectory): Promise<Comparison> {
  const head = await calls.read((ledger) => ledger.head());
  const known = owners.ledger();
  const difference = otherLedger(known, head) ?? (await otherHistory(calls, known)) ?? (await unbalanced(calls));
  return { head, difference };
}

export function lostEntries({ command: { step, commandId }, receipt }: LedgerEntry): LedgerDifference {
  const { offset: ledgerOffset, ledgerEventId } = receipt;
  const text =
    `the ledger has the command ${commandId} (${step}) at offset ${ledgerOffset} (${ledgerEventId}), which the journal did not ` +
    'submit: the journal is an older copy';
  return { kind: 'lost_entries', text, ledgerOffset, ledgerEventId };
}

/** What the operator can do about it. */
export const REMEDIES: Readonly<Record<DifferenceKind, string>> = {
  other_ledger: 'Restore the ledger that belongs to the journal, and restart',
  older_ledger:
    'Restore the newer ledger, and restart. An older ledger cannot be accepted: money that the journal has recorded is not on it',
  other_history:
    'Restore both stores from the copy after which neither was changed, and restart; without such a copy, accept the entries',
  unbalanced: 'Have the ledger repaired, and restart',
  lost_entries: 'Restore the newer journal, and restart; without such a copy, deal with the lost entries and accept them',
};

/** Differences that end when the operator has dealt with the entries and accepts them. */
export function isAcceptable({ kind }: LedgerDifference): boolean {
  return kind === 'lost_entries' || kind === 'other_history';
}

/** Whether the ledger has the history that the journal knows, although it differs. */
export function hasHistory({ kind }: LedgerDifference): boolean {
  return kind !== 'other_ledger' && kind !== 'older_ledger';
}

function otherLedger(known: LedgerView | undefined, { ledgerId }: LedgerHead): LedgerDifference | undefined {
  if (known === undefined || known.ledgerId === ledgerId) return undefined;
  const text = `the journal belongs to the ledger ${known.ledgerId}, and this one is ${ledgerId}`;
  return { kind: 'other_ledger', text, ledgerOffset: null, ledgerEventId: null };
}

/** The event id at an offset stands for the whole history up to it, which never changes. */
async function otherHistory(calls: LedgerCalls, known: LedgerView | undefined): Promise<LedgerDifference | undefined> {
  if (known === undefined || known.offset === 0) return undefined;
  const { offset, ledgerEventId } = known;
  const entry = await calls.entryAt(offset);
  if (entry === undefined) {
    const text = `the ledger ends before offset ${offset}, which the journal knows: it is an older copy`;
    return { kind: 'older_ledger', text, ledgerOffset: null, ledgerEventId: null };
  }
  const found = entry.receipt.ledgerEventId;
  if (found === ledgerEventId) return undefined;
  const text =
    `the ledger has another event at offset ${offset} than the journal, ${found} instead of ${ledgerEventId}: one of the two is an older ` +
    'copy that was continued';
  return { kind: 'other_history', text, ledgerOffset: offset, ledgerEventId: found };
}

/** A ledger whose money does not add up moves none, whatever its history is. */
async function unbalanced(calls: LedgerCalls): Promise<LedgerDifference | undefined> {
  const { issuedAtoms, heldAtoms, offeredAtoms } = await calls.read((ledger) => ledger.supply());
  if (heldAtoms + offeredAtoms === issuedAtoms) return undefined;
  const text = `the ledger has issued ${issuedAtoms} atoms, and its parties hold ${heldAtoms} and offer ${offeredAtoms}: it is at fault`;
  return { kind: 'unbalanced', text, ledgerOffset: null, ledgerEventId: null };
}
