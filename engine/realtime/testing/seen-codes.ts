/** Which refusals and which reasons for a close the tests of a file have seen: every one of the catalogue is seen by one of them. */
import { expect } from 'vitest';
import { CLOSE_CODES } from '#contract/realtime-limits.ts';
import type { Frame, SocketClient } from './socket-client.ts';

/** In alphabetical order. */
export interface Codes {
  readonly refusals: readonly string[];
  readonly closes: readonly string[];
}

/** What frames that are none, or not now, are told. */
export const OF_FRAMES: Codes = {
  refusals: ['authentication_required', 'invalid_request', 'source_unavailable', 'unknown_channel', 'unknown_market'],
  closes: [],
};

/** What is said of subscriptions. */
export const OF_SUBSCRIPTIONS: Codes = {
  refusals: ['already_subscribed', 'resync_required', 'sequence_ahead', 'subscription_withdrawn', 'too_many_subscriptions'],
  closes: [],
};

/** What clients that do not read lead to. */
export const OF_SLOW_CLIENTS: Codes = { refusals: ['no_room_for_replay'], closes: [] };

/** Why sockets end. */
export const OF_SOCKETS: Codes = {
  refusals: [],
  closes: ['idle', 'overloaded', 'slow_consumer', 'too_many_frames', 'venue_stops'],
};

/** What tickets alone lead to. */
export const OF_TICKETS: Codes = {
  refusals: ['account_forbidden', 'already_authenticated', 'ticket_rejected', 'tickets_unavailable'],
  closes: ['authentication_overdue', 'ticket_expired', 'ticket_revoked', 'tickets_rejected'],
};

/** What internal errors lead to. */
export const OF_INTERNAL_ERRORS: Codes = { refusals: [], closes: ['internal_error'] };

/** Together they are all that there is. */
export const PARTS = [OF_FRAMES, OF_SUBSCRIPTIONS, OF_SLOW_CLIENTS, OF_SOCKETS, OF_TICKETS, OF_INTERNAL_ERRORS];

export function seenCodes() {
  const [refusals, closes] = [new Set<string>(), new Set<string>()];
  const refused = async (client: SocketClient, answer: Frame): Promise<Frame> => {
    expect(answer.type).toBe('error');
    refusals.add(answer.code);
    // The socket stays open.
    await client.drained();
    return answer;
  };
  return {
    seen: (): Codes => ({ refusals: [...refusals].sort(), closes: [...closes].sort() }),
    refused,

    /** The answer to a frame that is refused. */
    refusal: async (client: SocketClient, frame: object): Promise<Frame> => refused(client, await client.ask(frame)),

    /** Why a socket is closed. */
    async closing(client: SocketClient): Promise<string> {
      const { code, reason } = await client.closes();
      closes.add(reason);
      expect(code).toBe(CLOSE_CODES[reason as keyof typeof CLOSE_CODES]?.code);
      return reason;
    },
  };
}
