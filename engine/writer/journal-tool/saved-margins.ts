/**
 * The margins of an account's positions from saved states. If the start of a journal is missing, they supply the margins of
 * positions that were opened before. A state counts only if the journal confirms that it was taken from it.
 */
import type { AccountOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { Venue } from '#venue/venue.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import { restoredState } from '#writer/recovery/recovery.ts';
import { listSnapshots, type Snapshot } from '#writer/snapshot/snapshot-store.ts';
import { viewAccount } from './account-view.ts';
import type { OfflineJournal } from './offline-journal.ts';
import { readSavedState } from './saved-states.ts';

/** By the last record applied to the state. */
export type SavedMargins = ReadonlyMap<number, ReadonlyMap<PositionOrdinal, QuoteAtoms>>;

/** Empty for a complete journal: its records suffice. */
export async function savedMargins(
  journal: OfflineJournal,
  rules: StateMachineRules,
  account: AccountOrdinal,
): Promise<SavedMargins> {
  const saved = new Map<number, ReadonlyMap<PositionOrdinal, QuoteAtoms>>();
  if (journal.isComplete) return saved;
  for (const file of await listSnapshots(journal.files)) {
    const snapshot = await readSavedState(journal.files, file);
    // A state that is damaged or of other rules is skipped: the records are shown without it.
    if (typeof snapshot !== 'object' || snapshot.rulesVersion !== rules.rulesVersion) continue;
    if (!(await isFromJournal(journal, snapshot))) continue;
    const state = restoredState(rules, snapshot);
    if (state instanceof Venue) saved.set(snapshot.sequence, marginsIn(state, account));
  }
  return saved;
}

function marginsIn({ state }: Venue, account: AccountOrdinal): ReadonlyMap<PositionOrdinal, QuoteAtoms> {
  const positions = viewAccount(state, account)?.positions ?? [];
  return new Map(positions.map(({ position, marginAtoms }) => [position, marginAtoms]));
}

async function isFromJournal(journal: OfflineJournal, { sequence, chainDigest }: Snapshot): Promise<boolean> {
  for await (const { from, groups } of journal.runs(sequence)) {
    if (from.sequence === sequence && Buffer.compare(from.digest, chainDigest) === 0) return true;
    for await (const group of groups) {
      if (group.lastSequence === sequence && Buffer.compare(group.digest, chainDigest) === 0) return true;
      if (group.lastSequence > sequence) return false;
    }
  }
  return false;
}
