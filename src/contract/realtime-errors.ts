/** Every way in which a frame can be refused, in one closed catalogue. A refusal leaves the socket open. */

export interface RealtimeErrorEntry {
  readonly cause: string;
  readonly whatToDo: string;
  /** Whether sending the same frame again can succeed. */
  readonly retryable: boolean;
}

export const REALTIME_ERRORS = {
  invalid_request: {
    cause: 'The frame is not one that a client sends.',
    whatToDo: 'Correct what the message names.',
    retryable: false,
  },
  unknown_channel: { cause: 'There is no such channel.', whatToDo: 'Use a channel of the contract.', retryable: false },
  unknown_market: { cause: 'There is no such market.', whatToDo: 'Use a marketId of GET /v1/markets.', retryable: false },
  source_unavailable: {
    cause: 'The channel has no source at this venue.',
    whatToDo: 'Do without it.',
    retryable: false,
  },
  authentication_required: {
    cause: 'The channel is private, and the socket is not authenticated.',
    whatToDo: 'Send an auth frame and wait for auth_ok.',
    retryable: true,
  },
  already_authenticated: {
    cause: 'The socket is authenticated, or an auth frame before this one is not answered yet.',
    whatToDo: 'Use another socket for another ticket.',
    retryable: false,
  },
  ticket_rejected: {
    cause: 'The ticket does not authenticate a socket; realtimeTicketFailure says why.',
    whatToDo: 'Rotate the ticket if it was only used, mint one otherwise.',
    retryable: false,
  },
  tickets_unavailable: {
    cause: 'Tickets cannot be looked up just now.',
    whatToDo: 'Send the frame again in a while.',
    retryable: true,
  },
  account_forbidden: { cause: "The account is not the ticket's.", whatToDo: 'Use the accountId of auth_ok.', retryable: false },
  already_subscribed: {
    cause: 'The socket has this subscription.',
    whatToDo: 'Unsubscribe first to begin it anew.',
    retryable: false,
  },
  too_many_subscriptions: {
    cause: 'The socket has as many subscriptions as it may.',
    whatToDo: 'Unsubscribe from some, or use another socket.',
    retryable: false,
  },
  subscription_withdrawn: {
    cause: 'An unsubscribe came before the subscription had begun.',
    whatToDo: 'Subscribe again if it is still wanted.',
    retryable: true,
  },
  resync_required: {
    cause: 'What came after fromSequence cannot be replayed; resyncCause says why.',
    whatToDo:
      'Read snapshotSource, and subscribe from its sequence. Without one, subscribe without fromSequence, and read what was missed from historySource, if there is one.',
    retryable: false,
  },
  no_room_for_replay: {
    cause: 'As much waits for clients that have not read their replays as may.',
    whatToDo: 'Read what was sent, and send the frame again in a while.',
    retryable: true,
  },
  sequence_ahead: {
    cause: 'The venue has not come to fromSequence.',
    whatToDo: 'Send a sequence that the venue has told.',
    retryable: false,
  },
} as const satisfies Record<string, RealtimeErrorEntry>;

export type RealtimeErrorCode = keyof typeof REALTIME_ERRORS;
export const REALTIME_ERROR_CODES = Object.keys(REALTIME_ERRORS) as RealtimeErrorCode[];

/** Why a subscription cannot be replayed from its `fromSequence`. */
export const RESYNC_CAUSES = {
  not_kept:
    'What came after fromSequence is not kept any more, or was not kept over a restart: oldestSequence is the lowest that is.',
  too_much: 'It is kept, and comes to more than maxReplayBytes.',
} as const;
export type ResyncCause = keyof typeof RESYNC_CAUSES;
export const RESYNC_CAUSE_NAMES = Object.keys(RESYNC_CAUSES) as [ResyncCause, ...ResyncCause[]];

/** Why a ticket is not accepted, by the REST service and on a socket. */
export const REALTIME_TICKET_FAILURES = {
  invalid: 'The venue knows no such ticket.',
  expired: 'It was not rotated before it expired.',
  revoked: 'Its family, or the API key that it comes from, was revoked.',
  reused: 'It is older than the previous one: its family was revoked, for somebody else may hold it.',
} as const;
export type RealtimeTicketFailure = keyof typeof REALTIME_TICKET_FAILURES;
export const REALTIME_TICKET_FAILURE_NAMES = Object.keys(REALTIME_TICKET_FAILURES) as [
  RealtimeTicketFailure,
  ...RealtimeTicketFailure[],
];

/** On a socket there is one more. */
export const SOCKET_TICKET_FAILURES = {
  ...REALTIME_TICKET_FAILURES,
  used: 'It has authenticated a socket already.',
} as const;
export type SocketTicketFailure = keyof typeof SOCKET_TICKET_FAILURES;
const MINT = 'Mint one: POST /v1/realtime/ticket with an API key.';
/** What to do then. */
export const SOCKET_TICKET_REMEDIES: Readonly<Record<SocketTicketFailure, string>> = {
  used: 'Rotate it (PUT /v1/realtime/ticket) and send the next one.',
  invalid: MINT,
  expired: MINT,
  revoked: `${MINT} If that is refused, the key was revoked.`,
  reused: `${MINT} Find out who else has had the old one.`,
};
export const SOCKET_TICKET_FAILURE_NAMES = Object.keys(SOCKET_TICKET_FAILURES) as [SocketTicketFailure, ...SocketTicketFailure[]];
