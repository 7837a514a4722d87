/** The refusal of an approval that does not count, or of a challenge that cannot be issued. */
import { Refused } from '#contract/refused.ts';
import type { ApprovalFailure, IssueFailure } from '#identity/approvals.ts';
import { ceremonyMessage } from './ceremony-message.ts';
import { challengeMessage } from './sign-in-challenges.ts';

export function approvalRefusal(failed: ApprovalFailure): Refused {
  switch (failed.failure) {
    case 'challenge_unknown':
      return new Refused('challenge_rejected', challengeMessage('unknown'));
    case 'challenge_expired':
      return new Refused('challenge_rejected', challengeMessage('expired'));
    case 'challenge_of_another_request':
      return new Refused('challenge_rejected', challengeMessage('other_purpose'));
    case 'credential_not_allowed':
      return rejectedSignature('The challenge may not be signed with this credential: use one of its allowCredentials.');
    case 'signature_rejected':
      return rejectedSignature(ceremonyMessage(failed.rejection));
  }
}

export function issueRefusal(failure: IssueFailure): Refused {
  if (failure === 'no_signer') return new Refused('no_usable_passkey');
  const message = 'The venue has the maximum number of open challenges. Retry in some minutes.';
  return new Refused('venue_busy', message, { headers: { 'retry-after': '60' } });
}

function rejectedSignature(message: string): Refused {
  return new Refused('signature_rejected', message, { agentRefusal: 'owner_signature_invalid' });
}
