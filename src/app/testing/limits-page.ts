/** Of docs/limits.md: every limit of the contract in tables. */
import type { AsyncApiDocument } from '#contract/asyncapi.ts';
import type { ContractLimits } from '#contract/contract-limits.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { CLOSE_CODES, PROTOCOL_CLOSE_CODES, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { tableOf } from './markdown-table.ts';

export function limitTables(document: OpenApiDocument, realtime: AsyncApiDocument): string {
  const {
    request,
    bodyBytesPerToken,
    bodies,
    idempotency,
    rates,
    requestTimeoutMs,
    answerTimeoutMs,
    maxConnectionsPerNetwork,
    pages,
    batches,
  } = document['x-openperp-limits'] as ContractLimits;
  return `## Requests

${tableOf(
  ['limit', 'value', 'beyond it'],
  [
    ['body', `${request.bodyBytes} bytes`, '413 `payload_too_large`'],
    ...bodies.map(({ operation, maxBytes }) => [`body of ${operation}`, `${maxBytes} bytes`, '413 `payload_too_large`']),
    ['all of it arrives within', `${requestTimeoutMs / 1_000} seconds`, '408 `request_timeout`'],
    ['its answer is taken within', `${answerTimeoutMs / 1_000} seconds`, 'the connection is closed'],
    ['connections of a network', String(maxConnectionsPerNetwork), 'the next one is closed at once'],
    ['chunks of a body without `Content-Length`', String(request.bodyChunks), '413 `payload_too_large`'],
    ['headers with the address', `${request.headerBytes} bytes`, '431 `headers_too_large`'],
    ['`Idempotency-Key`', `matches \`${IDEMPOTENCY_KEY_PATTERN.source}\``, '400 `idempotency_key_invalid`'],
    [
      'answers kept for an idempotency key',
      `${idempotency.hours} hours, the newest ${idempotency.keysPerAccount} of an account`,
      'the key is new again',
    ],
    [
      'final refusals of an account that are stored (200 to 400 bytes each)',
      `${idempotency.refusedBytesAtOnce} bytes at once, and ${idempotency.refusedBytesPerSecond} per second on and on`,
      'refused all the same, and not stored: the same key runs again',
    ],
  ],
)}

## Rates

A request costs a token for each begun ${bodyBytesPerToken} bytes of its body, or more by what it is for. An operation's limit is its \`x-openperp-rate-limit\` in the OpenAPI document; one without is not counted. With an accepted bearer \`public\` operations count as \`reads\`, but for those that look at no bearer.

${tableOf(
  ['limit', 'counted per', 'at once', 'per second', 'what counts'],
  rates.map((it) => [`\`${it.policy}\``, it.countedPer, String(it.burst), String(it.perSecond), it.counts]),
)}

## Pages

A request for a page costs \`limit\` (or \`depth\`) divided by its rows per token, rounded up.

${tableOf(
  ['operation', 'parameter', 'default', 'at most', 'rows per token'],
  pages.map((page) => [
    page.operation,
    `\`${page.parameter}\``,
    String(page.default),
    String(page.maximum),
    String(page.rowsPerToken),
  ]),
)}
${batchesSection(batches)}

## Realtime

\`x-openperp-limits\` of [asyncapi.json](asyncapi.json) has all of them. Close codes and what to do then: [realtime](realtime.md#frames).

${tableOf(['limit', 'value', 'beyond it'], realtimeRows(realtime['x-openperp-limits'] as RealtimeLimits))}`;
}

function realtimeRows(limits: RealtimeLimits): string[][] {
  const closed = (reason: keyof typeof CLOSE_CODES) => `closed: ${CLOSE_CODES[reason].code} \`${reason}\``;
  const each = (burst: number, perSecond: number) => `${burst} at once, and ${perSecond} per second on and on`;
  const window = `${limits.replayWindowMs / 1_000} seconds, ${limits.replayWindowRecords} records, ${limits.replayWindowBytes} bytes of what they changed`;
  return [
    [
      'sockets, of a network, of an IPv6 /48 and in all',
      `${limits.maxConnectionsPerNetwork}, ${limits.maxConnectionsPerSite}, ${limits.maxConnections}`,
      '503 to the handshake',
    ],
    [
      'sockets that are not authenticated, beyond which a new one has to be',
      `${limits.maxUnauthenticated}, within ${limits.authenticateMs / 1_000} seconds`,
      closed('authentication_overdue'),
    ],
    ['what all networks of an IPv6 /48 may, of what is counted below for one', `${limits.siteShare} times as much`, ''],
    ['a handshake is done within', `${limits.handshakeMs / 1_000} seconds`, 'the connection is closed'],
    ['handshakes of a network', each(limits.handshakeBurst, limits.handshakesPerSecond), '503 to the handshake'],
    ['a frame of a client', `${limits.maxFrameBytes} bytes`, `closed: ${PROTOCOL_CLOSE_CODES.frame_too_large.code}`],
    ['WebSocket frames of one message', String(limits.maxFragments), `closed: ${PROTOCOL_CLOSE_CODES.too_many_fragments.code}`],
    ['a frame counts as one for each begun', `${limits.frameBytesPerToken} bytes`, ''],
    ['frames of a client', each(limits.frameBurst, limits.framesPerSecond), closed('too_many_frames')],
    [
      'frames of all sockets of a network without a ticket; of all sockets of an account',
      each(limits.sharedFrameBurst, limits.sharedFramesPerSecond),
      'they wait, in turns by socket',
    ],
    [
      'frames of all networks together; of all accounts together',
      each(limits.totalFrameBurst, limits.totalFramesPerSecond),
      'they wait, in turns by network or account',
    ],
    ['subscriptions of a socket', String(limits.maxSubscriptions), '`too_many_subscriptions`'],
    ['tickets of a socket that are rejected', String(limits.maxFailedAuths - 1), closed('tickets_rejected')],
    [
      'tickets of a network that let nobody in',
      each(limits.failedAuthBurst, limits.failedAuthsPerSecond),
      '`tickets_unavailable`',
    ],
    ['how far back a replay begins, whichever is least', window, '`resync_required`, `not_kept`'],
    ['what a replay comes to', `${limits.maxReplayBytes} bytes`, '`resync_required`, `too_much`'],
    [
      'replays and answers that wait for clients, of a network and in all',
      `${limits.maxPrivateQueuedBytesPerNetwork}, ${limits.maxPrivateQueuedBytes} bytes`,
      `\`no_room_for_replay\`; ${closed('slow_consumer')} for who asks on`,
    ],
    [
      'how long a replay waits of which nothing is taken, where another needs the room',
      `${limits.stalledMs / 1_000} seconds`,
      closed('slow_consumer'),
    ],
    [
      'records that are read for replays of a network',
      `${limits.replayBurstBytes} bytes at once, and ${limits.replayBytesPerSecond} per second on and on`,
      'replays wait',
    ],
    ['how long a `fromSequence` that is ahead is waited for', `${limits.aheadMs / 1_000} seconds`, '`sequence_ahead`'],
    ['what waits for a client, beside a replay', `${limits.maxQueuedBytes} bytes`, closed('slow_consumer')],
    ['silence, and taking nothing of what waits', `${limits.idleMs / 1_000} seconds`, `${closed('idle')}, \`slow_consumer\``],
  ];
}

function batchesSection(batches: ContractLimits['batches']): string {
  const rows = batches.map(({ operation, field, minimum, maximum }) => [operation, `\`${field}\``, `${minimum} to ${maximum}`]);
  return rows.length === 0 ? '' : `\n## Lists in a request\n\n${tableOf(['operation', 'field', 'entries'], rows)}\n`;
}
