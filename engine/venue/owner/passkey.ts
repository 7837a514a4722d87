/** A passkey, or the setup key of a browser, in the venue's state: its public key, and the counter of its last use. */
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';

export const PASSKEY_KINDS = ['passkey', 'setup_key'] as const;
/** A setup key signs only the steps of an owner's setup, and its own removal. */
export type PasskeyKind = (typeof PASSKEY_KINDS)[number];

export interface PasskeyRecord {
  /** In base64url. Also the passkey's id for clients. */
  readonly credentialId: string;
  readonly kind: PasskeyKind;
  /** In base64url: a COSE key; for a setup key a SubjectPublicKeyInfo. */
  readonly publicKey: string;
  /** The authenticator's counter at its last use; 0 if it has none. */
  readonly signatureCount: number;
  readonly name: string;
  readonly relyingPartyId: string;
  readonly origin: string;
}

export interface StoredPasskey extends PasskeyRecord {
  readonly createdAtEpochMs: EpochMs;
}

/** An authenticator's counter has 32 bits. */
export const MAX_SIGNATURE_COUNT = 2 ** 32 - 1;

/** In characters. A credential id has at most 1,023 bytes. */
const MAX_LENGTHS = { credentialId: 1_364, publicKey: 4_096, name: 200, relyingPartyId: 253, origin: 512 } as const;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

export function isValidPasskey(it: PasskeyRecord): boolean {
  const { credentialId, publicKey, signatureCount } = it;
  if (!BASE64URL.test(credentialId) || !BASE64URL.test(publicKey)) return false;
  if (signatureCount < 0 || signatureCount > MAX_SIGNATURE_COUNT) return false;
  return (Object.keys(MAX_LENGTHS) as (keyof typeof MAX_LENGTHS)[]).every((field) => it[field].length <= MAX_LENGTHS[field]);
}

export function passkeyLayout(io: Cursor, it: PasskeyRecord): PasskeyRecord {
  return {
    credentialId: io.text(it.credentialId),
    kind: io.oneOf(PASSKEY_KINDS, it.kind),
    publicKey: io.text(it.publicKey),
    signatureCount: io.int(it.signatureCount),
    name: io.text(it.name),
    relyingPartyId: io.text(it.relyingPartyId),
    origin: io.text(it.origin),
  };
}
