/** An owner as a browser has them: registers with the local provider and a passkey, signs in, and answers challenges. */
import type { SigningChallenge } from '#contract/signing.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { parseAccountId } from '#units/ids.ts';
import type { Bot, DrivenVenue, Request, VenueResponse } from './driven-venue.ts';
import { SITE } from './software-owner.ts';

export { SITE };

/** Calls as a session of the account. */
export interface OwnerClient extends Bot {
  readonly authenticator: SoftwareAuthenticator;
  readonly local: { readonly name: string; readonly passphrase: string };
}

type Caller = Pick<DrivenVenue, 'call'>;

let registered = 0;

/** Registers a new owner, with a session that the passkey signed in. */
export async function registerOwner(venue: Caller, more: { readonly referralCode?: string } = {}): Promise<OwnerClient> {
  registered += 1;
  const local = { name: `owner-${registered}`, passphrase: 'correct horse' };
  const { attempt, creation } = await succeed(venue, 'registerWithProvider', {
    body: { provider: 'local', action: 'initiate', local, ...more },
  });
  const authenticator = new SoftwareAuthenticator();
  const session = await succeed(venue, 'completeRegistration', {
    body: {
      attempt,
      challengeIdentifier: creation.challengeIdentifier,
      passkeyName: 'laptop',
      credential: authenticator.register({ challenge: creation.challenge, ...SITE }),
    },
  });
  return { ...clientOf(session), authenticator, local };
}

/** Signs in once more, by the passkey or by the local provider. */
export async function signInAgain(venue: Caller, owner: OwnerClient, by: 'passkey' | 'social'): Promise<OwnerClient> {
  const { authenticator, local } = owner;
  if (by === 'social') {
    const { session } = await succeed(venue, 'loginWithProvider', { body: { provider: 'local', action: 'initiate', local } });
    return { ...owner, ...clientOf(session) };
  }
  const { challenge } = await succeed(venue, 'startPasskeyLogin', { body: {} });
  const session = await succeed(venue, 'completePasskeyLogin', { body: answered(challenge, authenticator) });
  return { ...owner, ...clientOf(session) };
}

/** What a browser sends back for a challenge. */
export function answered(challenge: SigningChallenge, authenticator: SoftwareAuthenticator, counter = 0) {
  return {
    challengeIdentifier: challenge.challengeIdentifier,
    firstFactor: authenticator.assert({ challenge: challenge.challenge, counter, ...SITE }),
  };
}

function clientOf(session: { readonly accountId: string; readonly sessionId: string; readonly accessToken: string }): Bot {
  const { accountId, sessionId, accessToken } = session;
  return { account: parseAccountId(accountId)!, accountId, keyId: `session-${sessionId}`, key: accessToken };
}

async function succeed(venue: Caller, id: Parameters<DrivenVenue['call']>[0], request: Request): Promise<VenueResponse['body']> {
  const { status, body } = await venue.call(id, request);
  if (status !== 200) throw new Error(`${id} responded ${status}: ${JSON.stringify(body)}`);
  return body;
}
