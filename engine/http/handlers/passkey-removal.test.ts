/** The removal of passkeys over HTTP: what approves it, and what it ends. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answered, type OwnerClient, registerOwner, signInAgain } from '#http/testing/owner-client.ts';
import { type AdditionId, completeAddition, passkeysOf } from '#http/testing/passkey-additions.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let owner: OwnerClient;

beforeAll(async () => {
  venue = await startVenue(UNLIMITED);
});
beforeEach(async () => {
  owner = await registerOwner(venue);
});
afterAll(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

const complete = (id: AdditionId) => completeAddition(venue, id, owner);
const passkeys = (by = owner) => passkeysOf(venue, by);

describe('a removed passkey', () => {
  const request = (passkeyId: string, body: object, by = owner) =>
    venue.call('removePasskey', { bot: by, params: { accountId: by.accountId, passkeyId }, body });
  /** With the approval of the owner's passkey, unless it is refused without one. */
  const remove = async (passkeyId: string, signer = owner.authenticator, by = owner) => {
    const due = await request(passkeyId, {}, by);
    return due.status === 200 ? request(passkeyId, { approval: answered(due.body.challenge, signer) }, by) : due;
  };
  const own = () => owner.authenticator.credentialId.toString('base64url');

  test('signs in no more, and its sessions end', async () => {
    const { body } = await complete('addPasskey');
    const social = await signInAgain(venue, owner, 'social');
    const removed = await remove(own());
    expect([removed.status, removed.body.status, removed.body.challenge]).toEqual([200, 'removed', null]);
    expect((await venue.call('listPasskeys', { bot: owner, params: { accountId: owner.accountId } })).body).toMatchObject({
      code: 'unauthorized',
      apiKeyRejection: 'revoked',
    });
    const { challenge } = (await venue.call('startPasskeyLogin', { body: {} })).body;
    const login = await venue.call('completePasskeyLogin', { body: answered(challenge, owner.authenticator) });
    expect(login.body.code).toBe('passkey_rejected');
    expect((await passkeys(social)).passkeys).toEqual([expect.objectContaining({ passkeyId: body.passkeyId })]);
  });

  test('is not the last one of this site', async () => {
    expect((await remove(own())).body.code).toBe('last_passkey');
    await complete('setUpKey');
    expect((await remove(own())).body.code).toBe('last_passkey');
    await venue.addPasskeyOfOtherSite(owner);
    expect((await remove(own())).body.code).toBe('last_passkey');
  });

  test('may be a setup key', async () => {
    const { body } = await complete('setUpKey');
    expect((await remove(body.passkeyId)).status).toBe(200);
    expect((await passkeys()).passkeys).toHaveLength(1);
  });

  test('needs the signature of any passkey of the account', async () => {
    const [first, second] = [(await complete('addPasskey')).body.passkeyId, (await complete('addPasskey')).body.passkeyId];
    const { body } = await request(first, {});
    expect(body).toMatchObject({ status: 'approval_required', passkeyId: first });
    const signers = body.challenge.allowCredentials.webauthn.map(({ id }: { id: string }) => id);
    expect(signers).toEqual([own(), first, second]);
  });

  test('that is a setup key needs a passkey of this site', async () => {
    const key = (await complete('setUpKey')).body.passkeyId;
    const { authenticator, local } = owner;
    const moved = await venue.moveFromOtherSite({ ...owner, owner: { authenticator, local } });
    expect((await request(key, {}, { ...owner, ...moved })).body.code).toBe('no_usable_passkey');
  });

  test('leaves one that signs here, also if two are removed at once', async () => {
    const second = (await complete('addPasskey')).body.passkeyId;
    await venue.addPasskeyOfOtherSite(owner);
    const social = await signInAgain(venue, owner, 'passkey');
    const due = [await request(own(), {}), await request(second, {}, social)];
    const approvals = due.map(({ body }) => ({ approval: answered(body.challenge, owner.authenticator) }));
    const results = await Promise.all([request(own(), approvals[0]!), request(second, approvals[1]!, social)]);
    expect(results.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(results.find(({ status }) => status === 409)?.body.code).toMatch(/^(last_passkey|signature_rejected)$/);
  });

  test('is one of the account', async () => {
    const other = await registerOwner(venue);
    expect((await remove(other.authenticator.credentialId.toString('base64url'))).body.code).toBe('passkey_not_found');
    expect((await remove('AAAA')).body.code).toBe('passkey_not_found');
  });
});
