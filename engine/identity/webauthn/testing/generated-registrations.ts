/** Registrations of passkeys of every algorithm, good and mutated: in the parts that are signed, in the key and in the bytes. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { RegistrationRequest } from '#identity/webauthn/registration.ts';
import { CHALLENGE, type Damage, damaged, rarely } from './generated-site.ts';
import { coseKey, FLAGS, SoftwareAuthenticator } from './software-authenticator.ts';

export type Registration = RegistrationRequest['registration'];
type Key = Map<number, unknown>;

const ceremony = fc.record({
  type: rarely('webauthn.create', 'webauthn.get', ''),
  challenge: rarely(CHALLENGE, CHALLENGE.slice(1), randomBytes(32).toString('base64url')),
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

const damage: fc.Arbitrary<(Damage & { readonly field: keyof Registration }) | null> = fc.option(
  fc.record({
    field: fc.constantFrom<keyof Registration>('credId', 'clientData', 'attestationObject', 'attestationObject'),
    how: fc.constantFrom('flip', 'truncate', 'append', 'pad', 'empty'),
    at: fc.nat(5_000),
    bit: fc.constant(4),
  }),
  { freq: 3 },
);

export function generatedRegistrations(): fc.Arbitrary<Registration> {
  const authenticators = (['ES256', 'EdDSA', 'RS256'] as const).map((kind) => new SoftwareAuthenticator(kind));
  return fc
    .tuple(ceremony, fc.constantFrom(...authenticators), badKey, fc.boolean(), damage)
    .map(([parts, authenticator, spoil, hasTail, change]) => {
      const cose = coseKey(authenticator.kind, authenticator.publicKey);
      spoil(cose);
      const extended = hasTail ? { flags: parts.flags | FLAGS.extensions, tail: Buffer.from([0xa0]) } : {};
      const registration = { ...authenticator.register({ ...parts, ...extended }, { cose }) };
      if (change !== null) registration[change.field] = damaged(registration[change.field], change);
      return registration;
    });
}
