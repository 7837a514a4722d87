/** The deadline of a withdrawal that has nothing on the ledger: it holds whatever the ledger does, and the cash returns once. */
import { expect, test } from 'vitest';
import type { LedgerFaults } from '#settlement/testing/faulty-ledger.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { WithdrawalOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { newLedgerKey } from './command-id.ts';
import { APPROVAL_DEADLINE_MS } from './pass-ports.ts';
import { Life } from './testing/life.ts';
import { fundedLife, type OwnedLife, withdrawalIn } from './testing/open-flows.ts';

const HOUR_MS = 3_600_000;
const UNSUBMITTED = ['requested', 'reserved', 'authorized'] as const;

/** Before the deadline nothing happens. Within 25 hours the cash is back, and nothing returns it again. */
async function expectReturnedOnce(life: Life, time: OwnedLife['time'], withdrawal: WithdrawalOrdinal): Promise<void> {
  await time.advance(APPROVAL_DEADLINE_MS - HOUR_MS);
  expect([life.owners.withdrawal(withdrawal) === undefined, life.holdings('alice').cashAtoms]).toEqual([false, 600]);
  await time.advance(2 * HOUR_MS);
  const atEpochMs = time.now();
  await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
  expect(time.now() - atEpochMs).toBeLessThan(1_000);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  await time.advance(2 * APPROVAL_DEADLINE_MS);
  await life.carryOut({ type: 'CreditCash', account: life.holdings('alice').account, amountAtoms: quoteAtoms(1), reference: '' });
  expect(life.holdings('alice')).toMatchObject({ cashAtoms: 1_001, netDepositsAtoms: 1_001 });
  expect(life.events('WithdrawalBlocked')).toHaveLength(1);
  expect(life.errors).toEqual([]);
}

/** The ledger is down, and the venue has noticed. */
async function goDown(life: Life): Promise<void> {
  life.ledger.isDown = true;
  const account = await life.owner('bob');
  await life.carryOut({ type: 'StartParty', account, ledgerKey: newLedgerKey() });
  await life.until('a failed call', () => !life.coordinator.status.isUp);
}

test.each(UNSUBMITTED)('returns the cash of a withdrawal that is %s while the ledger is down for 25 hours', async (status) => {
  const { life, time, account } = await fundedLife();
  if (status === 'requested') life.ledger.isDown = true;
  const withdrawal = await withdrawalIn(life, account, status);
  await goDown(life);
  await expectReturnedOnce(life, time, withdrawal);
  expect(life.coordinator.status).toMatchObject({ isUp: false, isCompared: false });
  // The ledger is up again, and the cash stays where it is.
  life.ledger.isDown = false;
  await life.until('a comparison', () => life.coordinator.status.isCompared);
  expect(life.holdings('alice').cashAtoms).toBe(1_001);
  await life.close();
});

test.each(UNSUBMITTED)('returns the cash of a withdrawal that is %s while the ledger differs for 25 hours', async (status) => {
  const { life, time, account } = await fundedLife();
  if (status === 'requested') life.ledger.isDown = true;
  const withdrawal = await withdrawalIn(life, account, status);
  const older = life.files.journalFiles.contents();
  life.ledger.isDown = false;
  await life.activateParty(await life.owner('bob'));
  await life.close();
  const differs = await Life.open({ time, ...life.files, journalFiles: new PowerCutFiles(undefined, older) });
  await differs.until('a difference', () => differs.coordinator.status.difference !== null);
  const { offset } = await differs.local.head();
  await expectReturnedOnce(differs, time, withdrawal);
  expect(await differs.local.head()).toMatchObject({ offset });
  await differs.close();
});

test.each(UNSUBMITTED)('waits for its own ledger with a withdrawal that is %s', async (status) => {
  const { life, time, account } = await fundedLife();
  if (status === 'requested') life.ledger.isDown = true;
  const withdrawal = await withdrawalIn(life, account, status);
  await life.close();
  const { journalFiles } = life.files;
  const other = await Life.open({ time, journalFiles, ledgerId: 'another' });
  await other.until('a difference', () => other.coordinator.status.difference !== null);
  await time.advance(2 * APPROVAL_DEADLINE_MS);
  expect([other.owners.withdrawal(withdrawal)?.status, other.holdings('alice').cashAtoms]).toEqual([status, 600]);
  expect(await other.coordinator.paymentOf(withdrawal)).toBe('unknown');
  expect(await other.local.entries({ afterOffset: 0, limit: 10 })).toEqual([]);
  await other.close();
  const own = await Life.open({ time, ...life.files });
  await own.until('a blocked withdrawal', () => own.owners.withdrawal(withdrawal) === undefined);
  expect(own.holdings('alice').cashAtoms).toBe(1_000);
  await own.close();
});

test('leaves a submitted withdrawal open while the ledger is down, because its money may be on its way', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await withdrawalIn(life, account, 'authorized');
  await goDown(life);
  const step = 'owner_withdrawal_consent';
  await life.carryOut({ type: 'SubmitWithdrawalStep', withdrawal, step, attempt: 1, offerExpiresAtEpochMs: epochMs(0) });
  await time.advance(3 * APPROVAL_DEADLINE_MS);
  expect([life.owners.withdrawal(withdrawal)?.status, life.holdings('alice').cashAtoms]).toEqual(['submitted', 600]);
  life.ledger.isDown = false;
  await life.until('a payout offer', () => life.owners.withdrawal(withdrawal)?.step === 'owner_offer_acceptance');
  expect(life.events('WithdrawalBlocked')).toEqual([]);
  await life.close();
});

test('waits for the ledger after a start without it, because the journal may be an older copy', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await withdrawalIn(life, account, 'reserved');
  await life.close();
  const again = await Life.open({ time, ...life.files, isDown: true });
  await time.advance(2 * APPROVAL_DEADLINE_MS);
  expect([again.owners.withdrawal(withdrawal)?.status, again.holdings('alice').cashAtoms]).toEqual(['reserved', 600]);
  expect(await again.coordinator.paymentOf(withdrawal)).toBe('unknown');
  again.ledger.isDown = false;
  await again.until('a blocked withdrawal', () => again.owners.withdrawal(withdrawal) === undefined);
  expect(again.holdings('alice').cashAtoms).toBe(1_000);
  expect(again.events('WithdrawalBlocked')).toHaveLength(1);
  await again.close();
});

test('does not blame the custody for a withdrawal that was not reserved without the ledger', async () => {
  const { life, time, account } = await fundedLife();
  life.ledger.isDown = true;
  const withdrawal = await withdrawalIn(life, account, 'requested');
  await life.close();
  // The comparison with the ledger comes before the lookup of the withdrawal.
  let isCompared = () => false;
  const faults: LedgerFaults = ({ method }) => (method === 'lookUp' && !isCompared() ? { kind: 'request_lost' } : undefined);
  const again = await Life.open({ time, ...life.files, isDown: true, faults });
  isCompared = () => again.coordinator.status.isCompared;
  await time.advance(2 * APPROVAL_DEADLINE_MS);
  again.ledger.isDown = false;
  await again.until('a blocked withdrawal', () => again.owners.withdrawal(withdrawal) === undefined);
  expect(again.events('WithdrawalBlocked')).toMatchObject([{ reason: 'not_reserved_in_time' }]);
  await again.close();
});

test.each(UNSUBMITTED)(
  'returns no cash that was paid after the copy of the journal in which the withdrawal is %s',
  async (status) => {
    const { life, time, account } = await fundedLife();
    if (status === 'requested') life.ledger.isDown = true;
    const withdrawal = await withdrawalIn(life, account, status, `key of ${account}`);
    const older = life.files.journalFiles.contents();
    life.ledger.isDown = false;
    // The same request, by its key.
    await life.withdraw(account, 400);
    const { partyId } = life.holdings('alice');
    await life.close();
    await time.advance(2 * APPROVAL_DEADLINE_MS);
    const { ledgerFiles } = life.files;
    const restored = await Life.open({ time, ledgerFiles, journalFiles: new PowerCutFiles(undefined, older) });
    await restored.until('a difference', () => restored.coordinator.status.difference !== null);
    await time.advance(2 * APPROVAL_DEADLINE_MS);
    expect([restored.owners.withdrawal(withdrawal)?.status, restored.holdings('alice').cashAtoms]).toEqual([status, 600]);
    expect(await restored.local.balance(partyId)).toMatchObject({ availableAtoms: 400 });
    expect(await restored.coordinator.paymentOf(withdrawal)).toBe('possible');
    expect(restored.coordinator.status.stuck).toBe(1);
    expect(restored.lines.some((line) => line.includes('consent to withdrawal 1, which the journal has lost'))).toBe(true);
    expect(restored.errors).toEqual([]);
    await restored.close();
  },
);
