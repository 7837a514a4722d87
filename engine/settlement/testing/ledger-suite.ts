/** What every implementation of the ledger's port does, also behind a bad connection. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { type Ledger, MAX_PAGE } from '#settlement/port/ledger.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { PersistentCaller } from './persistent-caller.ts';

export interface LedgerSubject {
  readonly ledger: Ledger;
  /** Its clock, and that of its faults. */
  readonly time: ManualTime;
}

const FAR = epochMs(4_000_000_000_000);

export function describeLedger(name: string, openSubject: () => Promise<LedgerSubject>): void {
  describe(name, () => {
    let ledger: Ledger;
    let time: ManualTime;
    let caller: PersistentCaller;
    let alice: string;
    let bob: string;

    beforeEach(async () => {
      ({ ledger, time } = await openSubject());
      caller = new PersistentCaller(ledger, time);
      alice = await caller.created({ step: 'party_allocation', commandId: 'allocate-alice', partyHint: 'alice' });
      bob = await caller.created({ step: 'party_allocation', commandId: 'allocate-bob', partyHint: 'bob' });
      await caller.accepted({ step: 'development_issue', commandId: 'issue', amountAtoms: quoteAtoms(1_000) });
    });

    const balance = (partyId: string) => caller.read((it) => it.balance(partyId));
    const head = () => caller.read((it) => it.head());

    /** Moves money to the party. */
    async function fund(partyId: string, amountAtoms: number, suffix = ''): Promise<void> {
      const offer: LedgerCommand = {
        step: 'treasury_offer',
        commandId: `offer${suffix}`,
        partyId,
        amountAtoms: quoteAtoms(amountAtoms),
        expiresAtEpochMs: FAR,
      };
      const offerId = await caller.created(offer);
      await caller.accepted({ step: 'owner_offer_acceptance', commandId: `accept${suffix}`, partyId, offerId });
    }

    async function deposit(amountAtoms: number): Promise<void> {
      await fund(alice, amountAtoms);
      await caller.accepted({
        step: 'owner_account_acceptance',
        commandId: 'deposit',
        partyId: alice,
        amountAtoms: quoteAtoms(amountAtoms),
      });
    }

    const consentTo = (amountAtoms: number, destinationPartyId = bob, commandId = 'withdrawal-consent'): LedgerCommand => ({
      step: 'owner_withdrawal_consent',
      commandId,
      partyId: alice,
      destinationPartyId,
      amountAtoms: quoteAtoms(amountAtoms),
    });

    it('has a balance of an allocated party and of no other', async () => {
      expect(alice).toMatch(/^alice::[0-9a-f]{40}$/);
      expect(await balance(alice)).toEqual({ availableAtoms: 0, offeredAtoms: 0 });
      expect(await balance('alice::0')).toBeUndefined();
    });

    it('moves a deposit from the treasury to the party to the custody', async () => {
      const { treasuryPartyId, custodyPartyId } = await head();
      const offerId = await caller.created({
        step: 'treasury_offer',
        commandId: 'offer',
        partyId: alice,
        amountAtoms: quoteAtoms(300),
        expiresAtEpochMs: FAR,
      });
      expect(await balance(treasuryPartyId)).toEqual({ availableAtoms: 700, offeredAtoms: 300 });
      expect(await balance(alice)).toEqual({ availableAtoms: 0, offeredAtoms: 0 });
      await caller.accepted({ step: 'owner_offer_acceptance', commandId: 'accept', partyId: alice, offerId });
      expect(await balance(treasuryPartyId)).toEqual({ availableAtoms: 700, offeredAtoms: 0 });
      expect(await balance(alice)).toEqual({ availableAtoms: 300, offeredAtoms: 0 });
      await caller.accepted({
        step: 'owner_account_acceptance',
        commandId: 'deposit',
        partyId: alice,
        amountAtoms: quoteAtoms(120),
      });
      expect(await balance(alice)).toEqual({ availableAtoms: 180, offeredAtoms: 0 });
      expect(await balance(custodyPartyId)).toEqual({ availableAtoms: 120, offeredAtoms: 0 });
    });

    it('pays out once what the owner consented to', async () => {
      await deposit(300);
      const withdrawalConsentId = await caller.created(consentTo(200));
      const payout = { step: 'payout_offer', withdrawalConsentId, expiresAtEpochMs: FAR } as const;
      const offerId = await caller.created({ ...payout, commandId: 'payout' });
      expect(await caller.read((it) => it.offer(offerId))).toMatchObject({
        kind: 'payout',
        receiverPartyId: bob,
        amountAtoms: 200,
        status: 'open',
      });
      expect(await caller.rejected({ ...payout, commandId: 'payout-2' })).toBe('withdrawal_consent_used');
      const accept = { step: 'owner_offer_acceptance', offerId } as const;
      expect(await caller.rejected({ ...accept, commandId: 'accept-alice', partyId: alice })).toBe('not_the_receiver');
      await caller.accepted({ ...accept, commandId: 'accept-bob', partyId: bob });
      expect(await caller.rejected({ ...accept, commandId: 'accept-bob-2', partyId: bob })).toBe('offer_closed');
      expect(await caller.rejected({ step: 'offer_withdrawal', commandId: 'late', offerId })).toBe('offer_closed');
      expect(await balance(bob)).toEqual({ availableAtoms: 200, offeredAtoms: 0 });
      expect(await balance((await head()).custodyPartyId)).toEqual({ availableAtoms: 100, offeredAtoms: 0 });
    });

    it('returns an expired payout offer to the custody when it is withdrawn, exactly once', async () => {
      await deposit(300);
      const withdrawalConsentId = await caller.created(consentTo(200));
      const expiresAtEpochMs = epochMs(time.now() + 1_000_000);
      const payout = { step: 'payout_offer', withdrawalConsentId, expiresAtEpochMs } as const;
      const offerId = await caller.created({ ...payout, commandId: 'payout' });
      await time.advance(1_000_000);
      const accept = { step: 'owner_offer_acceptance', commandId: 'accept-late', partyId: bob, offerId } as const;
      expect(await caller.rejected(accept)).toBe('offer_expired');
      const { custodyPartyId } = await head();
      expect(await balance(custodyPartyId)).toEqual({ availableAtoms: 100, offeredAtoms: 200 });
      await caller.accepted({ step: 'offer_withdrawal', commandId: 'take-back', offerId });
      expect(await balance(custodyPartyId)).toEqual({ availableAtoms: 300, offeredAtoms: 0 });
      expect(await caller.rejected({ step: 'offer_withdrawal', commandId: 'again', offerId })).toBe('offer_closed');
      expect(await caller.rejected({ ...payout, expiresAtEpochMs: FAR, commandId: 'payout-2' })).toBe('withdrawal_consent_used');
      expect(await balance(custodyPartyId)).toEqual({ availableAtoms: 300, offeredAtoms: 0 });
    });

    it('never recreates a revoked consent unless the command names it', async () => {
      const state = () => caller.read((it) => it.consent(alice));
      expect(await state()).toEqual({ state: 'absent', consentId: null, isPackageAvailable: true });
      const create = { step: 'party_consent', partyId: alice, replacesConsentId: null } as const;
      const revoke = { step: 'party_consent_revocation', partyId: alice } as const;
      expect(await caller.rejected({ ...revoke, commandId: 'revoke-absent' })).toBe('consent_absent');
      const consentId = await caller.created({ ...create, commandId: 'consent' });
      expect(await state()).toEqual({ state: 'present', consentId, isPackageAvailable: true });
      expect(await caller.rejected({ ...create, commandId: 'consent-twice' })).toBe('consent_present');
      await caller.accepted({ ...revoke, commandId: 'revoke' });
      expect(await caller.rejected({ ...revoke, commandId: 'revoke-twice' })).toBe('consent_revoked');
      expect(await caller.rejected({ ...create, commandId: 'consent-silent' })).toBe('consent_revoked');
      expect(await caller.rejected({ ...create, commandId: 'other', replacesConsentId: 'consent-0' })).toBe('consent_mismatch');
      expect(await state()).toEqual({ state: 'revoked', consentId, isPackageAvailable: true });
      // The first command is repeated: its receipt, and no new contract.
      expect(await caller.created({ ...create, commandId: 'consent' })).toBe(consentId);
      expect(await state()).toMatchObject({ state: 'revoked' });
      const renewed = await caller.created({ ...create, commandId: 'renewal', replacesConsentId: consentId });
      expect(await state()).toEqual({ state: 'present', consentId: renewed, isPackageAvailable: true });
    });

    it('rejects a consent while its package is absent, and nothing else', async () => {
      const create = { step: 'party_consent', partyId: alice, replacesConsentId: null } as const;
      await caller.accepted({ step: 'package_availability', commandId: 'remove', isAvailable: false });
      expect(await caller.read((it) => it.consent(alice))).toMatchObject({ isPackageAvailable: false });
      expect(await caller.rejected({ ...create, commandId: 'consent-1' })).toBe('package_absent');
      await fund(alice, 10);
      await caller.accepted({ step: 'package_availability', commandId: 'add', isAvailable: true });
      await caller.accepted({ ...create, commandId: 'consent-2' });
    });

    it('returns the same receipt for a repeated command id for good, accepted or rejected', async () => {
      const accepted = await caller.accepted(consentTo(5));
      const rejectedOffer: LedgerCommand = {
        step: 'treasury_offer',
        commandId: 'too-much',
        partyId: alice,
        amountAtoms: quoteAtoms(1_001),
        expiresAtEpochMs: FAR,
      };
      const rejected = await caller.carryOut(rejectedOffer);
      expect(rejected).toMatchObject({ outcome: 'sequenced_rejected', reason: 'balance_insufficient' });
      await caller.accepted({ step: 'development_issue', commandId: 'issue-2', amountAtoms: quoteAtoms(10_000) });
      const { offset } = await head();
      expect(await caller.carryOut(rejectedOffer)).toEqual(rejected);
      expect(await caller.carryOut(consentTo(5))).toEqual(accepted);
      expect(await head()).toMatchObject({ offset });
    });

    it('refuses a command id with another content, and changes nothing', async () => {
      await caller.accepted(consentTo(5));
      const before = await head();
      await expect(caller.carryOut(consentTo(6))).rejects.toMatchObject({
        name: 'CommandRefused',
        message: expect.stringContaining('withdrawal-consent belongs to another command'),
      });
      expect(await head()).toEqual(before);
    });

    it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('refuses the amount %s, and changes nothing', async (amount) => {
      const before = await head();
      const command = { ...consentTo(1), amountAtoms: amount } as LedgerCommand;
      await expect(caller.carryOut(command)).rejects.toMatchObject({ name: 'CommandRefused' });
      expect(await caller.read((it) => it.lookUp('withdrawal-consent'))).toEqual({ status: 'unknown' });
      expect(await head()).toEqual(before);
    });

    it.each(['', 'a b', 'x'.repeat(161), 'a\n'])('refuses the command id %j', async (commandId) => {
      await expect(caller.carryOut({ ...consentTo(1), commandId })).rejects.toMatchObject({ name: 'CommandRefused' });
    });

    it('rejects commands for unknown parties, offers and consents, and for the parties of the venue', async () => {
      const { treasuryPartyId, custodyPartyId } = await head();
      const unknown: readonly (readonly [LedgerCommand, string])[] = [
        [{ step: 'owner_offer_acceptance', commandId: '1', partyId: alice, offerId: 'offer-0' }, 'offer_unknown'],
        [{ step: 'offer_withdrawal', commandId: '2', offerId: 'offer-0' }, 'offer_unknown'],
        [{ step: 'party_consent', commandId: '3', partyId: 'x', replacesConsentId: null }, 'party_unknown'],
        [consentTo(1, 'x', '4'), 'party_unknown'],
        [consentTo(1, custodyPartyId, '5'), 'party_of_the_venue'],
        [{ step: 'payout_offer', commandId: '6', withdrawalConsentId: 'x', expiresAtEpochMs: FAR }, 'withdrawal_consent_unknown'],
        [
          { step: 'owner_account_acceptance', commandId: '7', partyId: treasuryPartyId, amountAtoms: quoteAtoms(1) },
          'party_of_the_venue',
        ],
        [{ step: 'owner_account_acceptance', commandId: '8', partyId: bob, amountAtoms: quoteAtoms(1) }, 'balance_insufficient'],
        [{ step: 'development_issue', commandId: '9', amountAtoms: quoteAtoms(Number.MAX_SAFE_INTEGER) }, 'supply_exceeded'],
        [
          {
            step: 'treasury_offer',
            commandId: '10',
            partyId: bob,
            amountAtoms: quoteAtoms(1),
            expiresAtEpochMs: epochMs(time.now()),
          },
          'offer_expired',
        ],
      ];
      for (const [command, reason] of unknown) expect(await caller.rejected(command), command.commandId).toBe(reason);
    });

    it('lists every sequenced command, and returns its receipt again', async () => {
      await deposit(300);
      const { offset, ledgerEventId } = await head();
      const entries = await caller.read((it) => it.entries({ afterOffset: 0, limit: MAX_PAGE }));
      expect(entries.map(({ receipt }) => receipt.offset)).toEqual(Array.from({ length: offset }, (_, index) => index + 1));
      expect(entries.every(({ command, receipt }) => command.commandId === receipt.commandId)).toBe(true);
      expect(entries.at(-1)!.receipt.ledgerEventId).toBe(ledgerEventId);
      expect(new Set(entries.map(({ receipt }) => receipt.ledgerEventId)).size).toBe(offset);
      expect(await caller.read((it) => it.entries({ afterOffset: 2, limit: 2 }))).toEqual(entries.slice(2, 4));
      for (const { command, receipt } of entries) expect(await caller.carryOut(command)).toEqual(receipt);
      expect(await caller.read((it) => it.lookUp('nothing'))).toEqual({ status: 'unknown' });
    });

    it('refuses pages that are too large', async () => {
      const pages = [
        { afterOffset: -1, limit: 1 },
        { afterOffset: 0, limit: 0 },
        { afterOffset: 0, limit: MAX_PAGE + 1 },
        { afterOffset: 0.5, limit: 1 },
      ];
      for (const page of pages)
        await expect(caller.read((it) => it.entries(page))).rejects.toMatchObject({ name: 'PageRefused' });
    });
  });
}
