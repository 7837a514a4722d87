/** Whom an entry of the ledger is about and how much it moves, for the operator. */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { LedgerOffer } from '#settlement/port/contracts.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import { renderDecimal } from '#units/decimal.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import { ownerOfParty } from './entry-origin.ts';
import type { LedgerCalls } from './ledger-calls.ts';

export interface EntryDetails {
  /** Null for an entry about no party. */
  readonly partyId: string | null;
  /** Whose party it is; null if no account has it. */
  readonly account: AccountOrdinal | null;
  /** USD.E, as a decimal; null for an entry about no money. */
  readonly amount: string | null;
}

/** Reads the entry's offer if it has one. */
export async function detailsOf(
  calls: LedgerCalls,
  owners: OwnerDirectory,
  { command, receipt }: LedgerEntry,
): Promise<EntryDetails> {
  const createdId = receipt.outcome === 'sequenced_accepted' ? receipt.createdId : null;
  const offerId = offerIdOf(command, createdId);
  const offer = offerId === null ? undefined : await calls.read((ledger) => ledger.offer(offerId));
  const partyId = partyOf(command, createdId, offer);
  const amountAtoms = 'amountAtoms' in command ? command.amountAtoms : offer?.amountAtoms;
  return {
    partyId,
    account: (partyId === null ? undefined : ownerOfParty(owners, partyId)?.account) ?? null,
    amount: amountAtoms === undefined ? null : renderDecimal(amountAtoms, SETTLEMENT_DECIMALS),
  };
}

/** What an owner did without the venue; undefined for what concerns neither an account nor the custody. */
export function elsewhereText({ command, receipt }: LedgerEntry, { partyId, account, amount }: EntryDetails): string | undefined {
  const { offset, ledgerEventId } = receipt;
  const place = `at offset ${offset} (${ledgerEventId})`;
  const who = account === null ? `the party ${partyId}, which no account has,` : `${renderAccountId(account)} (${partyId})`;
  switch (command.step) {
    case 'owner_account_acceptance': {
      const arrived = `${who} paid ${amount} USD.E into the custody without a deposit ${place}`;
      if (account === null) return arrived;
      // The key makes sure that a repeated line credits nothing twice.
      return `${arrived}; to credit it: npm run openperp -- account credit ${renderAccountId(account)} ${amount} --key ${ledgerEventId}`;
    }
    case 'owner_offer_acceptance':
      return account === null ? undefined : `${who} accepted an offer of ${amount} USD.E without the venue ${place}`;
    case 'owner_withdrawal_consent':
      return account === null
        ? undefined
        : `${who} consented to a withdrawal of ${amount} USD.E without the venue ${place}; nothing is paid`;
    case 'party_consent':
      return account === null ? undefined : `${who} created its consent without the venue ${place}`;
    default:
      return undefined;
  }
}

function offerIdOf(command: LedgerCommand, createdId: string | null): string | null {
  if ('offerId' in command) return command.offerId;
  return command.step === 'payout_offer' ? createdId : null;
}

function partyOf(command: LedgerCommand, createdId: string | null, offer: LedgerOffer | undefined): string | null {
  if ('partyId' in command) return command.partyId;
  return command.step === 'party_allocation' ? createdId : (offer?.receiverPartyId ?? null);
}
