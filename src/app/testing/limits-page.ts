/** Generates the tables of limits of docs/limits.md. */
import type { AsyncApiDocument } from '#contract/asyncapi.ts';
import type { ContractLimits } from '#contract/contract-limits.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { CLOSE_CODES, PROTOCOL_CLOSE_CODES, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { tableOf } from './markdown-table.ts';
import { ownerLimits, ownerRates } from './owner-limits.ts';

export function limitTables(document: OpenApiDocument, realtime: AsyncApiDocument): string {
  const {
    request,
    bodyBytesPerToken,
    bodies,
    idempotency,
    minimumWithdrawal,
    rates,
    requestTimeoutMs,
    answerTimeoutMs,
    maxConnectionsPerNetwork,
    pages,
    batches,
  } = document['x-openperp-limits'] as ContractLimits;
  return `## Requests

${tableOf(
  ['limit', 'value', 'above it'],
  [
    ['body', `${request.bodyBytes} bytes`, '413 `payload_too_large`'],
    ...bodies.map(({ operation, maxBytes }) => [`body of ${operation}`, `${maxBytes} bytes`, '413 `payload_too_large`']),
    ['time to receive the request', `${requestTimeoutMs / 1_000} seconds`, '408 `request_timeout`'],
    ['time for the client to read the response', `${answerTimeoutMs / 1_000} seconds`, 'the connection is closed'],
    ['connections per network', String(maxConnectionsPerNetwork), 'the next connection is closed at once'],
    ['chunks of a body without `Content-Length`', String(request.bodyChunks), '413 `payload_too_large`'],
    ['headers including the URL', `${request.headerBytes} bytes`, '431 `headers_too_large`'],
    ['`Idempotency-Key`', `matches \`${IDEMPOTENCY_KEY_PATTERN.source}\``, '400 `idempotency_key_invalid`'],
    [
      'responses stored for idempotency keys',
      `${idempotency.hours} hours, the newest ${idempotency.keysPerAccount} per account`,
      'the key counts as new',
    ],
    [
      'stored final refusals per account (200 to 400 bytes each)',
      `${idempotency.refusedBytesAtOnce} bytes of burst, then ${idempotency.refusedBytesPerSecond} per second`,
      'the refusal is sent but not stored: a repeated key runs again',
    ],
    [
      'minimum withdrawal, unless it is all cash of the account',
      `${minimumWithdrawal} USD.E`,
      'below it: 400 `amount_out_of_bounds`',
    ],
  ],
)}

## Rates

A request costs one token per ${bodyBytesPerToken} bytes of its body, rounded up; some operations cost more. The limit of an operation is its \`x-openperp-rate-limit\` in the OpenAPI document; without it the operation is not counted. Some also take a token of \`x-openperp-also-rate-limit\`, if they start a step on the external ledger. With a valid API key, \`public\` operations count as \`reads\`, except those that ignore the key.

${tableOf(
  ['limit', 'counted per', 'burst', 'per second', 'what counts'],
  rates.map((it) => [`\`${it.policy}\``, it.countedPer, String(it.burst), String(it.perSecond), it.counts]),
)}

${ownerRates()}

${ownerLimits()}

## Pages

A request for a page costs \`limit\` (or \`depth\`) divided by its rows per token, rounded up.

${tableOf(
  ['operation', 'parameter', 'default', 'maximum', 'rows per token'],
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

\`x-openperp-limits\` of [asyncapi.json](asyncapi.json) has all limits. Close codes and their handling: [realtime](realtime.md#frames).

${tableOf(['limit', 'value', 'above it'], realtimeRows(realtime['x-openperp-limits'] as RealtimeLimits))}`;
}

function realtimeRows(limits: RealtimeLimits): string[][] {
  const closed = (reason: keyof typeof CLOSE_CODES) => `closed: ${CLOSE_CODES[reason].code} \`${reason}\``;
  const each = (burst: number, perSecond: number) => `burst ${burst}, then ${perSecond} per second`;
  const window = `${limits.replayWindowMs / 1_000} seconds, ${limits.replayWindowRecords} records, ${limits.replayWindowBytes} bytes of changes`;
  return [
    [
      'connections per network, per IPv6 /48 and in total',
      `${limits.maxConnectionsPerNetwork}, ${limits.maxConnectionsPerSite}, ${limits.maxConnections}`,
      '503 to the upgrade',
    ],
    [
      'unauthenticated connections; beyond, a new one must authenticate',
      `${limits.maxUnauthenticated}, within ${limits.authenticateMs / 1_000} seconds`,
      closed('authentication_overdue'),
    ],
    ['limits of an IPv6 /48, relative to those of a network below', `${limits.siteShare} times as much`, ''],
    ['duration of an upgrade', `${limits.handshakeMs / 1_000} seconds`, 'the connection is closed'],
    ['upgrades per network', each(limits.handshakeBurst, limits.handshakesPerSecond), '503 to the upgrade'],
    ['size of a frame from a client', `${limits.maxFrameBytes} bytes`, `closed: ${PROTOCOL_CLOSE_CODES.frame_too_large.code}`],
    ['WebSocket fragments per message', String(limits.maxFragments), `closed: ${PROTOCOL_CLOSE_CODES.too_many_fragments.code}`],
    ['a frame costs one token per', `${limits.frameBytesPerToken} bytes`, ''],
    ['frames per connection', each(limits.frameBurst, limits.framesPerSecond), closed('too_many_frames')],
    [
      'frames of all unauthenticated connections of a network; of all connections of an account',
      each(limits.sharedFrameBurst, limits.sharedFramesPerSecond),
      'frames wait, round-robin by connection',
    ],
    [
      'frames of all networks; of all accounts',
      each(limits.totalFrameBurst, limits.totalFramesPerSecond),
      'frames wait, round-robin by network or account',
    ],
    ['subscriptions per connection', String(limits.maxSubscriptions), '`too_many_subscriptions`'],
    ['rejected tickets per connection', String(limits.maxFailedAuths - 1), closed('tickets_rejected')],
    ['rejected tickets per network', each(limits.failedAuthBurst, limits.failedAuthsPerSecond), '`tickets_unavailable`'],
    ['age of the first sequence of a replay, whichever is least', window, '`resync_required`, `not_kept`'],
    ['size of a replay', `${limits.maxReplayBytes} bytes`, '`resync_required`, `too_much`'],
    [
      'queued replays and responses, per network and in total',
      `${limits.maxPrivateQueuedBytesPerNetwork}, ${limits.maxPrivateQueuedBytes} bytes`,
      `\`no_room_for_replay\`; ${closed('slow_consumer')} if the client keeps requesting`,
    ],
    [
      'time a replay may wait without progress while another needs the memory',
      `${limits.stalledMs / 1_000} seconds`,
      closed('slow_consumer'),
    ],
    [
      'bytes of records read for replays per network',
      `burst ${limits.replayBurstBytes} bytes, then ${limits.replayBytesPerSecond} per second`,
      'replays wait',
    ],
    ['wait for a `fromSequence` that is ahead', `${limits.aheadMs / 1_000} seconds`, '`sequence_ahead`'],
    ['send queue of a connection, besides a replay', `${limits.maxQueuedBytes} bytes`, closed('slow_consumer')],
    [
      'time without a frame, or without reading queued frames',
      `${limits.idleMs / 1_000} seconds`,
      `${closed('idle')}, \`slow_consumer\``,
    ],
  ];
}

function batchesSection(batches: ContractLimits['batches']): string {
  const rows = batches.map(({ operation, field, minimum, maximum }) => [operation, `\`${field}\``, `${minimum} to ${maximum}`]);
  return rows.length === 0 ? '' : `\n## Lists in a request\n\n${tableOf(['operation', 'field', 'entries'], rows)}\n`;
}
