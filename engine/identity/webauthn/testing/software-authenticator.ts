/**
 * An authenticator in software: makes passkeys with node:crypto, registers them and signs assertions, as bytes on the wire. Each
 * part can be replaced by a wrong one.
 */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Fido2Approval } from '#identity/webauthn/passkey.ts';
import type { RegistrationRequest } from '#identity/webauthn/registration.ts';

export const FLAGS = { present: 0x01, verified: 0x04, eligible: 0x08, backedUp: 0x10, attested: 0x40, extensions: 0x80 } as const;

export type KeyKind = 'ES256' | 'EdDSA' | 'RS256';

/** What the ceremony says; a mutation replaces some of it before it is signed. */
export interface Ceremony {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly rpId: string;
  readonly flags: number;
  readonly counter: number;
  readonly more: Record<string, unknown>;
  /** Appended to the authenticator data. */
  readonly tail: Buffer;
}

export class SoftwareAuthenticator {
  readonly credentialId: Buffer;
  readonly kind: KeyKind;
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;

  constructor(kind: KeyKind = 'ES256', credentialId: Buffer = randomBytes(32)) {
    this.kind = kind;
    this.credentialId = credentialId;
    const pair = KEY_PAIRS[kind]();
    this.publicKey = pair.publicKey;
    this.#privateKey = pair.privateKey;
  }

  register(
    ceremony: Partial<Ceremony> & { challenge: string; origin: string; rpId: string },
    { cose = coseKey(this.kind, this.publicKey), ...parts }: AttestationParts & { cose?: Map<number, unknown> } = {},
  ): RegistrationRequest['registration'] {
    const { more = {}, ...rest } = ceremony;
    const whole: Ceremony = {
      type: 'webauthn.create',
      flags: FLAGS.present | FLAGS.verified | FLAGS.attested,
      counter: 0,
      tail: Buffer.alloc(0),
      ...rest,
      more,
    };
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, encodeCbor(cose)]);
    const authData = Buffer.concat([fixedData(whole), credential, whole.tail]);
    const clientData = clientDataOf(whole);
    const statement =
      parts.format === 'packed'
        ? new Map<string, unknown>([
            ['alg', ALGORITHMS[this.kind]],
            ['sig', this.#sign(authData, clientData)],
          ])
        : new Map();
    for (const [name, value] of parts.statement ?? []) statement.set(name, value);
    const object = new Map<string, unknown>([
      ['fmt', parts.format ?? 'none'],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    return {
      credId: this.credentialId.toString('base64url'),
      clientData: clientData.toString('base64url'),
      attestationObject: encodeCbor(object).toString('base64url'),
    };
  }

  assert(ceremony: Partial<Ceremony> & { challenge: string; origin: string; rpId: string }): Fido2Approval {
    const { more = {}, ...rest } = ceremony;
    const whole: Ceremony = {
      type: 'webauthn.get',
      flags: FLAGS.present | FLAGS.verified,
      counter: 0,
      tail: Buffer.alloc(0),
      ...rest,
      more,
    };
    const authenticatorData = Buffer.concat([fixedData(whole), whole.tail]);
    return this.signed(authenticatorData, clientDataOf(whole));
  }

  /** An assertion over any bytes. */
  signed(authenticatorData: Buffer, clientData: Buffer): Fido2Approval {
    return {
      kind: 'Fido2',
      credentialAssertion: {
        credId: this.credentialId.toString('base64url'),
        clientData: clientData.toString('base64url'),
        signature: this.#sign(authenticatorData, clientData).toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
      },
    };
  }

  #sign(authenticatorData: Buffer, clientData: Buffer): Buffer {
    const data = Buffer.concat([authenticatorData, sha256(clientData)]);
    return sign(this.kind === 'EdDSA' ? null : 'sha256', data, this.#privateKey);
  }
}

export interface AttestationParts {
  readonly format?: string;
  readonly statement?: ReadonlyMap<string, unknown>;
}

const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

const KEY_PAIRS: { readonly [Kind in KeyKind]: () => { publicKey: KeyObject; privateKey: KeyObject } } = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2_048 }),
};

export function coseKey(kind: KeyKind, publicKey: KeyObject): Map<number, unknown> {
  const jwk = publicKey.export({ format: 'jwk' });
  const bytes = (name: 'x' | 'y' | 'n' | 'e') => Buffer.from(jwk[name]!, 'base64url');
  const start: [number, unknown][] = [
    [1, { ES256: 2, EdDSA: 1, RS256: 3 }[kind]],
    [3, ALGORITHMS[kind]],
  ];
  if (kind === 'RS256') return new Map([...start, [-1, bytes('n')], [-2, bytes('e')]]);
  if (kind === 'EdDSA') return new Map([...start, [-1, 6], [-2, bytes('x')]]);
  return new Map([...start, [-1, 1], [-2, bytes('x')], [-3, bytes('y')]]);
}

export function clientDataOf({ type, challenge, origin, more }: Ceremony): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
}

function fixedData({ rpId, flags, counter }: Ceremony): Buffer {
  const rest = Buffer.alloc(5);
  rest[0] = flags;
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(Buffer.from(rpId)), rest]);
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Of the values that ceremonies contain, in the shortest form (RFC 8949). */
export function encodeCbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encodeCbor)]);
  const map = value as Map<unknown, unknown>;
  return Buffer.concat([head(5, map.size), ...[...map].flatMap(([key, it]) => [encodeCbor(key), encodeCbor(it)])]);
}

function head(type: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(type << 5) | argument]);
  if (argument < 256) return Buffer.from([(type << 5) | 24, argument]);
  return Buffer.from([(type << 5) | 25, argument >> 8, argument & 255]);
}
