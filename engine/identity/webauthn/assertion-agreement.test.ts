/** Generated assertions, good and mutated: the venue accepts exactly those that an independent naive verifier accepts. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifyAssertion } from './assertion.ts';
import type { Fido2Approval, Passkey } from './passkey.ts';
import { verifyRegistration } from './registration.ts';
import { naivelyAccepts } from './testing/naive-assertion.ts';
import { FLAGS, SoftwareAuthenticator } from './testing/software-authenticator.ts';

const RUNS = Number(process.env.OPENPERP_CEREMONIES ?? 1_000);
const relyingParty = { id: 'venue.example', origins: ['https://venue.example', 'https://app.venue.example'] };
const challenge = randomBytes(32).toString('base64url');
const site = { challenge, origin: 'https://venue.example', rpId: 'venue.example' };

type Field = keyof Fido2Approval['credentialAssertion'];

const rarely = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 12 }, { arbitrary: fc.constantFrom(...others), weight: 1 });

const ceremony = fc.record({
  signer: fc.nat(2),
  holder: fc.oneof({ arbitrary: fc.constant(undefined), weight: 12 }, { arbitrary: fc.nat(2), weight: 1 }),
  type: rarely('webauthn.get', 'webauthn.create', 'Webauthn.get', ''),
  challenge: rarely(challenge, challenge.slice(1), `${challenge}=`, randomBytes(32).toString('base64url')),
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

const damage = fc.oneof(
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

function damaged(text: string, { how, at, bit }: { how: string; at: number; bit: number }): string {
  const bytes = Buffer.from(text, 'base64url');
  if (how === 'pad') return `${text}=`;
  if (how === 'space') return `${text} `;
  if (how === 'empty') return '';
  if (how === 'truncate') return bytes.subarray(0, -1 - (at % bytes.length)).toString('base64url');
  if (how === 'append') return Buffer.concat([bytes, Buffer.from([at & 255])]).toString('base64url');
  bytes[at % bytes.length]! ^= 1 << bit;
  return bytes.toString('base64url');
}

test(`agrees with a naive verifier about ${RUNS} generated assertions`, async () => {
  const authenticators = (['ES256', 'EdDSA', 'RS256'] as const).map((kind) => new SoftwareAuthenticator(kind));
  const passkeys: Passkey[] = [];
  for (const each of authenticators) {
    const result = await verifyRegistration({ registration: each.register(site), challenge, relyingParty });
    if ('rejection' in result) throw new Error(result.rejection);
    passkeys.push(result.passkey);
  }
  const seen = { accepted: 0, rejected: new Map<string, number>() };
  await fc.assert(
    fc.asyncProperty(ceremony, damage, async ({ signer, holder = signer, storedCount, ...parts }, change) => {
      // Random extension data is another subject: the flag is set only with a tail, which is an empty map.
      const flags = parts.tail.length > 0 && parts.counter > 0 ? parts.flags | FLAGS.extensions : parts.flags;
      const approval = authenticators[signer]!.assert({ ...parts, flags });
      const fields = { ...approval.credentialAssertion };
      if (change !== undefined) fields[change.field] = damaged(fields[change.field], change);
      // Also the signature of one passkey under the id of another.
      if (holder !== signer) fields.credId = passkeys[holder]!.credentialId;
      const sent: Fido2Approval = { kind: 'Fido2', credentialAssertion: fields };
      const passkey = { ...passkeys[holder]!, signatureCount: storedCount };
      const result = await verifyAssertion({ approval: sent, challenge, relyingParty, passkey });
      const { credentialId, publicKey } = authenticators[holder]!;
      const expected = { credentialId, publicKey, challenge, origins: relyingParty.origins, rpId: relyingParty.id, storedCount };
      expect('signatureCount' in result, JSON.stringify(result)).toBe(naivelyAccepts(sent, expected));
      if ('rejection' in result) seen.rejected.set(result.rejection, (seen.rejected.get(result.rejection) ?? 0) + 1);
      else seen.accepted += 1;
    }),
    { numRuns: RUNS },
  );
  // Neither verifier rejects everything, and each part of a ceremony was wrong at some time.
  expect(seen.accepted).toBeGreaterThan(RUNS / 10);
  expect(seen.rejected.size).toBeGreaterThanOrEqual(9);
});
