/** Digests that identify a repeated request: of account, operation and key, and of the parsed path and body. */
import { hash } from 'node:crypto';
import type { OperationId } from '#contract/operations.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Idempotency } from '#writer/port/submit.ts';

export interface KeyedCall {
  readonly idempotencyKey: string;
  /** Both have passed their schemas, which order their fields: the same fields give the same digest. */
  readonly params: object | undefined;
  readonly body: object;
}

export function idempotencyOf(account: AccountOrdinal, operation: OperationId, call: KeyedCall): Idempotency {
  const { idempotencyKey, params = {}, body } = call;
  // JSON has no line break, so no body equals another one with parameters.
  const path = Object.keys(params).length === 0 ? '' : `\n${JSON.stringify(params)}`;
  return {
    account,
    keyDigest: sha256(`${account}\n${operation}\n${idempotencyKey}`),
    bodyDigest: sha256(JSON.stringify(body) + path),
  };
}

function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
