/** Assertions of passkeys: the good ones of each algorithm, and mutated ones, each rejected for its reason. */
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { verifyAssertion } from './assertion.ts';
import type { Fido2Approval, Passkey } from './passkey.ts';
import { verifyRegistration } from './registration.ts';
import type { CeremonyRejection } from './rejection.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';
import {
  type Ceremony,
  clientDataOf,
  encodeCbor,
  FLAGS,
  type KeyKind,
  SoftwareAuthenticator,
} from './testing/software-authenticator.ts';

const relyingParty = relyingPartyOf('https://venue.example');
const challenge = randomBytes(32).toString('base64url');
const site = { challenge, origin: 'https://venue.example', rpId: 'venue.example' };
const authenticator = new SoftwareAuthenticator();
let passkey: Passkey;

beforeAll(async () => {
  passkey = await registered(authenticator);
});

async function registered(of: SoftwareAuthenticator, party: RelyingParty = relyingParty): Promise<Passkey> {
  const registration = of.register({ challenge, origin: party.origins[0]!, rpId: party.id });
  const result = await verifyRegistration({ registration, challenge, relyingParty: party });
  if ('rejection' in result) throw new Error(result.rejection);
  return result.passkey;
}

type Assertion = Fido2Approval['credentialAssertion'];

function assertion(parts: Partial<Ceremony> = {}): Fido2Approval {
  return authenticator.assert({ ...site, ...parts });
}

/** A good assertion with some fields replaced after it was signed. */
function altered(change: (good: Assertion) => Partial<Record<keyof Assertion, unknown>>): Fido2Approval {
  const good = assertion();
  return {
    ...good,
    credentialAssertion: { ...good.credentialAssertion, ...(change(good.credentialAssertion) as Partial<Assertion>) },
  };
}

const bytes = (text: string) => Buffer.from(text, 'base64url');
const plus = (text: string, ...more: number[]) => Buffer.concat([bytes(text), Buffer.from(more)]).toString('base64url');
const clientData = (parts: Partial<Ceremony>) =>
  clientDataOf({ type: 'webauthn.get', flags: 5, counter: 0, more: {}, tail: Buffer.alloc(0), ...site, ...parts });
const other = new SoftwareAuthenticator();
const signedOver = (text: string) =>
  authenticator.signed(bytes(assertion().credentialAssertion.authenticatorData), Buffer.from(text));

describe('an assertion', () => {
  test.each<KeyKind>(['ES256', 'EdDSA', 'RS256'])('with %s is verified, and gives the new counter', async (kind) => {
    const own = new SoftwareAuthenticator(kind);
    const stored = await registered(own);
    for (const counter of [0, 1, 2 ** 32 - 1])
      expect(
        await verifyAssertion({ approval: own.assert({ ...site, counter }), challenge, relyingParty, passkey: stored }),
      ).toEqual({
        signatureCount: counter,
      });
  });

  test.each<[string, Partial<Ceremony>]>([
    ['without crossOrigin', { more: { crossOrigin: undefined } }],
    ['with members that the specification may add', { more: { other_keys_can_be_added_here: 'x' } }],
    ['of a passkey that is backed up', { flags: 0x05 | FLAGS.eligible | FLAGS.backedUp }],
    ['with extension data', { flags: 0x05 | FLAGS.extensions, tail: encodeCbor(new Map([['x', 1]])) }],
  ])('%s is verified', async (_name, parts) => {
    expect(await verifyAssertion({ approval: assertion(parts), challenge, relyingParty, passkey })).toEqual({
      signatureCount: 0,
    });
  });

  test('is verified at each origin of the relying party', async () => {
    const both = { id: 'venue.example', origins: ['https://venue.example', 'https://app.venue.example'] };
    for (const origin of both.origins)
      expect(await verifyAssertion({ approval: assertion({ origin }), challenge, relyingParty: both, passkey })).toEqual({
        signatureCount: 0,
      });
  });
});

function lengthened(signature: string): string {
  const longer = Buffer.concat([bytes(signature), Buffer.alloc(1)]);
  longer[1]! += 1;
  return longer.toString('base64url');
}

/** Of a signature whose first integer has 32 bytes, so that the zero makes it no longer than others. */
function zeroPadded(): string {
  for (;;) {
    const good = bytes(assertion().credentialAssertion.signature);
    if (good[3] !== 32) continue;
    const head = Buffer.from([0x30, good[1]! + 1, 0x02, 33, 0]);
    return Buffer.concat([head, good.subarray(4)]).toString('base64url');
  }
}

const MUTATED: [string, CeremonyRejection, () => Fido2Approval][] = [
  ['of another origin', 'origin_mismatch', () => assertion({ origin: 'https://evil.example' })],
  ['of the origin over http', 'origin_mismatch', () => assertion({ origin: 'http://venue.example' })],
  ['of the origin at another port', 'origin_mismatch', () => assertion({ origin: 'https://venue.example:8443' })],
  ['of an origin that starts with ours', 'origin_mismatch', () => assertion({ origin: 'https://venue.example.evil.example' })],
  ['of a subdomain', 'origin_mismatch', () => assertion({ origin: 'https://a.venue.example' })],
  ['without an origin', 'origin_mismatch', () => assertion({ more: { origin: undefined } })],
  ['with a list of origins', 'origin_mismatch', () => assertion({ more: { origin: ['https://venue.example'] } })],
  ['for another relying party', 'relying_party_mismatch', () => assertion({ rpId: 'evil.example' })],
  ['for the parent domain', 'relying_party_mismatch', () => assertion({ rpId: 'example' })],
  ['of type webauthn.create', 'type_mismatch', () => assertion({ type: 'webauthn.create' })],
  ['without a type', 'type_mismatch', () => assertion({ more: { type: undefined } })],
  ['of a payment', 'type_mismatch', () => assertion({ type: 'payment.get' })],
  ['of another challenge', 'challenge_mismatch', () => assertion({ challenge: randomBytes(32).toString('base64url') })],
  ['of a part of the challenge', 'challenge_mismatch', () => assertion({ challenge: challenge.slice(0, 42) })],
  ['of an empty challenge', 'challenge_mismatch', () => assertion({ challenge: '' })],
  ['of the padded challenge', 'challenge_mismatch', () => assertion({ challenge: `${challenge}=` })],
  ['without a challenge', 'challenge_mismatch', () => assertion({ more: { challenge: undefined } })],
  ['with a challenge that is not a string', 'challenge_mismatch', () => assertion({ more: { challenge: [challenge] } })],
  ['in a frame of another site', 'cross_origin', () => assertion({ more: { crossOrigin: true } })],
  ['with a crossOrigin that is not a boolean', 'cross_origin', () => assertion({ more: { crossOrigin: 'true' } })],
  ['with a topOrigin', 'cross_origin', () => assertion({ more: { topOrigin: 'https://venue.example' } })],
  ['without user verification', 'user_not_verified', () => assertion({ flags: FLAGS.present })],
  ['without user presence', 'user_not_present', () => assertion({ flags: FLAGS.verified })],
  ['without any flag', 'user_not_present', () => assertion({ flags: 0 })],
  ['of a passkey that is backed up and cannot be', 'malformed', () => assertion({ flags: 0x05 | FLAGS.backedUp })],
  ['with a flag of a credential that is missing', 'malformed', () => assertion({ flags: 0x05 | FLAGS.attested })],
  [
    'with a whole credential, as in a registration',
    'malformed',
    () => assertion({ flags: 0x05 | FLAGS.attested, tail: Buffer.concat([Buffer.alloc(18), encodeCbor(new Map([[1, 2]]))]) }),
  ],
  ['with a flag of extensions that are missing', 'malformed', () => assertion({ flags: 0x05 | FLAGS.extensions })],
  ['with bytes after the authenticator data', 'malformed', () => assertion({ tail: Buffer.from([0xa0]) })],
  [
    'with bytes after the extensions',
    'malformed',
    () => assertion({ flags: 0x05 | FLAGS.extensions, tail: Buffer.from([0xa0, 0x00]) }),
  ],
  [
    'of another credential id',
    'credential_mismatch',
    () => altered(() => ({ credId: other.credentialId.toString('base64url') })),
  ],
  ['of an empty credential id', 'credential_mismatch', () => altered(() => ({ credId: '' }))],
  [
    'signed by another key under this id',
    'signature_invalid',
    () => new SoftwareAuthenticator('ES256', authenticator.credentialId).assert(site),
  ],
  [
    'signed with another algorithm',
    'signature_invalid',
    () => new SoftwareAuthenticator('EdDSA', authenticator.credentialId).assert(site),
  ],
  [
    'with the signature of another client data',
    'signature_invalid',
    () => altered(() => ({ signature: assertion({ more: { x: 1 } }).credentialAssertion.signature })),
  ],
  [
    'with other authenticator data than was signed',
    'signature_invalid',
    () => altered(() => ({ authenticatorData: assertion({ counter: 9 }).credentialAssertion.authenticatorData })),
  ],
  [
    'with other client data than was signed',
    'signature_invalid',
    () => altered(() => ({ clientData: clientData({ more: { x: 1 } }).toString('base64url') })),
  ],
  ['with an empty signature', 'signature_invalid', () => altered(() => ({ signature: '' }))],
  [
    'with a truncated signature',
    'signature_invalid',
    () => altered(({ signature }) => ({ signature: bytes(signature).subarray(0, -1).toString('base64url') })),
  ],
  ['with a byte after the signature', 'signature_invalid', () => altered(({ signature }) => ({ signature: plus(signature, 0) }))],
  [
    'with a longer encoding of the signature',
    'signature_invalid',
    () =>
      altered(({ signature }) => ({
        signature: Buffer.concat([Buffer.from([0x30, 0x81, bytes(signature).length - 2]), bytes(signature).subarray(2)]).toString(
          'base64url',
        ),
      })),
  ],
  [
    'with a wrong length of the signature',
    'signature_invalid',
    () =>
      altered(({ signature }) => {
        const wrong = bytes(signature);
        wrong[1]! -= 1;
        return { signature: wrong.toString('base64url') };
      }),
  ],
  [
    'with a byte after the integers of the signature',
    'signature_invalid',
    () => altered(({ signature }) => ({ signature: lengthened(signature) })),
  ],
  ['with a zero before an integer of the signature', 'signature_invalid', () => altered(() => ({ signature: zeroPadded() }))],
  [
    'with a signature without DER',
    'signature_invalid',
    () => altered(() => ({ signature: Buffer.alloc(64, 1).toString('base64url') })),
  ],
  [
    'with a signature of zeros',
    'signature_invalid',
    () => altered(() => ({ signature: Buffer.from('3006020100020100', 'hex').toString('base64url') })),
  ],
  [
    'with truncated authenticator data',
    'malformed',
    () => authenticator.signed(bytes(assertion().credentialAssertion.authenticatorData).subarray(0, 36), clientData({})),
  ],
  ['with empty authenticator data', 'malformed', () => authenticator.signed(Buffer.alloc(0), clientData({}))],
  ['with truncated client data', 'malformed', () => signedOver(clientData({}).toString().slice(0, -1))],
  ['with bytes after the client data', 'malformed', () => signedOver(`${clientData({})}x`)],
  ['with client data that is a list', 'malformed', () => signedOver('[]')],
  ['with client data that is null', 'malformed', () => signedOver('null')],
  [
    'with client data that is not UTF-8',
    'malformed',
    () => authenticator.signed(Buffer.alloc(37), Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xff]), Buffer.from('"}')])),
  ],
  ['with padded base64url', 'malformed', () => altered(({ signature }) => ({ signature: `${signature}=` }))],
  ['with base64 of the other alphabet', 'malformed', () => altered(() => ({ authenticatorData: '+/+/' }))],
  ['with a space in base64url', 'malformed', () => altered(({ clientData: it }) => ({ clientData: ` ${it}` }))],
  ['with unused bits set in base64url', 'malformed', () => altered(() => ({ signature: 'AB' }))],
  ['with a field that is not a string', 'malformed', () => altered(() => ({ signature: 7 }))],
  ['with a field that is missing', 'malformed', () => altered(() => ({ clientData: undefined }))],
  ['of another kind', 'malformed', () => ({ ...assertion(), kind: 'Key' as 'Fido2' })],
  ['with oversized client data', 'oversized', () => assertion({ more: { x: 'x'.repeat(4_096) } })],
  [
    'with oversized authenticator data',
    'oversized',
    () => assertion({ flags: 0x85, tail: encodeCbor(new Map([['x', 'y'.repeat(2_048)]])) }),
  ],
  ['with an oversized signature', 'oversized', () => altered(() => ({ signature: 'A'.repeat(1_368) }))],
  ['with an oversized credential id', 'oversized', () => altered(() => ({ credId: 'A'.repeat(1_368) }))],
];

describe('a mutated assertion is rejected', () => {
  test.each(MUTATED)('%s: %s', async (_name, rejection, make) => {
    expect(await verifyAssertion({ approval: make(), challenge, relyingParty, passkey })).toEqual({ rejection });
  });

  test.each<[string, number, number]>([
    ['goes back', 7, 6],
    ['repeats', 7, 7],
    ['goes back to zero', 1, 0],
  ])('whose counter %s', async (_name, signatureCount, counter) => {
    const approval = assertion({ counter });
    const rejection = 'counter_not_increased';
    expect(await verifyAssertion({ approval, challenge, relyingParty, passkey: { ...passkey, signatureCount } })).toEqual({
      rejection,
    });
  });

  test('of a passkey of another relying party, also under our own id', async () => {
    const elsewhere = relyingPartyOf('https://testnet.example');
    const own = new SoftwareAuthenticator();
    const foreign = await registered(own, elsewhere);
    const rejection = 'relying_party_mismatch';
    expect(await verifyAssertion({ approval: own.assert(site), challenge, relyingParty, passkey: foreign })).toEqual({
      rejection,
    });
    const approval = own.assert({ challenge, origin: 'https://testnet.example', rpId: 'testnet.example' });
    expect(await verifyAssertion({ approval, challenge, relyingParty, passkey: foreign })).toEqual({ rejection });
  });

  test('of a passkey that is stored with a key of another algorithm', async () => {
    const stored = {
      ...passkey,
      publicKey: encodeCbor(
        new Map<number, unknown>([
          [1, 2],
          [3, -35],
          [-1, 2],
        ]),
      ).toString('base64url'),
    };
    expect(await verifyAssertion({ approval: assertion(), challenge, relyingParty, passkey: stored })).toEqual({
      rejection: 'algorithm_not_allowed',
    });
  });

  test('that is no object at all, without throwing', async () => {
    for (const approval of [undefined, null, 7, 'x', {}, { kind: 'Fido2' }, { kind: 'Fido2', credentialAssertion: null }])
      expect(await verifyAssertion({ approval: approval as never, challenge, relyingParty, passkey })).toEqual({
        rejection: 'malformed',
      });
  });
});
