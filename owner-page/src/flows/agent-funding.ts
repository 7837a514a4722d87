/** What is due of a funding of an agent account, from the response of its confirm operation. */
import type { AgentFundingSigning, FundingDirection } from '../venue/agent-resources.ts';
import type { Due } from './due.ts';

/** The steps of a funding, in order. */
export const FUNDING_STEPS = [
  { step: 'approval', name: 'You approve exactly this movement' },
  { step: 'movement', name: 'The venue moves the money, once' },
] as const;

const CREDITED: Readonly<Record<FundingDirection, string>> = {
  owner_to_agent: 'The money is in the agent account.',
  agent_to_owner: 'The money is back in your account.',
};
const EXPIRED = 'It was not approved within an hour. Nothing moved: create it again.';
const REFUSED =
  'One of its accounts was retired first, so it never moves: the money stays where it is. Use another agent account, or ask the operator.';
const NEEDS_PASSKEY =
  'This session was opened without a passkey, so it cannot approve. Sign out, sign in with your passkey, and continue it here.';

export function dueOfFunding({ status, challenge }: AgentFundingSigning, direction: FundingDirection): Due {
  if (status === 'credited') return { by: 'none', result: 'done', message: CREDITED[direction] };
  if (status === 'expired') return { by: 'none', result: 'stopped', message: EXPIRED };
  if (status === 'refused') return { by: 'none', result: 'stopped', message: REFUSED };
  if (status === 'owner_signature_required') return { by: 'none', result: 'stopped', message: NEEDS_PASSKEY };
  if (challenge !== null) return { by: 'owner', step: 'approval', challenge };
  return { by: 'venue', waitsFor: 'It is approved. The venue moves the money.' };
}
