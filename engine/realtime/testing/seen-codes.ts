/** The refusals and close reasons that the tests of a file have seen: together they see every one of the catalogue. */
import { expect } from 'vitest';
import { CLOSE_CODES } from '#contract/realtime-limits.ts';
import type { Frame, SocketClient } from './socket-client.ts';

/** In alphabetical order. */
export interface Codes {
  readonly refusals: readonly string[];
  readonly closes: readonly string[];
}

/** Refusals of invalid or premature frames. */
export const OF_FRAMES: Codes = {
  refusals: ['authentication_required', 'invalid_request', 'source_unavailable', 'unknown_channel', 'unknown_market'],
  closes: [],
};

/** Refusals of subscriptions. */
export const OF_SUBSCRIPTIONS: Codes = {
  refusals: ['already_subscribed', 'resync_required', 'sequence_ahead', 'subscription_withdrawn', 'too_many_subscriptions'],
  closes: [],
};

/** Refusals for clients that do not read. */
export const OF_SLOW_CLIENTS: Codes = { refusals: ['no_room_for_replay'], closes: [] };

/** Close reasons of sockets. */
export const OF_SOCKETS: Codes = {
  refusals: [],
  closes: ['idle', 'overloaded', 'slow_consumer', 'too_many_frames', 'venue_stops'],
};

/** Caused by tickets alone. */
export const OF_TICKETS: Codes = {
  refusals: ['account_forbidden', 'already_authenticated', 'channel_not_in_ticket', 'ticket_rejected', 'tickets_unavailable'],
  closes: ['authentication_overdue', 'ticket_expired', 'ticket_revoked', 'tickets_rejected'],
};

/** Caused by internal errors. */
export const OF_INTERNAL_ERRORS: Codes = { refusals: [], closes: ['internal_error'] };

/** All codes of the catalogue. */
export const PARTS = [OF_FRAMES, OF_SUBSCRIPTIONS, OF_SLOW_CLIENTS, OF_SOCKETS, OF_TICKETS, OF_INTERNAL_ERRORS];

export function seenCodes() {
  const [refusals, closes] = [new Set<string>(), new Set<string>()];
  const refused = async (client: SocketClient, response: Frame): Promise<Frame> => {
    expect(response.type).toBe('error');
    refusals.add(response.code);
    // The socket stays open.
    await client.drained();
    return response;
  };
  return {
    seen: (): Codes => ({ refusals: [...refusals].sort(), closes: [...closes].sort() }),
    refused,

    /** The refusal of a frame. */
    refusal: async (client: SocketClient, frame: object): Promise<Frame> => refused(client, await client.request(frame)),

    /** The reason of a close. */
    async closing(client: SocketClient): Promise<string> {
      const { code, reason } = await client.closes();
      closes.add(reason);
      expect(code).toBe(CLOSE_CODES[reason as keyof typeof CLOSE_CODES]?.code);
      return reason;
    },
  };
}
