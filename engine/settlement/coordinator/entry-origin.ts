/**
 * Who submitted an entry of the ledger. On a ledger that others use too, entries that the journal does not know are usual: only those
 * that only this venue can have submitted prove that the journal has lost something.
 */
import type { OwnerDirectory, OwnerView } from '#reads/owner-directory.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';
import { commandIdOf, isProvenBy, issueIdOf, isWithoutSecret, nonceOf, nonceOfKey } from './command-id.ts';
import { DEPOSIT_ORDER, WITHDRAWAL_ORDER } from './ledger-steps.ts';

/**
 * `journal`: the journal submitted it. `lost`: this venue submitted it, and the journal does not know it. `elsewhere`: an owner or
 * another application submitted it without the venue.
 */
export type EntryOrigin = 'journal' | 'lost' | 'elsewhere';

/** Of an entry after the known offset: the items of earlier ones may have ended, and are not in `items` any more. */
export function originOf(owners: OwnerDirectory, items: OpenItems, command: LedgerCommand): EntryOrigin {
  const { commandId } = command;
  const item = items.get(nonceOf(commandId));
  if (item !== undefined && isSubmitted(item, command)) return 'journal';
  // Owners may know the ids of items that an earlier version began, but only of their own: an id of one is the venue's.
  if (item !== undefined && isWithoutSecret(item.ledgerKey)) return 'lost';
  switch (command.step) {
    case 'party_allocation':
      return originOfAllocation(owners, commandId, command.partyHint);
    case 'development_issue':
    case 'treasury_offer':
    case 'payout_offer':
    case 'offer_withdrawal':
      return 'lost';
    case 'party_consent':
    case 'owner_offer_acceptance':
    case 'owner_account_acceptance':
    case 'owner_withdrawal_consent': {
      // The journal may not know the party's id yet, whose allocation the ledger has: the proof suffices.
      const owner = ofAccount(owners, hintedAccount(command.partyId));
      return owner === undefined ? 'elsewhere' : originOfSigned(owner, commandId);
    }
    case 'party_consent_revocation':
    case 'package_availability':
      return 'elsewhere';
  }
}

export function ownerOfParty(owners: OwnerDirectory, partyId: string): OwnerView | undefined {
  const owner = ofAccount(owners, hintedAccount(partyId));
  return owner?.party.partyId === partyId ? owner : undefined;
}

/** Party ids start with the hint of their allocation. */
function hintedAccount(partyId: string): AccountOrdinal | undefined {
  return parseAccountId(partyId.split('::', 1)[0]!);
}

interface OpenItem {
  readonly ledgerKey: string;
  readonly step: string | null;
  readonly attempt: number;
  readonly isSubmitted: boolean;
  readonly order: readonly string[];
}

/** By the nonces of their keys. */
export type OpenItems = ReadonlyMap<string, OpenItem>;

export function openItems(owners: OwnerDirectory): OpenItems {
  return new Map<string, OpenItem>([
    ...owners.openDeposits().map((it) => [nonceOfKey(it.ledgerKey), { ...it, order: DEPOSIT_ORDER }] as const),
    ...owners.openWithdrawals().map((it) => [nonceOfKey(it.ledgerKey), { ...it, order: WITHDRAWAL_ORDER }] as const),
  ]);
}

/** All steps of earlier attempts; those of the current one up to the due step, and that one if it is submitted. */
function isSubmitted({ ledgerKey, step, attempt, isSubmitted, order }: OpenItem, command: LedgerCommand): boolean {
  if (command.commandId === issueIdOf(ledgerKey)) return true;
  const index = order.indexOf(command.step);
  const due = step === null ? order.length : order.indexOf(step);
  const isOfCurrent = index < due || (index === due && isSubmitted);
  for (let at = isOfCurrent ? attempt : attempt - 1; at >= 1; at -= 1)
    if (command.commandId === commandIdOf(ledgerKey, command.step, at)) return true;
  return false;
}

/** The venue's hints are accounts: other hints are of other applications. */
function originOfAllocation(owners: OwnerDirectory, commandId: string, partyHint: string): EntryOrigin {
  const account = parseAccountId(partyHint);
  if (account === undefined) return 'elsewhere';
  const key = ofAccount(owners, account)?.party.ledgerKey;
  return key !== undefined && commandIdOf(key, 'party_allocation', 1) === commandId ? 'journal' : 'lost';
}

function originOfSigned({ party, consent }: OwnerView, commandId: string): EntryOrigin {
  if (commandIdOf(consent.ledgerKey, 'party_consent', 1) === commandId) return 'journal';
  return isProvenBy(party.ledgerKey, commandId) ? 'lost' : 'elsewhere';
}

function ofAccount(owners: OwnerDirectory, account: AccountOrdinal | undefined): OwnerView | undefined {
  return account === undefined ? undefined : owners.owner(account);
}
