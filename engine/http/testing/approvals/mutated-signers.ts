/** Approvals that a credential signs which may not, or not like this. */
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import { approval } from '#http/testing/owner-requests.ts';
import type { ApprovalFailure } from '#identity/approvals.ts';
import { type Ceremony, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { OTHER_SITE } from './approving-owner.ts';
import {
  bySetupKey,
  ifAnyoneSigns,
  type Mutation,
  mayPasskeySign,
  maySetupKeySign,
  rejected,
  type Scene,
  unlessPasskeySigns,
  unlessSetupKeySigns,
  withAssertion,
} from './mutation.ts';

const NOT_ALLOWED: ApprovalFailure = { failure: 'credential_not_allowed' };

/** An approval that another key signs than the one that the step needs. */
function bySigner(
  name: string,
  failure: ApprovalFailure,
  sign: (scene: Scene, challenge: SigningChallenge) => SigningApproval | Promise<SigningApproval>,
  excuse: Mutation['excuse'] = () => undefined,
): Mutation {
  return {
    name,
    failure,
    excuse,
    mutate: async (scene) => {
      const due = await scene.prepared.due();
      return { due, approval: await sign(scene, due.challenge) };
    },
  };
}

const byPasskey = (authenticator: SoftwareAuthenticator, challenge: SigningChallenge, parts: Partial<Ceremony> = {}) =>
  approval(challenge, { authenticator }, parts);

export const MUTATED_SIGNERS: readonly Mutation[] = [
  bySigner(
    'the signature of another key',
    rejected('signature_invalid'),
    ({ prepared: { approver } }, challenge) => {
      const { credentialId } = approver.owner.owner.authenticator;
      return byPasskey(new SoftwareAuthenticator('ES256', credentialId), challenge);
    },
    unlessPasskeySigns,
  ),
  bySigner('a passkey that was never registered', NOT_ALLOWED, (_, challenge) =>
    byPasskey(new SoftwareAuthenticator(), challenge),
  ),
  bySigner(
    'the passkey of another account',
    NOT_ALLOWED,
    async ({ another }, challenge) => (await another()).approver.owner.approval(challenge),
    ifAnyoneSigns,
  ),
  bySigner('a removed passkey', NOT_ALLOWED, ({ prepared: { approver } }, challenge) => byPasskey(approver.removed, challenge)),
  bySigner("another relying party's passkey", NOT_ALLOWED, ({ prepared: { approver } }, challenge) =>
    byPasskey(approver.elsewhere, challenge),
  ),
  bySigner("another relying party's passkey on its site", NOT_ALLOWED, ({ prepared: { approver } }, challenge) =>
    byPasskey(approver.elsewhere, challenge, OTHER_SITE),
  ),
  bySigner(
    'the passkey, which does not sign this',
    NOT_ALLOWED,
    ({ prepared: { approver } }, challenge) => approver.owner.approval(challenge),
    (step) => (mayPasskeySign(step) ? 'A passkey signs it.' : undefined),
  ),
  bySigner(
    'the setup key, which does not sign this',
    NOT_ALLOWED,
    ({ prepared: { approver } }, challenge) => bySetupKey(approver.setupKey, challenge),
    (step) => (maySetupKeySign(step) ? 'The setup key signs it.' : undefined),
  ),
  bySigner('a setup key that was never registered', NOT_ALLOWED, (_, challenge) => bySetupKey(new SoftwareSetupKey(), challenge)),
  bySigner('the setup key of another account', NOT_ALLOWED, async ({ another }, challenge) =>
    bySetupKey((await another()).approver.setupKey, challenge),
  ),
  bySigner(
    'another setup key by the id of the registered one',
    rejected('signature_invalid'),
    ({ prepared: { approver } }, challenge) => bySetupKey(new SoftwareSetupKey(approver.setupKey.credentialId), challenge),
    unlessSetupKeySigns,
  ),
  bySigner(
    "the setup key's signature over other data",
    rejected('signature_invalid'),
    ({ prepared: { approver } }, challenge) =>
      withAssertion(bySetupKey(approver.setupKey, challenge), () => {
        const { signature } = approver.setupKey.approve('A'.repeat(43)).credentialAssertion;
        return { signature };
      }),
    unlessSetupKeySigns,
  ),
  bySigner(
    "the setup key's signature in the form of a passkey's",
    rejected('malformed'),
    ({ prepared: { approver } }, challenge) =>
      withAssertion(approver.owner.approval(challenge), () => ({ credId: approver.setupKey.credentialId })),
    unlessSetupKeySigns,
  ),
];
