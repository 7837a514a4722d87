/** What the page reads of the venue's responses. `contract-shapes.test.ts` shows that the contract has all of it. */

export interface Provider {
  readonly provider: string;
  readonly name: string;
  readonly kind: 'local' | 'oidc';
}

export interface Capabilities {
  readonly environment: string;
  readonly passkeyLogin: 'available' | 'unavailable';
  readonly registration: 'open' | 'closed';
  readonly socialRegistration: readonly Provider[];
  readonly socialLogin: readonly Provider[];
}

export interface PasskeyCreation {
  readonly challengeIdentifier: string;
  readonly challenge: string;
  readonly relyingParty: { readonly id: string; readonly name: string };
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
  readonly pubKeyCredParams: readonly { readonly type: 'public-key'; readonly alg: number }[];
  readonly excludeCredentials: readonly { readonly type: 'public-key'; readonly id: string }[];
  readonly userVerification: 'required';
  readonly residentKey: 'required';
}

export interface SocialSignIn {
  readonly status: 'redirect' | 'passkey_required' | 'registered' | 'signed_in';
  readonly attempt: string | null;
  readonly authorizationUrl: string | null;
  readonly creation?: PasskeyCreation | null;
  readonly session?: OwnerSession | null;
}

export interface OwnerSession {
  readonly accessToken: string;
  readonly accountId: string;
  readonly signedInBy: 'passkey' | 'social';
  readonly expiresAtEpochMs: number;
}

/** 2.9 */
export interface Challenge {
  readonly challenge: string;
  readonly challengeIdentifier: string;
  readonly allowCredentials: {
    readonly key: readonly { readonly id: string }[];
    readonly webauthn: readonly { readonly id: string }[];
  };
}

/** 2.9 */
export interface Approval {
  readonly challengeIdentifier: string;
  readonly firstFactor: {
    readonly kind: 'Fido2';
    readonly credentialAssertion: {
      readonly credId: string;
      readonly clientData: string;
      readonly signature: string;
      readonly authenticatorData: string;
    };
  };
}

export interface PartyBinding {
  readonly status: string;
  readonly partyId: string | null;
  readonly source: 'operator' | 'owner' | 'agent_owner' | null;
  readonly setup: 'not_started' | 'pending' | 'waiting_for_package' | 'complete' | null;
}

/** The response of each of the three setup operations. */
export interface SetupStepState {
  readonly status: string;
  readonly challenge: Challenge | null;
}

export interface ConsentState {
  readonly consentState: string;
  readonly challenge: Challenge | null;
  readonly failure: { readonly step: string; readonly reason: string } | null;
}

/** The response of each action that registers a setup key. */
export interface SetupKeyStep {
  /** After `initiate`. */
  readonly creation: { readonly challengeIdentifier: string; readonly challenge: string } | null;
  /** After `approve`. */
  readonly challenge: Challenge | null;
}

/** The response of each action that adds a passkey. */
export interface PasskeyStep {
  /** After `initiate`. */
  readonly creation: PasskeyCreation | null;
  /** After `approve`. */
  readonly challenge: Challenge | null;
}

/** The response of each request that removes a passkey. */
export interface PasskeyRemoval {
  /** Without an approval. */
  readonly challenge: Challenge | null;
}

export interface AccountSnapshot {
  readonly cashBalanceAtoms: string;
  readonly equityAtoms: string;
  readonly availableForOrdersAtoms: string;
}

export interface FundingIntent {
  readonly fundingIntentId: string;
  readonly amountAtoms: string;
  readonly status: 'available' | 'deposit_bound' | 'consumed' | 'cancelled';
  readonly depositId: string | null;
}

export interface FaucetGrant {
  readonly amountAtoms: string;
  readonly replayed: boolean;
}

export interface Deposit {
  readonly depositId: string;
  readonly fundingIntentId: string;
  readonly amountAtoms: string;
  readonly status: 'bound' | 'submitted' | 'submitted_unknown' | 'ledger_confirmed';
}

/** The response of a deposit's or a withdrawal's confirm operation. */
export interface SigningResponse {
  readonly status: string;
  readonly signingStep: string | null;
  readonly challenge: Challenge | null;
}
export type DepositSigning = SigningResponse & { readonly deposit: Deposit };
export type WithdrawalSigning = SigningResponse & {
  readonly withdrawal: { readonly payoutOfferExpiresAtEpochMs: number | null };
};

export interface Withdrawal {
  readonly withdrawalId: string;
  readonly amount: string;
  readonly status: 'requested' | 'reserved' | 'authorized' | 'submitted' | 'blocked';
  readonly settled: boolean;
  readonly dueSigningStep: string | null;
  readonly reason: string | null;
}

export interface Transfer {
  readonly transferId: string;
  readonly kind: 'deposit' | 'withdrawal';
  readonly amountAtoms: string;
  readonly status: string;
  readonly ledgerEventId: string | null;
  readonly updatedAtEpochMs: number;
}

export interface TransferPage {
  readonly transfers: readonly Transfer[];
  readonly nextCursor: string | null;
}

export interface DeviceGrant {
  readonly status: 'pending' | 'approval_required' | 'approved' | 'denied';
  readonly label: string;
  readonly scopes: readonly string[];
  readonly keyLifetimeDays: number;
  readonly startedAtEpochMs: number;
  readonly expiresAtEpochMs: number;
  /** If an approval is due. */
  readonly challenge: Challenge | null;
}

export interface ApiKey {
  readonly keyId: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly status: 'active' | 'expired';
  readonly createdAtEpochMs: number;
  readonly expiresAtEpochMs: number | null;
}

export interface Passkey {
  readonly passkeyId: string;
  readonly name: string;
  readonly createdAt: string;
  readonly relyingPartyId: string;
  readonly status: 'usable_here' | 'other_relying_party';
  readonly kind: 'passkey' | 'setup_key';
}
