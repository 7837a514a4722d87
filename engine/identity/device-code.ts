/**
 * The two codes of a device grant (RFC 8628). The user code is short, for people: `WDJB-MJHT`. The device code is the program's
 * secret: `opd_<user code>_<secret>`. The user code finds the grant, the whole proves the program; only its digest is stored.
 */
import { hash, randomBytes, randomInt } from 'node:crypto';

/** No vowels, so that no words result, and no characters that look alike. */
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;
const DEVICE_CODE = /^opd_([BCDFGHJKLMNPQRSTVWXZ]{8})_[A-Za-z0-9_-]{43}$/;
const USER_CODE = /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/;
/** A person may type it with dashes and spaces. */
const MAX_TYPED_LENGTH = 16;

export interface NewDeviceCode {
  /** Finds the grant. */
  readonly grantId: string;
  readonly userCode: string;
  /** Shown to the program once. */
  readonly deviceCode: string;
  /** SHA-256 of the device code, in hex. */
  readonly digest: string;
}

/** 20⁸ user codes, 256 random bits for the secret. */
export function createDeviceCode(): NewDeviceCode {
  const grantId = Array.from({ length: USER_CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const deviceCode = `opd_${grantId}_${randomBytes(32).toString('base64url')}`;
  return { grantId, userCode: `${grantId.slice(0, 4)}-${grantId.slice(4)}`, deviceCode, digest: hash('sha256', deviceCode) };
}

/** The grant of a well-formed device code, `undefined` for anything else. */
export function grantOfDeviceCode(deviceCode: string): string | undefined {
  return DEVICE_CODE.exec(deviceCode)?.[1];
}

/** The grant of a user code as a person types it: in any case, with or without dashes and spaces. */
export function grantOfUserCode(typed: string): string | undefined {
  if (typed.length > MAX_TYPED_LENGTH) return undefined;
  const grantId = typed.replace(/[\s-]/g, '').toUpperCase();
  return USER_CODE.test(grantId) ? grantId : undefined;
}
