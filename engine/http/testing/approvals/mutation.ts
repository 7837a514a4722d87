/** The form of an approval that is wrong in one respect, and what the mutations of approvals share. */
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { ApprovalFailure } from '#identity/approvals.ts';
import type { Fido2Approval } from '#identity/webauthn/passkey.ts';
import type { CeremonyRejection } from '#identity/webauthn/rejection.ts';
import type { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { type ApprovedStep, type Due, isSignIn, type PreparedStep } from './approved-step.ts';

/** A step that is due for an owner, and for another one. */
export interface Scene {
  readonly step: ApprovedStep;
  readonly prepared: PreparedStep;
  another(): Promise<PreparedStep>;
  /** A challenge of the same owner for an approval of another operation. */
  otherOperation(): Promise<SigningChallenge>;
}

/** An approval, and the step that it is sent for. */
export interface ApprovalAttempt {
  readonly due: Due;
  readonly approval: object;
}

export interface Mutation {
  readonly name: string;
  /** Why it must be refused. */
  readonly failure: ApprovalFailure | ((step: ApprovedStep) => ApprovalFailure);
  /** Why a step has no such approval. */
  readonly excuse?: (step: ApprovedStep) => string | undefined;
  mutate(scene: Scene): Promise<ApprovalAttempt>;
}

/** What the owner signs the step with. */
export function signed({ signers }: ApprovedStep, { approver }: PreparedStep, challenge: SigningChallenge): SigningApproval {
  return signers === 'setup_key' ? bySetupKey(approver.setupKey, challenge) : approver.owner.approval(challenge);
}

export function bySetupKey(key: SoftwareSetupKey, { challengeIdentifier, challenge }: SigningChallenge): SigningApproval {
  return { challengeIdentifier, firstFactor: key.approve(challenge) };
}

export type Assertion = Fido2Approval['credentialAssertion'];

/** The approval with another assertion, which is not signed again. */
export function withAssertion(it: SigningApproval, change: (assertion: Assertion) => Partial<Assertion>): SigningApproval {
  const { kind, credentialAssertion } = it.firstFactor;
  const changed = { ...credentialAssertion, ...change(credentialAssertion) };
  return { ...it, firstFactor: { kind, credentialAssertion: changed } };
}

export const rejected = (rejection: CeremonyRejection): ApprovalFailure => ({ failure: 'signature_rejected', rejection });

export const mayPasskeySign = ({ signers }: ApprovedStep) => signers !== 'setup_key';
export const maySetupKeySign = ({ signers }: ApprovedStep) => signers !== 'passkey';
export const unlessPasskeySigns = (step: ApprovedStep) => (mayPasskeySign(step) ? undefined : 'Only the setup key signs it.');
export const unlessSetupKeySigns = (step: ApprovedStep) =>
  maySetupKeySign(step) ? undefined : 'The setup key does not sign it.';
export const ifAnyoneSigns = (step: ApprovedStep) => (isSignIn(step) ? 'A sign-in names no account.' : undefined);
