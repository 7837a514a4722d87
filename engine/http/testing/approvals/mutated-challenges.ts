/** Right signatures over a challenge that is not the due one. */
import type { SigningChallenge } from '#contract/signing.ts';
import type { ApprovalFailure } from '#identity/approvals.ts';
import { CHALLENGE_LIFETIME_MS } from '#identity/challenges.ts';
import { type ApprovedStep, isSignIn } from './approved-step.ts';
import { ifAnyoneSigns, type Mutation, type Scene, signed, withAssertion } from './mutation.ts';

/** The right signature over a challenge that is not the due one. */
function challenged(
  name: string,
  failure: Mutation['failure'],
  pick: (scene: Scene) => Promise<SigningChallenge>,
  excuse: Mutation['excuse'] = () => undefined,
): Mutation {
  return {
    name,
    failure,
    excuse,
    mutate: async (scene) => {
      const challenge = await pick(scene);
      return { due: await scene.prepared.due(), approval: signed(scene.step, scene.prepared, challenge) };
    },
  };
}

const UNKNOWN: ApprovalFailure = { failure: 'challenge_unknown' };
const OF_ANOTHER: ApprovalFailure = { failure: 'challenge_of_another_request' };

export const MUTATED_CHALLENGES: readonly Mutation[] = [
  challenged('a challenge that was never issued', UNKNOWN, async ({ prepared }) => {
    const { challenge } = await prepared.due();
    return { ...challenge, challengeIdentifier: 'A'.repeat(22) };
  }),
  {
    name: 'a challenge that was refused before',
    failure: UNKNOWN,
    mutate: async ({ step, prepared }) => {
      const due = await prepared.due();
      const good = signed(step, prepared, due.challenge);
      await due.complete(withAssertion(good, () => ({ signature: '' })));
      return { due, approval: good };
    },
  },
  challenged(
    'the challenge of another account',
    OF_ANOTHER,
    async ({ another }) => (await (await another()).due()).challenge,
    ifAnyoneSigns,
  ),
  {
    name: "another account's approval",
    failure: OF_ANOTHER,
    excuse: ifAnyoneSigns,
    mutate: async ({ step, prepared, another }) => {
      const other = await another();
      const { challenge } = await other.due();
      return { due: await prepared.due(), approval: signed(step, other, challenge) };
    },
  },
  // Challenges of sign-in are in a store of their own.
  challenged(
    'the challenge of another operation',
    (step) => (isSignIn(step) ? UNKNOWN : OF_ANOTHER),
    ({ otherOperation }) => otherOperation(),
  ),
  challenged(
    'the challenge of a registration',
    (step) => (isSignIn(step) ? OF_ANOTHER : UNKNOWN),
    async ({ prepared: { approver } }) => {
      const local = { name: 'someone', passphrase: 'correct horse' };
      const body = { provider: 'local', action: 'initiate', local };
      return (await approver.venue.call('registerWithProvider', { body })).body.creation;
    },
  ),
  challenged(
    'the challenge of a sign-in',
    UNKNOWN,
    async ({ prepared: { approver } }) => (await approver.venue.call('startPasskeyLogin', { body: {} })).body.challenge,
    (step) => (isSignIn(step) ? 'It is the due one.' : undefined),
  ),
  {
    name: 'an expired challenge',
    failure: { failure: 'challenge_expired' },
    mutate: async ({ step, prepared }) => {
      const due = await prepared.due();
      prepared.approver.venue.pass(CHALLENGE_LIFETIME_MS);
      return { due, approval: signed(step, prepared, due.challenge) };
    },
  },
];

/** Those of a step alone: the right signature over a challenge for another prepared command. */
export function misdirections({ others }: ApprovedStep): readonly Mutation[] {
  return Object.entries(others).map(([name, misdirected]) => ({
    name: `the challenge of ${name}`,
    failure: OF_ANOTHER,
    mutate: async ({ step, prepared }) => {
      const due = await misdirected(prepared);
      return { due, approval: signed(step, prepared, due.challenge) };
    },
  }));
}
