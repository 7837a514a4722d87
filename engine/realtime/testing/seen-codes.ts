/** Which refusals and which reasons for a close the tests of a file have seen: every one of the catalogue is seen by one of them. */
import { expect } from 'vitest';
import { REALTIME_ERROR_CODES } from '#contract/realtime-errors.ts';
import { CLOSE_CODES } from '#contract/realtime-limits.ts';
import type { Frame, SocketClient } from './socket-client.ts';

/** In alphabetical order. */
export interface Codes {
  readonly refusals: readonly string[];
  readonly closes: readonly string[];
}

/** What tickets alone lead to. */
export const OF_TICKETS: Codes = {
  refusals: ['account_forbidden', 'already_authenticated', 'ticket_rejected', 'tickets_unavailable'],
  closes: ['ticket_expired', 'ticket_revoked'],
};

/** Of the whole catalogue. */
export function codesBut({ refusals, closes }: Codes): Codes {
  return {
    refusals: REALTIME_ERROR_CODES.filter((code) => !refusals.includes(code)).sort(),
    closes: Object.keys(CLOSE_CODES)
      .filter((reason) => !closes.includes(reason))
      .sort(),
  };
}

export function seenCodes() {
  const [refusals, closes] = [new Set<string>(), new Set<string>()];
  return {
    refusals,
    closes,
    seen: (): Codes => ({ refusals: [...refusals].sort(), closes: [...closes].sort() }),

    /** The answer to a frame that is refused. */
    async refusal(client: SocketClient, frame: object): Promise<Frame> {
      const answer = await client.ask(frame);
      expect(answer.type).toBe('error');
      refusals.add(answer.code);
      // The socket stays open.
      await client.drained();
      return answer;
    },

    /** Why a socket is closed. */
    async closing(client: SocketClient): Promise<string> {
      const { code, reason } = await client.closes();
      closes.add(reason);
      expect(code).toBe(CLOSE_CODES[reason as keyof typeof CLOSE_CODES]?.code);
      return reason;
    },
  };
}
