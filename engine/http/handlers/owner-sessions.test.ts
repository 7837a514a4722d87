/** An owner's session over HTTP: on private routes, for tickets, and its ends. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { retire, retireAsLegacy } from '#http/testing/provocations.ts';
import { SITE } from '#http/testing/software-owner.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { SESSION_LIFETIME_MS } from '#identity/sessions.ts';

let venue: VenueUnderTest;
let owner: Bot;

beforeEach(async () => {
  venue = await startVenue();
  owner = await venue.bot();
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const inspect = (bot: Bot) => venue.call('getCurrentSession', { bot });
const rejectionOf = async (bot: Bot) => (await inspect(bot)).body.apiKeyRejection;

test('shows its account and how it was made', async () => {
  const [passkey, social] = [await venue.signIn(owner), await venue.signIn(owner, 'social')];
  expect((await inspect(passkey)).body).toMatchObject({ accountId: owner.accountId, signedInBy: 'passkey' });
  const { body } = await inspect(social);
  expect(body).toMatchObject({ signedInBy: 'social', expiresAtEpochMs: body.createdAtEpochMs + SESSION_LIFETIME_MS });
  expect(`session-${body.sessionId}`).toBe(social.keyId);
  expect(JSON.stringify(body)).not.toContain(social.key.slice(-43));
});

test('works on private routes of its own account', async () => {
  const session = await venue.signIn(owner);
  const params = { accountId: owner.accountId };
  expect((await venue.call('getAccount', { bot: session, params })).status).toBe(200);
  const foreign = await venue.call('getAccount', { bot: session, params: { accountId: 'acct-99' } });
  expect(foreign.body).toMatchObject({
    code: 'account_forbidden',
    safeMessage: `The session belongs to ${owner.accountId}: it can use no other account.`,
  });
});

test('is refused by the inspection of API keys, with a code of its own', async () => {
  const { status, body } = await venue.call('getCurrentApiKey', { bot: await venue.signIn(owner) });
  expect([status, body.code, body.recoveryActions]).toEqual([403, 'not_an_api_key', ['replace_api_key']]);
});

test('mints tickets that end with it', async () => {
  const [session, other] = [await venue.signIn(owner), await venue.signIn(owner)];
  const mint = async (bot: Bot) => (await venue.call('mintRealtimeTicket', { bot })).body.ticket;
  const rotate = (ticket: string) => venue.call('rotateRealtimeTicket', { body: { ticket } });
  const [ticket, stays] = [await mint(session), await mint(other)];
  expect((await rotate(ticket)).status).toBe(200);
  expect((await venue.call('endSession', { bot: session })).status).toBe(204);
  expect((await rotate(ticket)).body.realtimeTicketFailure).toBe('revoked');
  expect((await rotate(stays)).status).toBe(200);
});

test('ends alone, or with all of its account', async () => {
  const [first, second, social, foreign] = [
    await venue.signIn(owner),
    await venue.signIn(owner),
    await venue.signIn(owner, 'social'),
    await venue.signIn(await venue.bot()),
  ];
  expect((await venue.call('endSession', { bot: first })).status).toBe(204);
  expect(await rejectionOf(first)).toBe('revoked');
  expect((await inspect(first)).body.safeMessage).toBe('This session was ended. Sign in again.');
  expect((await venue.call('endSessions', { bot: social })).body.code).toBe('passkey_required');
  expect((await venue.call('endSessions', { bot: second })).status).toBe(204);
  for (const bot of [second, social]) expect(await rejectionOf(bot)).toBe('revoked');
  expect((await inspect(foreign)).status).toBe(200);
  expect((await venue.call('getCurrentApiKey', { bot: owner })).status).toBe(200);
});

test('expires', async () => {
  const session = await venue.signIn(owner);
  venue.pass(SESSION_LIFETIME_MS);
  expect((await inspect(session)).body).toMatchObject({
    apiKeyRejection: 'expired',
    safeMessage: 'This session has expired. Sign in again.',
  });
});

test('ends when its account is retired as legacy; the owner of a retired account stays one', async () => {
  const [legacy, gone] = [await venue.bot(0), await venue.bot(0)];
  const [excluded, session] = [await venue.signIn(legacy), await venue.signIn(gone)];
  await retireAsLegacy(venue, legacy);
  await retire(venue, gone);
  expect(await rejectionOf(excluded)).toBe('revoked');
  expect((await inspect(session)).status).toBe(200);
});

test('ends with the passkey that signed in, also if the store of sessions missed its removal', async () => {
  const bot = await venue.bot();
  const [session, social] = [await venue.signIn(bot), await venue.signIn(bot, 'social')];
  const { account } = bot;
  const other = { credentialId: 'BBBB', kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'phone' } as const;
  const passkey = { ...other, relyingPartyId: SITE.rpId, origin: SITE.origin };
  await venue.operate({ type: 'AddPasskey', account, passkey }, 'PasskeyAdded');
  const credentialId = bot.owner!.authenticator.credentialId.toString('base64url');
  await venue.operate({ type: 'RemovePasskey', account, credentialId, relyingPartyId: SITE.rpId }, 'PasskeyRemoved');
  expect(await rejectionOf(session)).toBe('revoked');
  expect((await inspect(social)).status).toBe(200);
});

test('is needed where a key does not suffice', async () => {
  expect((await inspect(owner)).body.code).toBe('session_required');
});
