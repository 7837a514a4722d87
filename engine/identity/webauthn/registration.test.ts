/** Registrations of passkeys: what is stored of good ones, and mutated ones, each rejected for its reason. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyRegistration } from './registration.ts';
import type { CeremonyRejection } from './rejection.ts';
import { relyingPartyOf } from './relying-party.ts';
import {
  type AttestationParts,
  type Ceremony,
  coseKey,
  encodeCbor,
  FLAGS,
  type KeyKind,
  SoftwareAuthenticator,
} from './testing/software-authenticator.ts';

const relyingParty = relyingPartyOf('https://venue.example');
const challenge = randomBytes(32).toString('base64url');
const site = { challenge, origin: 'https://venue.example', rpId: 'venue.example' };
const authenticator = new SoftwareAuthenticator();
const CREDENTIAL = FLAGS.present | FLAGS.verified | FLAGS.attested;

function verify(registration: ReturnType<SoftwareAuthenticator['register']>) {
  return verifyRegistration({ registration, challenge, relyingParty });
}

function registration(parts: Partial<Ceremony> = {}, attestation: AttestationParts & { cose?: Map<number, unknown> } = {}) {
  return authenticator.register({ ...site, ...parts }, attestation);
}

function withKey(change: (cose: Map<number, unknown>) => unknown) {
  const cose = coseKey('ES256', authenticator.publicKey);
  change(cose);
  return registration({}, { cose });
}

describe('a registration', () => {
  test.each<[KeyKind, number]>([
    ['ES256', -7],
    ['EdDSA', -8],
    ['RS256', -257],
  ])('with %s is stored with its key, counter and relying party', async (kind, algorithm) => {
    const own = new SoftwareAuthenticator(kind);
    expect(await verify(own.register({ ...site, counter: 3 }))).toEqual({
      passkey: {
        credentialId: own.credentialId.toString('base64url'),
        publicKey: encodeCbor(coseKey(kind, own.publicKey)).toString('base64url'),
        algorithm,
        signatureCount: 3,
        relyingPartyId: 'venue.example',
      },
    });
  });

  test('may be attested by the new key itself', async () => {
    expect(await verify(registration({}, { format: 'packed' }))).toHaveProperty('passkey');
  });

  test('may have a credential id of 1 to 1,023 bytes', async () => {
    for (const length of [1, 1_023])
      expect(await verify(new SoftwareAuthenticator('ES256', Buffer.alloc(length, 7)).register(site))).toHaveProperty('passkey');
  });
});

const reserved = Buffer.from('venue-setup-key-AAAAAAAAAAAAAAAA', 'base64url');
const withX5c: AttestationParts = { format: 'packed', statement: new Map([['x5c', [Buffer.alloc(9)]]]) };

const MUTATED: [string, CeremonyRejection, () => ReturnType<SoftwareAuthenticator['register']>][] = [
  ['of type webauthn.get', 'type_mismatch', () => registration({ type: 'webauthn.get' })],
  ['of another challenge', 'challenge_mismatch', () => registration({ challenge: randomBytes(32).toString('base64url') })],
  ['of another origin', 'origin_mismatch', () => registration({ origin: 'https://evil.example' })],
  ['in a frame of another site', 'cross_origin', () => registration({ more: { crossOrigin: true } })],
  ['for another relying party', 'relying_party_mismatch', () => registration({ rpId: 'evil.example' })],
  ['without user verification', 'user_not_verified', () => registration({ flags: CREDENTIAL & ~FLAGS.verified })],
  ['without user presence', 'user_not_present', () => registration({ flags: CREDENTIAL & ~FLAGS.present })],
  ['without a credential', 'malformed', () => registration({ flags: FLAGS.present | FLAGS.verified })],
  ['with bytes after the authenticator data', 'malformed', () => registration({ tail: Buffer.from([0]) })],
  ['with another credential id than was made', 'credential_mismatch', () => ({ ...registration(), credId: 'AAAA' })],
  ['with a further label in its key', 'algorithm_not_allowed', () => withKey((cose) => cose.set(-700, Buffer.alloc(9_000)))],
  ['with an empty credential id', 'malformed', () => ({ ...registration(), credId: '' })],
  ['with the id of a setup key', 'credential_id_not_allowed', () => new SoftwareAuthenticator('ES256', reserved).register(site)],
  [
    'with an oversized credential id',
    'oversized',
    () => new SoftwareAuthenticator('ES256', Buffer.alloc(1_024, 7)).register(site),
  ],
  ['with an oversized attestation', 'oversized', () => ({ ...registration(), attestationObject: 'A'.repeat(21_847) })],
  [
    'with bytes after the attestation',
    'malformed',
    () => ({ ...registration(), attestationObject: plusZero(registration().attestationObject) }),
  ],
  [
    'with a declared length beyond the end',
    'malformed',
    () => ({ ...registration(), attestationObject: longer(registration().attestationObject, 29) }),
  ],
  [
    'with a declared length of a coordinate beyond the end',
    'malformed',
    () => ({ ...registration(), attestationObject: longer(registration().attestationObject, -33) }),
  ],
  ['with an attestation that is no map', 'malformed', () => ({ ...registration(), attestationObject: 'AA' })],
  ['with an empty attestation', 'malformed', () => ({ ...registration(), attestationObject: '' })],
  [
    'with a deeply nested attestation',
    'malformed',
    () => ({ ...registration(), attestationObject: Buffer.alloc(16_384, 0x81).toString('base64url') }),
  ],
  ['with a certificate of the maker', 'attestation_not_allowed', () => registration({}, withX5c)],
  ['with the attestation format of a maker', 'attestation_not_allowed', () => registration({}, { format: 'apple' })],
  ['with an unknown attestation format', 'attestation_not_allowed', () => registration({}, { format: 'own' })],
  ['with a statement in the format none', 'malformed', () => registration({}, { statement: new Map([['x', 1]]) })],
  [
    'with a wrong signature of the key itself',
    'malformed',
    () => registration({}, { format: 'packed', statement: new Map([['sig', Buffer.alloc(70, 1)]]) }),
  ],
  ['with ES384', 'algorithm_not_allowed', () => withKey((cose) => cose.set(3, -35))],
  ['with RS512', 'algorithm_not_allowed', () => withKey((cose) => cose.set(3, -259))],
  ['with ES256 on another curve', 'algorithm_not_allowed', () => withKey((cose) => cose.set(-1, 2))],
  ['with a point that is not on the curve', 'algorithm_not_allowed', () => withKey((cose) => cose.set(-2, Buffer.alloc(32, 5)))],
  ['with a short coordinate', 'algorithm_not_allowed', () => withKey((cose) => cose.set(-2, Buffer.alloc(31, 5)))],
  ['without a coordinate', 'algorithm_not_allowed', () => withKey((cose) => cose.delete(-3))],
  ['with a key type that does not fit the algorithm', 'algorithm_not_allowed', () => withKey((cose) => cose.set(1, 3))],
  [
    'with an RSA key of 1,024 bits',
    'algorithm_not_allowed',
    () => registration({}, { cose: coseKey('RS256', generateKeyPairSync('rsa', { modulusLength: 1_024 }).publicKey) }),
  ],
];

/** Increases the byte at this index, from the end if it is negative: a length. */
function longer(text: string, index: number): string {
  const bytes = Buffer.from(text, 'base64url');
  bytes[(bytes.length + index) % bytes.length]! += 16;
  return bytes.toString('base64url');
}

const plusZero = (text: string) => Buffer.concat([Buffer.from(text, 'base64url'), Buffer.from([0])]).toString('base64url');

describe('a mutated registration is rejected', () => {
  test.each(MUTATED)('%s: %s', async (_name, rejection, make) => {
    expect(await verify(make())).toEqual({ rejection });
  });

  test('that is no object at all, without throwing', async () => {
    for (const it of [undefined, null, 7, 'x', {}]) expect(await verify(it as never)).toEqual({ rejection: 'malformed' });
  });
});

describe('a relying party', () => {
  test('is the host of the public origin', () => {
    expect(relyingPartyOf('https://venue.example:8443')).toEqual({
      id: 'venue.example',
      origins: ['https://venue.example:8443'],
    });
    expect(relyingPartyOf('http://localhost:8080').id).toBe('localhost');
  });

  test.each([
    'http://venue.example',
    'https://venue.example/',
    'https://venue.example/app',
    'https://192.0.2.1',
    'https://[::1]',
    'venue',
    '',
  ])('cannot be %j', (origin) => {
    expect(() => relyingPartyOf(origin)).toThrow('expected an origin such as https://venue.example');
  });
});
