/** Generated registrations, good and mutated: the venue accepts exactly those that an independent naive verifier accepts. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RegistrationRequest, verifyRegistration } from './registration.ts';
import { naivelyRegistered } from './testing/naive-registration.ts';
import { coseKey, FLAGS, SoftwareAuthenticator } from './testing/software-authenticator.ts';

const RUNS = Number(process.env.OPENPERP_CEREMONIES ?? 1_000);
const relyingParty = { id: 'venue.example', origins: ['https://venue.example', 'https://app.venue.example'] };
const challenge = randomBytes(32).toString('base64url');
const KINDS = ['ES256', 'EdDSA', 'RS256'] as const;

type Registration = RegistrationRequest['registration'];
type Key = Map<number, unknown>;

const rarely = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 12 }, { arbitrary: fc.constantFrom(...others), weight: 1 });

const ceremony = fc.record({
  type: rarely('webauthn.create', 'webauthn.get', ''),
  challenge: rarely(challenge, challenge.slice(1), randomBytes(32).toString('base64url')),
  origin: rarely('https://venue.example', 'https://app.venue.example', 'https://evil.example'),
  rpId: rarely('venue.example', 'evil.example'),
  flags: rarely(0x45, 0x4d, 0x5d, 0x44, 0x41, 0x05, 0x55),
  counter: fc.constantFrom(0, 1, 2 ** 32 - 1),
  more: rarely<Record<string, unknown>>({}, { crossOrigin: true }, { topOrigin: 'x' }),
});

const badKey = rarely<(key: Key) => void>(
  () => {},
  (key) => key.set(3, -35),
  (key) => key.set(1, 2),
  (key) => key.set(-1, 2),
  (key) => key.set(-2, Buffer.alloc(32, 9)),
  (key) => key.delete(-2),
  (key) => key.set(3, -7),
);

const damage = fc.option(
  fc.record({
    field: fc.constantFrom<keyof Registration>('credId', 'clientData', 'attestationObject', 'attestationObject'),
    how: fc.constantFrom('flip', 'truncate', 'append', 'pad', 'empty'),
    at: fc.nat(5_000),
  }),
  { freq: 3 },
);

function damaged(text: string, { how, at }: { how: string; at: number }): string {
  const bytes = Buffer.from(text, 'base64url');
  if (how === 'pad') return `${text}=`;
  if (how === 'empty') return '';
  if (how === 'truncate') return bytes.subarray(0, -1 - (at % bytes.length)).toString('base64url');
  if (how === 'append') return Buffer.concat([bytes, Buffer.from([at & 255])]).toString('base64url');
  bytes[at % bytes.length]! ^= 0x10;
  return bytes.toString('base64url');
}

test(`agrees with a naive verifier about ${RUNS} generated registrations`, async () => {
  const authenticators = KINDS.map((kind) => new SoftwareAuthenticator(kind));
  let accepted = 0;
  const reasons = new Set<string>();
  await fc.assert(
    fc.asyncProperty(ceremony, fc.nat(2), badKey, fc.boolean(), damage, async (parts, index, spoil, hasTail, change) => {
      const { kind, publicKey } = authenticators[index]!;
      const cose = coseKey(kind, publicKey);
      spoil(cose);
      const extended = hasTail ? { flags: parts.flags | FLAGS.extensions, tail: Buffer.from([0xa0]) } : {};
      const registration = { ...authenticators[index]!.register({ ...parts, ...extended }, { cose }) };
      if (change !== null) registration[change.field] = damaged(registration[change.field], change);
      const result = await verifyRegistration({ registration, challenge, relyingParty });
      const naive = naivelyRegistered(registration, { challenge, origins: relyingParty.origins, rpId: relyingParty.id });
      const own = 'passkey' in result ? { id: result.passkey.credentialId, counter: result.passkey.signatureCount } : null;
      expect(own, JSON.stringify(result)).toEqual(naive);
      if ('rejection' in result) reasons.add(result.rejection);
      else accepted += 1;
    }),
    { numRuns: RUNS },
  );
  // Neither verifier rejects everything, and each part of a ceremony was wrong at some time.
  expect(accepted).toBeGreaterThan(RUNS / 10);
  expect(reasons.size).toBeGreaterThanOrEqual(8);
});
