/** The creation of a passkey: what the browser passes to `navigator.credentials.create`, and what it returns. */
import { Refused } from '#contract/refused.ts';
import type { PasskeyCreation, PasskeyCredential } from '#contract/sign-in-bodies.ts';
import type { IssuedChallenge } from '#identity/challenges.ts';
import { ALLOWED_ALGORITHMS } from '#identity/webauthn/public-key.ts';
import { verifyRegistration } from '#identity/webauthn/registration.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import { ceremonyMessage } from './ceremony-message.ts';
import { userHandleOf } from './identity.ts';
import type { NewCredential } from './owners.ts';

export interface CreationRequest {
  readonly issued: IssuedChallenge;
  readonly relyingParty: RelyingParty;
  readonly identityDigest: string;
  /** The authenticator refuses to make another passkey beside one of them. */
  readonly existing: readonly { readonly credentialId: string }[];
}

/** The owner's name in the authenticator is made from the handle: the venue knows no other. */
export function passkeyCreation({ issued, relyingParty, identityDigest, existing }: CreationRequest): PasskeyCreation {
  const handle = userHandleOf(identityDigest);
  const name = `owner-${handle.replaceAll(/[^A-Za-z0-9]/g, '').slice(0, 8)}`;
  return {
    challengeIdentifier: issued.challengeIdentifier,
    challenge: issued.challenge,
    relyingParty: { id: relyingParty.id, name: relyingParty.id },
    user: { id: handle, name, displayName: `${name} at ${relyingParty.id}` },
    pubKeyCredParams: ALLOWED_ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: existing.map(({ credentialId }) => ({ type: 'public-key', id: credentialId })),
    userVerification: 'required',
    residentKey: 'required',
  };
}

export interface CreatedPasskey {
  readonly credential: PasskeyCredential;
  readonly name: string;
  /** The consumed challenge. */
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
}

/** Throws {@link Refused} `passkey_rejected` unless the browser answered exactly this challenge. */
export async function createdPasskey({ credential, name, challenge, relyingParty }: CreatedPasskey): Promise<NewCredential> {
  const verified = await verifyRegistration({ registration: credential, challenge, relyingParty });
  if ('rejection' in verified) throw new Refused('passkey_rejected', ceremonyMessage(verified.rejection));
  const { credentialId, publicKey, signatureCount, relyingPartyId } = verified.passkey;
  return { credentialId, kind: 'passkey', publicKey, signatureCount, name, relyingPartyId, origin: originIn(credential) };
}

/** The verification has compared it with the origins of the relying party. */
function originIn({ clientData }: PasskeyCredential): string {
  return clientDataIn(clientData).origin;
}

/** The fields of client data that was verified. */
export function clientDataIn(clientData: string): { readonly origin: string; readonly challenge: string } {
  return JSON.parse(Buffer.from(clientData, 'base64url').toString());
}
