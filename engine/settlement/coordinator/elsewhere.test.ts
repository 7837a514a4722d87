/** Owners and other applications use the ledger without the venue: it reports what concerns it, and transfers go on. */
import { expect, test } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { LedgerEntry } from '#settlement/port/receipt.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import { commandIdOf, newLedgerKey } from './command-id.ts';
import { elsewhereText } from './entry-details.ts';
import { Life } from './testing/life.ts';

interface Situation {
  readonly life: Life;
  readonly time: ManualTime;
  readonly alice: AccountOrdinal;
  readonly partyId: string;
}

/** Alice has 1,000,000 atoms in her party, by a withdrawal. */
async function situation(): Promise<Situation> {
  const time = new ManualTime();
  const life = await Life.open({ time });
  const alice = await life.owner('alice');
  await life.activateParty(alice);
  await life.deposit(alice, 3_000_000);
  await life.withdraw(alice, 1_000_000);
  return { life, time, alice, partyId: life.holdings('alice').partyId };
}

/** A withdrawal whose payout offer waits for its owner. */
async function offered(life: Life, account: AccountOrdinal): Promise<string> {
  const withdrawal = (await life.requestWithdrawal(account, 500_000, 'offered'))!;
  const open = () => life.owners.withdrawal(withdrawal)!;
  await life.until('a reservation', () => open().status === 'reserved');
  await life.carryOut({ type: 'AuthorizeWithdrawal', account, withdrawal });
  const step = 'owner_withdrawal_consent';
  await life.carryOut({ type: 'SubmitWithdrawalStep', withdrawal, step, attempt: 1, offerExpiresAtEpochMs: epochMs(0) });
  await life.until('an offer', () => open().step === 'owner_offer_acceptance');
  return open().offerId;
}

/** Another owner's money moves, and nothing is halted. */
async function expectGoingOn(life: Life): Promise<void> {
  const bob = await life.owner('bob');
  await life.activateParty(bob);
  await life.deposit(bob, 1_000);
  await life.withdraw(bob, 400);
  expect(life.holdings('bob').cashAtoms).toBe(600);
  expect([life.coordinator.status.difference, life.capability('transfers'), life.errors]).toEqual([null, true, []]);
}

type Elsewhere = (it: Situation) => LedgerCommand | Promise<LedgerCommand>;

/** What alice does, and the line that reports it. */
const OWNERS_COMMANDS: Readonly<Record<string, readonly [command: Elsewhere, report: RegExp]>> = {
  'pays money into the custody': [
    ({ partyId }) => ({
      step: 'owner_account_acceptance',
      commandId: 'by-hand',
      partyId,
      amountAtoms: quoteAtoms(250_000),
    }),
    /^ledger: acct-1 \(acct-1::\w+\) paid 0\.25 USD\.E into the custody without a deposit at offset \d+ \((event-\w+)\); to credit it: npm run openperp -- account credit acct-1 0\.25 --key \1$/,
  ],
  'accepts an offer': [
    async ({ life, alice, partyId }) => {
      const offerId = await offered(life, alice);
      return { step: 'owner_offer_acceptance', commandId: 'by-hand', partyId, offerId };
    },
    /^ledger: acct-1 \(acct-1::\w+\) accepted an offer of 0\.5 USD\.E without the venue at offset \d+ \(event-\w+\)$/,
  ],
  'consents to a withdrawal': [
    ({ partyId }) => ({
      step: 'owner_withdrawal_consent',
      commandId: 'by-hand',
      partyId,
      destinationPartyId: partyId,
      amountAtoms: quoteAtoms(700_000),
    }),
    /^ledger: acct-1 \(acct-1::\w+\) consented to a withdrawal of 0\.7 USD\.E without the venue at offset \d+ \(event-\w+\); nothing is paid$/,
  ],
  'creates its consent': [
    ({ partyId }) => ({ step: 'party_consent', commandId: 'by-hand', partyId, replacesConsentId: null }),
    /^ledger: acct-1 \(acct-1::\w+\) created its consent without the venue at offset \d+ \(event-\w+\)$/,
  ],
};

test.each(Object.keys(OWNERS_COMMANDS))('goes on while an owner %s, and reports it at once', async (what) => {
  const it = await situation();
  const [command, report] = OWNERS_COMMANDS[what]!;
  await it.life.submitElsewhere(await command(it));
  await it.time.advance(1_000);
  expect(it.life.lines).toEqual([expect.stringMatching(report)]);
  await expectGoingOn(it.life);
  expect(it.life.lines).toHaveLength(1);
  await it.life.close();
});

test.each(Object.keys(OWNERS_COMMANDS))('starts after an owner %s meanwhile, and reports it', async (what) => {
  const it = await situation();
  const [command, report] = OWNERS_COMMANDS[what]!;
  const submitted = await command(it);
  await it.life.whileTimePasses(it.life.coordinator.close());
  await it.life.submitElsewhere(submitted);
  await it.life.close();
  expect(it.life.lines).toEqual([]);
  const again = await Life.open({ time: it.time, ...it.life.files });
  await again.until('a comparison', () => again.coordinator.status.isCompared);
  expect(again.lines).toEqual([expect.stringMatching(report)]);
  await expectGoingOn(again);
  await again.close();
});

test('reports a payment before the journal knows the ledger beyond it, without any delivered receipt', async () => {
  const time = new ManualTime();
  const life = await Life.open({ time, faults: ({ method }) => (method === 'watch' ? { kind: 'request_lost' } : undefined) });
  const alice = await life.owner('alice');
  await life.activateParty(alice);
  await life.deposit(alice, 3_000_000);
  await life.withdraw(alice, 1_000_000);
  const { partyId } = life.holdings('alice');
  const payment = { step: 'owner_account_acceptance', commandId: 'by-hand', partyId, amountAtoms: quoteAtoms(1) } as const;
  await life.submitElsewhere(payment);
  await time.advance(60_000);
  expect(life.lines).toEqual([]);
  const bob = await life.owner('bob');
  await life.activateParty(bob);
  expect(life.lines).toEqual([expect.stringContaining('paid 0.000001 USD.E into the custody')]);
  await life.close();
});

test('reports nothing of other applications, but money that they pay into the custody', async () => {
  const { life, time } = await situation();
  await life.submitElsewhere({ step: 'party_allocation', commandId: 'shop', partyHint: 'shop' });
  const [{ receipt }] = (await life.local.entries({ afterOffset: 0, limit: 100 })).slice(-1) as [LedgerEntry];
  const shop = receipt.outcome === 'sequenced_accepted' ? receipt.createdId! : '';
  await life.submitElsewhere({ step: 'party_consent', commandId: 'of-shop', partyId: shop, replacesConsentId: null });
  const consent = { partyId: shop, destinationPartyId: shop, amountAtoms: quoteAtoms(5) };
  await life.submitElsewhere({ step: 'owner_withdrawal_consent', commandId: 'pay-me', ...consent });
  await time.advance(1_000);
  expect(life.lines).toEqual([]);
  await expectGoingOn(life);
  await life.close();
  // The local ledger gives such a party no money that it could pay.
  const command = { step: 'owner_account_acceptance', commandId: 'pay', partyId: shop, amountAtoms: quoteAtoms(5) } as const;
  const paid = { command, receipt: { ...receipt, ledgerEventId: 'event-5', offset: 5 } };
  expect(elsewhereText(paid, { partyId: shop, account: null, amount: '0.000005' })).toBe(
    `the party ${shop}, which no account has, paid 0.000005 USD.E into the custody without a deposit at offset 5 (event-5)`,
  );
});

test('reports no command that the ledger rejected', async () => {
  const { life, time, partyId } = await situation();
  const amountAtoms = quoteAtoms(9_000_000);
  await life.submitElsewhere({ step: 'owner_account_acceptance', commandId: 'too-much', partyId, amountAtoms });
  await time.advance(1_000);
  expect(life.lines).toEqual([]);
  await life.close();
});

/** A deposit of an earlier version, whose offer waits for its owner: its key is part of the ids of its commands. */
async function depositOfEarlierVersion(life: Life): Promise<{ account: AccountOrdinal; key: string; offerId: string }> {
  const account = await life.owner('carol');
  await life.activateParty(account);
  await life.carryOut({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(1_000) });
  const key = '0123456789abcdef'.repeat(2);
  const { intent } = life.owners.fundingIntents(account)[0]!;
  await life.carryOut({ type: 'BindDeposit', account, intent, ledgerKey: key });
  const open = () => life.owners.openDeposits()[0]!;
  await life.until('an offer', () => open().step === 'owner_offer_acceptance');
  return { account, key, offerId: open().offerId };
}

test('finishes a deposit that an earlier version began', async () => {
  const { life } = await situation();
  const { account, key } = await depositOfEarlierVersion(life);
  await life.deposit(account, 1_000);
  expect(life.holdings('carol').cashAtoms).toBe(1_000);
  const ids = (await life.local.entries({ afterOffset: 0, limit: 100 })).map(({ command }) => command.commandId);
  expect(ids).toContain(`${key}-owner_account_acceptance-1`);
  await expectGoingOn(life);
  await life.close();
});

test('takes an id of a deposit that an earlier version began as the venue’s', async () => {
  const { life } = await situation();
  const { key, offerId } = await depositOfEarlierVersion(life);
  const { partyId } = life.holdings('carol');
  await life.submitElsewhere({ step: 'owner_offer_acceptance', commandId: `${key}-owner_offer_acceptance-1`, partyId, offerId });
  await life.until('transfers are off', () => !life.capability('transfers'));
  expect(life.coordinator.status.difference?.kind).toBe('lost_entries');
  await life.close();
});

test('takes no id that an owner made up for one of its own', async () => {
  const { life, time, alice, partyId } = await situation();
  const offerId = await offered(life, alice);
  const { ledgerKey, withdrawal } = life.owners.openWithdrawals()[0]!;
  const [nonce] = ledgerKey.split('.');
  const amountAtoms = quoteAtoms(1);
  for (const commandId of [
    `${nonce}-owner_offer_acceptance-1`,
    `${nonce}-owner_offer_acceptance-1.${'0'.repeat(32)}`,
    commandIdOf(newLedgerKey(), 'owner_offer_acceptance', 1),
    `withdrawal-${withdrawal}-owner_offer_acceptance-1`,
  ])
    await life.submitElsewhere({ step: 'owner_account_acceptance', commandId, partyId, amountAtoms });
  await time.advance(1_000);
  expect(life.lines.filter((line) => line.includes('into the custody without a deposit'))).toHaveLength(4);
  expect(life.owners.withdrawal(withdrawal)).toMatchObject({ offerId });
  await expectGoingOn(life);
  await life.close();
});

const VENUES_COMMANDS: readonly (readonly [step: string, command: Elsewhere])[] = [
  ['party_allocation', () => ({ step: 'party_allocation', commandId: 'other', partyHint: 'acct-1' })],
  ['development_issue', () => ({ step: 'development_issue', commandId: 'other', amountAtoms: quoteAtoms(1) })],
  [
    'treasury_offer',
    ({ partyId, time }) => ({
      step: 'treasury_offer',
      commandId: 'other',
      partyId,
      amountAtoms: quoteAtoms(1),
      expiresAtEpochMs: epochMs(time.now() + 60_000),
    }),
  ],
  [
    'payout_offer',
    ({ time }) => ({
      step: 'payout_offer',
      commandId: 'other',
      withdrawalConsentId: 'consent',
      expiresAtEpochMs: epochMs(time.now() + 60_000),
    }),
  ],
  [
    'offer_withdrawal',
    async ({ life, alice }) => ({
      step: 'offer_withdrawal',
      commandId: 'other',
      offerId: await offered(life, alice),
    }),
  ],
];

test.each(VENUES_COMMANDS)('halts transfers while it runs at a %s that it did not submit', async (step, command) => {
  const it = await situation();
  await it.life.submitElsewhere(await command(it));
  await it.life.until('transfers are off', () => !it.life.capability('transfers'));
  expect(it.life.coordinator.status.difference).toMatchObject({ kind: 'lost_entries', text: expect.stringContaining(step) });
  await it.life.close();
});
