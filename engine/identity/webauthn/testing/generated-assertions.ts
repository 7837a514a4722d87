/** Assertions of passkeys of every algorithm, good and mutated: in the parts that are signed, in the bytes, and in the passkey named. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { Fido2Approval, Passkey } from '#identity/webauthn/passkey.ts';
import { verifyRegistration } from '#identity/webauthn/registration.ts';
import { CHALLENGE, type Damage, damaged, RELYING_PARTY, rarely, SITE } from './generated-site.ts';
import { FLAGS, SoftwareAuthenticator } from './software-authenticator.ts';

type Field = keyof Fido2Approval['credentialAssertion'];

const ceremony = fc.record({
  signer: fc.nat(2),
  holder: fc.oneof({ arbitrary: fc.constant(undefined), weight: 12 }, { arbitrary: fc.nat(2), weight: 1 }),
  type: rarely('webauthn.get', 'webauthn.create', 'Webauthn.get', ''),
  challenge: rarely(CHALLENGE, CHALLENGE.slice(1), `${CHALLENGE}=`, randomBytes(32).toString('base64url')),
  origin: rarely('https://venue.example', 'https://app.venue.example', 'https://evil.example', 'https://venue.example/'),
  rpId: rarely('venue.example', 'app.venue.example', 'evil.example'),
  flags: fc.oneof({ arbitrary: fc.constantFrom(0x05, 0x0d, 0x1d), weight: 6 }, { arbitrary: fc.nat(255), weight: 1 }),
  counter: fc.constantFrom(0, 0, 4, 5, 6, 2 ** 32 - 1),
  storedCount: fc.constantFrom(0, 0, 0, 5),
  more: rarely<Record<string, unknown>>(
    {},
    { crossOrigin: true },
    { crossOrigin: 0 },
    { topOrigin: 'x' },
    { crossOrigin: undefined },
    { x: [] },
  ),
  tail: rarely(Buffer.alloc(0), Buffer.from([0xa0])),
});

const damage: fc.Arbitrary<(Damage & { readonly field: Field }) | undefined> = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 3 },
  {
    arbitrary: fc.record({
      field: fc.constantFrom<Field>('credId', 'clientData', 'signature', 'authenticatorData'),
      how: fc.constantFrom('flip', 'truncate', 'append', 'pad', 'space', 'empty'),
      at: fc.nat(5_000),
      bit: fc.nat(7),
    }),
    weight: 1,
  },
);

export interface GeneratedAssertion {
  readonly approval: Fido2Approval;
  /** Whose challenge it is, with the counter of its last use. */
  readonly passkey: Passkey;
  readonly holder: SoftwareAuthenticator;
}

export async function generatedAssertions(): Promise<fc.Arbitrary<GeneratedAssertion>> {
  const authenticators = (['ES256', 'EdDSA', 'RS256'] as const).map((kind) => new SoftwareAuthenticator(kind));
  const passkeys: Passkey[] = [];
  for (const each of authenticators) passkeys.push(await passkeyOf(each));
  return fc.tuple(ceremony, damage).map(([{ signer, holder = signer, storedCount, ...parts }, change]) => {
    // Random extension data is another subject: the flag is set only with a tail, which is an empty map.
    const flags = parts.tail.length > 0 && parts.counter > 0 ? parts.flags | FLAGS.extensions : parts.flags;
    const fields = { ...authenticators[signer]!.assert({ ...parts, flags }).credentialAssertion };
    if (change !== undefined) fields[change.field] = damaged(fields[change.field], change);
    // Also the signature of one passkey under the id of another.
    if (holder !== signer) fields.credId = passkeys[holder]!.credentialId;
    return {
      approval: { kind: 'Fido2', credentialAssertion: fields },
      passkey: { ...passkeys[holder]!, signatureCount: storedCount },
      holder: authenticators[holder]!,
    };
  });
}

/** As the venue stores it after a registration. */
export async function passkeyOf(authenticator: SoftwareAuthenticator): Promise<Passkey> {
  const registration = authenticator.register(SITE);
  const result = await verifyRegistration({ registration, challenge: CHALLENGE, relyingParty: RELYING_PARTY });
  if ('rejection' in result) throw new Error(result.rejection);
  return result.passkey;
}
