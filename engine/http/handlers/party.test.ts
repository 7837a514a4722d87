/** The party of an account and its consent over HTTP: every state of an owner's setup, and accounts of the operator. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';

let venue: VenueUnderTest;
let owners = 0;

beforeAll(async () => {
  // Without a ledger nothing advances by itself.
  venue = await startVenue({ settles: false });
});
afterAll(() => venue.close());

/** Registers an owner, and issues a key that reads its account. */
async function registered(): Promise<Bot> {
  owners += 1;
  const site = { relyingPartyId: 'localhost', origin: 'http://localhost:8080' };
  const identity = { identityDigest: String(owners).padStart(64, '0'), provider: 'local', referralCode: '' };
  const { account } = await venue.operate(
    {
      type: 'RegisterOwner',
      ...identity,
      label: 'owner',
      digestSeed: 7,
      passkey: {
        credentialId: `passkey-${owners}`,
        kind: 'passkey',
        publicKey: 'AAAA',
        signatureCount: 0,
        name: 'phone',
        ...site,
      },
    },
    'OwnerRegistered',
  );
  return venue.keyOf({ account, accountId: `acct-${account}`, keyId: '', key: '' }, ['read', 'trade']);
}

async function stateOf(bot: Bot) {
  const request = { bot, params: { accountId: bot.accountId } };
  const [party, snapshot] = [await venue.call('getParty', request), await venue.call('getAccount', request)];
  expect([party.status, snapshot.status]).toEqual([200, 200]);
  const { status, partyId, source, setup, lastSequence } = party.body;
  return { status, partyId, source, setup, lastSequence, consentState: snapshot.body.consentState };
}

const place = (bot: Bot, key: string) =>
  venue.call('placeOrder', {
    bot,
    idempotencyKey: key,
    body: {
      accountId: bot.accountId,
      marketId: 'BTC-USD-PERP',
      clientOrderId: key,
      side: 'buy',
      orderType: 'limit',
      price: '60000',
      quantity: '0.01',
    },
  });

test('shows each state of the setup, with the record of its last change', async () => {
  const bot = await registered();
  const { account } = bot;
  const step = async (command: Command, type: VenueEvent['type']) => {
    await venue.operate(command, type);
    const { lastSequence, ...state } = await stateOf(bot);
    expect(lastSequence).toBe(venue.sequence());
    return state;
  };
  const recorded = { type: 'RecordPartyConsent', account, consentId: 'consent', reason: '' } as const;
  const absent = { partyId: null, source: 'owner', consentState: 'absent' };
  expect(await stateOf(bot)).toMatchObject({ ...absent, status: 'absent', setup: 'not_started' });
  const started = await step({ type: 'StartParty', account, ledgerKey: 'key-1' }, 'PartyChanged');
  expect(started).toEqual({ ...absent, status: 'pending', setup: 'pending' });
  const allocated = await step({ type: 'AllocateParty', account, partyId: 'party::owner' }, 'PartyChanged');
  expect(allocated).toEqual({ ...absent, status: 'pending', setup: 'pending' });
  expect((await place(bot, 'early')).body).toMatchObject({ code: 'account_not_enabled' });
  const active = { status: 'active', partyId: 'party::owner', source: 'owner', setup: 'pending' };
  expect(await step({ type: 'ActivateParty', account }, 'PartyChanged')).toEqual({ ...active, consentState: 'absent' });
  await venue.operate({ type: 'CreditCash', account, amountAtoms: 1_000_000_000 as never, reference: '' }, 'CashPosted');
  expect((await place(bot, 'late')).status).toBe(202);
  await step({ type: 'CreateSigningWallet', account, walletId: 'wallet' }, 'SigningWalletCreated');
  const submit = (ledgerKey: string, replacesConsentId: string) =>
    step({ type: 'SubmitPartyConsent', account, ledgerKey, replacesConsentId }, 'PartyConsentChanged');
  expect(await submit('key-2', '')).toEqual({ ...active, consentState: 'pending' });
  const failed = { ...recorded, consent: 'absent', consentId: '', reason: 'package_absent' } as const;
  const waiting = await step(failed, 'PartyConsentChanged');
  expect(waiting).toEqual({ ...active, setup: 'waiting_for_package', consentState: 'absent' });
  await submit('key-3', '');
  const complete = await step({ ...recorded, consent: 'present' }, 'PartyConsentChanged');
  expect(complete).toEqual({ ...active, setup: 'complete', consentState: 'present' });
  const revoked = await step({ ...recorded, consent: 'revoked' }, 'PartyConsentChanged');
  expect(revoked).toEqual({ ...active, consentState: 'revoked' });
});

test('shows an account of the operator with and without its party', async () => {
  const opened = async (partyId: string): Promise<Bot> => {
    const { account } = await venue.operate({ type: 'OpenAccount', label: 'bot', partyId, digestSeed: 7 }, 'AccountOpened');
    return venue.keyOf({ account, accountId: `acct-${account}`, keyId: '', key: '' }, ['read']);
  };
  const none = { setup: null, consentState: 'absent' };
  const bound = { ...none, status: 'active', partyId: 'party::1', source: 'operator' };
  expect(await stateOf(await opened('party::1'))).toMatchObject(bound);
  const unbound = { ...none, status: 'absent', partyId: null, source: null };
  expect(await stateOf(await opened(''))).toMatchObject(unbound);
});
