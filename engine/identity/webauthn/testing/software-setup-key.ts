/** A setup key in software: it proves itself, and approves challenges, as the owner's browser does with WebCrypto. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import type { Fido2Approval } from '#identity/webauthn/passkey.ts';
import type { SetupKeyRegistration } from '#identity/webauthn/setup-key.ts';

export class SoftwareSetupKey {
  readonly credentialId: string;
  /** SPKI, in base64url. */
  readonly publicKey: string;
  readonly #privateKey: KeyObject;

  constructor(credentialId = `venue-setup-key-${randomBytes(16).toString('base64url')}`) {
    this.credentialId = credentialId;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64url');
    this.#privateKey = pair.privateKey;
  }

  register(challenge: string): SetupKeyRegistration {
    return { credentialId: this.credentialId, publicKey: this.publicKey, signature: this.#sign(challenge) };
  }

  approve(challenge: string): Fido2Approval {
    const { credentialId: credId } = this;
    return {
      kind: 'Fido2',
      credentialAssertion: { credId, clientData: challenge, signature: this.#sign(challenge), authenticatorData: '' },
    };
  }

  #sign(challenge: string): string {
    const key = { key: this.#privateKey, dsaEncoding: 'ieee-p1363' as const };
    return sign('sha256', Buffer.from(challenge, 'base64url'), key).toString('base64url');
  }
}
