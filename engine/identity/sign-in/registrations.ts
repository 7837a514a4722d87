/**
 * Registration of an owner: a provider proves the identity, then a passkey is made. Only then the venue opens an account. An attempt
 * whose response was lost can be resumed with its secret.
 */
import { Refused } from '#contract/refused.ts';
import type { PasskeyCreation, PasskeyCredential } from '#contract/sign-in-bodies.ts';
import type { ChallengePurpose, Challenges } from '#identity/challenges.ts';
import type { Sessions } from '#identity/sessions.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import type { Attempts, StoredAttempt } from './attempts.ts';
import { createdPasskey, passkeyCreation } from './creation.ts';
import type { IdentityProofs, RedirectedAttempt } from './identity-proofs.ts';
import type { OwnerCommands, Owners } from './owners.ts';
import type { LocalCredentials, SignInProviders } from './providers.ts';
import { type OpenedSession, openSession } from './session-opening.ts';
import { consumeChallenge, issueChallenge } from './sign-in-challenges.ts';

export interface RegistrationPorts {
  readonly providers: SignInProviders;
  readonly attempts: Attempts;
  readonly proofs: IdentityProofs;
  /** Those of sign-in. */
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly owners: Owners;
  readonly commands: OwnerCommands;
  readonly relyingParty: RelyingParty;
}

/** What an attempt needs next. */
export type RegistrationStep =
  | ({ readonly status: 'redirect' } & RedirectedAttempt)
  | {
      readonly status: 'passkey_required';
      readonly attempt: string;
      readonly expiresAtEpochMs: number;
      readonly creation: PasskeyCreation;
    }
  | { readonly status: 'registered'; readonly attempt: string; readonly expiresAtEpochMs: number };

export interface RegistrationRequest {
  readonly provider: string;
  readonly network: string;
  readonly referralCode?: string | undefined;
  readonly local?: LocalCredentials | undefined;
}

export interface NewPasskey {
  readonly attempt: string;
  readonly challengeIdentifier: string;
  readonly passkeyName: string;
  readonly credential: PasskeyCredential;
}

/** All throw {@link Refused}. */
export class Registrations {
  readonly #ports: RegistrationPorts;

  constructor(ports: RegistrationPorts) {
    this.#ports = ports;
  }

  async initiate({ network, ...request }: RegistrationRequest): Promise<RegistrationStep> {
    const { providers, proofs, attempts } = this.#ports;
    providers.demandOpenRegistration();
    const begun = await proofs.begin({ purpose: 'register', owner: network, ...request });
    if ('attempt' in begun) return { status: 'redirect', ...begun };
    const { identityDigest } = begun;
    this.#demandNew(identityDigest);
    const { provider, referralCode = '' } = request;
    const terms = { purpose: 'register', provider, account: 0, referralCode } as const;
    const { attempt } = await attempts.start(network, terms, identityDigest);
    return this.#passkeyRequired(attempt, await attempts.find(attempt, 'register'));
  }

  /** The provider has sent the browser back. */
  async complete(provider: string, attempt: string, callback: string): Promise<RegistrationStep> {
    const { providers, proofs, attempts } = this.#ports;
    providers.demandOpenRegistration();
    const identityDigest = await proofs.complete({ purpose: 'register', provider, attempt, callback });
    if (this.#ports.owners.accountOfIdentity(identityDigest) !== undefined) await attempts.end(attempt);
    this.#demandNew(identityDigest);
    const proven = await attempts.move(attempt, 'register', 'exchanging', { status: 'proven', identityDigest });
    return this.#passkeyRequired(attempt, proven);
  }

  /** What an attempt needs next, with a new challenge: the response to an earlier request was lost, or its challenge expired. */
  async recover(attempt: string): Promise<RegistrationStep> {
    const { providers, proofs, attempts } = this.#ports;
    const found = await attempts.find(attempt, 'register');
    const { status, expiresAtEpochMs } = found;
    if (status === 'registered') return { status, attempt, expiresAtEpochMs };
    // A crash may have left it so: its code may be used up.
    if (status === 'exchanging') throw new Refused('attempt_rejected', EXCHANGING);
    providers.demandOpenRegistration();
    // The configuration may have changed since.
    if (!providers.isKnown(found.provider)) throw new Refused('attempt_rejected');
    const provider = providers.named(found.provider);
    if (status === 'proven') return this.#passkeyRequired(attempt, found);
    const authorizationUrl = await proofs.authorizationUrl(provider, attempt);
    return { status: 'redirect', attempt, expiresAtEpochMs, authorizationUrl };
  }

  /** Opens the account with its first passkey, and a session of it. */
  async register({ attempt, challengeIdentifier, passkeyName, credential }: NewPasskey): Promise<OpenedSession> {
    const { providers, attempts, challenges, commands, owners, relyingParty, sessions } = this.#ports;
    const found = await attempts.find(attempt, 'register');
    if (found.status === 'registered') throw new Refused('identity_registered', REGISTERED);
    providers.demandOpenRegistration();
    if (found.status !== 'proven') throw new Refused('attempt_rejected', 'The provider has not proven the identity yet.');
    const challenge = await consumeChallenge(challenges, challengeIdentifier, purposeOf(found));
    const passkey = await createdPasskey({ credential, name: passkeyName, challenge, relyingParty });
    const { provider, referralCode, identityDigest } = found;
    // The core refuses them too, but its refusals of a request without an account take space in the journal.
    this.#demandNew(identityDigest);
    if (owners.isCredentialUsed(passkey.credentialId)) throw new Refused('passkey_exists');
    const account = await commands.register({ identityDigest, provider, referralCode, passkey });
    // The account exists from here on. Whatever fails now, its owner signs in with the passkey.
    const opened = await openSession(sessions, account, { by: 'passkey', credentialId: passkey.credentialId });
    await attempts.registered(found);
    return opened;
  }

  async #passkeyRequired(attempt: string, found: StoredAttempt): Promise<RegistrationStep> {
    const { challenges, relyingParty } = this.#ports;
    const issued = await issueChallenge(challenges, found.owner, purposeOf(found));
    const { identityDigest, expiresAtEpochMs } = found;
    const creation = passkeyCreation({ issued, relyingParty, identityDigest, existing: [] });
    return { status: 'passkey_required', attempt, expiresAtEpochMs, creation };
  }

  #demandNew(identityDigest: string): void {
    if (this.#ports.owners.accountOfIdentity(identityDigest) === undefined) return;
    throw new Refused('identity_registered', REGISTERED);
  }
}

const EXCHANGING = 'Another request is completing this attempt. If it does not succeed soon, start again.';
const REGISTERED = 'This identity has an account. Sign in with its passkey, or with the provider.';

/** The challenge approves the passkey of exactly this attempt. */
function purposeOf({ id, identityDigest }: StoredAttempt): ChallengePurpose {
  return { account: undefined, operation: 'register', command: Buffer.from(JSON.stringify([id, identityDigest])) };
}
