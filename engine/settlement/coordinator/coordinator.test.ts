/** What becomes of open items: offers that expire, owners who do not sign, a custody that is too small, consents. */
import { expect, test } from 'vitest';
import type { LedgerFaults } from '#settlement/testing/faulty-ledger.ts';
import { quoteAtoms } from '#units/money.ts';
import { NO_OFFER } from '#venue/command.ts';
import { newLedgerKey } from './command-id.ts';
import { APPROVAL_DEADLINE_MS, OFFER_LIFETIME_MS } from './pass-ports.ts';
import { Life } from './testing/life.ts';
import { fundedLife, isDepositDue, offeredDeposit, offeredWithdrawal, withdrawalIn } from './testing/open-flows.ts';

test('withdraws an expired offer once, and makes another one when its owner asks for it', async () => {
  const { life, time, account } = await fundedLife(0);
  const deposit = await offeredDeposit(life, account);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a withdrawn offer', () => isDepositDue(life, deposit, 'treasury_offer'));
  const entries = await life.local.entries({ afterOffset: 0, limit: 100 });
  await time.advance(10 * OFFER_LIFETIME_MS);
  expect(await life.local.entries({ afterOffset: 0, limit: 100 })).toEqual(entries);
  await life.deposit(account, 1_000);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  expect(await life.local.supply()).toEqual({ issuedAtoms: 1_000, heldAtoms: 1_000, offeredAtoms: 0 });
  await life.close();
});

test.each(['reserved', 'authorized'] as const)(
  'returns the cash of a withdrawal that stays %s for a day, once',
  async (status) => {
    const { life, time, account } = await fundedLife();
    const withdrawal = await withdrawalIn(life, account, status);
    const open = () => life.owners.withdrawal(withdrawal);
    expect([open()?.status, life.holdings('alice').cashAtoms]).toEqual([status, 600]);
    time.pass(APPROVAL_DEADLINE_MS);
    await life.until('a blocked withdrawal', () => open() === undefined);
    expect(life.holdings('alice').cashAtoms).toBe(1_000);
    await time.advance(APPROVAL_DEADLINE_MS);
    expect(life.holdings('alice')).toMatchObject({ cashAtoms: 1_000, netDepositsAtoms: 1_000 });
    await life.close();
  },
);

test('withdraws an expired payout offer, and returns the cash', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await offeredWithdrawal(life, account);
  const open = () => life.owners.withdrawal(withdrawal);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a blocked withdrawal', () => open() === undefined);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  const { custodyPartyId } = life.owners.ledger()!;
  expect(await life.local.balance(custodyPartyId)).toEqual({ availableAtoms: 1_000, offeredAtoms: 0 });
  await life.close();
});

test('settles a withdrawal whose offer the owner accepted without the venue', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await offeredWithdrawal(life, account);
  const open = () => life.owners.withdrawal(withdrawal);
  const { partyId } = life.holdings('alice');
  const { offerId } = open()!;
  await life.whileTimePasses(life.local.submit({ step: 'owner_offer_acceptance', commandId: 'by-hand', partyId, offerId }));
  await time.advance(1_000);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a settled withdrawal', () => open() === undefined);
  expect(life.holdings('alice')).toMatchObject({ cashAtoms: 600, netDepositsAtoms: 600 });
  expect(await life.local.balance(partyId)).toEqual({ availableAtoms: 400, offeredAtoms: 0 });
  await life.close();
});

test('reserves no withdrawal that the custody cannot pay, and returns its cash after a day', async () => {
  const { life, time, account } = await fundedLife();
  await life.carryOut({ type: 'CreditCash', account, amountAtoms: quoteAtoms(500), reference: 'bonus' });
  const covered = (await life.requestWithdrawal(account, 800, 'covered'))!;
  const short = (await life.requestWithdrawal(account, 700, 'short'))!;
  const statusOf = (withdrawal: number) => life.owners.openWithdrawals().find((it) => it.withdrawal === withdrawal)?.status;
  await life.until('a reservation', () => statusOf(covered) === 'reserved' || statusOf(short) === 'reserved');
  await time.advance(600_000);
  expect([statusOf(covered), statusOf(short)].sort()).toEqual(['requested', 'reserved']);
  time.pass(APPROVAL_DEADLINE_MS);
  await life.until('the end of both', () => life.owners.openWithdrawals().length === 0);
  expect(life.holdings('alice').cashAtoms).toBe(1_500);
  const reasons = life.events('WithdrawalBlocked').map(({ reason }) => reason);
  expect(reasons.sort()).toEqual(['custody_insufficient', 'not_authorized_in_time']);
  await life.close();
});

test('reserves no withdrawal by a balance from before the payout offer of another one', async () => {
  let isLate = false;
  const faults: LedgerFaults = ({ method }) => (isLate && method === 'balance' ? { kind: 'answer_late', ms: 20_000 } : undefined);
  const { life, account } = await fundedLife(1_000, { faults });
  await life.carryOut({ type: 'CreditCash', account, amountAtoms: quoteAtoms(500), reference: 'bonus' });
  const paid = await withdrawalIn(life, account, 'authorized');
  isLate = true;
  const short = (await life.requestWithdrawal(account, 700, 'short'))!;
  const submitted = { step: 'owner_withdrawal_consent', attempt: 1, offerExpiresAtEpochMs: NO_OFFER } as const;
  await life.carryOut({ type: 'SubmitWithdrawalStep', withdrawal: paid, ...submitted });
  await life.until('a payout offer', () => life.owners.withdrawal(paid)?.step === 'owner_offer_acceptance');
  let steps = 0;
  await life.until('25 seconds', () => ++steps > 250);
  expect(life.owners.withdrawal(short)?.status).toBe('requested');
  await life.close();
});

test('lets one of 64 concurrent withdrawals of the whole balance go through', async () => {
  const { life, account } = await fundedLife();
  const requests = Array.from({ length: 64 }, (_, index) => life.requestWithdrawal(account, 1_000, `key-${index}`));
  const taken = (await Promise.all(requests)).filter((withdrawal) => withdrawal !== undefined);
  expect(taken).toHaveLength(1);
  expect(life.holdings('alice').cashAtoms).toBe(0);
  await life.close();
});

test('makes a consent by one signature, waits without the package, and never replaces a revoked consent', async () => {
  const { life, time, account } = await fundedLife(0);
  const { partyId } = life.holdings('alice');
  const consent = () => life.owners.owner(account)!.consent;
  const submit = () =>
    life.carryOut({ type: 'SubmitPartyConsent', account, ledgerKey: newLedgerKey(), replacesConsentId: consent().consentId });
  const setPackage = (isAvailable: boolean) =>
    life.whileTimePasses(life.local.submit({ step: 'package_availability', commandId: `package-${isAvailable}`, isAvailable }));
  await setPackage(false);
  await submit();
  await life.until('a decision', () => consent().state !== 'submitted');
  expect([consent(), life.owners.owner(account)!.setup]).toMatchObject([
    { state: 'absent', reason: 'package_absent' },
    'waiting_for_package',
  ]);
  await setPackage(true);
  await time.advance(60_000);
  expect(consent().state).toBe('absent');
  await submit();
  await life.until('a decision', () => consent().state !== 'submitted');
  expect(consent()).toMatchObject({ state: 'present', reason: '' });
  await life.whileTimePasses(life.local.submit({ step: 'party_consent_revocation', commandId: 'revoke', partyId }));
  await life.until('a revocation', () => consent().state === 'revoked');
  await time.advance(60_000);
  expect(await life.local.consent(partyId)).toMatchObject({ state: 'revoked' });
  await submit();
  await life.until('a decision', () => consent().state !== 'submitted');
  expect(consent().state).toBe('present');
  await life.close();
});

test('learns at the next start that a consent was revoked meanwhile', async () => {
  const { life, time, account } = await fundedLife(0);
  const { partyId } = life.holdings('alice');
  await life.carryOut({ type: 'SubmitPartyConsent', account, ledgerKey: newLedgerKey(), replacesConsentId: '' });
  const consentIn = (it: Life) => it.owners.owner(account)!.consent.state;
  await life.until('a consent', () => consentIn(life) === 'present');
  await life.whileTimePasses(life.coordinator.close());
  await life.whileTimePasses(life.local.submit({ step: 'party_consent_revocation', commandId: 'revoke', partyId }));
  await life.close();
  const again = await Life.open({ time, ...life.files });
  await again.until('a revocation', () => consentIn(again) === 'revoked');
  await again.close();
});
