/** A registered passkey, and what it and the setup key send as an approval. Nothing of either is secret. */
import type { Algorithm } from './public-key.ts';

export interface Passkey {
  /** In base64url. */
  readonly credentialId: string;
  /** A COSE key, in base64url. */
  readonly publicKey: string;
  readonly algorithm: Algorithm;
  /** The authenticator's counter at its last use; 0 if it has none. */
  readonly signatureCount: number;
  readonly relyingPartyId: string;
}

/** The approval of the interface (2.9). All fields of the assertion are base64url. */
export interface Fido2Approval {
  readonly kind: 'Fido2';
  readonly credentialAssertion: {
    readonly credId: string;
    readonly clientData: string;
    readonly signature: string;
    readonly authenticatorData: string;
  };
}
