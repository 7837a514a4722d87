/**
 * What a ledger should result in, computed in the simplest way: every answer walks the list of accepted commands. Written without
 * the code of the local ledger.
 */
import type { LedgerCommand, LedgerStep } from '#settlement/port/command.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';

type AcceptedCommand<Step extends LedgerStep> = Extract<LedgerCommand, { step: Step }> & { createdId: string; epochMs: number };

export class NaiveLedger {
  readonly #treasury: string;
  readonly #custody: string;
  readonly #accepted: (LedgerCommand & { createdId: string; epochMs: number })[] = [];

  constructor(treasury: string, custody: string) {
    this.#treasury = treasury;
    this.#custody = custody;
  }

  /** Expected for the next command: `accepted`, or the reason. Then takes over an accepted one. */
  expected({ command, receipt }: LedgerEntry): string {
    const reason = this.#reason(command, receipt.sequencedAtEpochMs);
    const createdId = (receipt.outcome === 'sequenced_accepted' && receipt.createdId) || '';
    if (reason === undefined) this.#accepted.push({ ...command, createdId, epochMs: receipt.sequencedAtEpochMs });
    return reason ?? 'accepted';
  }

  get owners(): readonly string[] {
    return this.#all('party_allocation').map(({ createdId }) => createdId);
  }

  get offers(): readonly string[] {
    return [...this.#all('treasury_offer'), ...this.#all('payout_offer')].map(({ createdId }) => createdId);
  }

  get withdrawalConsents(): readonly string[] {
    return this.#all('owner_withdrawal_consent').map(({ createdId }) => createdId);
  }

  get issued(): number {
    return sum(this.#all('development_issue'));
  }

  /** Signed amounts of money that changed its owner, in order. */
  movements(partyId: string): readonly number[] {
    return this.#accepted.flatMap((command) => {
      if (command.step === 'development_issue') return partyId === this.#treasury ? [command.amountAtoms] : [];
      if (command.step === 'owner_account_acceptance')
        return this.#signed(partyId, command.partyId, this.#custody, command.amountAtoms);
      if (command.step !== 'owner_offer_acceptance') return [];
      const { sender, receiver, amount } = this.offer(command.offerId)!;
      return this.#signed(partyId, sender, receiver, amount);
    });
  }

  offered(partyId: string): number {
    const open = this.offers
      .map((offerId) => this.offer(offerId)!)
      .filter(({ sender, status }) => sender === partyId && status === 'open');
    return open.reduce((total, { amount }) => total + amount, 0);
  }

  available(partyId: string): number {
    return this.movements(partyId).reduce((total, atoms) => total + atoms, 0) - this.offered(partyId);
  }

  offer(offerId: string) {
    const treasury = this.#all('treasury_offer').find(({ createdId }) => createdId === offerId);
    const payout = this.#all('payout_offer').find(({ createdId }) => createdId === offerId);
    const consent = payout && this.#withdrawalConsent(payout.withdrawalConsentId);
    if (treasury === undefined && (payout === undefined || consent === undefined)) return undefined;
    const isAccepted = this.#all('owner_offer_acceptance').some((it) => it.offerId === offerId);
    const isWithdrawn = this.#all('offer_withdrawal').some((it) => it.offerId === offerId);
    return {
      sender: treasury ? this.#treasury : this.#custody,
      receiver: (treasury?.partyId ?? consent?.destinationPartyId)!,
      amount: (treasury?.amountAtoms ?? consent?.amountAtoms)!,
      expiry: (treasury ?? payout)!.expiresAtEpochMs,
      status: isAccepted ? 'accepted' : isWithdrawn ? 'withdrawn' : 'open',
    };
  }

  consent(partyId: string): { state: string; consentId: string | null } {
    const changes = this.#accepted.filter(
      (it) => (it.step === 'party_consent' || it.step === 'party_consent_revocation') && it.partyId === partyId,
    );
    const consentId = changes.findLast(({ step }) => step === 'party_consent')?.createdId ?? null;
    const newest = changes.at(-1)?.step;
    return { state: newest === undefined ? 'absent' : newest === 'party_consent' ? 'present' : 'revoked', consentId };
  }

  #reason(command: LedgerCommand, epochMs: number): string | undefined {
    for (const party of partiesOf(command)) {
      if (party === this.#treasury || party === this.#custody) return 'party_of_the_venue';
      if (!this.owners.includes(party)) return 'party_unknown';
    }
    switch (command.step) {
      case 'treasury_offer':
        return this.#offerReason(this.#treasury, command.amountAtoms, command.expiresAtEpochMs, epochMs);
      case 'owner_offer_acceptance': {
        const offer = this.offer(command.offerId);
        if (offer === undefined) return 'offer_unknown';
        if (offer.receiver !== command.partyId) return 'not_the_receiver';
        if (offer.status !== 'open') return 'offer_closed';
        return offer.expiry <= epochMs ? 'offer_expired' : undefined;
      }
      case 'owner_account_acceptance':
        return this.available(command.partyId) < command.amountAtoms ? 'balance_insufficient' : undefined;
      case 'payout_offer': {
        const consent = this.#withdrawalConsent(command.withdrawalConsentId);
        if (consent === undefined) return 'withdrawal_consent_unknown';
        if (this.#all('payout_offer').some((it) => it.withdrawalConsentId === consent.createdId))
          return 'withdrawal_consent_used';
        return this.#offerReason(this.#custody, consent.amountAtoms, command.expiresAtEpochMs, epochMs);
      }
      case 'offer_withdrawal': {
        const offer = this.offer(command.offerId);
        return offer === undefined ? 'offer_unknown' : offer.status === 'open' ? undefined : 'offer_closed';
      }
      case 'party_consent': {
        const { state, consentId } = this.consent(command.partyId);
        if (this.#all('package_availability').at(-1)?.isAvailable === false) return 'package_absent';
        if (state === 'present') return 'consent_present';
        if (state === 'revoked' && command.replacesConsentId === null) return 'consent_revoked';
        return command.replacesConsentId === consentId ? undefined : 'consent_mismatch';
      }
      case 'party_consent_revocation': {
        const { state } = this.consent(command.partyId);
        return state === 'present' ? undefined : `consent_${state}`;
      }
      default:
        return undefined;
    }
  }

  #offerReason(sender: string, amount: number, expiry: number, epochMs: number): string | undefined {
    if (expiry <= epochMs) return 'offer_expired';
    return this.available(sender) < amount ? 'balance_insufficient' : undefined;
  }

  #withdrawalConsent(consentId: string) {
    return this.#all('owner_withdrawal_consent').find(({ createdId }) => createdId === consentId);
  }

  #signed(partyId: string, sender: string, receiver: string, amount: number): number[] {
    return partyId === sender ? [-amount] : partyId === receiver ? [amount] : [];
  }

  #all<Step extends LedgerStep>(step: Step): AcceptedCommand<Step>[] {
    return this.#accepted.filter((it) => it.step === step) as unknown as AcceptedCommand<Step>[];
  }
}

function partiesOf(command: LedgerCommand): readonly string[] {
  if (command.step === 'owner_withdrawal_consent') return [command.partyId, command.destinationPartyId];
  return 'partyId' in command ? [command.partyId] : [];
}

function sum(commands: readonly { readonly amountAtoms: number }[]): number {
  return commands.reduce((total, { amountAtoms }) => total + amountAtoms, 0);
}
