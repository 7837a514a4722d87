/**
 * The setup key of an account (4.5): a key that the owner's browser keeps, approved once by a passkey. It then approves the remaining
 * signatures of the setup, and nothing else, while the setup has not ended.
 */

import type { SetupKeyCredential } from '#contract/passkeys.ts';
import { Refused } from '#contract/refused.ts';
import type { SigningApproval, SigningChallenge } from '#contract/signing.ts';
import type { ApprovalRequest, Approvals } from '#identity/approvals.ts';
import type { ChallengePurpose, Challenges, IssuedChallenge } from '#identity/challenges.ts';
import type { RelyingParty } from '#identity/webauthn/relying-party.ts';
import { verifySetupKeyRegistration } from '#identity/webauthn/setup-key.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import { canApprove } from './account-passkeys.ts';
import { approvalRefusal, issueRefusal } from './approval-refusal.ts';
import { ceremonyMessage } from './ceremony-message.ts';
import { isReplacement, type NewCredential, type Owner, type OwnerCommands, type Owners } from './owners.ts';
import { consumeChallenge, issueChallenge } from './sign-in-challenges.ts';

export interface SetupKeyPorts {
  readonly approvals: Approvals;
  /** Those of accounts. */
  readonly challenges: Challenges;
  readonly owners: Owners;
  readonly commands: Pick<OwnerCommands, 'addPasskey'>;
  readonly relyingParty: RelyingParty;
}

const NAME = 'Setup key';

/** All throw {@link Refused}. */
export class SetupKeys {
  readonly #ports: SetupKeyPorts;
  /** Accounts with a `complete` in progress. */
  readonly #completing = new Set<AccountOrdinal>();

  constructor(ports: SetupKeyPorts) {
    this.#ports = ports;
  }

  /** The challenge that the new key signs. */
  async initiate(account: AccountOrdinal): Promise<IssuedChallenge> {
    this.#demandPossible(account);
    return issueChallenge(this.#ports.challenges, renderAccountId(account), creationOf(account));
  }

  /** Verifies the new key, and returns the challenge with which a passkey approves exactly this one. */
  async approve(account: AccountOrdinal, challengeIdentifier: string, setupKey: SetupKeyCredential): Promise<SigningChallenge> {
    const { approvals, challenges, owners } = this.#ports;
    this.#demandPossible(account);
    const challenge = await consumeChallenge(challenges, challengeIdentifier, creationOf(account));
    const verified = await verifySetupKeyRegistration(setupKey, challenge);
    if ('rejection' in verified) throw new Refused('passkey_rejected', ceremonyMessage(verified.rejection));
    if (owners.isCredentialUsed(setupKey.credentialId)) throw new Refused('passkey_exists');
    const issued = await approvals.issue(registrationOf(account, setupKey));
    if ('failure' in issued) throw issueRefusal(issued.failure);
    return issued.challenge;
  }

  /** Registers the key. No effect if it is registered already. */
  async complete(account: AccountOrdinal, setupKey: SetupKeyCredential, approval: SigningApproval): Promise<void> {
    if (this.#completing.has(account)) throw new Refused('setup_key_busy');
    this.#completing.add(account);
    try {
      await this.#complete(account, setupKey, approval);
    } finally {
      this.#completing.delete(account);
    }
  }

  async #complete(account: AccountOrdinal, setupKey: SetupKeyCredential, approval: SigningApproval): Promise<void> {
    const { approvals, commands, owners, relyingParty } = this.#ports;
    const registered = owners.passkey(setupKey.credentialId);
    if (registered?.account === account && registered.passkey.publicKey === setupKey.publicKey) return;
    this.#demandPossible(account);
    // The approved bytes are those that `approve` verified.
    const approved = await approvals.verify(registrationOf(account, setupKey), approval);
    if ('failure' in approved) throw approvalRefusal(approved);
    const { credentialId, publicKey } = setupKey;
    const [origin = ''] = relyingParty.origins;
    const passkey: NewCredential = {
      credentialId,
      kind: 'setup_key',
      publicKey,
      signatureCount: 0,
      name: NAME,
      relyingPartyId: relyingParty.id,
      origin,
    };
    await commands.addPasskey(account, passkey);
  }

  #demandPossible(account: AccountOrdinal): void {
    const owner = this.#ports.owners.owner(account);
    if (owner === undefined) {
      const message = 'The state of the setup of the account cannot be read now. Retry in a moment.';
      throw new Refused('source_unavailable', message, { agentRefusal: 'engine_view_unavailable' });
    }
    demandUnfinished(owner);
    if (owner.passkeys.some(({ kind }) => kind === 'setup_key')) throw new Refused('setup_key_active');
    if (!owner.passkeys.some((it) => canApprove(it, this.#ports.relyingParty))) throw issueRefusal('no_signer');
  }
}

/** A setup key runs only while the setup has not started or is pending. */
function demandUnfinished({ setup, consent }: Owner): void {
  if (isReplacement(consent))
    throw new Refused('setup_unavailable', 'The consent of the party was revoked: approve the next one with a passkey.');
  if (setup === 'complete') throw new Refused('setup_complete');
  if (setup === 'waiting_for_package')
    throw new Refused('setup_unavailable', 'The setup waits for a package that the ledger lacks. Retry when it has it.');
}

function creationOf(account: AccountOrdinal): ChallengePurpose {
  return { account, operation: 'setup-key/create', command: new Uint8Array() };
}

function registrationOf(account: AccountOrdinal, { credentialId, publicKey, signature }: SetupKeyCredential): ApprovalRequest {
  const command = Buffer.from(JSON.stringify([credentialId, publicKey, signature]));
  return { account, operation: 'setup-key/register', command, signers: 'passkey' };
}
