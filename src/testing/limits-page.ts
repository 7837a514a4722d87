/** Of docs/limits.md: every limit of the contract in tables. */
import type { ContractLimits } from '#contract/contract-limits.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import type { OpenApiDocument } from '#contract/openapi.ts';
import { tableOf } from './markdown-table.ts';

export function limitTables(document: OpenApiDocument): string {
  const { request, idempotency, rates, requestTimeoutMs, answerTimeoutMs, maxConnectionsPerNetwork, pages, batches } = document[
    'x-openperp-limits'
  ] as ContractLimits;
  return `## Requests

${tableOf(
  ['limit', 'value', 'beyond it'],
  [
    ['body', `${request.bodyBytes} bytes`, '413 `payload_too_large`'],
    ['all of it arrives within', `${requestTimeoutMs / 1_000} seconds`, '408 `request_timeout`'],
    ['its answer is taken within', `${answerTimeoutMs / 1_000} seconds`, 'the connection is closed'],
    ['connections of a network', String(maxConnectionsPerNetwork), 'the next one is closed at once'],
    ['headers with the address', `${request.headerBytes} bytes`, '431 `headers_too_large`'],
    ['`Idempotency-Key`', `matches \`${IDEMPOTENCY_KEY_PATTERN.source}\``, '400 `idempotency_key_invalid`'],
    [
      'answers kept for an idempotency key',
      `${idempotency.hours} hours, the newest ${idempotency.keysPerAccount} of an account`,
      'the key is new again',
    ],
  ],
)}

## Rates

An operation's limit is its \`x-openperp-rate-limit\` in the OpenAPI document; one without is not counted.

${tableOf(
  ['limit', 'counted per', 'at once', 'per second', 'what counts'],
  rates.map((it) => [`\`${it.policy}\``, it.countedPer, String(it.burst), String(it.perSecond), it.counts]),
)}

## Pages

${tableOf(
  ['operation', 'parameter', 'default', 'at most'],
  pages.map((page) => [page.operation, `\`${page.parameter}\``, String(page.default), String(page.maximum)]),
)}
${batchesSection(batches)}`;
}

function batchesSection(batches: ContractLimits['batches']): string {
  const rows = batches.map(({ operation, field, minimum, maximum }) => [operation, `\`${field}\``, `${minimum} to ${maximum}`]);
  return rows.length === 0 ? '' : `\n## Lists in a request\n\n${tableOf(['operation', 'field', 'entries'], rows)}\n`;
}
