/** What generated ceremonies are for: one site and one challenge. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';

export const RELYING_PARTY: RelyingParty = {
  id: 'venue.example',
  origins: ['https://venue.example', 'https://app.venue.example'],
};
export const CHALLENGE = randomBytes(32).toString('base64url');
export const SITE = { challenge: CHALLENGE, origin: 'https://venue.example', rpId: 'venue.example' };

export const rarely = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 12 }, { arbitrary: fc.constantFrom(...others), weight: 1 });

export interface Damage {
  readonly how: 'flip' | 'truncate' | 'append' | 'pad' | 'space' | 'empty';
  readonly at: number;
  /** Which bit is flipped. */
  readonly bit: number;
}

/** Of a field in base64url. */
export function damaged(text: string, { how, at, bit }: Damage): string {
  const bytes = Buffer.from(text, 'base64url');
  if (how === 'pad') return `${text}=`;
  if (how === 'space') return `${text} `;
  if (how === 'empty') return '';
  if (how === 'truncate') return bytes.subarray(0, -1 - (at % bytes.length)).toString('base64url');
  if (how === 'append') return Buffer.concat([bytes, Buffer.from([at & 255])]).toString('base64url');
  bytes[at % bytes.length]! ^= 1 << bit;
  return bytes.toString('base64url');
}
