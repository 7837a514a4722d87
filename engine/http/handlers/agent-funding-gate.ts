/**
 * The gates of agent fundings: what stops every action except `status` before anything else, and the reason of each refusal as 7.3 of the
 * interface names it.
 */

import { type Environment, existsIn, PARTIAL_FEATURES } from '#contract/environments.ts';
import type { ErrorEnvelope } from '#contract/error-envelope.ts';
import type { ErrorCode } from '#contract/errors.ts';
import { Refused } from '#contract/refused.ts';
import type { Directory } from '#reads/reads.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

type AgentRefusal = NonNullable<ErrorEnvelope['agentRefusal']>;

const AGENT_REFUSALS: { readonly [Code in ErrorCode]?: AgentRefusal } = {
  signature_rejected: 'owner_signature_invalid',
  insufficient_cash: 'transfer_eligibility_insufficient',
  agent_account_not_ready: 'transfer_blocked',
  account_retired: 'account_unavailable',
  account_legacy_excluded: 'account_unavailable',
  agent_funding_expired: 'agent_funding_expired',
  agents_not_admitted: 'agents_not_admitted_in_environment',
  venue_halted: 'venue_halted',
};

const HALTED = 'The operator halted the venue. Nothing was moved: send initiate again when GET /ready returns 200.';
const RETRY_AFTER_HALT = { 'retry-after': '10' } as const;
const RETRY_SOON = { 'retry-after': '1' } as const;

/** Names the reason of a refusal of the venue. */
export function fundingRefusal({ code, message, details }: Refused, directory: Directory): Refused {
  const agentRefusal = code === 'capability_unavailable' ? missingCapability(directory) : AGENT_REFUSALS[code];
  return new Refused(code, message, { ...details, ...(agentRefusal !== undefined && { agentRefusal }) });
}

/** Throws {@link Refused} where agents are not admitted, and while the venue moves no money. */
export function demandOpenFunding(environment: Environment, directory: Directory): void {
  if (!existsIn(environment, PARTIAL_FEATURES.agents)) throw fundingRefusal(new Refused('agents_not_admitted'), directory);
  const { status, capabilities } = directory.switches();
  if (status === 'halted') throw new Refused('venue_halted', HALTED, { agentRefusal: 'venue_halted', headers: RETRY_AFTER_HALT });
  if (status === 'intake_paused') throw new Refused('intake_paused');
  if (capabilities.transfers !== true) throw fundingRefusal(new Refused('capability_unavailable'), directory);
}

/** Throws {@link Refused} while no money may enter agent accounts. It may always return. */
export function demandIncomingFunding(directory: Directory): void {
  if (directory.switches().capabilities.agents !== true) throw fundingRefusal(new Refused('capability_unavailable'), directory);
}

/** `transfers` moves all money; `agents` enables the funding of agent accounts. */
function missingCapability(directory: Directory): AgentRefusal {
  const { transfers } = directory.switches().capabilities;
  return transfers === true ? 'account_transfer_not_enabled' : 'account_transfer_unavailable';
}

/** Submits with the reason if the writer takes no command. */
export function submittingFunding(submit: Submit): Submit {
  return async (submission) => {
    try {
      return await submit(submission);
    } catch (thrown) {
      if (thrown instanceof WriterBusy)
        throw new Refused('venue_busy', undefined, { agentRefusal: 'account_transfer_unavailable', headers: RETRY_SOON });
      if (thrown instanceof VenueHalted)
        throw new Refused('venue_halted', undefined, { agentRefusal: 'venue_halted', headers: RETRY_AFTER_HALT });
      throw thrown;
    }
  };
}

/** Reads with the reason if the view is being rebuilt. */
export async function readFunding<Body>(read: Promise<Body>): Promise<Body> {
  try {
    return await read;
  } catch (thrown) {
    if (!(thrown instanceof WriterBusy)) throw thrown;
    throw new Refused('venue_busy', undefined, { agentRefusal: 'engine_view_unavailable', headers: RETRY_SOON });
  }
}
