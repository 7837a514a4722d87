/** Setup keys: their registration and approvals, good and mutated. The keys are made as browsers make them, by WebCrypto. */
import { generateKeyPairSync, randomBytes, sign, webcrypto } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Fido2Approval } from './passkey.ts';
import type { CeremonyRejection } from './rejection.ts';
import { type SetupKey, type SetupKeyRegistration, verifySetupKeyApproval, verifySetupKeyRegistration } from './setup-key.ts';

const challenge = randomBytes(32).toString('base64url');
const otherChallenge = randomBytes(32).toString('base64url');
const credentialId = `venue-setup-key-${randomBytes(16).toString('base64url')}`;
let pair: webcrypto.CryptoKeyPair;
let setupKey: SetupKey;
let good: SetupKeyRegistration;

const text = (bytes: ArrayBuffer | Buffer) => Buffer.from(bytes as ArrayBuffer).toString('base64url');
const bytes = (it: string) => Buffer.from(it, 'base64url');

async function signature(over: Buffer, by = pair): Promise<string> {
  return text(await webcrypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, by.privateKey, new Uint8Array(over)));
}

function makePair(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
}

beforeAll(async () => {
  pair = await makePair();
  setupKey = { credentialId, publicKey: text(await webcrypto.subtle.exportKey('spki', pair.publicKey)) };
  good = { ...setupKey, signature: await signature(bytes(challenge)) };
});

function approval(parts: Partial<Fido2Approval['credentialAssertion']> = {}): Fido2Approval {
  const credentialAssertion = {
    credId: credentialId,
    clientData: challenge,
    signature: good.signature,
    authenticatorData: '',
    ...parts,
  };
  return { kind: 'Fido2', credentialAssertion };
}

const spki = (curve: string) =>
  text(generateKeyPairSync('ec', { namedCurve: curve }).publicKey.export({ format: 'der', type: 'spki' }));

describe('the registration of a setup key', () => {
  test('is verified over exactly the creation challenge', async () => {
    expect(await verifySetupKeyRegistration(good, challenge)).toEqual({ setupKey });
  });

  test.each<
    [
      string,
      CeremonyRejection,
      () => Partial<Record<keyof SetupKeyRegistration, unknown>> | Promise<Partial<SetupKeyRegistration>>,
    ]
  >([
    ['with the id of a passkey', 'credential_id_not_allowed', () => ({ credentialId: 'AAAAAAAAAAAAAAAAAAAAAAAA' })],
    ['with nothing after the prefix', 'credential_id_not_allowed', () => ({ credentialId: 'venue-setup-key-' })],
    ['with an oversized id', 'credential_id_not_allowed', () => ({ credentialId: `venue-setup-key-${'a'.repeat(65)}` })],
    [
      'with an id that is not base64url',
      'credential_id_not_allowed',
      () => ({ credentialId: `venue-setup-key-${'/'.repeat(20)}` }),
    ],
    ['without an id', 'credential_id_not_allowed', () => ({ credentialId: undefined })],
    ['signed over another challenge', 'signature_invalid', async () => ({ signature: await signature(bytes(otherChallenge)) })],
    [
      'signed over the text of the challenge',
      'signature_invalid',
      async () => ({ signature: await signature(Buffer.from(challenge)) }),
    ],
    [
      'signed by another key',
      'signature_invalid',
      async () => ({ signature: await signature(bytes(challenge), await makePair()) }),
    ],
    [
      'signed in DER',
      'oversized',
      () => ({
        signature: text(sign('sha256', bytes(challenge), generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)),
      }),
    ],
    ['with a truncated signature', 'malformed', () => ({ signature: text(bytes(good.signature).subarray(0, 63)) })],
    ['with padded base64url', 'malformed', () => ({ signature: `${good.signature.slice(0, 84)}=` })],
    ['with a zero signature', 'signature_invalid', () => ({ signature: text(Buffer.alloc(64)) })],
    ['on the curve P-384', 'oversized', () => ({ publicKey: spki('P-384') })],
    ['on the curve secp256k1', 'algorithm_not_allowed', () => ({ publicKey: spki('secp256k1') })],
    ['with a truncated key', 'algorithm_not_allowed', () => ({ publicKey: text(bytes(setupKey.publicKey).subarray(0, 90)) })],
    [
      'with a point that is not on the curve',
      'algorithm_not_allowed',
      () => ({ publicKey: text(Buffer.concat([bytes(setupKey.publicKey).subarray(0, 27), Buffer.alloc(64, 7)])) }),
    ],
    ['with a key that is not a string', 'malformed', () => ({ publicKey: { kty: 'EC' } })],
  ])('is rejected %s: %s', async (_name, rejection, change) => {
    const mutated = { ...good, ...(await change()) } as SetupKeyRegistration;
    expect(await verifySetupKeyRegistration(mutated, challenge)).toEqual({ rejection });
  });
});

describe('an approval by a setup key', () => {
  test('is verified over exactly the due challenge', async () => {
    expect(await verifySetupKeyApproval(approval(), challenge, setupKey)).toEqual({ setupKey });
  });

  test.each<[string, CeremonyRejection, () => Fido2Approval | Promise<Fido2Approval>]>([
    [
      'of another challenge',
      'challenge_mismatch',
      async () => approval({ clientData: otherChallenge, signature: await signature(bytes(otherChallenge)) }),
    ],
    ['without the challenge', 'challenge_mismatch', () => approval({ clientData: '' })],
    [
      'signed over another challenge',
      'signature_invalid',
      async () => approval({ signature: await signature(bytes(otherChallenge)) }),
    ],
    ['of another setup key', 'credential_mismatch', () => approval({ credId: `venue-setup-key-${'a'.repeat(22)}` })],
    ['with authenticator data', 'malformed', () => approval({ authenticatorData: text(Buffer.alloc(37)) })],
    ['of another kind', 'malformed', () => ({ ...approval(), kind: 'Key' as 'Fido2' })],
    ['that is no object', 'malformed', () => ({ kind: 'Fido2', credentialAssertion: null as never })],
    ['with oversized client data', 'oversized', () => approval({ clientData: 'A'.repeat(44) })],
  ])('is rejected %s: %s', async (_name, rejection, make) => {
    expect(await verifySetupKeyApproval(await make(), challenge, setupKey)).toEqual({ rejection });
  });

  test('is rejected if the stored key is a passkey', async () => {
    const passkey = { ...setupKey, credentialId: 'AAAAAAAAAAAAAAAAAAAAAAAA' };
    const rejection = 'credential_id_not_allowed';
    expect(await verifySetupKeyApproval(approval({ credId: passkey.credentialId }), challenge, passkey)).toEqual({ rejection });
  });
});
