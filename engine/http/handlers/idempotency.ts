/** Digests that identify a repeated request: of account, operation and key, and of the parsed body. */
import { hash } from 'node:crypto';
import type { OperationId } from '#contract/operations.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Idempotency } from '#writer/port/submit.ts';

/** The body has passed its schema, which orders its fields: the same fields give the same digest. */
export function idempotencyOf(account: AccountOrdinal, operation: OperationId, key: string, body: object): Idempotency {
  return { keyDigest: sha256(`${account}\n${operation}\n${key}`), bodyDigest: sha256(JSON.stringify(body)) };
}

function sha256(text: string): Uint8Array {
  return hash('sha256', text, 'buffer');
}
