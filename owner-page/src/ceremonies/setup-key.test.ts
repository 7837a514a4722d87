/** The setup key of the page is what the venue verifies. */
import { expect, test } from 'vitest';
import { verifySetupKeyApproval, verifySetupKeyRegistration } from '#identity/webauthn/setup-key.ts';
import { base64urlOf, bytesOfBase64url } from './base64url.ts';
import { approveBySetupKey, createSetupKey, proveSetupKey } from './setup-key.ts';

const CHALLENGE = base64urlOf(crypto.getRandomValues(new Uint8Array(32)));
const OTHER = base64urlOf(crypto.getRandomValues(new Uint8Array(32)));

test('the venue accepts its registration and its approvals, each for one challenge', async () => {
  const key = await createSetupKey();
  const { credential, challengeIdentifier } = await proveSetupKey(key, { challengeIdentifier: 'creation', challenge: CHALLENGE });
  expect(challengeIdentifier).toBe('creation');
  expect(await verifySetupKeyRegistration(credential, CHALLENGE)).toMatchObject({ setupKey: { credentialId: key.credentialId } });
  expect(await verifySetupKeyRegistration(credential, OTHER)).toEqual({ rejection: 'signature_invalid' });
  const challenge = { challenge: CHALLENGE, challengeIdentifier: 'due', allowCredentials: { key: [], webauthn: [] } };
  const { firstFactor } = await approveBySetupKey(key, challenge);
  expect(await verifySetupKeyApproval(firstFactor, CHALLENGE, credential)).toHaveProperty('setupKey');
  expect(await verifySetupKeyApproval(firstFactor, OTHER, credential)).toEqual({ rejection: 'challenge_mismatch' });
});

test('its private key cannot be exported', async () => {
  const { privateKey } = await createSetupKey();
  expect(privateKey.extractable).toBe(false);
  await expect(crypto.subtle.exportKey('pkcs8', privateKey)).rejects.toThrow();
});

test('base64url without padding, in both directions', () => {
  expect(base64urlOf(Uint8Array.of(251, 255, 191))).toBe('-_-_');
  expect(base64urlOf(Uint8Array.of(1))).toBe('AQ');
  expect([...bytesOfBase64url('-_-_')]).toEqual([251, 255, 191]);
  expect([...bytesOfBase64url('AQ')]).toEqual([1]);
});
