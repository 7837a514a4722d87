/**
 * Valid requests of the operations that answer a challenge or continue an attempt: each is made by the steps before it. Every
 * signature has a higher counter, so that it is recorded.
 */
import { randomBytes } from 'node:crypto';
import type { OperationId } from '#contract/operations.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import { type Ceremony, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { AGENT_REQUESTS } from './agent-requests.ts';
import { DEPLOYMENT_REQUESTS } from './deployment-requests.ts';
import type { Bot, DrivenVenue } from './driven-venue.ts';
import { type MadeRequest, settlementRequests } from './settlement-requests.ts';
import { SITE, type SoftwareOwner, softwareOwner } from './software-owner.ts';

type Venue = Pick<DrivenVenue, 'call' | 'operate' | 'signIn'>;
/** By operation. The account must have an owner. */
export const OWNER_REQUESTS: { readonly [Id in OperationId]?: (venue: Venue, by: Bot) => Promise<MadeRequest> } = {
  ...AGENT_REQUESTS,
  ...DEPLOYMENT_REQUESTS,
  ...settlementRequests((challenge, by) => approval(challenge, ownerOf(by))),
  registerWithProvider: async () => ({ body: initiate(softwareOwner()) }),
  recoverRegistration: async (venue) => ({ body: { attempt: (await begun(venue)).attempt } }),
  completeRegistration: async (venue) => {
    const { attempt, creation } = await begun(venue);
    const credential = new SoftwareAuthenticator().register({ challenge: creation.challenge, ...SITE });
    return { body: { attempt, challengeIdentifier: creation.challengeIdentifier, passkeyName: 'laptop', credential } };
  },
  completePasskeyLogin: async (venue, by) => {
    const { challenge } = (await venue.call('startPasskeyLogin', { body: {} })).body;
    return { body: approval(challenge, ownerOf(by)) };
  },
  loginWithProvider: async (_, by) => ({ body: initiate(ownerOf(by)) }),
  recoverMapping: async (_, by) => ({ body: initiate(ownerOf(by)) }),
  addPasskey: (venue, by) =>
    approvedStep(venue, by, 'addPasskey', (challenge) => ({
      passkeyName: 'phone',
      credential: new SoftwareAuthenticator().register({ challenge, ...SITE }),
    })),
  setUpKey: (venue, by) =>
    approvedStep(venue, by, 'setUpKey', (challenge) => ({ credential: new SoftwareSetupKey().register(challenge) })),
  removePasskey: async (venue, by) => {
    await removeOthers(venue, by);
    const credentialId = randomBytes(16).toString('base64url');
    const passkey = { credentialId, kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'phone' } as const;
    const site = { relyingPartyId: SITE.rpId, origin: SITE.origin };
    await venue.operate({ type: 'AddPasskey', account: by.account, passkey: { ...passkey, ...site } }, 'PasskeyAdded');
    const params = { accountId: by.accountId, passkeyId: credentialId };
    const { challenge } = (await venue.call('removePasskey', { bot: await venue.signIn(by), params, body: {} })).body;
    return { params, body: { approval: approval(challenge, ownerOf(by)) } };
  },
};

/** Lets the program with the code collect a key of the account. */
export async function approveGrant(venue: Venue, by: Bot, userCode: string): Promise<void> {
  const request = { bot: await venue.signIn(by), params: { accountId: by.accountId } };
  const body = { userCode, decision: 'approve' };
  const { challenge } = (await venue.call('decideDeviceGrant', { ...request, body })).body;
  await venue.call('decideDeviceGrant', { ...request, body: { ...body, approval: approval(challenge, ownerOf(by)) } });
}

let counter = 0;

/** The approval of a challenge by the owner's passkey. A test may replace parts of the ceremony before it is signed. */
export function approval(
  { challengeIdentifier, challenge }: Pick<SigningChallenge, 'challenge' | 'challengeIdentifier'>,
  { authenticator }: Pick<SoftwareOwner, 'authenticator'>,
  ceremony: Partial<Ceremony> = {},
): SigningApproval {
  counter += 1;
  return { challengeIdentifier, firstFactor: authenticator.assert({ challenge, counter, ...SITE, ...ceremony }) };
}

export function ownerOf({ accountId, owner }: Bot): SoftwareOwner {
  if (owner === undefined) throw new Error(`${accountId} has no owner: open it with venue.bot() without a party`);
  return owner;
}

function initiate({ local }: SoftwareOwner): object {
  return { provider: 'local', action: 'initiate', local };
}

async function begun(venue: Venue) {
  return (await venue.call('registerWithProvider', { body: initiate(softwareOwner()) })).body;
}

/** The last of the three steps that add a credential. */
async function approvedStep(
  venue: Venue,
  by: Bot,
  id: 'addPasskey' | 'setUpKey',
  make: (challenge: string) => object,
): Promise<MadeRequest> {
  await removeOthers(venue, by);
  const params = { accountId: by.accountId };
  const bot = await venue.signIn(by);
  const { creation } = (await venue.call(id, { bot, params, body: { action: 'initiate' } })).body;
  const { challengeIdentifier, challenge } = creation;
  const made = make(challenge);
  const approving = await venue.call(id, { bot, params, body: { action: 'approve', challengeIdentifier, ...made } });
  return { params, body: { action: 'complete', ...made, ...approval(approving.body.challenge, ownerOf(by)) } };
}

/** An account has a maximum number of passkeys, and one setup key. */
async function removeOthers(venue: Venue, by: Bot): Promise<void> {
  const own = ownerOf(by).authenticator.credentialId.toString('base64url');
  const bot = await venue.signIn(by);
  const { passkeys } = (await venue.call('listPasskeys', { bot, params: { accountId: by.accountId } })).body;
  for (const { passkeyId } of passkeys)
    if (passkeyId !== own)
      await venue.operate(
        { type: 'RemovePasskey', account: by.account, credentialId: passkeyId, relyingPartyId: SITE.rpId },
        'PasskeyRemoved',
      );
}
