/** The closed catalogue of errors of frames. A refused frame leaves the socket open. */

export interface RealtimeErrorEntry {
  readonly cause: string;
  readonly whatToDo: string;
  /** Whether the same frame can succeed later. */
  readonly retryable: boolean;
}

export const REALTIME_ERRORS = {
  invalid_request: {
    cause: 'The frame is not a valid client frame.',
    whatToDo: 'Correct the field that the message names.',
    retryable: false,
  },
  unknown_channel: { cause: 'The channel does not exist.', whatToDo: 'Use a channel of the contract.', retryable: false },
  unknown_market: { cause: 'The market does not exist.', whatToDo: 'Use a marketId of GET /v1/markets.', retryable: false },
  source_unavailable: {
    cause: 'The channel has no source at this venue, or the operator has switched it off.',
    whatToDo: 'Do not subscribe to it now.',
    retryable: false,
  },
  authentication_required: {
    cause: 'The channel is private, and the socket is not authenticated.',
    whatToDo: 'Send an auth frame and wait for auth_ok.',
    retryable: true,
  },
  already_authenticated: {
    cause: 'The socket is already authenticated, or an earlier auth frame is still being processed.',
    whatToDo: 'Use another socket for another ticket.',
    retryable: false,
  },
  ticket_rejected: {
    cause: 'The ticket was rejected; realtimeTicketFailure gives the reason.',
    whatToDo: 'Rotate the ticket if the reason is used; otherwise mint a new one.',
    retryable: false,
  },
  tickets_unavailable: {
    cause: 'Tickets cannot be checked at the moment.',
    whatToDo: 'Send the frame again later.',
    retryable: true,
  },
  account_forbidden: {
    cause: 'The ticket belongs to another account.',
    whatToDo: 'Use the accountId of auth_ok.',
    retryable: false,
  },
  channel_not_in_ticket: {
    cause: 'The ticket permits other channels of the account only.',
    whatToDo: 'Subscribe to the channels that the operation lists which minted the ticket.',
    retryable: false,
  },
  already_subscribed: {
    cause: 'The socket already has this subscription.',
    whatToDo: 'To restart it, unsubscribe first.',
    retryable: false,
  },
  too_many_subscriptions: {
    cause: 'The socket has the maximum number of subscriptions.',
    whatToDo: 'Unsubscribe from some, or use another socket.',
    retryable: false,
  },
  subscription_withdrawn: {
    cause: 'An unsubscribe arrived before the subscription had started.',
    whatToDo: 'Subscribe again if you still need it.',
    retryable: true,
  },
  resync_required: {
    cause: 'The updates after fromSequence cannot be replayed; resyncCause gives the reason.',
    whatToDo:
      'Read snapshotSource and subscribe from its sequence. Without a snapshotSource, subscribe without fromSequence, and read the missed updates from historySource if there is one.',
    retryable: false,
  },
  no_room_for_replay: {
    cause: 'The buffers for replays are full, because clients have not read theirs yet.',
    whatToDo: 'Read the frames that were sent, and send this frame again later.',
    retryable: true,
  },
  sequence_ahead: {
    cause: 'fromSequence is above the newest sequence of the venue.',
    whatToDo: 'Send a sequence that the venue has sent.',
    retryable: false,
  },
} as const satisfies Record<string, RealtimeErrorEntry>;

export type RealtimeErrorCode = keyof typeof REALTIME_ERRORS;
export const REALTIME_ERROR_CODES = Object.keys(REALTIME_ERRORS) as RealtimeErrorCode[];

/** Why a subscription cannot be replayed from its `fromSequence`. */
export const RESYNC_CAUSES = {
  not_kept:
    'The updates after fromSequence are no longer in the replay buffer, or were lost in a restart. oldestSequence is the lowest possible fromSequence.',
  too_much: 'The replay would be larger than maxReplayBytes.',
} as const;
export type ResyncCause = keyof typeof RESYNC_CAUSES;
export const RESYNC_CAUSE_NAMES = Object.keys(RESYNC_CAUSES) as [ResyncCause, ...ResyncCause[]];

/** Why a ticket is rejected, by the REST service and on a socket. */
export const REALTIME_TICKET_FAILURES = {
  invalid: 'The ticket is unknown.',
  expired: 'The ticket expired before it was rotated.',
  revoked: 'The family of the ticket, or its API key, was revoked.',
  reused: 'The ticket is older than the previous one. Its family was revoked, because the ticket may be stolen.',
} as const;
export type RealtimeTicketFailure = keyof typeof REALTIME_TICKET_FAILURES;
export const REALTIME_TICKET_FAILURE_NAMES = Object.keys(REALTIME_TICKET_FAILURES) as [
  RealtimeTicketFailure,
  ...RealtimeTicketFailure[],
];

/** A socket has one more reason. */
export const SOCKET_TICKET_FAILURES = {
  ...REALTIME_TICKET_FAILURES,
  used: 'The ticket has already authenticated a socket.',
} as const;
export type SocketTicketFailure = keyof typeof SOCKET_TICKET_FAILURES;
const MINT = 'Mint one: POST /v1/realtime/ticket with an API key.';
/** What to do after each failure. */
export const SOCKET_TICKET_REMEDIES: Readonly<Record<SocketTicketFailure, string>> = {
  used: 'Rotate it (PUT /v1/realtime/ticket) and send the new ticket.',
  invalid: MINT,
  expired: MINT,
  revoked: `${MINT} If that is refused, the API key was revoked.`,
  reused: `${MINT} Find out who else has the old ticket.`,
};
export const SOCKET_TICKET_FAILURE_NAMES = Object.keys(SOCKET_TICKET_FAILURES) as [SocketTicketFailure, ...SocketTicketFailure[]];
