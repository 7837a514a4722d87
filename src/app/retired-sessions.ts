/**
 * Ends the sessions of an account when it is retired, and with them its sockets, as its keys end. Its owner may sign in again. This may
 * fail while the store is unavailable; identification refuses the sessions of a legacy account in any case.
 */
import type { Sessions } from '#identity/sessions.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import type { Command } from '#venue/command.ts';
import { recordsOfCommands } from '#writer/port/group-records.ts';
import type { GroupListener } from '#writer/port/submit.ts';

const RETIREMENTS: ReadonlySet<Command['type']> = new Set(['RetireAccount']);

export function endSessionsOfRetired(
  sessions: Pick<Sessions, 'revokeAll'>,
  onInternalError: (error: unknown) => void,
): GroupListener {
  return ({ stored }) => {
    for (const { events } of recordsOfCommands(stored!, RETIREMENTS)) {
      for (const event of events) {
        if (event.type !== 'AccountRetired') continue;
        sessions.revokeAll(event.account).catch((error: unknown) => {
          if (!(error instanceof StoreUnavailable)) onInternalError(error);
        });
      }
    }
  };
}
