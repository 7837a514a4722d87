/** Challenges before anyone has signed in: of registrations and of logins. They count for the network of their client. */
import { Refused } from '#contract/refused.ts';
import type { ChallengeFailure, ChallengePurpose, Challenges, IssuedChallenge } from '#identity/challenges.ts';

/** Throws {@link Refused} `venue_busy` at the maximum. */
export async function issueChallenge(challenges: Challenges, owner: string, purpose: ChallengePurpose): Promise<IssuedChallenge> {
  const issued = await challenges.issue(owner, purpose);
  if (issued !== 'full') return issued;
  throw new Refused('venue_busy', 'Too many challenges are open. Answer one of them, or retry in some minutes.', {
    headers: { 'retry-after': '60' },
  });
}

/** Ends the challenge, and returns what must have been signed. Throws {@link Refused} `challenge_rejected`. */
export async function consumeChallenge(challenges: Challenges, identifier: string, purpose: ChallengePurpose): Promise<string> {
  const consumed = await challenges.consume(identifier, purpose);
  if ('challenge' in consumed) return consumed.challenge;
  throw new Refused('challenge_rejected', challengeMessage(consumed.failure));
}

export function challengeMessage(failure: ChallengeFailure): string {
  return `${CAUSES[failure]} Request a new challenge.`;
}

const CAUSES: Readonly<Record<ChallengeFailure, string>> = {
  unknown: 'The challenge is unknown, or was used before: each is valid once, also if its answer was refused.',
  expired: 'The challenge has expired.',
  other_purpose: 'The challenge was issued for another account or request. It is used up now.',
};
