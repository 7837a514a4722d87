/** Agent accounts and the money of one: a funding from its review to its end, in every state that the venue names. */
import { beforeEach, describe, expect, test } from 'vitest';
import { Signer } from '#owner-page/src/ceremonies/signer.ts';
import { AgentMoneyOperations } from '#owner-page/src/venue/agent-money-operations.ts';
import type { AgentAccount, AgentFunding } from '#owner-page/src/venue/agent-resources.ts';
import {
  challengeOf,
  MemoryKeyStore,
  RecordedPage,
  ScriptedAuthenticator,
  ScriptedVenue,
} from '#owner-page/testing/scripted-venue.ts';
import { AgentAccountsPanel } from './agent-accounts.ts';
import { AgentFundingsPanel } from './agent-fundings.ts';

const ACCOUNTS = '/v1/accounts/acct-7/agent-accounts';
const FUNDINGS = `${ACCOUNTS}/acct-9/fundings`;
const CONFIRM = `POST ${FUNDINGS}/transfer-1/confirm`;
const ACCOUNT: AgentAccount = { agentAccountId: 'acct-9', label: 'trend', status: 'identity_ready', cashBalanceAtoms: '5000000' };
const FUNDING: AgentFunding = {
  transferId: 'transfer-1',
  direction: 'owner_to_agent',
  amountAtoms: '12500000',
  status: 'prepared',
  expiresAtEpochMs: 3_600_000,
  createdAtEpochMs: 0,
};
const DUE = { status: 'approval_required', challenge: challengeOf('intent') };
const at = (status: string) => ({ status, challenge: null });

let venue: ScriptedVenue;
let page: RecordedPage;
let operations: AgentMoneyOperations;
let authenticator: ScriptedAuthenticator;
let fundings: AgentFundingsPanel;
let moved: number;

beforeEach(async () => {
  venue = new ScriptedVenue();
  page = new RecordedPage();
  authenticator = new ScriptedAuthenticator();
  operations = new AgentMoneyOperations(venue.client, 'acct-7');
  fundings = new AgentFundingsPanel(page, new Signer(authenticator, new MemoryKeyStore(), 'acct-7'), operations);
  moved = 0;
  fundings.onMoved = () => {
    moved += 1;
  };
  venue.on(`GET ${FUNDINGS}`, { fundings: [FUNDING], nextCursor: null, freshness: { asOfEpochMs: 1_000 } });
  await fundings.open(ACCOUNT);
});

async function created(): Promise<void> {
  venue.on(`POST ${FUNDINGS}`, FUNDING);
  fundings.prepare('12.5', '13500000');
  await fundings.create();
}

test('a funding is checked, created, approved by passkey, and credited', async () => {
  venue.on(CONFIRM, DUE, at('submitted'), at('submitted'), at('credited'));
  fundings.prepare('12.5', '13500000');
  expect([fundings.review, venue.bodiesOf(`POST ${FUNDINGS}`)]).toEqual([{ direction: 'owner_to_agent', amount: '12.5' }, []]);
  await created();
  expect(fundings.due).toMatchObject({ by: 'owner', step: 'approval' });
  expect([fundings.fundings.length, authenticator.prompts]).toEqual([2, 0]);
  await fundings.approve();
  expect(venue.bodiesOf(CONFIRM)).toEqual([
    { action: 'initiate' },
    { action: 'complete', challengeIdentifier: 'intent', firstFactor: expect.anything() },
    { action: 'initiate' },
    { action: 'initiate' },
  ]);
  expect(fundings.due).toEqual({ by: 'none', result: 'done', message: 'The money is in the agent account.' });
  expect([authenticator.prompts, moved, fundings.failure]).toEqual([1, 1, undefined]);
});

test.each([
  ['13.500001', '13500000', /^At most 13.5/],
  ['0', '13500000', /^Enter an amount/],
  ['1e2', '13500000', /^Enter an amount/],
])('an amount %j of %s atoms is not sent', (typed, available, text) => {
  fundings.prepare(typed, available);
  expect([fundings.inputFailure, fundings.review]).toEqual([expect.stringMatching(text), undefined]);
  expect(page.focused.at(-1)).toBe('agent-amount');
});

test('money of an account that is not ready only returns', async () => {
  await fundings.open({ ...ACCOUNT, status: 'consent_missing' });
  venue.on(CONFIRM, at('credited'));
  venue.on(`POST ${FUNDINGS}`, { ...FUNDING, direction: 'agent_to_owner' });
  fundings.prepare('5', '5000000');
  await fundings.create();
  expect(venue.bodiesOf(`POST ${FUNDINGS}`)).toEqual([{ direction: 'agent_to_owner', amount: '5' }]);
  expect(fundings.due).toMatchObject({ message: 'The money is back in your account.' });
});

describe('a funding that does not move says why, and what to do', () => {
  test.each([
    [at('expired'), /not approved within an hour.*create it again/],
    [at('owner_signature_required'), /sign in with your passkey, and continue it/],
    [{ status: 409, code: 'insufficient_cash' }, /^refused: insufficient_cash/],
  ])('%o', async (response, text) => {
    venue.on(CONFIRM, response);
    await created();
    expect(fundings.due).toEqual({ by: 'none', result: 'stopped', message: expect.stringMatching(text) });
    expect([fundings.failure, fundings.fundings]).toEqual([undefined, [FUNDING]]);
  });

  test('after the approval: once', async () => {
    venue.on(CONFIRM, DUE, { status: 409, code: 'account_retired' }, { status: 409, code: 'account_retired' });
    await created();
    await fundings.approve();
    expect([fundings.due, fundings.failure]).toEqual([
      { by: 'none', result: 'stopped', message: 'refused: account_retired' },
      undefined,
    ]);
  });

  test('if the signature was rejected: with a fresh challenge', async () => {
    venue.on(CONFIRM, DUE, { status: 409, code: 'signature_rejected' }, DUE);
    await created();
    await fundings.approve();
    expect([fundings.due?.by, fundings.failure]).toEqual(['owner', 'refused: signature_rejected']);
  });
});

test('an approved one is followed to credited, also while the venue is busy, without another signature', async () => {
  const submitted: AgentFunding = { ...FUNDING, status: 'submitted', expiresAtEpochMs: 1 };
  expect([fundings.isOpen(submitted), fundings.isOpen(FUNDING), fundings.isOpen({ ...FUNDING, expiresAtEpochMs: 1 })]).toEqual([
    true,
    true,
    false,
  ]);
  venue.on(CONFIRM, { status: 503, code: 'venue_halted', isRetryable: true }, at('submitted'), at('credited'));
  await fundings.resume(submitted);
  expect([fundings.due?.by, authenticator.prompts]).toEqual(['none', 0]);
  expect(page.announced).toContain('refused: venue_halted Trying again.');
  fundings.clearEnded();
  expect(fundings.funding).toBeUndefined();
});

test('older fundings are shown on demand', async () => {
  const older = { ...FUNDING, transferId: 'transfer-0' };
  venue = new ScriptedVenue();
  fundings = new AgentFundingsPanel(
    page,
    new Signer(authenticator, new MemoryKeyStore(), 'acct-7'),
    new AgentMoneyOperations(venue.client, 'acct-7'),
  );
  const list = (entries: readonly AgentFunding[], nextCursor: string | null) => ({
    fundings: entries,
    nextCursor,
    freshness: { asOfEpochMs: 1_000 },
  });
  venue.on(`GET ${FUNDINGS}`, list([FUNDING], 'next+1'), list([older], null));
  await fundings.open(ACCOUNT);
  await fundings.showMore();
  expect([fundings.fundings, fundings.hasMore, venue.sent.at(-1)?.query]).toEqual([
    [FUNDING, older],
    false,
    'limit=20&cursor=next%2B1',
  ]);
});

test('an agent account is opened with its label', async () => {
  const accounts = new AgentAccountsPanel(page, operations);
  venue.on(`POST ${ACCOUNTS}`, { status: 409, code: 'too_many_agent_accounts' }, { agentAccountId: 'acct-9' });
  venue.on(`GET ${ACCOUNTS}`, { agentAccounts: [ACCOUNT] });
  expect([await accounts.open(' trend '), accounts.failure]).toEqual([false, 'refused: too_many_agent_accounts']);
  expect([await accounts.open(' trend '), accounts.accounts]).toEqual([true, [ACCOUNT]]);
  expect(venue.bodiesOf(`POST ${ACCOUNTS}`).at(-1)).toEqual({ label: 'trend' });
  expect(page.focused.at(-1)).toBe('agent-accounts');
});
