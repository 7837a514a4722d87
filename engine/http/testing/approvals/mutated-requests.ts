/** Requests with a right approval that are refused before it is looked at: wrong bearers and malformed approvals. */
import type { ErrorCode } from '#contract/errors.ts';
import type { SigningApproval } from '#contract/signing.ts';
import type { Bot } from '#http/testing/driven-venue.ts';
import { SCOPES } from '#venue/command.ts';
import { type ApprovedStep, isSignIn } from './approved-step.ts';
import { type Scene, withAssertion } from './mutation.ts';

export interface MutatedRequest {
  readonly name: string;
  readonly code: (step: ApprovedStep) => ErrorCode;
  readonly excuse: (step: ApprovedStep) => string | undefined;
  /** The bearer, if it is not the owner's session. */
  readonly bearer?: (scene: Scene) => Promise<Bot>;
  readonly change?: (approval: SigningApproval) => object;
}

function withBearer(name: string, code: ErrorCode | ((step: ApprovedStep) => ErrorCode), bearer: (scene: Scene) => Promise<Bot>) {
  const excuse = (step: ApprovedStep) => (isSignIn(step) ? 'It needs no bearer.' : undefined);
  return { name, code: typeof code === 'string' ? () => code : code, excuse, bearer } satisfies MutatedRequest;
}

function withForm(name: string, change: (approval: SigningApproval) => object): MutatedRequest {
  return { name, code: () => 'invalid_request', excuse: () => undefined, change };
}

export const MUTATED_REQUESTS: readonly MutatedRequest[] = [
  withBearer('a session that a provider signed in', 'passkey_required', ({ prepared: { approver } }) =>
    approver.venue.signIn(approver.owner.bot, 'social'),
  ),
  withBearer('an API key with every scope', 'passkey_required', ({ prepared: { approver } }) =>
    approver.venue.keyOf(approver.owner.bot, SCOPES),
  ),
  withBearer(
    'the session of another account',
    // Whether a withdrawal of another account exists is not shown.
    ({ operation }) => (operation === 'confirmWithdrawal' ? 'withdrawal_not_found' : 'account_forbidden'),
    async ({ another }) => (await another()).approver.owner.bot,
  ),
  withBearer('a session that has ended', 'unauthorized', async ({ prepared: { approver } }) => {
    const ended = await approver.venue.signIn(approver.owner.bot);
    await approver.venue.call('endSession', { bot: ended });
    return ended;
  }),
  withForm('another kind of factor', ({ firstFactor, ...rest }) => ({ ...rest, firstFactor: { ...firstFactor, kind: 'U2F' } })),
  withForm('padding in the signature', (approval) =>
    withAssertion(approval, ({ signature }) => ({ signature: `${signature}=` })),
  ),
  withForm('no assertion', ({ challengeIdentifier }) => ({ challengeIdentifier, firstFactor: { kind: 'Fido2' } })),
  withForm('no challenge identifier', ({ firstFactor }) => ({ firstFactor })),
];
