/**
 * Approvals of owners in requests that move money: the challenge of what is due, and the check of what was signed. A challenge that is
 * not valid for the due command moves nothing; its client gets a fresh one.
 */
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { ApprovalRequest, Approvals } from '#identity/approvals.ts';
import { approvalRefusal, issueRefusal } from '#identity/sign-in/approval-refusal.ts';

/** The identifier is given if the command depends on it. Throws a refusal if no credential of the account may sign. */
export async function dueChallenge(
  approvals: Approvals,
  request: ApprovalRequest,
  identifier?: string,
): Promise<SigningChallenge> {
  const issued = await approvals.issue(request, identifier);
  if ('failure' in issued) throw issueRefusal(issued.failure);
  return issued.challenge;
}

/**
 * The id of the credential with which the owner approved exactly this; undefined if the challenge was used before, has expired or is for
 * something else. Throws a refusal if it was signed wrongly, or by a credential that may not sign it.
 */
export async function approverOf(
  approvals: Approvals,
  request: ApprovalRequest,
  approval: SigningApproval,
): Promise<string | undefined> {
  const judged = await approvals.verify(request, approval);
  if (!('failure' in judged)) return judged.credentialId;
  if (judged.failure === 'credential_not_allowed' || judged.failure === 'signature_rejected') throw approvalRefusal(judged);
  return undefined;
}

/** Whether the owner approved exactly this. Throws likewise. */
export async function isApproved(...approved: Parameters<typeof approverOf>): Promise<boolean> {
  return (await approverOf(...approved)) !== undefined;
}
