/** Agent accounts and their fundings over HTTP: what the owner, an API key and a social session may do, and what moves. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AGENT_FUNDING_LIFETIME_MS } from '#contract/agent-funding.ts';
import { AgentOwner, OWNER_CASH } from '#http/testing/agent-owner.ts';
import { whilePlanted } from '#http/testing/provocations.ts';
import { SITE, storedPasskey } from '#http/testing/software-owner.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { parseAccountId } from '#units/ids.ts';
import { MAX_PENDING_AGENT_FUNDINGS } from '#venue/agent-account/funding.ts';
import { type Command, SCOPES } from '#venue/command.ts';
import { WriterBusy } from '#writer/port/submit.ts';

let venue: VenueUnderTest;
let agent: AgentOwner;
beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
  agent = await AgentOwner.register(venue);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const minus = (amount: string, by: number) => String(Number(amount) - by);

describe('an agent account', () => {
  test('is opened once for an idempotency key, and listed with its status and cash', async () => {
    const { owner } = await AgentOwner.register(venue);
    const request = { params: { accountId: owner.accountId }, body: { label: 'second' }, idempotencyKey: owner.key() };
    const opened = await owner.call('openAgentAccount', request);
    const again = await owner.call('openAgentAccount', request);
    expect([opened.status, again.body]).toEqual([200, opened.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const { agentAccounts } = await owner.body('listAgentAccounts');
    expect(agentAccounts).toMatchObject([
      { label: 'agent', status: 'identity_ready', cashBalanceAtoms: '0' },
      { agentAccountId: opened.body.agentAccountId, label: 'second', status: 'identity_ready', cashBalance: '0' },
    ]);
    const account = parseAccountId(opened.body.agentAccountId)!;
    await venue.operate({ type: 'RetireAccount', account }, 'AccountRetired');
    expect((await owner.body('listAgentAccounts')).agentAccounts[1]).toMatchObject({ status: 'retired' });
  });

  test('has no consent while its owner has none, and needs the active party of its owner', async () => {
    const owner = await TestOwner.register(venue);
    const open = (label: string) =>
      owner.call('openAgentAccount', {
        params: { accountId: owner.accountId },
        body: { label },
        idempotencyKey: owner.key(),
      });
    expect((await open('early')).body).toMatchObject({ code: 'account_not_enabled' });
    await owner.activate();
    expect((await open('agent')).status).toBe(200);
    expect((await owner.body('listAgentAccounts')).agentAccounts).toMatchObject([{ status: 'consent_missing' }]);
    for (let count = 1; count < 20; count += 1) expect((await open('agent')).status).toBe(200);
    expect((await open('agent')).body).toMatchObject({ code: 'too_many_agent_accounts' });
  });

  test('is not opened while the intake is paused, or agents are off', async () => {
    const { owner } = agent;
    const open = () =>
      owner.call('openAgentAccount', {
        params: { accountId: owner.accountId },
        body: { label: 'agent' },
        idempotencyKey: owner.key(),
      });
    await venue.operate({ type: 'SetVenueStatus', status: 'intake_paused' }, 'VenueStatusChanged');
    expect((await open()).body).toMatchObject({ code: 'intake_paused' });
    await venue.operate({ type: 'SetVenueStatus', status: 'open' }, 'VenueStatusChanged');
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: false }, 'CapabilitySet');
    expect((await open()).body).toMatchObject({ code: 'capability_unavailable' });
    await venue.operate({ type: 'SetCapability', capability: 'agents', isOn: true }, 'CapabilitySet');
  });

  test('shows its party to a key that the operator issues for it', async () => {
    const account = agent.agentAccount;
    const key = await venue.keyOf({ ...agent.owner.bot, account }, ['read']);
    const { body } = await venue.call('getParty', { bot: key, params: { accountId: agent.agentAccountId } });
    expect(body).toMatchObject({ status: 'active', partyId: await agent.owner.partyId(), source: 'agent_owner', setup: null });
    const snapshot = await venue.call('getAccount', { bot: key, params: { accountId: agent.agentAccountId } });
    expect(snapshot.body).toMatchObject({ consentState: 'present' });
  });
});

describe('a funding', () => {
  test('moves once the owner has signed it, and names the record that moved it', async () => {
    const [ownerCash, agentCash] = await agent.cash();
    const { body: created } = await agent.create('250.5');
    const { transferId } = created;
    expect(created).toMatchObject({ ...agent.params, amount: '250.5', amountAtoms: '250500000', status: 'prepared' });
    expect(created.expiresAtEpochMs - created.createdAtEpochMs).toBeGreaterThan(AGENT_FUNDING_LIFETIME_MS - 1_000);
    const { refusalReason, journalRecordOrdinal, journalRecordDigest } = created;
    expect([refusalReason, journalRecordOrdinal, journalRecordDigest]).toEqual([null, null, null]);
    expect(await agent.status(transferId)).toEqual({ status: 'approval_required', funding: created, challenge: null });
    const { body: due } = await agent.initiate(transferId);
    expect(due).toMatchObject({ status: 'approval_required', funding: created });
    expect(await agent.cash()).toEqual([ownerCash, agentCash]);

    const sequence = venue.sequence();
    const { body: done } = await agent.confirm(transferId, { action: 'complete', ...agent.owner.approval(due.challenge) });
    expect(done).toMatchObject({ status: 'credited', challenge: null, funding: { transferId, status: 'credited' } });
    expect(await agent.cash()).toEqual([minus(ownerCash, 250.5), minus(agentCash, -250.5)]);
    const { owner } = agent;
    const { body: ledger } = await owner.call('listLedgerEntries', { params: { accountId: owner.accountId } });
    expect(ledger.entries[0]).toMatchObject({ kind: 'transfer', amount: '-250.5', transferId });
    const { journalRecordOrdinal: ordinal, journalRecordDigest: digest } = done.funding;
    // The passkey's counter, the approval, and the movement.
    expect(ordinal).toBe(sequence + 3);
    expect(digest).toBe(`sha256:${await venue.recordDigest(ordinal)}`);
    expect(await venue.recordDigest(ordinal)).not.toBe(await venue.recordDigest(ordinal - 1));
    for (const action of ['status', 'initiate']) expect((await agent.confirm(transferId, { action })).body).toEqual(done);
    expect(venue.sequence()).toBe(sequence + 3);
  });

  test('returns from the agent account to its owner', async () => {
    await agent.complete(await agent.created('10'));
    const [ownerCash, agentCash] = await agent.cash();
    const { body } = await agent.complete(await agent.created('4', 'agent_to_owner'));
    expect(body).toMatchObject({ status: 'credited', funding: { direction: 'agent_to_owner' } });
    expect(await agent.cash()).toEqual([minus(ownerCash, -4), minus(agentCash, 4)]);
  });

  test('has the digest of its canonical intent', async () => {
    const { body } = await agent.create('1');
    const { transferId, accountId, agentAccountId, direction, asset, amountAtoms, expiresAtEpochMs } = body;
    const intent = { version: 'agent-funding-intent/v1', transferId, accountId, agentAccountId, direction, asset, amountAtoms };
    const text = JSON.stringify({ ...intent, expiresAtEpochMs });
    expect(body.intentDigest).toBe(`sha256:${createHash('sha256').update(text).digest('hex')}`);
  });

  test('is created once for an idempotency key', async () => {
    const request = { params: agent.params, body: { amount: '1' }, idempotencyKey: agent.owner.key() };
    const created = await agent.owner.call('createAgentFunding', request);
    venue.pass(1_000);
    const again = await agent.owner.call('createAgentFunding', request);
    expect(again.body).toEqual(created.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await agent.owner.call('createAgentFunding', { ...request, body: { amount: '2' } });
    expect(other.body).toMatchObject({ code: 'idempotency_conflict' });
  });

  test('has an amount of whole atoms above zero', async () => {
    for (const amount of ['0', '0.0000001', '99999999999999999999'])
      expect((await agent.create(amount)).body).toMatchObject({
        code: 'amount_out_of_bounds',
        rejectionGuard: 'amount_atoms_invalid',
      });
  });

  test('is refused beyond the number that an owner can have pending', async () => {
    const fresh = await AgentOwner.register(venue);
    for (let count = 0; count < MAX_PENDING_AGENT_FUNDINGS; count += 1) expect((await fresh.create('1')).status).toBe(200);
    expect((await fresh.create('1')).body).toMatchObject({ code: 'too_many_agent_fundings', retryable: true });
  });

  test('is not approved by a passkey that was removed while it signed', async () => {
    const fresh = await AgentOwner.register(venue);
    const { bot, owner } = fresh.owner;
    const { account } = bot;
    await venue.operate({ type: 'AddPasskey', account, passkey: storedPasskey(new SoftwareAuthenticator()) }, 'PasskeyAdded');
    const transferId = await fresh.created('1');
    const { body } = await fresh.initiate(transferId);
    const credentialId = owner.authenticator.credentialId.toString('base64url');
    const removal = { type: 'RemovePasskey', account, credentialId, relyingPartyId: SITE.rpId } as const;
    const beforeSubmit = async ({ type }: Command) => {
      if (type === 'ApproveAgentFunding') await venue.operate(removal, 'PasskeyRemoved');
    };
    const completion = { action: 'complete', ...fresh.owner.approval(body.challenge) };
    const refused = await whilePlanted(venue.planted, { beforeSubmit }, () => fresh.confirm(transferId, completion));
    expect(refused.body).toMatchObject({ code: 'passkey_not_found' });
    const other = await venue.signIn(bot, 'social');
    expect((await fresh.confirm(transferId, { action: 'status' }, other)).body.funding.status).toBe('prepared');
  });

  test('has no challenge for a session of a passkey of another site', async () => {
    const fresh = await AgentOwner.register(venue);
    const transferId = await fresh.created('1');
    const moved = await venue.moveFromOtherSite(fresh.owner.bot);
    expect((await fresh.confirm(transferId, { action: 'initiate' }, moved)).body).toMatchObject({ code: 'no_usable_passkey' });
  });

  test('is listed, newest first, in pages', async () => {
    const fresh = await AgentOwner.register(venue);
    const created = [await fresh.created('1'), await fresh.created('2', 'agent_to_owner'), await fresh.created('3')];
    await fresh.complete(created[0]!);
    const list = (query: Record<string, string>) => fresh.owner.call('listAgentFundings', { params: fresh.params, query });
    const { body } = await list({});
    expect(body.fundings.map((it: { transferId: string }) => it.transferId)).toEqual([...created].reverse());
    expect(body.fundings.map((it: { status: string }) => it.status)).toEqual(['prepared', 'prepared', 'credited']);
    expect(body.nextCursor).toBeNull();
    const first = await list({ limit: '2' });
    const second = await list({ limit: '2', cursor: first.body.nextCursor });
    expect([...first.body.fundings, ...second.body.fundings]).toEqual(body.fundings);
    const foreign = {
      params: { ...fresh.params, agentAccountId: agent.agentAccountId },
      query: { cursor: first.body.nextCursor },
    };
    expect((await fresh.owner.call('listAgentFundings', foreign)).body).toMatchObject({ code: 'invalid_cursor' });
  });

  test("is not found under another owner's agent account, nor under an unknown one", async () => {
    const other = await AgentOwner.register(venue);
    const transferId = await agent.created('1');
    const call = (agentAccountId: string, id = transferId) =>
      other.owner.call('confirmAgentFunding', {
        params: { ...other.params, agentAccountId, transferId: id },
        body: { action: 'status' },
      });
    for (const agentAccountId of [agent.agentAccountId, other.agentAccountId, 'acct-9999', 'nothing'])
      expect((await call(agentAccountId)).body).toMatchObject({ code: 'agent_funding_not_found' });
    for (const agentAccountId of [agent.agentAccountId, 'acct-9999', 'nothing']) {
      const params = { ...other.params, agentAccountId };
      const created = { params, body: { amount: '1' }, idempotencyKey: other.owner.key() };
      expect((await other.owner.call('createAgentFunding', created)).body).toMatchObject({ code: 'agent_account_not_found' });
      expect((await other.owner.call('listAgentFundings', { params })).body).toMatchObject({ code: 'agent_account_not_found' });
    }
  });
});

describe('a bearer that cannot sign', () => {
  test.each([
    ['an API key with the scope funding', () => venue.keyOf(agent.owner.bot, ['funding'])],
    ['a social session', () => venue.signIn(agent.owner.bot, 'social')],
  ] as const)('%s reads and initiates, and gets no challenge', async (_, bearer) => {
    const bot = await bearer();
    const { body: created } = await agent.create('1');
    const { transferId } = created;
    const due = { status: 'owner_signature_required', funding: created, challenge: null };
    for (const action of ['status', 'initiate']) expect((await agent.confirm(transferId, { action }, bot)).body).toEqual(due);
    const { body: approving } = await agent.initiate(transferId);
    const completion = { action: 'complete', ...agent.owner.approval(approving.challenge) };
    expect((await agent.confirm(transferId, completion, bot)).body).toMatchObject({ code: 'passkey_required' });
    // The challenge was not used up.
    expect((await agent.confirm(transferId, completion)).body).toMatchObject({ status: 'credited' });
    expect((await agent.confirm(transferId, { action: 'status' }, bot)).body).toMatchObject({ status: 'credited' });
  });

  test('moves what its owner has approved, by initiate', async () => {
    const bot = await venue.keyOf(agent.owner.bot, ['funding']);
    const transferId = await approved(agent);
    expect((await agent.confirm(transferId, { action: 'status' }, bot)).body).toMatchObject({ status: 'submitted' });
    const [ownerCash] = await agent.cash();
    expect((await agent.confirm(transferId, { action: 'initiate' }, bot)).body).toMatchObject({ status: 'credited' });
    expect((await agent.cash())[0]).toBe(minus(ownerCash, 1));
  });

  test('creates none: it could fill the number that its owner can have pending', async () => {
    const bot = await venue.keyOf(agent.owner.bot, ['funding']);
    expect((await agent.create('1', 'owner_to_agent', bot)).body).toMatchObject({ code: 'session_required' });
  });

  test('needs the scope funding', async () => {
    const bot = await venue.keyOf(
      agent.owner.bot,
      SCOPES.filter((scope) => scope !== 'funding'),
    );
    const transferId = await agent.created('1');
    expect((await agent.confirm(transferId, { action: 'status' }, bot)).body).toMatchObject({ code: 'insufficient_scope' });
  });
});

describe('an approved funding', () => {
  test('whose movement failed stays submitted, and initiate moves it without a new signature', async () => {
    const transferId = await approved(agent);
    const before = await agent.cash();
    expect(await agent.status(transferId)).toMatchObject({ status: 'submitted', funding: { status: 'submitted' } });
    const { body: listed } = await agent.owner.call('listAgentFundings', { params: agent.params, query: { limit: '1' } });
    expect(listed.fundings).toMatchObject([{ transferId, status: 'submitted' }]);
    // A repeated signature moves nothing: initiate does.
    const { body } = await agent.confirm(transferId, { action: 'complete', ...someApproval });
    expect(body).toMatchObject({ status: 'submitted', challenge: null });
    expect(await agent.cash()).toEqual(before);
    const at = venue.pass(AGENT_FUNDING_LIFETIME_MS * 100);
    agent = await agent.on(venue);
    expect((await agent.initiate(transferId)).body).toMatchObject({ status: 'credited' });
    expect((await agent.status(transferId)).funding.expiresAtEpochMs).toBeLessThan(at);
    expect(await agent.cash()).toEqual([minus(before[0], 1), minus(before[1], -1)]);
    await venue.publishIndex(65_000);
  });
});

test('the account of an owner starts with its cash', async () => {
  const fresh = await AgentOwner.register(venue);
  expect(await fresh.cash()).toEqual([String(OWNER_CASH), '0']);
});

/** Of any challenge: it is not looked at. */
const someApproval = {
  challengeIdentifier: 'unknown',
  firstFactor: { kind: 'Fido2', credentialAssertion: { credId: '', clientData: '', signature: '', authenticatorData: '' } },
};

/** A funding of 1 that its owner has approved, and whose movement the venue could not take. */
async function approved(of: AgentOwner): Promise<string> {
  const transferId = await of.created('1');
  const { body } = await of.initiate(transferId);
  const beforeSubmit = ({ type }: Command) => {
    if (type === 'MoveAgentFunding') throw new WriterBusy('planted');
  };
  const completion = { action: 'complete', ...of.owner.approval(body.challenge) };
  const moved = await whilePlanted(venue.planted, { beforeSubmit }, () => of.confirm(transferId, completion));
  expect(moved.body).toMatchObject({ code: 'venue_busy', agentRefusal: 'account_transfer_unavailable' });
  return transferId;
}
