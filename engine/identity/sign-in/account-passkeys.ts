/**
 * The passkeys of an account: further ones and removals, each approved by one that exists. The approval is bound to the exact
 * credential that is added or removed.
 */
import { Refused } from '#contract/refused.ts';
import type { PasskeyCreation, PasskeyCredential } from '#contract/sign-in-bodies.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { ApprovalRequest, Approvals } from '#identity/approvals.ts';
import type { ChallengePurpose, Challenges } from '#identity/challenges.ts';
import type { Sessions } from '#identity/sessions.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { approvalRefusal, issueRefusal } from './approval-refusal.ts';
import { clientDataIn, createdPasskey, passkeyCreation } from './creation.ts';
import type { Owner, OwnerCommands, Owners, StoredCredential } from './owners.ts';
import { consumeChallenge, issueChallenge } from './sign-in-challenges.ts';

export interface AccountPasskeyPorts {
  readonly approvals: Approvals;
  /** Those of accounts. */
  readonly challenges: Challenges;
  readonly sessions: Sessions;
  readonly owners: Owners;
  readonly commands: OwnerCommands;
  readonly relyingParty: RelyingParty;
}

/** A passkey that the browser has made, and the name that its owner gave it. */
export interface NamedPasskey {
  readonly passkeyName: string;
  readonly credential: PasskeyCredential;
}

/** All throw {@link Refused}. */
export class AccountPasskeys {
  readonly #ports: AccountPasskeyPorts;

  constructor(ports: AccountPasskeyPorts) {
    this.#ports = ports;
  }

  /** The creation of a passkey beside those of the account. */
  async initiate(account: AccountOrdinal): Promise<PasskeyCreation> {
    const { challenges, relyingParty } = this.#ports;
    const { identityDigest, passkeys } = this.#ownerOf(account);
    if (!passkeys.some((passkey) => canApprove(passkey, relyingParty))) throw issueRefusal('no_signer');
    const issued = await issueChallenge(challenges, renderAccountId(account), creationOf(account));
    const existing = passkeys.filter((it) => canApprove(it, relyingParty));
    return passkeyCreation({ issued, relyingParty, identityDigest, existing });
  }

  /** Verifies the new passkey, and returns the challenge with which an existing one approves exactly this one. */
  async approve(account: AccountOrdinal, challengeIdentifier: string, added: NamedPasskey): Promise<SigningChallenge> {
    const { approvals, challenges, relyingParty } = this.#ports;
    const challenge = await consumeChallenge(challenges, challengeIdentifier, creationOf(account));
    await createdPasskey({ ...added, name: added.passkeyName, challenge, relyingParty });
    this.#demandUnused(added.credential.credId);
    const issued = await approvals.issue(additionOf(account, added));
    if ('failure' in issued) throw issueRefusal(issued.failure);
    return issued.challenge;
  }

  async complete(account: AccountOrdinal, added: NamedPasskey, approval: SigningApproval): Promise<void> {
    const { approvals, commands, relyingParty } = this.#ports;
    const approved = await approvals.verify(additionOf(account, added), approval);
    if ('failure' in approved) throw approvalRefusal(approved);
    // The approved bytes are those that `approve` verified, with its challenge in them.
    const { challenge } = clientDataIn(added.credential.clientData);
    const passkey = await createdPasskey({ ...added, name: added.passkeyName, challenge, relyingParty });
    await commands.addPasskey(account, passkey);
  }

  /** The challenge with which a passkey of the account approves the removal of exactly this one, which may be itself. */
  async approveRemoval(account: AccountOrdinal, credentialId: string): Promise<SigningChallenge> {
    this.#demandRemovable(account, credentialId);
    const issued = await this.#ports.approvals.issue(removalOf(account, credentialId));
    if ('failure' in issued) throw issueRefusal(issued.failure);
    return issued.challenge;
  }

  /** Ends the sessions that the passkey opened, too. */
  async remove(account: AccountOrdinal, credentialId: string, approval: SigningApproval): Promise<void> {
    const { approvals, commands, relyingParty, sessions } = this.#ports;
    this.#demandRemovable(account, credentialId);
    const approved = await approvals.verify(removalOf(account, credentialId), approval);
    if ('failure' in approved) throw approvalRefusal(approved);
    await commands.removePasskey(account, credentialId, relyingParty.id);
    for (const { sessionId, signIn } of await sessions.list(account))
      if (signIn.by === 'passkey' && signIn.credentialId === credentialId) await sessions.revoke(account, sessionId);
  }

  #ownerOf(account: AccountOrdinal): Owner {
    const owner = this.#ports.owners.owner(account);
    if (owner === undefined) throw new Refused('owner_not_found');
    return owner;
  }

  /** The venue decides: of removals at the same time, one may take the other's last passkey. */
  #demandRemovable(account: AccountOrdinal, credentialId: string): void {
    const { passkeys } = this.#ownerOf(account);
    const removed = passkeys.find((it) => it.credentialId === credentialId);
    if (removed === undefined) throw new Refused('passkey_not_found');
    const isSigner = passkeys.some((it) => it !== removed && canApprove(it, this.#ports.relyingParty));
    if (removed.kind === 'passkey' && !isSigner) throw new Refused('last_passkey');
  }

  /** Also a removed one: a credential id is never used twice. */
  #demandUnused(credentialId: string): void {
    if (this.#ports.owners.isCredentialUsed(credentialId)) throw new Refused('passkey_exists');
  }
}

/** Whether a passkey can sign on this site. */
export function canApprove({ kind, relyingPartyId }: StoredCredential, relyingParty: RelyingParty): boolean {
  return kind === 'passkey' && relyingPartyId === relyingParty.id;
}

function creationOf(account: AccountOrdinal): ChallengePurpose {
  return { account, operation: 'passkeys/create', command: new Uint8Array() };
}

function removalOf(account: AccountOrdinal, credentialId: string): ApprovalRequest {
  return { account, operation: 'passkeys/remove', command: Buffer.from(credentialId), signers: 'passkey' };
}

function additionOf(account: AccountOrdinal, { passkeyName, credential }: NamedPasskey): ApprovalRequest {
  const { credId, clientData, attestationObject } = credential;
  const command = Buffer.from(JSON.stringify([passkeyName, credId, clientData, attestationObject]));
  return { account, operation: 'passkeys/add', command, signers: 'passkey' };
}
