/** Handlers for realtime tickets: minted with a bearer, rotated and revoked with the ticket alone. */

import { REALTIME_TICKET_FAILURES } from '#contract/realtime-errors.ts';
import type { MintedTicket, realtimeOperations } from '#contract/realtime-tickets.ts';
import { Refused } from '#contract/refused.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { GrantedTicket } from '#identity/tickets.ts';
import { renderAccountId } from '#units/ids.ts';

export function realtimeHandlers({ tickets }: HttpPorts): Pick<Handlers, keyof typeof realtimeOperations> {
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
  };
}

function shown({ ticket, account, expiresAtEpochMs }: GrantedTicket): MintedTicket {
  return { ticket, accountId: renderAccountId(account), expiresAt: expiresAtEpochMs };
}
