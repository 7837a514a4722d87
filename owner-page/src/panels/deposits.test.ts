import { beforeEach, expect, test } from 'vitest';
import { Signer } from '#owner-page/src/ceremonies/signer.ts';
import { MoneyOperations } from '#owner-page/src/venue/money-operations.ts';
import {
  challengeOf,
  MemoryKeyStore,
  RecordedPage,
  ScriptedAuthenticator,
  ScriptedVenue,
} from '#owner-page/testing/scripted-venue.ts';
import { DepositsPanel } from './deposits.ts';

const ACCOUNT = '/v1/accounts/acct-7';
const CONFIRM = `POST ${ACCOUNT}/deposits/confirm`;
const INTENT = { fundingIntentId: 'intent-1', amountAtoms: '10000000000', status: 'available', depositId: null } as const;
const DEPOSIT = { depositId: 'dep-1', fundingIntentId: 'intent-1', amountAtoms: '10000000000', status: 'bound' } as const;

/** Responses of the confirm operation. */
const waits = (status = 'submitted') => ({ status, signingStep: null, challenge: null, deposit: { ...DEPOSIT, status } });
const due = (signingStep: string, name = signingStep) => ({
  status: 'approval_required',
  signingStep,
  challenge: challengeOf(name),
  deposit: DEPOSIT,
});
const ACCEPTANCE = 'owner_offer_acceptance';

let venue: ScriptedVenue;
let page: RecordedPage;
let authenticator: ScriptedAuthenticator;
let deposits: DepositsPanel;

beforeEach(() => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  authenticator = new ScriptedAuthenticator();
  const signer = new Signer(authenticator, new MemoryKeyStore(), 'acct-7');
  deposits = new DepositsPanel(page, signer, new MoneyOperations(venue.client, 'acct-7'), true);
  venue.on(`POST ${ACCOUNT}/deposits`, DEPOSIT);
  venue.on(`GET ${ACCOUNT}/local-signing-funding-intents`, { fundingIntents: [INTENT] });
});

test('a deposit waits for the venue, then for each signature, then is done', async () => {
  venue.on(
    CONFIRM,
    waits('bound'),
    due(ACCEPTANCE),
    waits(),
    waits('submitted_unknown'),
    due('owner_account_acceptance'),
    waits(),
    waits('ledger_confirmed'),
  );
  let moved = 0;
  deposits.onMoved = () => {
    moved += 1;
  };
  await deposits.start(INTENT);
  expect([deposits.due, deposits.isBusy]).toMatchObject([{ by: 'owner', step: ACCEPTANCE }, false]);
  await deposits.approve();
  expect(deposits.due).toMatchObject({ by: 'owner', step: 'owner_account_acceptance' });
  await deposits.approve();
  expect([deposits.due, moved, authenticator.prompts]).toMatchObject([{ by: 'none', result: 'done' }, 1, 2]);
  expect(venue.bodiesOf(CONFIRM).filter(({ action }) => action === 'complete')).toMatchObject([
    { depositId: 'dep-1', signingStep: ACCEPTANCE, challengeIdentifier: ACCEPTANCE },
    { depositId: 'dep-1', signingStep: 'owner_account_acceptance', challengeIdentifier: 'owner_account_acceptance' },
  ]);
  expect(page.focused).toEqual(['deposit-due', 'deposit-due', 'deposit-due']);
  expect(page.announced).toContain('The external ledger does not answer. The venue queries it again; the money moves once.');
});

test('a prompt that is closed sends nothing, and can be repeated for the same challenge', async () => {
  venue.on(CONFIRM, due(ACCEPTANCE), waits('ledger_confirmed'));
  await deposits.start(INTENT);
  authenticator.failure = new DOMException('closed', 'NotAllowedError');
  await deposits.approve();
  expect(deposits.failure).toMatch(/Nothing was sent/);
  expect(venue.bodiesOf(CONFIRM)).toHaveLength(1);
  await deposits.approve();
  expect([deposits.failure, deposits.due?.by]).toEqual([undefined, 'none']);
});

test('after a refused signature the owner signs a fresh challenge', async () => {
  venue.on(CONFIRM, due(ACCEPTANCE, 'first'), { status: 403, code: 'approval_rejected' }, due(ACCEPTANCE, 'second'));
  await deposits.start(INTENT);
  await deposits.approve();
  expect([deposits.failure, deposits.due]).toMatchObject([
    'refused: approval_rejected',
    { challenge: { challengeIdentifier: 'second' } },
  ]);
});

test('a signature that came too late is reported, although the response is no error', async () => {
  venue.on(CONFIRM, due(ACCEPTANCE, 'first'), due(ACCEPTANCE, 'second'), due(ACCEPTANCE, 'third'));
  await deposits.start(INTENT);
  await deposits.approve();
  expect(deposits.failure).toMatch(/did not take the signature/);
});

test('a lost response to a signature is no failure if the deposit went on', async () => {
  venue.on(CONFIRM, due(ACCEPTANCE), new TypeError('Failed to fetch'), waits(), waits('ledger_confirmed'));
  await deposits.start(INTENT);
  await deposits.approve();
  expect([deposits.failure, deposits.due?.by]).toEqual([undefined, 'none']);
});

test('an unfinished deposit is continued when the view opens, a finished one no longer shown', async () => {
  const resumed = new ScriptedVenue();
  resumed.on(
    `GET ${ACCOUNT}/local-signing-funding-intents`,
    { fundingIntents: [{ ...INTENT, status: 'deposit_bound', depositId: 'dep-1' }] },
    { fundingIntents: [] },
  );
  resumed.on(CONFIRM, waits('ledger_confirmed'));
  const panel = new DepositsPanel(
    page,
    new Signer(authenticator, new MemoryKeyStore(), 'acct-7'),
    new MoneyOperations(resumed.client, 'acct-7'),
    true,
  );
  await panel.load();
  expect([panel.deposit?.depositId, panel.due?.by]).toEqual(['dep-1', 'none']);
  await panel.load();
  expect(panel.deposit).toBeUndefined();
});

test('signing out ends the polling without a failure', async () => {
  venue.on(CONFIRM, waits());
  const polling = deposits.start(INTENT);
  page.signOut();
  await polling;
  expect([deposits.failure, venue.bodiesOf(CONFIRM).length]).toEqual([undefined, 0]);
});
