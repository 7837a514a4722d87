/** Handlers for agent accounts: an owner opens and lists them. */
import { randomInt } from 'node:crypto';
import type { agentAccountOperations } from '#contract/agent-accounts.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { renderAccountId } from '#units/ids.ts';
import { idempotencyOf } from './idempotency.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

export function agentAccountHandlers({ submit }: HttpPorts): Pick<Handlers, keyof typeof agentAccountOperations> {
  return {
    openAgentAccount: async (call) => {
      const account = ownAccount(call.principal, call.params.accountId);
      const { label } = call.body;
      const record = await submit({
        command: { type: 'OpenAgentAccount', account, label, digestSeed: randomInt(2 ** 32) },
        idempotency: idempotencyOf(account, 'openAgentAccount', call),
      });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      const opened = record.events.find((event) => event.type === 'AgentAccountOpened')!;
      return {
        body: {
          version: 'external-agent-account-opening/v1',
          accountId: renderAccountId(account),
          agentAccountId: renderAccountId(opened.agentAccount),
          label,
        },
        headers: record.replayed ? REPLAYED : {},
      };
    },

    listAgentAccounts: async ({ params, principal, reads }) => ({
      body: await reads.agentAccountList(ownAccount(principal, params.accountId)),
    }),
  };
}
