/**
 * A withdrawal that lost records of the journal have paid, after the operator accepted their entries: its cash does not return, also
 * when the ledger does not respond at its deadline.
 */
import { expect, test } from 'vitest';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { WithdrawalOrdinal } from '#units/ids.ts';
import { withdrawalCommand } from './ledger-steps.ts';
import { APPROVAL_DEADLINE_MS } from './pass-ports.ts';
import { Life } from './testing/life.ts';
import { restore } from './testing/lost-records.ts';
import { fundedLife, withdrawalIn } from './testing/open-flows.ts';

const HOUR_MS = 3_600_000;
const UNSUBMITTED = ['requested', 'reserved', 'authorized'] as const;
type Unsubmitted = (typeof UNSUBMITTED)[number];

interface AcceptedLife {
  readonly life: Life;
  readonly time: ManualTime;
  readonly withdrawal: WithdrawalOrdinal;
}

/** The journal has the withdrawal with this status, and its records of the payment are lost. Their entries are accepted. */
async function acceptedLife(status: Unsubmitted): Promise<AcceptedLife> {
  const { life: first, time, account } = await fundedLife();
  if (status === 'requested') first.ledger.isDown = true;
  const withdrawal = await withdrawalIn(first, account, status, `key of ${account}`);
  const older = first.files.journalFiles.contents();
  first.ledger.isDown = false;
  // The same request, by its key.
  await first.withdraw(account, 400);
  return { life: await restore(first, older, time), time, withdrawal };
}

async function expectNotReturned({ life, time, withdrawal }: AcceptedLife): Promise<void> {
  await time.advance(APPROVAL_DEADLINE_MS + HOUR_MS);
  await time.advance(HOUR_MS);
  const { partyId } = life.holdings('alice');
  const isOpen = () => life.owners.withdrawal(withdrawal) !== undefined;
  expect([isOpen(), life.holdings('alice').cashAtoms]).toEqual([true, 600]);
  expect(await life.coordinator.paymentOf(withdrawal)).toBe('unknown');
  life.ledger.isDown = false;
  await life.until('a comparison', () => life.coordinator.status.isCompared);
  await time.advance(HOUR_MS);
  expect(isOpen()).toBe(true);
  expect(life.holdings('alice')).toMatchObject({ cashAtoms: 600, netDepositsAtoms: 1_000 });
  expect(await life.local.balance(partyId)).toMatchObject({ availableAtoms: 400 });
  expect(await life.coordinator.paymentOf(withdrawal)).toBe('possible');
  expect(life.coordinator.status.stuck).toBe(1);
  expect(life.events('WithdrawalBlocked')).toEqual([]);
  expect(life.errors).toEqual([]);
  await life.close();
}

test.each(UNSUBMITTED)('does not return paid cash of a withdrawal that is %s while the ledger is down', async (status) => {
  const accepted = await acceptedLife(status);
  accepted.life.ledger.isDown = true;
  await expectNotReturned(accepted);
});

test.each(UNSUBMITTED)('does not return paid cash if the ledger is down after a restart with it: %s', async (status) => {
  const { life, time, withdrawal } = await acceptedLife(status);
  await life.close();
  const again = await Life.open({ time, ...life.files });
  await again.until('a comparison', () => again.coordinator.status.isCompared);
  again.ledger.isDown = true;
  await expectNotReturned({ life: again, time, withdrawal });
});

test.each(UNSUBMITTED)('does not return paid cash if the ledger is down from a restart on: %s', async (status) => {
  const { life, time, withdrawal } = await acceptedLife(status);
  await life.close();
  const again = await Life.open({ time, ...life.files, isDown: true });
  await expectNotReturned({ life: again, time, withdrawal });
});

// Both stores were older copies. The newer ledger, which has paid, is restored while the venue runs.
test.each([true, false])(
  'does not return paid cash after the ledger shows a difference that is accepted: %s',
  async (isAccepted) => {
    const { life, time, account } = await fundedLife();
    const withdrawal = await withdrawalIn(life, account, 'authorized');
    await life.close();
    const again = await Life.open({ time, ...life.files });
    await again.until('a comparison', () => again.coordinator.status.isCompared);
    await time.advance(HOUR_MS);
    // The ledger gets what the lost records had submitted.
    const consent = withdrawalCommand(again.owners.withdrawal(withdrawal)!, 'owner_withdrawal_consent');
    await again.submitElsewhere(consent);
    await again.until('transfers are off', () => !again.capability('transfers'));
    if (isAccepted) await again.acceptLedger();
    again.ledger.isDown = true;
    await time.advance(APPROVAL_DEADLINE_MS);
    expect(again.owners.withdrawal(withdrawal)).toMatchObject({ status: 'authorized' });
    expect(again.holdings('alice').cashAtoms).toBe(600);
    expect(await again.coordinator.paymentOf(withdrawal)).toBe('unknown');
    await again.close();
  },
);

test.each(UNSUBMITTED)(
  'returns unpaid cash of a withdrawal that is %s at a start with the ledger, which then is down',
  async (status) => {
    const { life, time, account } = await fundedLife();
    if (status === 'requested') life.ledger.isDown = true;
    const withdrawal = await withdrawalIn(life, account, status);
    await life.close();
    const again = await Life.open({ time, ...life.files });
    await again.until('a comparison', () => again.coordinator.status.isCompared);
    await time.advance(1_000);
    again.ledger.isDown = true;
    await time.advance(APPROVAL_DEADLINE_MS);
    await again.until('a blocked withdrawal', () => again.owners.withdrawal(withdrawal) === undefined);
    expect(again.holdings('alice').cashAtoms).toBe(1_000);
    expect(again.events('WithdrawalBlocked')).toHaveLength(1);
    await again.close();
  },
);
