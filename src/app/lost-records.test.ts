/** The procedure of docs/operations.md after the journal was restored from an older copy and its lost records cannot be found. */
import { hash } from 'node:crypto';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runOperatorCommand } from '#cli/operator-command.ts';
import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

let directory: ReturnType<typeof temporaryDirectory>;
let copies: ReturnType<typeof temporaryDirectory>;
let venue: TestVenue;
beforeEach(async () => {
  directory = temporaryDirectory();
  copies = temporaryDirectory();
  venue = await startTestVenue(testConfig(directory.path));
});
afterEach(async () => {
  await venue.stop();
  directory.remove();
  copies.remove();
});

interface Status {
  readonly capabilities: readonly { readonly capability: string; readonly state: string }[];
  readonly externalLedger: {
    readonly isCompared: boolean;
    readonly difference: string | null;
    readonly differenceOffset: number | null;
    readonly differenceEventId: string | null;
  };
}
interface EntryList {
  readonly knownOffset: number;
  readonly newestOffset: number;
  readonly newestEventId: string;
  readonly entries: readonly { readonly offset: number; readonly step: string; readonly ledgerEventId: string }[];
}

const run = (...args: readonly string[]) => runOperatorCommand([...args, '--data-dir', directory.path]);
const data = async <Result>(...args: readonly string[]) => JSON.parse(await run(...args, '--json')) as Result;
const status = () => data<Status>('venue', 'status');
const areTransfersOn = async () =>
  (await status()).capabilities.some(({ capability, state }) => capability === 'transfers' && state === 'on');

async function submit(command: Command): Promise<void> {
  const { events } = await venue.submit({ command });
  if (events[0]?.type === 'CommandRefused') throw new Error(`${command.type} was refused: ${events[0].code}`);
}

async function owner(name: string): Promise<AccountOrdinal> {
  const identityDigest = hash('sha256', name, 'hex');
  const site = { relyingPartyId: 'localhost', origin: 'http://localhost' };
  const passkey = { credentialId: name, kind: 'passkey', publicKey: 'a2V5', signatureCount: 0, name, ...site } as const;
  const profile = { provider: 'local', label: name, referralCode: '', digestSeed: 7 };
  await submit({ type: 'RegisterOwner', identityDigest, ...profile, passkey });
  const account = venue.owners.accountOfIdentity(identityDigest)!;
  await submit({ type: 'StartParty', account, ledgerKey: newLedgerKey() });
  await eventually(() => expect(venue.owners.owner(account)!.party.status).toBe('allocated'));
  await submit({ type: 'ActivateParty', account });
  return account;
}

async function deposit(account: AccountOrdinal, amountAtoms: number): Promise<void> {
  await submit({ type: 'GrantFaucet', account, amountAtoms: quoteAtoms(amountAtoms) });
  const { intent } = venue.owners.fundingIntents(account)[0]!;
  const ledgerKey = newLedgerKey(venue.owners.owner(account)!.party.ledgerKey);
  await submit({ type: 'BindDeposit', account, intent, ledgerKey });
  const ordinal = venue.owners.fundingIntents(account)[0]!.deposit!;
  for (const step of ['owner_offer_acceptance', 'owner_account_acceptance'] as const) {
    await eventually(() => expect(venue.owners.deposit(ordinal)!.step).toBe(step));
    await submit({ type: 'SubmitDepositStep', deposit: ordinal, step, attempt: 1, offerExpiresAtEpochMs: epochMs(0) });
  }
  await eventually(() => expect(venue.owners.deposit(ordinal)!.confirmed).toBe(true));
}

/** A journal from before a deposit of 5 USD.E to `acct-1`, whose owner is Alice, and the ledger from after it. */
async function restoreOlderJournal(): Promise<void> {
  const alice = await owner('alice');
  expect(alice).toBe(1);
  await venue.stop();
  cpSync(join(directory.path, 'journal'), join(copies.path, 'journal'), { recursive: true });
  venue = await startTestVenue(testConfig(directory.path));
  await deposit(alice, 5_000_000);
  await venue.stop();
  // A start refuses a journal that ends before its own projection.
  const ofJournal = (name: string) => name === 'journal' || name.startsWith('projection.sqlite') || name.startsWith('replay');
  for (const name of readdirSync(directory.path).filter(ofJournal)) rmSync(join(directory.path, name), { recursive: true });
  cpSync(join(copies.path, 'journal'), join(directory.path, 'journal'), { recursive: true });
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect(await areTransfersOn()).toBe(false));
}

test('leads from a difference to new deposits: list, credit, accept, switch on', async () => {
  await restoreOlderJournal();
  const { externalLedger } = await status();
  expect(externalLedger.difference).toMatch(/the ledger has the command .* \(development_issue\) at offset 2 \(event-\w+\)/);
  await expect(run('venue', 'capability', 'transfers', 'on')).rejects.toMatchObject({
    code: 'external_ledger_differs',
    message: expect.stringMatching(
      /transfers stay off: the ledger has the command .* deal with the lost entries and accept them/,
    ),
  });
  const listed = await data<EntryList>('ledger', 'list');
  expect(listed).toMatchObject({ knownOffset: 1, newestOffset: 5 });
  expect([externalLedger.differenceOffset, externalLedger.differenceEventId]).toEqual([2, listed.entries[0]!.ledgerEventId]);
  const paid = { step: 'owner_account_acceptance', submittedBy: 'lost', accountId: 'acct-1', amount: '5' };
  expect(listed.entries.at(-1)).toMatchObject({ offset: 5, ...paid });
  expect(await run('ledger', 'list')).toMatch(
    /\n +offset +ledgerEventId +step +outcome +submittedBy +accountId +partyId +amount\n/,
  );
  const paidEvent = listed.entries.at(-1)!.ledgerEventId;
  expect(await data('account', 'credit', 'acct-1', '5', '--key', paidEvent)).toMatchObject({ cash: '5' });

  const accepting = (offset: number, eventId: string) =>
    data('ledger', 'accept', String(offset), eventId, 'the deposit of acct-1 is credited by hand');
  await expect(accepting(5, 'event-of-no-history')).rejects.toMatchObject({
    code: 'ledger_event_unknown',
    message: `the ledger has the event ${listed.newestEventId} at offset 5: see ledger list`,
  });
  await expect(accepting(6, listed.newestEventId)).rejects.toMatchObject({ message: expect.stringContaining('has no entry') });
  const [known] = (await data<EntryList>('ledger', 'list', '--after-offset', '0', '--limit', '1')).entries;
  await expect(accepting(1, known!.ledgerEventId)).rejects.toMatchObject({
    code: 'ledger_offset_known',
    message: expect.stringContaining('the journal knows the ledger up to offset 1'),
  });
  expect(await accepting(5, listed.newestEventId)).toEqual({ acceptedOffset: 5, ledgerEventId: listed.newestEventId });

  await eventually(async () => expect((await status()).externalLedger).toMatchObject({ isCompared: true, difference: null }));
  await expect(accepting(5, listed.newestEventId)).rejects.toMatchObject({ code: 'ledger_agrees' });
  expect(await areTransfersOn()).toBe(false);
  await run('venue', 'capability', 'transfers', 'on');
  const bob = await owner('bob');
  await deposit(bob, 3_000_000);
  expect(await areTransfersOn()).toBe(true);
  await venue.stop();
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect((await status()).externalLedger).toMatchObject({ isCompared: true, difference: null }));
  expect(venue.internalErrors).toEqual([]);
});

test('has no acceptance for a ledger that is the older copy', async () => {
  await venue.stop();
  cpSync(join(directory.path, 'ledger'), join(copies.path, 'ledger'), { recursive: true });
  venue = await startTestVenue(testConfig(directory.path));
  await owner('alice');
  await venue.stop();
  rmSync(join(directory.path, 'ledger'), { recursive: true });
  cpSync(join(copies.path, 'ledger'), join(directory.path, 'ledger'), { recursive: true });
  venue = await startTestVenue(testConfig(directory.path));
  await eventually(async () => expect(await areTransfersOn()).toBe(false));
  await expect(run('ledger', 'accept', '2', 'event', 'it is lost')).rejects.toMatchObject({
    code: 'difference_not_acceptable',
    message: expect.stringMatching(/the ledger ends before offset 1.* Restore the newer ledger, and restart.*cannot be accepted/),
  });
});

test('has no ledger to list or accept on testnet', async () => {
  await venue.stop();
  directory.remove();
  directory = temporaryDirectory();
  venue = await startTestVenue(testConfig(directory.path, { environment: 'testnet' }));
  for (const args of [['list'], ['accept', '1', 'event', 'none']])
    await expect(run('ledger', ...args)).rejects.toMatchObject({ code: 'no_external_ledger' });
});
