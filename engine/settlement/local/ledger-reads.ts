/** Reads of the local ledger's state, with bounded pages. Balances and consents of unknown parties are undefined. */
import type { ConsentStatus, LedgerSupply, PartyBalance } from '#settlement/port/contracts.ts';
import { MAX_PAGE, PageRefused, type PageRequest } from '#settlement/port/ledger.ts';
import type { CommandLookup, LedgerEntry } from '#settlement/port/receipt.ts';
import { plus, ZERO_QUOTE } from '#units/money.ts';
import type { LedgerState } from './ledger-state.ts';

export function lookUp(state: LedgerState, commandId: string): CommandLookup {
  const known = state.commands.get(commandId);
  if (known === undefined) return { status: 'unknown' };
  return known.receipt === undefined ? { status: 'pending' } : { status: 'sequenced', receipt: known.receipt };
}

export function entriesAfter(state: LedgerState, page: PageRequest): readonly LedgerEntry[] {
  checkPage(page);
  return state.entries.slice(page.afterOffset, page.afterOffset + page.limit);
}

export function balanceOf(state: LedgerState, partyId: string): PartyBalance | undefined {
  const party = state.parties.get(partyId);
  return party && { availableAtoms: party.availableAtoms, offeredAtoms: party.offeredAtoms };
}

export function consentOf(state: LedgerState, partyId: string): ConsentStatus | undefined {
  const party = state.parties.get(partyId);
  if (party === undefined) return undefined;
  const { consent } = party;
  const { isPackageAvailable } = state;
  if (consent === undefined) return { state: 'absent', consentId: null, isPackageAvailable };
  return { state: consent.isRevoked ? 'revoked' : 'present', consentId: consent.consentId, isPackageAvailable };
}

/** Walks all parties. */
export function supplyOf({ parties, issuedAtoms }: LedgerState): LedgerSupply {
  let heldAtoms = ZERO_QUOTE;
  let offeredAtoms = ZERO_QUOTE;
  for (const party of parties.values()) {
    heldAtoms = plus(heldAtoms, party.availableAtoms);
    offeredAtoms = plus(offeredAtoms, party.offeredAtoms);
  }
  return { issuedAtoms, heldAtoms, offeredAtoms };
}

function checkPage({ afterOffset, limit }: PageRequest): void {
  if (!Number.isSafeInteger(afterOffset) || afterOffset < 0)
    throw new PageRefused(`afterOffset: expected an integer from 0 on, got ${afterOffset}`);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_PAGE)
    throw new PageRefused(`limit: expected an integer between 1 and ${MAX_PAGE}, got ${limit}`);
}
