/** The owners, rebuilt from events: each identity registers once, a passkey is used once at a time, and setups take no step twice. */
import type { Command } from '#venue/command.ts';
import type {
  OwnerRegistered,
  PartyChanged,
  PartyConsentChanged,
  PasskeyAdded,
  PasskeyRemoved,
  PasskeyUsed,
  SigningWalletCreated,
} from '#venue/event.ts';
import { fail } from './audit-failed.ts';

const MAX_PASSKEYS = 20;

interface Passkey {
  readonly kind: 'passkey' | 'setup_key';
  readonly relyingPartyId: string;
  signatureCount: number;
}

interface Owner {
  readonly identityDigest: string;
  readonly passkeys: Map<string, Passkey>;
  party: PartyChanged['status'];
  partyId: string;
  partyKey: string;
  walletId: string;
  consent: PartyConsentChanged['consent'];
  consentId: string;
  consentKey: string;
  reason: string;
}

/** The status before each status of a party, and the command that changes it. */
const PARTY_STEPS: Readonly<Record<PartyChanged['status'], readonly [before: string, by: string]>> = {
  absent: ['', ''],
  allocating: ['absent', 'StartParty'],
  allocated: ['allocating', 'AllocateParty'],
  active: ['allocated', 'ActivateParty'],
};

export class AuditedOwners {
  readonly #owners = new Map<number, Owner>();
  readonly #identities = new Set<string>();
  /** Of all times. */
  readonly #credentials = new Set<string>();
  readonly #parties = new Set<string>();

  /** An account was opened. */
  notePartyOf({ partyId }: { readonly partyId: string }): void {
    if (partyId !== '') this.#parties.add(partyId);
  }

  /** `newest`: the account that was opened last. */
  register({ account, identityDigest }: OwnerRegistered, newest: number): void {
    if (account !== newest || this.#owners.has(account)) fail('owner', `account ${account} was not opened for its owner`);
    if (this.#identities.has(identityDigest)) fail('owner', `an identity registered again, as account ${account}`);
    this.#identities.add(identityDigest);
    this.#owners.set(account, {
      identityDigest,
      passkeys: new Map(),
      party: 'absent',
      partyId: '',
      partyKey: '',
      walletId: '',
      consent: 'absent',
      consentId: '',
      consentKey: '',
      reason: '',
    });
  }

  add({ account, passkey }: PasskeyAdded, command: Command): void {
    const { credentialId, kind, relyingPartyId, signatureCount } = passkey;
    const { passkeys } = this.#of(account);
    if (this.#credentials.has(credentialId)) fail('owner', `passkey ${credentialId} was added twice`);
    if (command.type === 'RegisterOwner' && JSON.stringify(passkey) !== JSON.stringify(command.passkey))
      fail('owner', `account ${account} was registered with another passkey than its command's`);
    if (kind === 'setup_key') this.#checkSetupKey(account);
    this.#credentials.add(credentialId);
    passkeys.set(credentialId, { kind, relyingPartyId, signatureCount });
    if (passkeys.size > MAX_PASSKEYS) fail('owner', `account ${account} has ${passkeys.size} passkeys`);
  }

  use({ account, credentialId, signatureCount }: PasskeyUsed): void {
    const passkey = this.#of(account).passkeys.get(credentialId);
    if (passkey === undefined) fail('owner', `account ${account} used passkey ${credentialId}, which it does not have`);
    if (signatureCount <= passkey.signatureCount) fail('owner', `the counter of passkey ${credentialId} did not grow`);
    passkey.signatureCount = signatureCount;
  }

  remove({ account, credentialId }: PasskeyRemoved, command: Command): void {
    const { passkeys } = this.#of(account);
    const removed = passkeys.get(credentialId);
    if (removed === undefined) fail('owner', `account ${account} removed passkey ${credentialId}, which it does not have`);
    const { type } = command;
    if (type !== 'RemovePasskey' && removed.kind !== 'setup_key')
      fail('owner', `${type} removed a passkey of account ${account}`);
    passkeys.delete(credentialId);
    if (command.type !== 'RemovePasskey' || removed.kind === 'setup_key') return;
    const { relyingPartyId } = command;
    if (![...passkeys.values()].some((it) => it.kind === 'passkey' && it.relyingPartyId === relyingPartyId))
      fail('owner', `account ${account} has no passkey at ${relyingPartyId}`);
  }

  change({ account, status, partyId, ledgerKey }: PartyChanged, command: Command): void {
    const owner = this.#of(account);
    const [before, by] = PARTY_STEPS[status];
    if (owner.party !== before || command.type !== by)
      fail('owner', `the party of account ${account} became ${status} by ${command.type}, and was ${owner.party}`);
    if (status === 'allocated' && this.#parties.has(partyId)) fail('owner', `party ${partyId} belongs to two accounts`);
    if (status === 'active' && partyId !== owner.partyId) fail('owner', `account ${account} activated another party`);
    if (status !== 'allocating' && ledgerKey !== owner.partyKey) fail('owner', `the party of account ${account} changed its key`);
    if ((partyId === '') !== (status === 'allocating')) fail('owner', `the party of account ${account} has no id`);
    Object.assign(owner, { party: status, partyId, partyKey: ledgerKey });
    this.notePartyOf({ partyId });
  }

  createWallet({ account, walletId }: SigningWalletCreated): void {
    const owner = this.#of(account);
    if (owner.party !== 'active' || owner.walletId !== '' || walletId === '')
      fail('owner', `account ${account} has a second signing wallet, or one without an active party`);
    owner.walletId = walletId;
  }

  consent(event: PartyConsentChanged, command: Command): void {
    const { account, consent, consentId, ledgerKey, reason } = event;
    const owner = this.#of(account);
    if (owner.party !== 'active') fail('owner', `account ${account} has a consent without an active party`);
    if (!isConsentDue(owner, event, command))
      fail('owner', `the consent of account ${account} became ${consent} by ${command.type}, and was ${owner.consent}`);
    if (consent !== 'submitted' && ledgerKey !== owner.consentKey)
      fail('owner', `the consent of account ${account} changed its key`);
    Object.assign(owner, { consent, consentId, consentKey: ledgerKey, reason });
  }

  /** The command was not refused. `newest`: the account that was opened last. */
  checkTurn(command: Command, newest: number): void {
    if (command.type === 'RecordPartyConsent') this.#checkRevocation(command.account);
    if (command.type === 'RegisterOwner' && this.#of(newest).passkeys.size !== 1)
      fail('owner', `account ${newest} was registered without its passkey`);
  }

  has(account: number): boolean {
    return this.#owners.has(account);
  }

  hasIdentity(identityDigest: string): boolean {
    return this.#identities.has(identityDigest);
  }

  hasCredential(credentialId: string): boolean {
    return this.#credentials.has(credentialId);
  }

  hasParty(partyId: string): boolean {
    return this.#parties.has(partyId);
  }

  passkey(account: number, credentialId: string): Readonly<Passkey> | undefined {
    return this.#owners.get(account)?.passkeys.get(credentialId);
  }

  owner(account: number): Readonly<Owner> | undefined {
    return this.#owners.get(account);
  }

  hasSetupKey(account: number): boolean {
    return [...this.#of(account).passkeys.values()].some(({ kind }) => kind === 'setup_key');
  }

  isSetUp(account: number): boolean {
    const { party, walletId, consent } = this.#of(account);
    return party === 'active' && walletId !== '' && consent === 'present';
  }

  /** One line for each owner. */
  *lines(): Iterable<string> {
    for (const [account, owner] of this.#owners) {
      const passkeys = [...owner.passkeys].map(([credentialId, { kind, signatureCount }]) => ({
        credentialId,
        kind,
        signatureCount,
      }));
      const party = { status: owner.party, partyId: owner.partyId, ledgerKey: owner.partyKey };
      const { consent: state, consentId, consentKey: ledgerKey, reason, identityDigest, walletId } = owner;
      yield ownerLine({ account, identityDigest, passkeys, party, walletId, consent: { state, consentId, ledgerKey, reason } });
    }
  }

  #checkRevocation(account: number): void {
    if (this.#of(account).consent === 'revoked' && this.hasSetupKey(account))
      fail('owner', `account ${account} has a setup key after its consent was revoked`);
  }

  #checkSetupKey(account: number): void {
    if (this.hasSetupKey(account)) fail('owner', `account ${account} has two setup keys`);
    if (this.isSetUp(account)) fail('owner', `account ${account} got a setup key after its setup`);
  }

  #of(account: number): Owner {
    return this.#owners.get(account) ?? fail('owner', `account ${account} has no owner`);
  }
}

/** Whether a consent can become what the event says, by the command. */
function isConsentDue(owner: Owner, { consent, consentId, reason }: PartyConsentChanged, command: Command): boolean {
  if (command.type === 'SubmitPartyConsent') {
    const isOpen = owner.consent === 'absent' || owner.consent === 'revoked';
    return isOpen && consent === 'submitted' && consentId === owner.consentId && reason === '';
  }
  if (command.type !== 'RecordPartyConsent') return false;
  // A consent that was not replaced stays revoked.
  const isKept = command.consent === 'absent' && owner.consentId !== '';
  if (isKept) return owner.consent === 'submitted' && consent === 'revoked' && consentId === owner.consentId;
  if (consent !== command.consent || consentId !== command.consentId) return false;
  return owner.consent === 'submitted' || (owner.consent === 'present' && consent === 'revoked' && consentId === owner.consentId);
}

/** The fields of an owner that the core has too. */
export interface OwnerLine {
  readonly account: number;
  readonly identityDigest: string;
  readonly passkeys: readonly { readonly credentialId: string; readonly kind: string; readonly signatureCount: number }[];
  readonly party: { readonly status: string; readonly partyId: string; readonly ledgerKey: string };
  readonly walletId: string;
  readonly consent: { readonly state: string; readonly consentId: string; readonly ledgerKey: string; readonly reason: string };
}

export function ownerLine({ account, identityDigest, passkeys, party, walletId, consent }: OwnerLine): string {
  const keys = passkeys.map(({ credentialId, kind, signatureCount }) => `${credentialId} ${kind} ${signatureCount}`).join(', ');
  const { status, partyId, ledgerKey } = party;
  return (
    `owner ${account} ${identityDigest} keys ${keys} party ${status} ${partyId} ${ledgerKey} wallet ${walletId} consent ` +
    `${consent.state} ${consent.consentId} ${consent.ledgerKey} ${consent.reason}`
  );
}
