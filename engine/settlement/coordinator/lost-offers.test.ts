/**
 * Items whose offers were made by records that the journal has lost: after the operator has accepted their entries, each goes on with
 * the offer that the ledger has, and its money moves once.
 */
import { expect, test } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { commandIdOf } from './command-id.ts';
import { withdrawalCommand } from './ledger-steps.ts';
import { OFFER_LIFETIME_MS } from './pass-ports.ts';
import type { Life } from './testing/life.ts';
import { restore } from './testing/lost-records.ts';
import { boundDeposit, fundedLife, isDepositDue, offeredDeposit, offeredWithdrawal, withdrawalIn } from './testing/open-flows.ts';

const HOUR_MS = 3_600_000;
const DEPOSIT_ATOMS = 1_000;
const WITHDRAWN_ATOMS = 400;
type LostSteps = (life: Life, account: AccountOrdinal, time: ManualTime) => Promise<unknown>;

/** The files of the journal after the newest record with the event. */
function copiesAfter(type: string) {
  const journalFiles = new PowerCutFiles();
  let copy: ReadonlyMap<string, Uint8Array> | undefined;
  const onRecords = (records: readonly CommittedRecord[]) => {
    const isThere = records.some(({ events }) => events.some((event) => event.type === type));
    if (isThere && copy === undefined) copy = journalFiles.contents();
  };
  return { journalFiles, onRecords, older: () => copy! };
}

async function expireDeposit(life: Life, account: AccountOrdinal, time: ManualTime): Promise<void> {
  const deposit = await offeredDeposit(life, account);
  time.pass(OFFER_LIFETIME_MS);
  await life.until('the next attempt', () => isDepositDue(life, deposit, 'treasury_offer'));
}

const LOST_OF_DEPOSIT: Readonly<Record<string, LostSteps>> = {
  'an offer': (life, account) => offeredDeposit(life, account),
  'an offer, which has expired since': async (life, account, time) => {
    await offeredDeposit(life, account);
    time.pass(OFFER_LIFETIME_MS);
  },
  'an offer, which they withdrew': expireDeposit,
  'an accepted offer': async (life, account) => {
    const deposit = await offeredDeposit(life, account);
    const step = 'owner_offer_acceptance';
    await life.carryOut({ type: 'SubmitDepositStep', deposit, step, attempt: 1, offerExpiresAtEpochMs: epochMs(0) });
    await life.until('an acceptance', () => isDepositDue(life, deposit, 'owner_account_acceptance'));
  },
  'the whole deposit': async (life, account) => {
    await offeredDeposit(life, account);
    await life.deposit(account, DEPOSIT_ATOMS);
  },
};

test.each(Object.keys(LOST_OF_DEPOSIT))('credits a deposit once whose lost records made %s', async (what) => {
  const { journalFiles, onRecords, older } = copiesAfter('DepositBound');
  const { life: first, time, account } = await fundedLife(0, { journalFiles, onRecords });
  await LOST_OF_DEPOSIT[what]!(first, account, time);
  const life = await restore(first, older(), time);
  await life.until('an adopted offer', () => life.owners.openDeposits()[0]?.step === 'owner_offer_acceptance');
  const { offerId, offerExpiresAtEpochMs } = life.owners.openDeposits()[0]!;
  const offer = await life.local.offer(offerId);
  const isOverSoon = offerExpiresAtEpochMs - time.now() <= 60_000;
  expect(isOverSoon || offerExpiresAtEpochMs === offer?.expiresAtEpochMs).toBe(true);
  await life.deposit(account, DEPOSIT_ATOMS);
  await time.advance(2 * OFFER_LIFETIME_MS);
  expect(life.holdings('alice')).toMatchObject({ cashAtoms: DEPOSIT_ATOMS, netDepositsAtoms: DEPOSIT_ATOMS });
  const custody = await life.local.balance(life.owners.ledger()!.custodyPartyId);
  expect(custody).toEqual({ availableAtoms: DEPOSIT_ATOMS, offeredAtoms: 0 });
  expect(await life.local.supply()).toMatchObject({ issuedAtoms: DEPOSIT_ATOMS, offeredAtoms: 0 });
  expect([life.coordinator.status.stuck, life.errors]).toEqual([0, []]);
  await life.close();
});

const LOST_OF_WITHDRAWAL: Readonly<Record<string, LostSteps>> = {
  'an offer': (life, account) => offeredWithdrawal(life, account, `key of ${account}`),
  'the whole payout': (life, account) => life.withdraw(account, WITHDRAWN_ATOMS),
  'an offer, which they withdrew': async (life, account, time) => {
    const withdrawal = await offeredWithdrawal(life, account, `key of ${account}`);
    time.pass(OFFER_LIFETIME_MS);
    await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
  },
};
/** After the request, the reservation, the authorization and the consent. */
const EVENTS = ['WithdrawalRequested', 'WithdrawalStatusChanged', 'WithdrawalStepRecorded'];
const WITHDRAWALS = EVENTS.flatMap((event) => Object.keys(LOST_OF_WITHDRAWAL).map((what) => [event, what] as const));

test.each(WITHDRAWALS)('moves the money of a withdrawal once, from %s on, whose lost records made %s', async (event, what) => {
  const { journalFiles, onRecords, older } = copiesAfter(event);
  const { life: first, time, account } = await fundedLife(DEPOSIT_ATOMS, { journalFiles, onRecords });
  await LOST_OF_WITHDRAWAL[what]!(first, account, time);
  const life = await restore(first, older(), time);
  // As far as it needs its owner, who signs again.
  await life.finishWithdrawal(account, life.owners.openWithdrawals()[0]!.withdrawal);
  await time.advance(2 * OFFER_LIFETIME_MS);
  const isPaid = what !== 'an offer, which they withdrew';
  const cashAtoms = isPaid ? DEPOSIT_ATOMS - WITHDRAWN_ATOMS : DEPOSIT_ATOMS;
  expect(life.holdings('alice')).toMatchObject({ cashAtoms, netDepositsAtoms: cashAtoms });
  const custody = await life.local.balance(life.owners.ledger()!.custodyPartyId);
  expect(custody).toEqual({ availableAtoms: cashAtoms, offeredAtoms: 0 });
  expect([life.owners.openWithdrawals(), life.coordinator.status.stuck, life.errors]).toEqual([[], 0, []]);
  await life.close();
});

test('reserves a withdrawal that lost records have paid although the custody is empty, also after its deadline', async () => {
  const { journalFiles, onRecords, older } = copiesAfter('WithdrawalRequested');
  const { life: first, time, account } = await fundedLife(WITHDRAWN_ATOMS, { journalFiles, onRecords });
  await first.withdraw(account, WITHDRAWN_ATOMS);
  time.pass(2 * OFFER_LIFETIME_MS);
  const life = await restore(first, older(), time);
  await life.until('a reservation', () => life.owners.openWithdrawals()[0]?.status === 'reserved');
  await life.until('a stuck withdrawal', () => life.coordinator.status.stuck === 1);
  await life.finishWithdrawal(account, life.owners.openWithdrawals()[0]!.withdrawal);
  expect(life.holdings('alice')).toMatchObject({ cashAtoms: 0, netDepositsAtoms: 0 });
  expect(life.coordinator.status.stuck).toBe(0);
  await life.close();
});

test.each(['reserved', 'authorized'] as const)(
  'needs no money of the custody for a withdrawal that is %s and that lost records have paid',
  async (status) => {
    const { life: first, time, account } = await fundedLife(DEPOSIT_ATOMS);
    const bob = await first.owner('bob');
    await first.activateParty(bob);
    await first.deposit(bob, DEPOSIT_ATOMS);
    const paid = await withdrawalIn(first, account, status);
    const older = first.files.journalFiles.contents();
    await first.finishWithdrawal(account, paid);
    const life = await restore(first, older, time);
    const rest = await life.requestWithdrawal(account, DEPOSIT_ATOMS - WITHDRAWN_ATOMS, 'rest');
    const all = await life.requestWithdrawal(bob, DEPOSIT_ATOMS, 'all');
    const statuses = () => [rest, all].map((withdrawal) => life.owners.withdrawal(withdrawal!)?.status);
    await life.until('the reservations of all others', () => statuses().every((it) => it === 'reserved'));
    await life.finishWithdrawal(account, paid);
    await life.finishWithdrawal(account, rest!);
    await life.finishWithdrawal(bob, all!);
    const { custodyPartyId } = life.owners.ledger()!;
    expect(await life.local.balance(custodyPartyId)).toEqual({ availableAtoms: 0, offeredAtoms: 0 });
    expect([life.holdings('alice').cashAtoms, life.holdings('bob')]).toMatchObject([0, { cashAtoms: 0, netDepositsAtoms: 0 }]);
    await life.close();
  },
);

test('goes on after its deadline with a withdrawal whose lost records made the consent alone', async () => {
  const { journalFiles, onRecords, older } = copiesAfter('WithdrawalRequested');
  const { life: first, time, account } = await fundedLife(DEPOSIT_ATOMS, { journalFiles, onRecords });
  const withdrawal = await withdrawalIn(first, account, 'authorized', `key of ${account}`);
  first.ledger.isDown = true;
  const consent = withdrawalCommand(first.owners.withdrawal(withdrawal)!, 'owner_withdrawal_consent');
  await first.submitElsewhere(consent);
  time.pass(2 * OFFER_LIFETIME_MS);
  const life = await restore(first, older(), time);
  await life.until('a stuck withdrawal', () => life.coordinator.status.stuck === 1);
  await life.finishWithdrawal(account, withdrawal);
  const cashAtoms = DEPOSIT_ATOMS - WITHDRAWN_ATOMS;
  expect(life.holdings('alice')).toMatchObject({ cashAtoms, netDepositsAtoms: cashAtoms });
  expect(life.coordinator.status.stuck).toBe(0);
  await life.close();
});

/** The ledger has a command under the id of the first offer of alice's deposit, and the operator has accepted it. */
async function offerUnderItsId(change: Partial<LedgerCommand>) {
  const { life, time, account } = await fundedLife(0);
  life.ledger.isDown = true;
  const deposit = await boundDeposit(life, account);
  const { ledgerKey, partyId, amountAtoms } = life.owners.deposit(deposit)!;
  const commandId = commandIdOf(ledgerKey, 'treasury_offer', 1);
  await life.submitElsewhere({ step: 'development_issue', commandId: 'issue', amountAtoms });
  const expiresAtEpochMs = epochMs(time.now() + HOUR_MS);
  const offer = { step: 'treasury_offer', commandId, partyId, amountAtoms, expiresAtEpochMs, ...change } as LedgerCommand;
  await life.submitElsewhere(offer);
  life.ledger.isDown = false;
  await life.until('transfers are off', () => !life.capability('transfers'));
  await life.acceptLedger();
  await life.carryOut({ type: 'SetCapability', capability: 'transfers', isOn: true });
  return { life, time, account, deposit };
}

test('records an offer that the ledger has with another expiry than the journal', async () => {
  const { life, account, deposit } = await offerUnderItsId({});
  await life.until('an offer', () => isDepositDue(life, deposit, 'owner_offer_acceptance'));
  await life.deposit(account, DEPOSIT_ATOMS);
  expect(life.holdings('alice').cashAtoms).toBe(DEPOSIT_ATOMS);
  expect([life.coordinator.status.stuck, life.errors]).toEqual([0, []]);
  await life.close();
});

test('records the rejection of an offer that changed nothing, whatever it was, and makes the next one', async () => {
  const { life, time, account, deposit } = await offerUnderItsId({ partyId: 'unknown' });
  await life.until('a rejection', () => life.owners.deposit(deposit)?.attempt === 2);
  expect(life.owners.deposit(deposit)).toMatchObject({ lastOutcome: { outcome: 'rejected', reason: 'party_unknown' } });
  time.pass(HOUR_MS);
  await life.deposit(account, DEPOSIT_ATOMS);
  expect(life.holdings('alice').cashAtoms).toBe(DEPOSIT_ATOMS);
  await life.close();
});

test('adopts no offer of another amount', async () => {
  const { life, time, deposit } = await offerUnderItsId({ amountAtoms: quoteAtoms(1) });
  await life.until('a stuck deposit', () => life.coordinator.status.stuck === 1);
  await time.advance(HOUR_MS);
  expect(life.owners.deposit(deposit)).toMatchObject({ step: 'treasury_offer', attempt: 1, offerId: '' });
  expect(life.lines.some((line) => line.includes('it refuses a command of deposit 1'))).toBe(true);
  await life.close();
});
