/** The limits of the realtime service, as its documents publish them, and the close codes of sockets. */

export const REALTIME_LIMITS = {
  /** Maximum sockets; further handshakes get 503. */
  maxConnections: 4_096,
  /** Maximum sockets of one network, so that one client cannot use up all of them. */
  maxConnectionsPerNetwork: 2_048,
  /** Maximum sockets of one site, an IPv6 /48 with all of its networks. */
  maxConnectionsPerSite: 3_072,
  /** All other limits per network also apply per site, multiplied by this. */
  siteShare: 2,
  /** Above this number, sockets without a ticket are closed unless they authenticate in time. The rest is for authenticated ones. */
  maxUnauthenticated: 3_072,
  authenticateMs: 10_000,
  /** Maximum connections in their handshake, in addition to the sockets. */
  maxHandshakes: 256,
  /** The same for one network; further connections are closed. */
  maxHandshakesPerNetwork: 128,
  /** A connection without a complete handshake after this is closed. */
  handshakeMs: 10_000,
  /** Handshakes of one network: burst and rate per second. Further ones get 503. */
  handshakeBurst: 1_024,
  handshakesPerSecond: 100,
  maxSubscriptions: 64,
  /** Maximum frame of a client: the longest declared one, in whole KiB. */
  maxFrameBytes: 1_024,
  /** Maximum WebSocket frames of one message. */
  maxFragments: 8,
  /** Maximum bytes queued for one client, without a replay; above it the client is disconnected. */
  maxQueuedBytes: 1_048_576,
  /**
   * Maximum bytes queued in replays and responses for all clients together. Above it, a client that has read nothing of its replay for
   * stalledMs is disconnected when another needs the space; if there is no such client, replays are refused with no_room_for_replay.
   */
  maxPrivateQueuedBytes: 67_108_864,
  /** The same for the clients of one network. */
  maxPrivateQueuedBytesPerNetwork: 33_554_432,
  /** How long a client may read nothing of its replay while another needs the space. */
  stalledMs: 5_000,
  /** Maximum size of a replay; above it the response is resync_required. A client has one replay at a time. */
  maxReplayBytes: 4_194_304,
  /** Size of the cache of replay ranges of public channels. */
  sharedReplayBytes: 16_777_216,
  /** Time slice of replays before live updates are sent. */
  replaySliceMs: 4,
  /** Bytes read for the replays of one network: burst and rate per second. Above it replays wait. */
  replayBurstBytes: 268_435_456,
  replayBytesPerSecond: 16_777_216,
  /** A frame costs one token for each (started) block of this many bytes. */
  frameBytesPerToken: 256,
  /** Frames of one client: burst and rate per second. */
  frameBurst: 128,
  framesPerSecond: 20,
  /** Frames of all unauthenticated sockets of one network, and of all sockets of one account. Above it they wait. */
  sharedFrameBurst: 8_192,
  sharedFramesPerSecond: 2_000,
  /** Frames of all networks together, and of all accounts together. Above it they wait. */
  totalFrameBurst: 32_768,
  totalFramesPerSecond: 8_000,
  /** Failed auth frames of one network: burst and rate per second. */
  failedAuthBurst: 1_024,
  failedAuthsPerSecond: 20,
  /** Rejected tickets after which a socket is closed. */
  maxFailedAuths: 5,
  /** A client that sends nothing for this long is disconnected, after three pings. So is a client that reads nothing of its queue. */
  idleMs: 60_000,
  /** Updates within this time are sent together. */
  coalesceMs: 10,
  /** The replay buffer is limited by time, by records and by bytes of changes; the tightest limit applies. */
  replayWindowMs: 300_000,
  replayWindowRecords: 131_072,
  replayWindowBytes: 33_554_432,
  /** With more unpublished records than this, the service closes all sockets and starts again. */
  maxWaitingRecords: 100_000,
  /** How long a subscription waits for a `fromSequence` that the service has not reached yet. */
  aheadMs: 2_000,
} as const;

export type RealtimeLimits = { readonly [Name in keyof typeof REALTIME_LIMITS]: number };

/** The lifetime of a ticket that is not rotated, and the lifetime of a family. */
export const TICKET_LIFETIMES = { ticketMs: 3_600_000, familyMs: 86_400_000 } as const;
/** Maximum ticket families of an account. */
export const MAX_TICKET_FAMILIES = 100;

/** Why the service closes a socket. The name is the reason in the close frame; `PROTOCOL_CLOSE_CODES` have no reason there. */
export const CLOSE_CODES = {
  venue_stops: { code: 1001, meaning: 'The venue is stopping. Connect again, and subscribe from your last sequence.' },
  overloaded: {
    code: 1013,
    meaning:
      'The service was too far behind (load shedding). It closes the sockets whose frames cost most time first, then those without a ticket, then all. Connect again later.',
  },
  internal_error: {
    code: 1011,
    meaning:
      'Internal error. Connect again and subscribe from your last sequence. If that fails too, read the snapshot again and subscribe without a sequence.',
  },
  slow_consumer: {
    code: 4001,
    meaning: 'The queue of the socket was full, so updates would have been lost. Read faster, or subscribe to fewer channels.',
  },
  too_many_frames: { code: 4002, meaning: 'The client exceeded the rate limit of frames.' },
  idle: { code: 4003, meaning: 'The client sent no frame and no pong for too long.' },
  ticket_expired: { code: 4004, meaning: 'The ticket of the socket expired before it was rotated.' },
  ticket_revoked: { code: 4005, meaning: 'The ticket family of the socket, or its API key, was revoked.' },
  authentication_overdue: {
    code: 4007,
    meaning:
      'There were too many unauthenticated sockets, and this one did not authenticate in time. Authenticate, or connect again later.',
  },
  tickets_rejected: {
    code: 4006,
    meaning: 'Too many tickets were rejected. Rotate or mint one before you connect again.',
  },
} as const;
export type CloseReason = keyof typeof CLOSE_CODES;

/** Close codes for input that is not a valid frame. The close frame has no reason. */
export const PROTOCOL_CLOSE_CODES = {
  protocol_error: { code: 1002, meaning: 'The input is not valid WebSocket, or a frame is compressed.' },
  too_many_fragments: { code: 1008, meaning: 'A message was split into more WebSocket frames than maxFragments.' },
  invalid_text: { code: 1007, meaning: 'A text frame was not UTF-8.' },
  frame_too_large: { code: 1009, meaning: 'A frame had more bytes than maxFrameBytes.' },
} as const;
