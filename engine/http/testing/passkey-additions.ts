/** The addition of a passkey or a setup key over HTTP, step by step, as the owner's browser makes it. */
import type { SigningChallenge } from '#contract/signing.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import type { DrivenVenue, VenueResponse } from './driven-venue.ts';
import { answered, type OwnerClient, SITE } from './owner-client.ts';

export type AdditionId = 'addPasskey' | 'setUpKey';
type Caller = Pick<DrivenVenue, 'call'>;

export function addPasskeyStep(venue: Caller, id: AdditionId, body: object, by: OwnerClient): Promise<VenueResponse> {
  return venue.call(id, { bot: by, params: { accountId: by.accountId }, body });
}

export async function passkeysOf(venue: Caller, by: OwnerClient): Promise<VenueResponse['body']> {
  return (await venue.call('listPasskeys', { bot: by, params: { accountId: by.accountId } })).body;
}

/** What the owner's browser has made, before it is approved. */
export async function madeOnBrowser(
  venue: Caller,
  id: AdditionId,
  by: OwnerClient,
): Promise<{ readonly challengeIdentifier: string; readonly added: object }> {
  const { creation } = (await addPasskeyStep(venue, id, { action: 'initiate' }, by)).body;
  const { challengeIdentifier, challenge } = creation;
  if (id === 'setUpKey') return { challengeIdentifier, added: { credential: new SoftwareSetupKey().register(challenge) } };
  const credential = new SoftwareAuthenticator().register({ challenge, ...SITE });
  return { challengeIdentifier, added: { passkeyName: 'phone', credential } };
}

/** The challenge of the approval, with what it approves. */
export async function approvableAddition(
  venue: Caller,
  id: AdditionId,
  by: OwnerClient,
): Promise<{ readonly challenge: SigningChallenge; readonly added: object }> {
  const { challengeIdentifier, added } = await madeOnBrowser(venue, id, by);
  const { body } = await addPasskeyStep(venue, id, { action: 'approve', challengeIdentifier, ...added }, by);
  return { challenge: body.challenge, added };
}

export const completing = (added: object, approval: object) => ({ action: 'complete', ...added, ...approval });

export async function completeAddition(venue: Caller, id: AdditionId, by: OwnerClient): Promise<VenueResponse> {
  const { challenge, added } = await approvableAddition(venue, id, by);
  return addPasskeyStep(venue, id, completing(added, answered(challenge, by.authenticator)), by);
}
