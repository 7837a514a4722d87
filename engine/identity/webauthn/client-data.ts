/**
 * The client data of a ceremony: what the browser says that the authenticator signs. WebAuthn Level 2, section 5.8.1. Stricter
 * than the library: `crossOrigin` must be false or absent.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import { requireThat } from './rejection.ts';
import type { RelyingParty } from './relying-party.ts';

export interface ExpectedClientData {
  readonly type: 'webauthn.get' | 'webauthn.create';
  /** In base64url. */
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
}

/** Throws `CeremonyRejected`. */
export function checkClientData(bytes: Buffer, { type, challenge, relyingParty }: ExpectedClientData): void {
  const clientData = parse(bytes);
  requireThat(clientData.type === type, 'type_mismatch');
  requireThat(typeof clientData.challenge === 'string' && isSame(clientData.challenge, challenge), 'challenge_mismatch');
  requireThat(relyingParty.origins.includes(clientData.origin as string), 'origin_mismatch');
  requireThat(clientData.crossOrigin === undefined || clientData.crossOrigin === false, 'cross_origin');
  requireThat(clientData.topOrigin === undefined, 'cross_origin');
}

/** In constant time, for any lengths. */
export function isSame(left: string | Buffer, right: string | Buffer): boolean {
  return timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer'));
}

function parse(bytes: Buffer): Record<string, unknown> {
  const parsed: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  requireThat(typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed), 'malformed');
  return parsed as Record<string, unknown>;
}
