/** Identifies a repeated action by digests of its key and of its fields. */
import { createHash } from 'node:crypto';
import type { Idempotency } from '#writer/port/submit.ts';
import type { OperatorAction } from './action.ts';

/** An action that may be repeated without being carried out again. */
export type KeyedAction = Extract<OperatorAction, { readonly key?: string | undefined }>;

/** `step` distinguishes the commands of one action. An action without a key is a new one each time. */
export function idempotencyOf({ key, ...action }: KeyedAction, step: string): { readonly idempotency?: Idempotency } {
  if (key === undefined) return {};
  const keyDigest = sha256(`operator\n${action.action}\n${step}\n${key}`);
  // The schema has put its fields in one order.
  return { idempotency: { keyDigest, bodyDigest: sha256(JSON.stringify(action)) } };
}

/** An id of the money that the action moves. The venue refuses it for good, also when it has forgotten the idempotency key. */
export function moneyIdOf({ key, action }: KeyedAction): { readonly moneyId?: string } {
  return key === undefined ? {} : { moneyId: `${action}:${key}` };
}

function sha256(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}
