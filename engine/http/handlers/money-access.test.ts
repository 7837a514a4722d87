/**
 * Who may use the faucet, read funding intents, and link an account again, by the interface (4.4, 4.9, 5): what it leaves to any bearer
 * needs no passkey, and what moves money or changes an identity does.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let owner: TestOwner;
let social: Bot;
beforeAll(async () => {
  venue = await startVenue();
  owner = await TestOwner.register(venue);
  social = await venue.signIn(owner.bot, 'social');
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const call = (bot: Bot, id: OperationId, body?: object, params: object = { accountId: bot.accountId }) =>
  venue.call(id, { bot, params: params as never, ...(body && { body }) });
const codeOf = async (...request: Parameters<typeof call>) => (await call(...request)).body.code;

test('grants the faucet once to an account of the operator by its trading key, and no deposit without an owner', async () => {
  const bot = await venue.bot(0, ['trade'], '');
  const first = await call(bot, 'claimFaucetGrant');
  expect([first.status, first.body]).toMatchObject([200, { accountId: bot.accountId, status: 'available', replayed: false }]);
  expect((await call(bot, 'claimFaucetGrant')).body).toEqual({ ...first.body, replayed: true });
  const { fundingIntentId } = first.body;
  expect(await codeOf(bot, 'prepareDeposit', { fundingIntentId })).toBe('passkey_required');
});

test.each(['read', 'funding', 'agents'] as const)('grants nothing to a key with the scope %s alone', async (scope) => {
  const bot = await venue.bot(0, [scope], '');
  const before = venue.sequence();
  expect(await codeOf(bot, 'claimFaucetGrant')).toBe('insufficient_scope');
  expect(venue.sequence()).toBe(before);
});

test('shows funding intents to every session of the owner, and deposits for that of a passkey alone', async () => {
  const { fundingIntentId } = (await call(social, 'claimFaucetGrant')).body;
  expect((await call(social, 'listFundingIntents')).body).toMatchObject({ fundingIntents: [{ fundingIntentId }] });
  expect(await codeOf(social, 'prepareDeposit', { fundingIntentId })).toBe('passkey_required');
  const other = await TestOwner.register(venue);
  const { accountId } = owner;
  expect(await codeOf(other.bot, 'listFundingIntents', undefined, { accountId })).toBe('account_forbidden');
  expect(await codeOf(await venue.keyOf(owner.bot, ['read']), 'listFundingIntents')).toBe('session_required');
});

test('links the account again by a session of a provider, and changes nothing by it', async () => {
  const linking = ({ owner: { local } }: TestOwner) => ({ provider: 'local', action: 'initiate', local });
  const before = { sequence: venue.sequence(), passkeys: await owner.body('listPasskeys') };
  expect((await call(social, 'recoverMapping', linking(owner), {})).body).toMatchObject({ status: 'linked' });
  expect({ sequence: venue.sequence(), passkeys: await owner.body('listPasskeys') }).toEqual(before);
  const other = await TestOwner.register(venue);
  expect(await codeOf(social, 'recoverMapping', linking(other), {})).toBe('mapping_forbidden');
  expect(await codeOf(await venue.keyOf(owner.bot, ['trade']), 'recoverMapping', linking(owner), {})).toBe('session_required');
});
