/** How much the realtime service takes and keeps, as its documents publish it; and with which close codes it ends a socket. */

export const REALTIME_LIMITS = {
  /** Sockets at once; the next one's handshake is answered 503. */
  maxConnections: 4_096,
  /** Of one network: nobody alone keeps others out. */
  maxConnectionsPerNetwork: 2_048,
  /** Of one site, which is an IPv6 /48 with all of its networks. */
  maxConnectionsPerSite: 3_072,
  /** All else that is counted of a network is counted of its site too, which may as much as so many networks. */
  siteShare: 2,
  /** Sockets without a ticket beyond so many are closed unless they authenticate in time: the others are for those that do. */
  maxUnauthenticated: 3_072,
  authenticateMs: 10_000,
  /** Lines in their handshake at once, beyond the sockets. */
  maxHandshakes: 256,
  /** Of one network, likewise beyond its sockets: what comes then is cut. */
  maxHandshakesPerNetwork: 128,
  /** A line that has not asked for a socket after this is cut. */
  handshakeMs: 10_000,
  /** Handshakes of one network: so many at once, and so many per second on and on. Beyond it they are answered 503. */
  handshakeBurst: 1_024,
  handshakesPerSecond: 100,
  maxSubscriptions: 64,
  /** Of a client: the longest that is declared, in whole KiB. */
  maxFrameBytes: 1_024,
  /** WebSocket frames that a client may split one message into. */
  maxFragments: 8,
  /** What may wait to be sent to one client beside a replay; beyond it the client is cut off. */
  maxQueuedBytes: 1_048_576,
  /**
   * What may wait to be sent to one client alone, replays and answers, of all clients together: beyond it who takes nothing of a replay for
   * stalledMs is cut off where another needs the room, and while there is nobody like that replays are refused with no_room_for_replay.
   */
  maxPrivateQueuedBytes: 67_108_864,
  /** Of those of one network. */
  maxPrivateQueuedBytesPerNetwork: 33_554_432,
  /** How long a replay may wait of which its client takes nothing, where another needs the room. */
  stalledMs: 5_000,
  /** What a replay may come to; beyond it the answer is resync_required. One at a time waits for a client. */
  maxReplayBytes: 4_194_304,
  /** What is kept of replays of public channels, for who asks for the same next. */
  sharedReplayBytes: 16_777_216,
  /** How long replays go on before what is live has its turn. */
  replaySliceMs: 4,
  /** What is read for the replays of one network: so many bytes at once, and so many per second on and on. Beyond it they wait. */
  replayBurstBytes: 268_435_456,
  replayBytesPerSecond: 16_777_216,
  /** A frame counts as one for each begun so many bytes. */
  frameBytesPerToken: 256,
  /** Frames that a client may send: so many at once, and so many per second on and on. */
  frameBurst: 128,
  framesPerSecond: 20,
  /** Frames of all sockets of one network that are not authenticated, and of all sockets of one account: beyond it they wait. */
  sharedFrameBurst: 8_192,
  sharedFramesPerSecond: 2_000,
  /** Frames of all networks together, and of all accounts together: beyond it they wait likewise. */
  totalFrameBurst: 32_768,
  totalFramesPerSecond: 8_000,
  /** Auth frames of one network that let nobody in: so many at once, and so many per second on and on. */
  failedAuthBurst: 1_024,
  failedAuthsPerSecond: 20,
  /** Tickets of one socket that may be rejected before it is cut off. */
  maxFailedAuths: 5,
  /** A client that gives no sign of life for this long is cut off; it is pinged three times before. So is one that takes nothing of what waits for it. */
  idleMs: 60_000,
  /** What arises within this goes out together. */
  coalesceMs: 10,
  /** How far back a subscription may be replayed: so long, so many records, and so many bytes of what they have changed, whichever is least. */
  replayWindowMs: 300_000,
  replayWindowRecords: 131_072,
  replayWindowBytes: 33_554_432,
  /** With more records that wait to be told the service lets go of all sockets, and begins anew. */
  maxWaitingRecords: 100_000,
  /** How long a subscription waits for a `fromSequence` that the service has not come to yet. */
  aheadMs: 2_000,
} as const;

export type RealtimeLimits = { readonly [Name in keyof typeof REALTIME_LIMITS]: number };

/** Tickets: how long one is good for unless it is rotated, and how long a family lasts however often it is. */
export const TICKET_LIFETIMES = { ticketMs: 3_600_000, familyMs: 86_400_000 } as const;
/** Families that an account may have at once. */
export const MAX_TICKET_FAMILIES = 100;

/** Why the service ends a socket: the name is the reason in the close frame. `PROTOCOL_CLOSE_CODES` have none. */
export const CLOSE_CODES = {
  venue_stops: { code: 1001, meaning: 'The venue stops. Connect again, and subscribe from the sequence that you hold.' },
  overloaded: {
    code: 1013,
    meaning:
      'The service was too far behind: it let go of those whose frames took most of its time, then of those without a ticket, then of all sockets. Connect again in a while.',
  },
  internal_error: {
    code: 1011,
    meaning:
      'An internal error of the service met this socket. Connect again and subscribe from the sequence that you hold; if that ends so too, read the state anew and subscribe without a sequence.',
  },
  slow_consumer: {
    code: 4001,
    meaning: 'Too much waited to be sent: updates would have been lost. Read faster, or subscribe to less.',
  },
  too_many_frames: { code: 4002, meaning: 'The client sent frames faster than it may.' },
  idle: { code: 4003, meaning: 'No frame and no pong came for too long.' },
  ticket_expired: { code: 4004, meaning: 'The ticket that the socket was authenticated with was not rotated before it expired.' },
  ticket_revoked: { code: 4005, meaning: 'The tickets of the socket, or the API key that they come from, were revoked.' },
  authentication_overdue: {
    code: 4007,
    meaning:
      'Sockets without a ticket had taken their share of all sockets, and this one did not authenticate in time. Authenticate, or connect again in a while.',
  },
  tickets_rejected: {
    code: 4006,
    meaning: 'Ticket after ticket was rejected. Rotate or mint one before you connect again.',
  },
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

/** How a socket ends on which something came that is no frame to be looked at. There is no reason in the close frame then. */
export const PROTOCOL_CLOSE_CODES = {
  protocol_error: { code: 1002, meaning: 'What came is not WebSocket, or a compressed frame.' },
  too_many_fragments: { code: 1008, meaning: 'A message was split into more WebSocket frames than maxFragments.' },
  invalid_text: { code: 1007, meaning: 'A text frame was not UTF-8.' },
  frame_too_large: { code: 1009, meaning: 'A frame had more bytes than maxFrameBytes.' },
} as const;
