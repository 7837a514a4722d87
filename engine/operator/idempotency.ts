/** What makes a repeated action the same action: digests of its key and of what it asks for. */
import { createHash } from 'node:crypto';
import type { Idempotency } from '#writer/port/submit.ts';
import type { OperatorAction } from './action.ts';

/** An action that may be asked for again without being carried out again. */
export type KeyedAction = Extract<OperatorAction, { readonly key?: string | undefined }>;

/** `step` tells the commands of one action apart. An action without a key is a new one each time. */
export function idempotencyOf({ key, ...asked }: KeyedAction, step: string): { readonly idempotency?: Idempotency } {
  if (key === undefined) return {};
  const keyDigest = sha256(`operator\n${asked.action}\n${step}\n${key}`);
  // It has passed its schema, which puts its fields in one order.
  return { idempotency: { keyDigest, bodyDigest: sha256(JSON.stringify(asked)) } };
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
