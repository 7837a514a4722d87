/** The form of a step that an owner approves by a signature: how it becomes due, and how the signature is sent. */
import type { OperationId } from '#contract/operations.ts';
import type { SigningChallenge } from '#contract/signing.ts';
import type { Bot, VenueResponse } from '#http/testing/driven-venue.ts';
import type { Signers } from '#identity/approvals.ts';
import type { LedgerStep } from '#settlement/port/command.ts';
import type { Command } from '#venue/command.ts';
import type { ApprovingOwner } from './approving-owner.ts';

/** A new challenge, and the operation that takes its approval. */
export interface Due {
  readonly challenge: SigningChallenge;
  /** The response with the challenge, without it. */
  readonly shown: object;
  /** By the owner's session, unless another bearer is given. */
  complete(approval: object, by?: Bot): Promise<VenueResponse>;
}

/** An owner whose step is due. Nothing advances until it is approved. */
export interface PreparedStep {
  readonly approver: ApprovingOwner;
  due(): Promise<Due>;
  /** An unused challenge of the same item from before this step. */
  readonly former?: SigningChallenge;
  /** The id of the deposit or withdrawal that is approved. */
  readonly itemId?: string;
}

/** What the account shows to its owner. */
export interface ShownAccount {
  readonly cashBalance: string;
  readonly passkeys: readonly { readonly kind: string }[];
}

export interface ApprovedStep {
  readonly operation: OperationId;
  /** What is approved, for the names of tests. */
  readonly name: string;
  readonly signers: Signers;
  /** The account has no active setup key: the step registers one. */
  readonly registersSetupKey?: true;
  /** What the operation does about a challenge that is not due: refuses it, or returns a new one. */
  readonly onOtherChallenge: 'refusal' | 'new_challenge';
  prepare(approver: ApprovingOwner): Promise<PreparedStep>;
  /** Challenges for another prepared command of the same operation, by their name. Each is to be sent to the `complete` beside it. */
  readonly others: Readonly<Record<string, (prepared: PreparedStep) => Promise<Due>>>;
  /** What one approval causes: the commands of its request, and those that the ledger sequences. */
  readonly commands: readonly Command['type'][];
  readonly ledgerSteps: readonly LedgerStep[];
  /** Whether a response is the one that carried out the approval. Undefined if all requests see the same result. */
  readonly isCarriedOut?: (response: VenueResponse) => boolean;
  /** Fails until what was approved has happened once since the account was shown. */
  verify(prepared: PreparedStep, before: ShownAccount): Promise<void>;
  /** The response to the same approval once more. */
  readonly repeated: object;
}

/** A sign-in needs no bearer, names no account, and reveals nothing of a passkey. */
export function isSignIn({ operation }: ApprovedStep): boolean {
  return operation === 'completePasskeyLogin';
}

/** The response to a request for a challenge, as what is due. */
export function dueOf({ challenge, ...shown }: { readonly challenge: SigningChallenge }, complete: Due['complete']): Due {
  return { challenge, shown, complete };
}
