/** Handlers for the session of a request. Its operations admit no API key, so each call has one. */
import type { sessionOperations } from '#contract/owner-sessions.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { renderAccountId } from '#units/ids.ts';

export function sessionHandlers({ sessions }: HttpPorts): Pick<Handlers, keyof typeof sessionOperations> {
  return {
    getCurrentSession: ({ principal }) => {
      const { account, sessionId, signIn, createdAtEpochMs, expiresAtEpochMs } = principal.session!;
      const [accountId, signedInBy] = [renderAccountId(account), signIn.by];
      return {
        body: { version: 'owner-session-current/v1', accountId, sessionId, signedInBy, createdAtEpochMs, expiresAtEpochMs },
      };
    },

    endSession: async ({ principal: { account, session } }) => {
      await sessions.revoke(account, session!.sessionId);
      return { body: undefined };
    },

    endSessions: async ({ principal: { account } }) => {
      await sessions.revokeAll(account);
      return { body: undefined };
    },
  };
}
