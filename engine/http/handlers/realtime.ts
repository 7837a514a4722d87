/** Handlers for realtime tickets: minted with a bearer, rotated and revoked with the ticket alone. */

import type { SingleAgentDeployment } from '#contract/agent-deployments.ts';
import type { RenderedBody } from '#contract/operation.ts';
import { REALTIME_TICKET_FAILURES } from '#contract/realtime-errors.ts';
import { AGENT_TICKET_CHANNELS, type MintedTicket, type realtimeOperations } from '#contract/realtime-tickets.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { GrantedTicket } from '#identity/tickets.ts';
import { parseRendered } from '#reads/resource-reads.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import { deploymentNamed } from './agent-deployments.ts';

export function realtimeHandlers({ tickets, owners }: HttpPorts): Pick<Handlers, keyof typeof realtimeOperations> {
  return {
    mintRealtimeTicket: async ({ principal }) => {
      const granted = await tickets.mint(principal);
      if (granted === undefined) throw new Refused('too_many_realtime_tickets');
      return { body: shown(granted) };
    },

    rotateRealtimeTicket: async ({ body }) => {
      const granted = await tickets.rotate(body.ticket);
      if (!('failure' in granted)) return { body: shown(granted) };
      const { failure } = granted;
      throw new Refused('realtime_ticket_rejected', `${REALTIME_TICKET_FAILURES[failure]} Mint a new one.`, {
        realtimeTicketFailure: failure,
      });
    },

    revokeRealtimeTicket: async ({ body }) => {
      await tickets.revoke(body.ticket);
      return { body: undefined };
    },

    mintAgentTicket: async ({ params, principal, reads }) => {
      const owner = ownAccount(principal, params.accountId);
      const deployment = await reads.agentDeployment(owner, deploymentNamed(params.deploymentId));
      const account = agentAccountOf(deployment);
      for (const each of [owner, account]) {
        const details = parseRendered(await reads.accountDetails(each));
        if (details?.status !== 'active') throw new Refused('agent_account_not_ready');
      }
      if (owners.owner(owner)?.consent.state !== 'present') throw new Refused('agent_account_not_ready');
      const granted = await tickets.mint(principal, { account, channels: AGENT_TICKET_CHANNELS });
      if (granted === undefined) throw new Refused('too_many_realtime_tickets');
      return { body: shown(granted) };
    },
  };
}

/** Throws {@link Refused} for `undefined`, which the deployment of another account is read as. */
function agentAccountOf(deployment: RenderedBody<SingleAgentDeployment> | undefined): AccountOrdinal {
  if (deployment === undefined) throw new Refused('agent_deployment_not_found');
  return parseAccountId(parseRendered(deployment).deployment.agentAccountId)!;
}

function shown({ ticket, account, expiresAtEpochMs }: GrantedTicket): MintedTicket {
  return { ticket, accountId: renderAccountId(account), expiresAt: expiresAtEpochMs };
}
