/**
 * The setup key: a P-256 key that the browser keeps without exporting. It signs the bytes of the challenge itself; its approval
 * has the challenge as client data and no authenticator data.
 */
import type { Approval, Challenge } from '../venue/resources.ts';
import { base64urlOf, bytesOfBase64url } from './base64url.ts';

export const SETUP_KEY_PREFIX = 'venue-setup-key-';
const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;

export interface SetupKey {
  readonly credentialId: string;
  /** SPKI, in base64url. */
  readonly publicKey: string;
  /** Not extractable. */
  readonly privateKey: CryptoKey;
}

/** What registers a setup key, and shows that it can sign. */
export interface SetupKeyProof {
  readonly challengeIdentifier: string;
  readonly credential: { readonly credentialId: string; readonly publicKey: string; readonly signature: string };
}

export async function createSetupKey(): Promise<SetupKey> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(ALGORITHM, false, ['sign', 'verify']);
  const id = base64urlOf(crypto.getRandomValues(new Uint8Array(16)));
  const spki = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey));
  return { credentialId: `${SETUP_KEY_PREFIX}${id}`, publicKey: base64urlOf(spki), privateKey };
}

export async function proveSetupKey(
  { credentialId, publicKey, privateKey }: SetupKey,
  { challengeIdentifier, challenge }: { readonly challengeIdentifier: string; readonly challenge: string },
): Promise<SetupKeyProof> {
  const signature = await signatureOver(challenge, privateKey);
  return { challengeIdentifier, credential: { credentialId, publicKey, signature } };
}

export async function approveBySetupKey(
  { credentialId, privateKey }: SetupKey,
  { challenge, challengeIdentifier }: Challenge,
): Promise<Approval> {
  const signature = await signatureOver(challenge, privateKey);
  const credentialAssertion = { credId: credentialId, clientData: challenge, signature, authenticatorData: '' };
  return { challengeIdentifier, firstFactor: { kind: 'Fido2', credentialAssertion } };
}

async function signatureOver(challenge: string, privateKey: CryptoKey): Promise<string> {
  return base64urlOf(new Uint8Array(await crypto.subtle.sign(SIGNATURE, privateKey, bytesOfBase64url(challenge))));
}
