/** Approvals that the owner's passkey signs in a wrong ceremony, or that are changed after it signed. */
import type { CeremonyRejection } from '#identity/webauthn/rejection.ts';
import { type Ceremony, FLAGS } from '#identity/webauthn/testing/software-authenticator.ts';
import { type Assertion, type Mutation, rejected, type Scene, signed, unlessPasskeySigns, withAssertion } from './mutation.ts';

/** A ceremony of the owner's passkey, signed as it is. */
function ceremony(
  name: string,
  rejection: CeremonyRejection,
  parts: Partial<Ceremony> | ((scene: Scene) => Partial<Ceremony>),
): Mutation {
  return {
    name,
    failure: rejected(rejection),
    excuse: unlessPasskeySigns,
    mutate: async (scene) => {
      const due = await scene.prepared.due();
      const replaced = typeof parts === 'function' ? parts(scene) : parts;
      return { due, approval: scene.prepared.approver.owner.approval(due.challenge, replaced) };
    },
  };
}

/** An assertion of the owner's passkey that is changed after it was signed. */
function tampered(name: string, rejection: CeremonyRejection, change: (assertion: Assertion) => Partial<Assertion>): Mutation {
  return {
    name,
    failure: rejected(rejection),
    excuse: unlessPasskeySigns,
    mutate: async ({ prepared }) => {
      const due = await prepared.due();
      return { due, approval: withAssertion(prepared.approver.owner.approval(due.challenge), change) };
    },
  };
}

/** The base64url of the bytes after a change. */
function changed(encoded: string, change: (bytes: Buffer) => Buffer): string {
  return change(Buffer.from(encoded, 'base64url')).toString('base64url');
}

/** The counter that the venue has stored of the owner's passkey. */
function storedCounter({ prepared: { approver } }: Scene): number {
  const credentialId = approver.owner.owner.authenticator.credentialId.toString('base64url');
  return approver.venue.owners.passkey(credentialId)!.passkey.signatureCount;
}

export const MUTATED_CEREMONIES: readonly Mutation[] = [
  ceremony('the origin of another site', 'origin_mismatch', { origin: 'https://evil.example' }),
  ceremony('the origin of another port', 'origin_mismatch', { origin: 'http://localhost:8081' }),
  ceremony('the rpIdHash of another site', 'relying_party_mismatch', { rpId: 'evil.example' }),
  ceremony('the type of a registration', 'type_mismatch', { type: 'webauthn.create' }),
  ceremony('a signature over another challenge', 'challenge_mismatch', { challenge: 'A'.repeat(43) }),
  ceremony('no user verification', 'user_not_verified', { flags: FLAGS.present }),
  ceremony('no user presence', 'user_not_present', { flags: FLAGS.verified }),
  ceremony('a frame of another origin', 'cross_origin', { more: { crossOrigin: true } }),
  ceremony('a top origin', 'cross_origin', { more: { topOrigin: 'http://localhost:8080' } }),
  ceremony('bytes after the authenticator data', 'malformed', { tail: Buffer.from('more') }),
  ceremony('a new credential in the authenticator data', 'malformed', {
    flags: FLAGS.present | FLAGS.verified | FLAGS.attested,
  }),
  ceremony('a counter that goes back', 'counter_not_increased', (scene) => ({ counter: storedCounter(scene) - 1 })),
  ceremony('a counter that has not increased', 'counter_not_increased', (scene) => ({ counter: storedCounter(scene) })),
  ceremony('a counter that has become 0', 'counter_not_increased', { counter: 0 }),
  {
    name: 'a signature over another challenge of the same step',
    failure: rejected('challenge_mismatch'),
    mutate: async ({ step, prepared }) => {
      const [due, other] = [await prepared.due(), await prepared.due()];
      const { challengeIdentifier } = due.challenge;
      return { due, approval: { ...signed(step, prepared, other.challenge), challengeIdentifier } };
    },
  },
  tampered('other client data than was signed', 'signature_invalid', ({ clientData }) => ({
    clientData: changed(clientData, (bytes) => Buffer.from(JSON.stringify({ ...JSON.parse(String(bytes)), more: 1 }))),
  })),
  tampered('other authenticator data than was signed', 'signature_invalid', ({ authenticatorData }) => ({
    authenticatorData: changed(authenticatorData, (bytes) => {
      bytes[32]! |= FLAGS.eligible;
      return bytes;
    }),
  })),
  tampered('client data that is not JSON', 'malformed', () => ({ clientData: Buffer.from('{').toString('base64url') })),
  tampered('authenticator data that is cut short', 'malformed', ({ authenticatorData }) => ({
    authenticatorData: changed(authenticatorData, (bytes) => bytes.subarray(0, 36)),
  })),
  tampered('no signature', 'signature_invalid', () => ({ signature: '' })),
  tampered('bytes after the signature', 'signature_invalid', ({ signature }) => ({
    signature: changed(signature, (bytes) => Buffer.concat([bytes, Buffer.from([0])])),
  })),
];
