/**
 * Approvals of an owner: a challenge for exactly one prepared command, and the proof that a passkey or the setup key of the account
 * signed it. A verified approval has consumed its challenge, and the passkey's counter is durable, before the caller moves anything.
 */
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { ChallengePurpose, Challenges } from './challenges.ts';
import { verifyAssertion } from './webauthn/assertion.ts';
import type { CeremonyRejection } from './webauthn/rejection.ts';
import type { RelyingParty } from './webauthn/relying-party.ts';
import { verifySetupKeyApproval } from './webauthn/setup-key.ts';

/** An active passkey or setup key of an account. */
export interface OwnerCredential {
  readonly credentialId: string;
  readonly kind: 'passkey' | 'setup_key';
  /** In base64url: a COSE key, or the SPKI of a setup key. */
  readonly publicKey: string;
  readonly signatureCount: number;
  readonly relyingPartyId: string;
}

/** Returns the credentials that the durable state has now. */
export type CredentialsOf = (account: AccountOrdinal) => readonly OwnerCredential[];

export interface PasskeyUse {
  readonly account: AccountOrdinal;
  readonly credentialId: string;
  /** Greater than the stored one. */
  readonly signatureCount: number;
}

/** Resolves when the counter is durable. `refused`: the passkey was removed, or another use has stored this count or a higher one. */
export type RecordPasskeyUse = (use: PasskeyUse) => Promise<'recorded' | 'refused'>;

/** Which credentials of the account may sign; always only those of this relying party. */
export type Signers = 'passkey' | 'passkey_or_setup_key' | 'setup_key';

/** What is to be approved. The same values issue the challenge and verify the approval. */
export interface ApprovalRequest {
  readonly account: AccountOrdinal;
  /** The venue's own name of an operation and its step, such as `deposit/owner_offer_acceptance`. */
  readonly operation: string;
  /** The exact bytes of the prepared command. Other bytes need another challenge. */
  readonly command: Uint8Array;
  readonly signers: Signers;
}

/** `no_signer`: the account has no credential that may sign. `full`: all accounts together have the maximum of challenges. */
export type IssueFailure = 'no_signer' | 'full';

export type ApprovalFailure =
  /** Never issued, used before, replaced by newer ones, or forgotten. */
  | { readonly failure: 'challenge_unknown' }
  | { readonly failure: 'challenge_expired' }
  /** Issued for another account, operation or command. */
  | { readonly failure: 'challenge_of_another_request' }
  /** The account has no such credential, or it may not sign this. */
  | { readonly failure: 'credential_not_allowed' }
  | { readonly failure: 'signature_rejected'; readonly rejection: CeremonyRejection };

export interface Approver {
  readonly credentialId: string;
  readonly kind: OwnerCredential['kind'];
}

export interface ApprovalPorts {
  /** Those of accounts. */
  readonly challenges: Challenges;
  readonly relyingParty: RelyingParty;
  readonly credentialsOf: CredentialsOf;
  readonly recordPasskeyUse: RecordPasskeyUse;
}

export class Approvals {
  readonly #ports: ApprovalPorts;

  constructor(ports: ApprovalPorts) {
    this.#ports = ports;
  }

  /** The identifier is given if the command depends on it. */
  async issue(
    request: ApprovalRequest,
    identifier?: string,
  ): Promise<{ readonly challenge: SigningChallenge } | { readonly failure: IssueFailure }> {
    const signers = this.#signersOf(request);
    if (signers.length === 0) return { failure: 'no_signer' };
    const issued = await this.#ports.challenges.issue(renderAccountId(request.account), purposeOf(request), identifier);
    if (issued === 'full') return { failure: 'full' };
    const { challenge, challengeIdentifier } = issued;
    const listed = (kind: OwnerCredential['kind']) =>
      signers.filter((it) => it.kind === kind).map(({ credentialId }) => ({ type: 'public-key' as const, id: credentialId }));
    const allowCredentials = { key: listed('setup_key'), webauthn: listed('passkey') };
    return { challenge: { challenge, challengeIdentifier, allowCredentials, userVerification: 'required' } };
  }

  /**
   * Consumes the challenge, whatever the result is. Rejects if the store or the writer is unavailable: the challenge is then consumed
   * or not, and the owner signs a new one.
   */
  async verify(
    request: ApprovalRequest,
    { challengeIdentifier, firstFactor }: SigningApproval,
  ): Promise<Approver | ApprovalFailure> {
    const consumed = await this.#ports.challenges.consume(challengeIdentifier, purposeOf(request));
    if ('failure' in consumed) return { failure: CHALLENGE_FAILURES[consumed.failure] };
    const { credId } = firstFactor.credentialAssertion;
    const signer = this.#signerOf(request, credId);
    if (signer === undefined) return { failure: 'credential_not_allowed' };
    const { challenge } = consumed;
    const { relyingParty } = this.#ports;
    const verified =
      signer.kind === 'setup_key'
        ? await verifySetupKeyApproval(firstFactor, challenge, signer)
        : await verifyAssertion({ approval: firstFactor, challenge, relyingParty, passkey: signer });
    if ('rejection' in verified) return { failure: 'signature_rejected', rejection: verified.rejection };
    const signatureCount = 'signatureCount' in verified ? verified.signatureCount : 0;
    if (signatureCount > 0 && !(await this.#isRecorded(request.account, signer, signatureCount)))
      return { failure: 'signature_rejected', rejection: 'counter_not_increased' };
    // It may have been removed during the verification.
    if (this.#signerOf(request, credId) === undefined) return { failure: 'credential_not_allowed' };
    return { credentialId: signer.credentialId, kind: signer.kind };
  }

  async #isRecorded(account: AccountOrdinal, { credentialId }: OwnerCredential, signatureCount: number): Promise<boolean> {
    return (await this.#ports.recordPasskeyUse({ account, credentialId, signatureCount })) === 'recorded';
  }

  #signerOf(request: ApprovalRequest, credentialId: string): OwnerCredential | undefined {
    return this.#signersOf(request).find((it) => it.credentialId === credentialId);
  }

  #signersOf({ account, signers }: ApprovalRequest): readonly OwnerCredential[] {
    const { credentialsOf, relyingParty } = this.#ports;
    const kinds = KINDS[signers];
    return credentialsOf(account).filter(
      ({ kind, relyingPartyId }) => kinds.includes(kind) && relyingPartyId === relyingParty.id,
    );
  }
}

const KINDS: { readonly [Each in Signers]: readonly OwnerCredential['kind'][] } = {
  passkey: ['passkey'],
  passkey_or_setup_key: ['passkey', 'setup_key'],
  setup_key: ['setup_key'],
};

const CHALLENGE_FAILURES = {
  unknown: 'challenge_unknown',
  expired: 'challenge_expired',
  other_purpose: 'challenge_of_another_request',
} as const;

function purposeOf({ account, operation, command }: ApprovalRequest): ChallengePurpose {
  return { account, operation, command };
}
