/** What the operator's switches stop: nothing new starts on the ledger, what is on it ends, and no item is passed until a switch. */
import { expect, test } from 'vitest';
import { APPROVAL_DEADLINE_MS, OFFER_LIFETIME_MS } from './pass-ports.ts';
import type { Life } from './testing/life.ts';
import { boundDeposit, fundedLife, isDepositDue, offeredWithdrawal, withdrawalIn } from './testing/open-flows.ts';

const HOUR_MS = 3_600_000;
const ALL_ON = { status: 'open', capabilities: { deposits: true, withdrawals: true, transfers: true } } as const;

const setOn = (life: Life, capability: 'deposits' | 'withdrawals' | 'transfers', isOn: boolean) =>
  life.carryOut({ type: 'SetCapability', capability, isOn });

async function entryCount(life: Life): Promise<number> {
  return (await life.local.entries({ afterOffset: 0, limit: 100 })).length;
}

test.each(['deposits', 'transfers', 'halted'] as const)(
  'starts no deposit while %s stops it, and goes on after the switch',
  async (stop) => {
    const { life, time, account } = await fundedLife(0);
    const before = await entryCount(life);
    life.ledger.isDown = true;
    const deposit = await boundDeposit(life, account);
    if (stop === 'halted') await life.carryOut({ type: 'SetVenueStatus', status: 'halted' });
    else await setOn(life, stop, false);
    life.ledger.isDown = false;
    await life.until('a comparison', () => life.coordinator.status.isCompared);
    await time.advance(HOUR_MS);
    // Not even the money that would back it was issued.
    expect([await entryCount(life), life.submissions('SubmitDepositStep')]).toEqual([before, 0]);
    if (stop === 'halted') await life.carryOut({ type: 'SetVenueStatus', status: 'open' });
    else await setOn(life, stop, true);
    await life.until('an offer', () => isDepositDue(life, deposit, 'owner_offer_acceptance'));
    await life.close();
  },
);

test('does not wait for room on the ledger while deposits are off', async () => {
  const { life, account } = await fundedLife(0);
  life.ledger.isFull = true;
  const deposit = await boundDeposit(life, account);
  await life.until('a full ledger', () => life.coordinator.status.isBusy);
  await setOn(life, 'deposits', false);
  await life.until('a ledger that no command waits for', () => !life.coordinator.status.isBusy);
  await setOn(life, 'deposits', true);
  await life.until('a full ledger', () => life.coordinator.status.isBusy);
  life.ledger.isFull = false;
  await life.until('an offer', () => isDepositDue(life, deposit, 'owner_offer_acceptance'));
  expect(life.coordinator.status.isBusy).toBe(false);
  await life.close();
});

test('is refused once if the venue was switched meanwhile, and waits for the next switch', async () => {
  const { life, time, account } = await fundedLife(0, { switches: () => ALL_ON });
  // What the coordinator reads is behind the core, as between a turn and its record.
  life.ledger.isDown = true;
  const deposit = await boundDeposit(life, account);
  await setOn(life, 'deposits', false);
  life.ledger.isDown = false;
  await life.until('a refusal', () => life.submissions('SubmitDepositStep') > 0);
  await time.advance(HOUR_MS);
  expect(life.submissions('SubmitDepositStep')).toBe(1);
  await setOn(life, 'deposits', true);
  await life.until('an offer', () => isDepositDue(life, deposit, 'owner_offer_acceptance'));
  await life.close();
});

test.each([undefined, () => ALL_ON])(
  'reserves no withdrawal while withdrawals are off, and holds its deadline',
  async (switches) => {
    const { life, time, account } = await fundedLife(1_000, switches === undefined ? {} : { switches });
    life.ledger.isDown = true;
    const withdrawal = await withdrawalIn(life, account, 'requested');
    await setOn(life, 'withdrawals', false);
    life.ledger.isDown = false;
    await time.advance(HOUR_MS);
    await life.until('a comparison', () => life.coordinator.status.isCompared);
    expect(life.owners.withdrawal(withdrawal)?.status).toBe('requested');
    expect(life.submissions('ReserveOnLedger')).toBe(switches === undefined ? 0 : 1);
    time.pass(APPROVAL_DEADLINE_MS);
    await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
    expect(life.holdings('alice').cashAtoms).toBe(1_000);
    await life.close();
  },
);

test('ends a withdrawal that is on the ledger in a halted venue', async () => {
  const { life, time, account } = await fundedLife();
  const withdrawal = await withdrawalIn(life, account, 'submitted');
  await life.carryOut({ type: 'SetVenueStatus', status: 'halted' });
  await setOn(life, 'withdrawals', false);
  await life.until('a payout offer', () => life.owners.withdrawal(withdrawal)?.step === 'owner_offer_acceptance');
  time.pass(OFFER_LIFETIME_MS);
  await life.until('a blocked withdrawal', () => life.owners.withdrawal(withdrawal) === undefined);
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  await setOn(life, 'withdrawals', true);
  await life.carryOut({ type: 'SetVenueStatus', status: 'open' });
  expect(await offeredWithdrawal(life, account, 'next')).toBe(withdrawal + 1);
  await life.close();
});

test('guards the ledger of a journal once', async () => {
  const { life } = await fundedLife();
  expect([life.owners.isLedgerGuarded(), life.submissions('GuardLedger')]).toEqual([true, 1]);
  await life.close();
  const again = (await fundedLife(0, life.files)).life;
  expect([again.owners.isLedgerGuarded(), again.submissions('GuardLedger')]).toEqual([true, 0]);
  await again.close();
});
