/**
 * The rules of the local ledger, one for each step. A rule reads the state and returns a reason to reject, or what the command
 * creates and how it changes the state. The same state, command and time give the same receipt.
 */
import type { LedgerCommand, LedgerStep } from '#settlement/port/command.ts';
import type { LedgerOffer } from '#settlement/port/contracts.ts';
import type { RejectionReason } from '#settlement/port/receipt.ts';
import { type EpochMs, plus, type QuoteAtoms } from '#units/money.ts';
import type { LedgerState, Outcome, PartyState } from './ledger-state.ts';

interface Acceptance {
  readonly createdId: string | null;
  readonly apply: Outcome['apply'];
}

type Rule<Command extends LedgerCommand> = (
  state: LedgerState,
  command: Command,
  epochMs: EpochMs,
) => RejectionReason | Acceptance;

const RULES: { readonly [Step in LedgerStep]: Rule<Extract<LedgerCommand, { step: Step }>> } = {
  party_allocation: (state, { commandId, partyHint }) => {
    const partyId = state.createdId(`${partyHint}::`, commandId);
    return { createdId: partyId, apply: () => void state.addParty(partyId) };
  },

  development_issue: (state, { amountAtoms }) => {
    if (!Number.isSafeInteger(state.issuedAtoms + amountAtoms)) return 'supply_exceeded';
    return changes(() => {
      state.issuedAtoms = plus(state.issuedAtoms, amountAtoms);
      state.transfer(undefined, state.treasury, amountAtoms);
    });
  },

  treasury_offer: (state, { commandId, partyId, amountAtoms, expiresAtEpochMs }, epochMs) => {
    const receiver = ownerParty(state, partyId);
    if (typeof receiver === 'string') return receiver;
    return openOffer(state, commandId, 'treasury', state.treasury, partyId, amountAtoms, expiresAtEpochMs, epochMs);
  },

  owner_offer_acceptance: (state, { partyId, offerId }, epochMs) => {
    const receiver = ownerParty(state, partyId);
    if (typeof receiver === 'string') return receiver;
    const offer = state.offers.get(offerId);
    if (offer === undefined) return 'offer_unknown';
    if (offer.receiverPartyId !== partyId) return 'not_the_receiver';
    if (offer.status !== 'open') return 'offer_closed';
    if (epochMs >= offer.expiresAtEpochMs) return 'offer_expired';
    return changes(() => {
      state.close(offer, 'accepted');
      state.transfer(state.parties.get(offer.senderPartyId), receiver, offer.amountAtoms);
    });
  },

  owner_account_acceptance: (state, { partyId, amountAtoms }) => {
    const owner = ownerParty(state, partyId);
    if (typeof owner === 'string') return owner;
    if (owner.availableAtoms < amountAtoms) return 'balance_insufficient';
    return changes(() => state.transfer(owner, state.custody, amountAtoms));
  },

  owner_withdrawal_consent: (state, { commandId, partyId, destinationPartyId, amountAtoms }) => {
    for (const party of [ownerParty(state, partyId), ownerParty(state, destinationPartyId)])
      if (typeof party === 'string') return party;
    const createdId = state.createdId('withdrawal-consent-', commandId);
    const consent = { destinationPartyId, amountAtoms, isUsed: false };
    return { createdId, apply: () => void state.withdrawalConsents.set(createdId, consent) };
  },

  payout_offer: (state, { commandId, withdrawalConsentId, expiresAtEpochMs }, epochMs) => {
    const consent = state.withdrawalConsents.get(withdrawalConsentId);
    if (consent === undefined) return 'withdrawal_consent_unknown';
    if (consent.isUsed) return 'withdrawal_consent_used';
    const { destinationPartyId, amountAtoms } = consent;
    const planned = openOffer(
      state,
      commandId,
      'payout',
      state.custody,
      destinationPartyId,
      amountAtoms,
      expiresAtEpochMs,
      epochMs,
    );
    if (typeof planned === 'string') return planned;
    return {
      createdId: planned.createdId,
      apply: () => {
        consent.isUsed = true;
        planned.apply();
      },
    };
  },

  offer_withdrawal: (state, { offerId }) => {
    const offer = state.offers.get(offerId);
    if (offer === undefined) return 'offer_unknown';
    if (offer.status !== 'open') return 'offer_closed';
    return changes(() => state.close(offer, 'withdrawn'));
  },

  party_consent: (state, { commandId, partyId, replacesConsentId }) => {
    const party = ownerParty(state, partyId);
    if (typeof party === 'string') return party;
    if (!state.isPackageAvailable) return 'package_absent';
    if (party.consent?.isRevoked === false) return 'consent_present';
    if (party.consent !== undefined && replacesConsentId === null) return 'consent_revoked';
    if (replacesConsentId !== (party.consent?.consentId ?? null)) return 'consent_mismatch';
    const consentId = state.createdId('consent-', commandId);
    return {
      createdId: consentId,
      apply: () => {
        party.consent = { consentId, isRevoked: false };
      },
    };
  },

  party_consent_revocation: (state, { partyId }) => {
    const party = ownerParty(state, partyId);
    if (typeof party === 'string') return party;
    const { consent } = party;
    if (consent === undefined) return 'consent_absent';
    if (consent.isRevoked) return 'consent_revoked';
    return changes(() => {
      consent.isRevoked = true;
    });
  },

  package_availability: (state, { isAvailable }) =>
    changes(() => {
      state.isPackageAvailable = isAvailable;
    }),
};

/** What becomes of a command that is sequenced next, at this time. Changes nothing. */
export function plan(state: LedgerState, command: LedgerCommand, epochMs: EpochMs): Outcome {
  const planned = (RULES[command.step] as Rule<LedgerCommand>)(state, command, epochMs);
  const isRejected = typeof planned === 'string';
  const sequenced = {
    commandId: command.commandId,
    step: command.step,
    offset: state.offset + 1,
    ledgerEventId: state.nextEventId(command, epochMs, isRejected ? `rejected ${planned}` : `accepted ${planned.createdId}`),
    sequencedAtEpochMs: epochMs,
  };
  return isRejected
    ? { receipt: { ...sequenced, outcome: 'sequenced_rejected', reason: planned }, apply: () => undefined }
    : { receipt: { ...sequenced, outcome: 'sequenced_accepted', createdId: planned.createdId }, apply: planned.apply };
}

/** The treasury and the custody belong to the venue: no owner signs for them, and a payout to them would pay no one. */
function ownerParty(state: LedgerState, partyId: string): PartyState | RejectionReason {
  const party = state.parties.get(partyId);
  if (party === undefined) return 'party_unknown';
  return party === state.treasury || party === state.custody ? 'party_of_the_venue' : party;
}

function changes(apply: () => void): Acceptance {
  return { createdId: null, apply };
}

function openOffer(
  state: LedgerState,
  commandId: string,
  kind: LedgerOffer['kind'],
  sender: PartyState,
  receiverPartyId: string,
  amountAtoms: QuoteAtoms,
  expiresAtEpochMs: EpochMs,
  epochMs: EpochMs,
): RejectionReason | Acceptance {
  if (epochMs >= expiresAtEpochMs) return 'offer_expired';
  if (sender.availableAtoms < amountAtoms) return 'balance_insufficient';
  const offerId = state.createdId('offer-', commandId);
  const senderPartyId = sender.partyId;
  const offer: LedgerOffer = { offerId, kind, senderPartyId, receiverPartyId, amountAtoms, expiresAtEpochMs, status: 'open' };
  return { createdId: offerId, apply: () => state.open(sender, offer) };
}
