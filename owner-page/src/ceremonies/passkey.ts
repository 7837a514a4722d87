/** Passkey ceremonies: maps the venue's challenges to those of WebAuthn, and the authenticator's responses back. */
import { startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser';
import type { Approval, Challenge, PasskeyCreation } from '../venue/resources.ts';

/** What registers a new passkey. */
export interface PasskeyRegistration {
  readonly challengeIdentifier: string;
  readonly passkeyName: string;
  readonly credential: {
    readonly credId: string;
    readonly clientData: string;
    readonly attestationObject: string;
    readonly transports?: readonly string[];
  };
}

/** The prompt of the browser; replaced in tests. */
export interface Authenticator {
  create: typeof startRegistration;
  get: typeof startAuthentication;
}

export const BROWSER_AUTHENTICATOR: Authenticator = { create: startRegistration, get: startAuthentication };

export async function createPasskey(
  { create }: Authenticator,
  creation: PasskeyCreation,
  passkeyName: string,
): Promise<PasskeyRegistration> {
  const { id, response } = await create({
    optionsJSON: {
      challenge: creation.challenge,
      rp: creation.relyingParty,
      user: creation.user,
      pubKeyCredParams: [...creation.pubKeyCredParams],
      excludeCredentials: [...creation.excludeCredentials],
      authenticatorSelection: { residentKey: creation.residentKey, userVerification: creation.userVerification },
      attestation: 'none',
    },
  });
  const { clientDataJSON: clientData, attestationObject, transports } = response;
  const credential = { credId: id, clientData, attestationObject, ...(transports === undefined ? {} : { transports }) };
  return { challengeIdentifier: creation.challengeIdentifier, passkeyName, credential };
}

export async function approveByPasskey(
  { get }: Authenticator,
  { challenge, challengeIdentifier, allowCredentials }: Challenge,
): Promise<Approval> {
  const allowed = allowCredentials.webauthn.map(({ id }) => ({ type: 'public-key' as const, id }));
  const { id, response } = await get({
    optionsJSON: { challenge, userVerification: 'required', ...(allowed.length === 0 ? {} : { allowCredentials: allowed }) },
  });
  const { clientDataJSON: clientData, signature, authenticatorData } = response;
  return {
    challengeIdentifier,
    firstFactor: { kind: 'Fido2', credentialAssertion: { credId: id, clientData, signature, authenticatorData } },
  };
}

/** A text for the owner; `undefined` if the error is not of a ceremony. */
export function ceremonyFailure(error: unknown): string | undefined {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This device already has a passkey of this account. Use another device or security key.';
  const isPrompt = error instanceof WebAuthnError || error instanceof DOMException;
  if (!isPrompt) return undefined;
  if (error.name === 'NotAllowedError' || error.name === 'AbortError')
    return 'The passkey prompt was closed, ran out of time, or found no passkey of this site. Nothing was sent: try again, or use another device.';
  if (error.name === 'SecurityError') return 'This address cannot use passkeys of the venue. Open the venue by its own address.';
  return `The passkey could not be used: ${error.message}`;
}
