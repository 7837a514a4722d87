/** The ledger's entries as the operator reads them: what each moved, and who submitted it. */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { renderAccountId } from '#units/ids.ts';
import { detailsOf } from './entry-details.ts';
import { type EntryOrigin, openItems, originOf } from './entry-origin.ts';
import type { LedgerCalls } from './ledger-calls.ts';

export interface EntryQuery {
  /** By default the entries that the journal does not know. */
  readonly afterOffset?: number | undefined;
  readonly limit: number;
}

export interface ListedEntry {
  readonly offset: number;
  readonly ledgerEventId: string;
  readonly step: string;
  readonly outcome: string;
  /** `known`: the journal knows the ledger up to here. */
  readonly submittedBy: EntryOrigin | 'known';
  readonly accountId: string | null;
  readonly partyId: string | null;
  /** USD.E, as a decimal. */
  readonly amount: string | null;
}

export interface EntryList {
  readonly ledgerId: string;
  /** The highest offset that the journal knows. */
  readonly knownOffset: number;
  /** The newest entry of the ledger. */
  readonly newestOffset: number;
  readonly newestEventId: string;
  readonly entries: readonly ListedEntry[];
}

export async function listEntries(calls: LedgerCalls, owners: OwnerDirectory, query: EntryQuery): Promise<EntryList> {
  const knownOffset = owners.ledger()?.offset ?? 0;
  const { afterOffset = knownOffset, limit } = query;
  const head = await calls.read((ledger) => ledger.head());
  const page = await calls.read((ledger) => ledger.entries({ afterOffset, limit }));
  const items = openItems(owners);
  const entries: ListedEntry[] = [];
  for (const entry of page) {
    const { command, receipt } = entry;
    const { step, outcome, offset, ledgerEventId } = receipt;
    const submittedBy = offset <= knownOffset ? 'known' : originOf(owners, items, command);
    const { partyId, account, amount } = await detailsOf(calls, owners, entry);
    const accountId = account === null ? null : renderAccountId(account);
    entries.push({ offset, ledgerEventId, step, outcome, submittedBy, accountId, partyId, amount });
  }
  const { ledgerId, offset: newestOffset, ledgerEventId: newestEventId } = head;
  return { ledgerId, knownOffset, newestOffset, newestEventId, entries };
}
