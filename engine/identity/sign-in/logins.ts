/**
 * Sign-in of existing owners: by a passkey that the authenticator offers, or by the provider that they registered with. It opens a
 * session, and changes nothing else: it does not complete a setup.
 */
import { Refused } from '#contract/refused.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { ChallengePurpose, Challenges } from '#identity/challenges.ts';
import type { Sessions, SignIn } from '#identity/sessions.ts';
import { verifyAssertion } from '#identity/webauthn/assertion.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Attempts } from './attempts.ts';
import { ceremonyMessage, UNKNOWN_CREDENTIAL_MESSAGE } from './ceremony-message.ts';
import type { IdentityProofs, RedirectedAttempt } from './identity-proofs.ts';
import type { OwnerCommands, Owners } from './owners.ts';
import type { LocalCredentials } from './providers.ts';
import { type OpenedSession, openSession } from './session-opening.ts';
import { consumeChallenge, issueChallenge } from './sign-in-challenges.ts';

export interface LoginPorts {
  readonly attempts: Attempts;
  readonly proofs: IdentityProofs;
  /** Those of sign-in. */
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly owners: Owners;
  readonly commands: Pick<OwnerCommands, 'recordPasskeyUse'>;
  readonly relyingParty: RelyingParty;
}

const PURPOSE: ChallengePurpose = { account: undefined, operation: 'login', command: new Uint8Array() };

/** All throw {@link Refused}. */
export class Logins {
  readonly #ports: LoginPorts;

  constructor(ports: LoginPorts) {
    this.#ports = ports;
  }

  /** Lists no credentials: the authenticator offers those that it has for this site. */
  async challenge(network: string): Promise<SigningChallenge> {
    const { challengeIdentifier, challenge } = await issueChallenge(this.#ports.challenges, network, PURPOSE);
    return { challenge, challengeIdentifier, allowCredentials: { key: [], webauthn: [] }, userVerification: 'required' };
  }

  async byPasskey({ challengeIdentifier, firstFactor }: SigningApproval): Promise<OpenedSession> {
    const { challenges, owners, relyingParty } = this.#ports;
    const challenge = await consumeChallenge(challenges, challengeIdentifier, PURPOSE);
    const { credId } = firstFactor.credentialAssertion;
    const found = owners.passkey(credId);
    if (found === undefined || found.passkey.kind !== 'passkey')
      throw new Refused('passkey_rejected', UNKNOWN_CREDENTIAL_MESSAGE);
    const verified = await verifyAssertion({ approval: firstFactor, challenge, relyingParty, passkey: found.passkey });
    if ('rejection' in verified) throw new Refused('passkey_rejected', UNKNOWN_CREDENTIAL_MESSAGE);
    await this.#recordUse(found.account, credId, verified.signatureCount);
    // It may have been removed during the verification.
    if (owners.passkey(credId) === undefined) throw new Refused('passkey_rejected', UNKNOWN_CREDENTIAL_MESSAGE);
    return this.#open(found.account, { by: 'passkey', credentialId: credId });
  }

  /** A local identity is signed in at once. */
  async initiate(request: {
    readonly provider: string;
    readonly network: string;
    readonly local?: LocalCredentials | undefined;
  }): Promise<OpenedSession | RedirectedAttempt> {
    const { provider, network, local } = request;
    const begun = await this.#ports.proofs.begin({ purpose: 'login', provider, owner: network, local });
    return 'attempt' in begun ? begun : this.#bySocial(provider, begun.identityDigest);
  }

  /** The provider has sent the browser back. */
  async complete(provider: string, attempt: string, callback: string): Promise<OpenedSession> {
    const identityDigest = await this.#ports.proofs.complete({ purpose: 'login', provider, attempt, callback });
    await this.#ports.attempts.end(attempt);
    return this.#bySocial(provider, identityDigest);
  }

  async #bySocial(provider: string, identityDigest: string): Promise<OpenedSession> {
    const account = this.#ports.owners.accountOfIdentity(identityDigest);
    if (account === undefined) throw new Refused('identity_not_registered');
    return this.#open(account, { by: 'social', provider, identityDigest });
  }

  /** Also for a retired account: its owner may withdraw the cash. A session of a legacy account would be refused everywhere. */
  #open(account: AccountOrdinal, signIn: SignIn): Promise<OpenedSession> {
    const { owners, sessions } = this.#ports;
    if (owners.owner(account)?.isLegacy === true) throw new Refused('account_legacy_excluded');
    return openSession(sessions, account, signIn);
  }

  /** A counter of 0 belongs to an authenticator that has none. */
  async #recordUse(account: AccountOrdinal, credentialId: string, signatureCount: number): Promise<void> {
    if (signatureCount === 0) return;
    const recorded = await this.#ports.commands.recordPasskeyUse({ account, credentialId, signatureCount });
    if (recorded === 'refused') throw new Refused('passkey_rejected', ceremonyMessage('counter_not_increased'));
  }
}
