/** After a store was restored from an older copy: the operator lists the lost entries, deals with them and accepts them. */
import { expect, test } from 'vitest';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import { Life } from './testing/life.ts';

const ALL = { afterOffset: 0, limit: 100 };

/** A journal from before Alice's deposit and withdrawal, and the ledger from after them. */
async function olderJournal(): Promise<{ life: Life; alice: AccountOrdinal }> {
  const time = new ManualTime();
  const first = await Life.open({ time });
  const alice = await first.owner('alice');
  await first.activateParty(alice);
  const journal = first.files.journalFiles.contents();
  await first.deposit(alice, 3_000_000);
  await first.withdraw(alice, 1_000_000);
  await first.close();
  const ledger = first.files.ledgerFiles.contents();
  const journalFiles = new PowerCutFiles(undefined, journal);
  const life = await Life.open({ time, journalFiles, ledgerFiles: new PowerCutFiles(undefined, ledger) });
  await life.until('transfers are off', () => !life.capability('transfers'));
  return { life, alice };
}

const accept = (life: Life, ledgerOffset: number, ledgerEventId: string) =>
  life.carryOut({ type: 'AcceptLedgerEntries', ledgerOffset, ledgerEventId, reason: 'credited by hand' });
const switchOn = (life: Life) => life.carryOut({ type: 'SetCapability', capability: 'transfers', isOn: true });

test('lists the entries that the journal has lost, with their accounts and amounts', async () => {
  const { life } = await olderJournal();
  const { entries, knownOffset, newestOffset } = await life.coordinator.entries({ limit: 100 });
  expect([knownOffset, newestOffset]).toEqual([1, 8]);
  const alices = { accountId: 'acct-1', partyId: life.holdings('alice').partyId };
  expect(entries).toMatchObject([
    { offset: 2, step: 'development_issue', submittedBy: 'lost', accountId: null, partyId: null, amount: '3' },
    { offset: 3, step: 'treasury_offer', submittedBy: 'lost', ...alices, amount: '3' },
    { offset: 4, step: 'owner_offer_acceptance', submittedBy: 'lost', ...alices, amount: '3' },
    { offset: 5, step: 'owner_account_acceptance', submittedBy: 'lost', ...alices, amount: '3' },
    { offset: 6, step: 'owner_withdrawal_consent', submittedBy: 'lost', ...alices, amount: '1' },
    { offset: 7, step: 'payout_offer', submittedBy: 'lost', ...alices, amount: '1' },
    { offset: 8, step: 'owner_offer_acceptance', submittedBy: 'lost', ...alices, amount: '1' },
  ]);
  const all = await life.coordinator.entries({ afterOffset: 0, limit: 1 });
  expect(all.entries).toMatchObject([{ offset: 1, step: 'party_allocation', submittedBy: 'known', ...alices, amount: null }]);
  await life.close();
});

test('compares again from the accepted entries, and leaves transfers off until they are switched on', async () => {
  const { life, alice } = await olderJournal();
  await life.carryOut({ type: 'CreditCash', account: alice, amountAtoms: quoteAtoms(2_000_000), reference: 'lost records' });
  await life.acceptLedger();
  expect([life.coordinator.status.difference, life.capability('transfers')]).toEqual([null, false]);
  await switchOn(life);
  const bob = await life.owner('bob');
  await life.activateParty(bob);
  await life.deposit(bob, 1_000);
  await life.withdraw(bob, 400);
  await life.withdraw(alice, 2_000_000);
  expect([life.holdings('bob').cashAtoms, life.holdings('alice').cashAtoms]).toEqual([600, 0]);
  expect(await life.local.balance(life.owners.ledger()!.custodyPartyId)).toEqual({ availableAtoms: 600, offeredAtoms: 0 });
  await life.close();
  const again = await Life.open({ time: new ManualTime(), ...life.files });
  await again.until('a comparison', () => again.coordinator.status.isCompared);
  expect(again.coordinator.status.difference).toBeNull();
  await again.close();
});

test('finds the next difference if only some of the lost entries are accepted', async () => {
  const { life } = await olderJournal();
  expect(life.coordinator.status.difference).toMatchObject({ kind: 'lost_entries', ledgerOffset: 2 });
  const [, second] = await life.local.entries(ALL);
  await accept(life, 2, second!.receipt.ledgerEventId);
  await life.until('another difference', () => life.coordinator.status.difference?.ledgerOffset === 3);
  expect(life.capability('transfers')).toBe(false);
  await life.close();
});

test('keeps the difference if the ledger has another event at the accepted offset', async () => {
  const { life } = await olderJournal();
  await accept(life, 8, 'event-of-another-history');
  await life.until('a comparison', () => life.coordinator.status.difference?.kind === 'other_history');
  expect(life.coordinator.status.difference).toMatchObject({ ledgerOffset: 8, text: expect.stringContaining('another event') });
  expect(life.capability('transfers')).toBe(false);
  await life.close();
});

test('halts transfers again at once if they are switched on while the stores differ', async () => {
  const { life, alice } = await olderJournal();
  await life.carryOut({ type: 'CreditCash', account: alice, amountAtoms: quoteAtoms(1_000), reference: '' });
  await switchOn(life);
  await life.until('transfers are off', () => !life.capability('transfers'));
  expect(await life.requestWithdrawal(alice, 400)).toBeUndefined();
  expect(life.holdings('alice').cashAtoms).toBe(1_000);
  await life.close();
});

test('goes on with an item at the step that the older journal knows', async () => {
  const time = new ManualTime();
  const first = await Life.open({ time });
  const alice = await first.owner('alice');
  await first.activateParty(alice);
  const deposited = first.deposit(alice, 3_000_000);
  await first.until('an offer', () => first.owners.openDeposits()[0]?.offerId.startsWith('offer') === true);
  const journal = first.files.journalFiles.contents();
  await deposited;
  await first.close();
  const journalFiles = new PowerCutFiles(undefined, journal);
  const life = await Life.open({ time, journalFiles, ledgerFiles: first.files.ledgerFiles });
  await life.until('transfers are off', () => !life.capability('transfers'));
  await life.acceptLedger();
  await switchOn(life);
  await life.deposit(alice, 3_000_000);
  expect(life.holdings('alice').cashAtoms).toBe(3_000_000);
  expect(await life.local.supply()).toMatchObject({ issuedAtoms: 3_000_000 });
  await life.close();
});
