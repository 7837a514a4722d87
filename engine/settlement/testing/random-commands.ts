/** Random commands of every step about the same few parties, offers and consents, so that most outcomes occur. */
import type { LedgerCommand, LedgerStep } from '#settlement/port/command.ts';
import type { Random } from '#simulation/seeded-random.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { NaiveLedger } from './naive-ledger.ts';

type Draw = (commandId: string) => LedgerCommand;

export function randomCommand(
  random: Random,
  commandId: string,
  known: NaiveLedger,
  venue: string,
  nowEpochMs: number,
): LedgerCommand {
  const party = () => pick(random, [...known.owners, ...known.owners, venue, 'unknown-0']);
  const offer = () => pick(random, [...known.offers.slice(-4), 'offer-0']);
  const consent = () => pick(random, [...known.withdrawalConsents.slice(-3), 'withdrawal-consent-0']);
  const amount = () => quoteAtoms(1 + Math.floor(random() * 60));
  const expiry = () => epochMs(nowEpochMs + Math.floor(random() * 4_000) - 300);
  const draws: { readonly [Step in LedgerStep]: Draw } = {
    party_allocation: (id) => ({ step: 'party_allocation', commandId: id, partyHint: `party${Math.floor(random() * 3)}` }),
    development_issue: (id) => ({ step: 'development_issue', commandId: id, amountAtoms: amount() }),
    treasury_offer: (id) => ({
      step: 'treasury_offer',
      commandId: id,
      partyId: party(),
      amountAtoms: amount(),
      expiresAtEpochMs: expiry(),
    }),
    owner_offer_acceptance: (id) => {
      const offerId = offer();
      const partyId = random() < 0.8 ? (known.offer(offerId)?.receiver ?? party()) : party();
      return { step: 'owner_offer_acceptance', commandId: id, partyId, offerId };
    },
    owner_account_acceptance: (id) => ({
      step: 'owner_account_acceptance',
      commandId: id,
      partyId: party(),
      amountAtoms: amount(),
    }),
    owner_withdrawal_consent: (id) => ({
      step: 'owner_withdrawal_consent',
      commandId: id,
      partyId: party(),
      destinationPartyId: party(),
      amountAtoms: quoteAtoms(1 + Math.floor(random() * 8)),
    }),
    payout_offer: (id) => ({
      step: 'payout_offer',
      commandId: id,
      withdrawalConsentId: consent(),
      expiresAtEpochMs: expiry(),
    }),
    offer_withdrawal: (id) => ({ step: 'offer_withdrawal', commandId: id, offerId: offer() }),
    party_consent: (id) => {
      const partyId = party();
      const replacesConsentId = pick(random, [null, known.consent(partyId).consentId, 'consent-0']);
      return { step: 'party_consent', commandId: id, partyId, replacesConsentId };
    },
    party_consent_revocation: (id) => ({ step: 'party_consent_revocation', commandId: id, partyId: party() }),
    package_availability: (id) => ({ step: 'package_availability', commandId: id, isAvailable: random() < 0.7 }),
  };
  // Payouts need what other commands made before.
  const often = [draws.owner_withdrawal_consent, draws.payout_offer, draws.payout_offer, draws.owner_account_acceptance];
  return pick(random, [...Object.values(draws), ...often])(commandId);
}

export function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)]!;
}
