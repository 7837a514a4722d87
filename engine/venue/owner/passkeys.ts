/** The commands of owners' identities: register an owner with its first passkey; add, use and remove passkeys. */
import type { AccountOrdinal } from '#units/ids.ts';
import { openAccount } from '#venue/account/administration.ts';
import { referAccount } from '#venue/affiliate/registration.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import { isCapability } from '#venue/switches/capabilities.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkActiveOwner, checkOwner, emitOfOwner } from './owner-turn.ts';
import { isReplacement } from './party.ts';
import { isValidPasskey, MAX_SIGNATURE_COUNT, type PasskeyRecord, passkeyLayout } from './passkey.ts';

/** Opens an account for a person, without a party. */
export interface RegisterOwner {
  readonly type: 'RegisterOwner';
  /** SHA-256 of the identity at the provider, in hex. */
  readonly identityDigest: string;
  readonly provider: string;
  readonly label: string;
  /** Empty without one. */
  readonly referralCode: string;
  /** As in `OpenAccount`. */
  readonly digestSeed: number;
  readonly passkey: PasskeyRecord;
}

export interface AddPasskey {
  readonly type: 'AddPasskey';
  readonly account: AccountOrdinal;
  readonly passkey: PasskeyRecord;
}

/** Stores the counter of an authenticator that has one. */
export interface RecordPasskeyUse {
  readonly type: 'RecordPasskeyUse';
  readonly account: AccountOrdinal;
  readonly credentialId: string;
  readonly signatureCount: number;
}

export interface RemovePasskey {
  readonly type: 'RemovePasskey';
  readonly account: AccountOrdinal;
  readonly credentialId: string;
  /** The site of the venue, at which another passkey must remain. */
  readonly relyingPartyId: string;
}

export type PasskeyCommand = RegisterOwner | AddPasskey | RecordPasskeyUse | RemovePasskey;

export const PASSKEY_COMMANDS: CommandRules<PasskeyCommand> = {
  RegisterOwner: {
    plan: planRegistration,
    commit: commitRegistration,
    layout: {
      tag: 27,
      fields: (io, it) => ({
        type: 'RegisterOwner',
        identityDigest: io.text(it.identityDigest),
        provider: io.text(it.provider),
        label: io.text(it.label),
        referralCode: io.text(it.referralCode),
        digestSeed: io.u32(it.digestSeed),
        passkey: io.part(it.passkey, passkeyLayout),
      }),
    },
  },
  AddPasskey: {
    plan: planAddition,
    commit: commitAddition,
    layout: {
      tag: 28,
      fields: (io, it) => ({ type: 'AddPasskey', account: io.int(it.account), passkey: io.part(it.passkey, passkeyLayout) }),
    },
  },
  RecordPasskeyUse: {
    plan: planUse,
    commit: commitUse,
    layout: {
      tag: 29,
      fields: (io, it) => ({
        type: 'RecordPasskeyUse',
        account: io.int(it.account),
        credentialId: io.text(it.credentialId),
        signatureCount: io.int(it.signatureCount),
      }),
    },
  },
  RemovePasskey: {
    plan: planRemoval,
    commit: commitRemoval,
    layout: {
      tag: 30,
      fields: (io, it) => ({
        type: 'RemovePasskey',
        account: io.int(it.account),
        credentialId: io.text(it.credentialId),
        relyingPartyId: io.text(it.relyingPartyId),
      }),
    },
  },
};

/** The maximum number of registered owners, who stay in the state for good. */
export const MAX_OWNERS = 200_000;
/** The maximum number of active passkeys of an account, with its setup key. */
export const MAX_PASSKEYS = 20;
/** The same with the removed ones, whose credential ids stay in the state for good. */
export const MAX_CREDENTIALS = 1_000;

const SHA256_HEX = /^[0-9a-f]{64}$/;
const MAX_LABEL_LENGTH = 200;
const MAX_REFERRAL_CODE_LENGTH = 64;

export function planRegistration({ state }: Turn, command: RegisterOwner): Refusal | undefined {
  const { identityDigest, provider, passkey } = command;
  const refusal = checkIntake(state.switches, 'register', 'registration');
  if (refusal !== undefined) return refusal;
  if (!isValidRegistration(command)) return { code: 'registration_invalid' };
  if (!state.switches.isOn(`provider:${provider}`)) return { code: 'capability_unavailable' };
  if (!isValidPasskey(passkey)) return { code: 'passkey_invalid' };
  if (state.owners.byIdentity.has(identityDigest)) return { code: 'identity_registered' };
  if (state.owners.byCredential.has(passkey.credentialId)) return { code: 'passkey_exists' };
  return state.owners.byAccount.size < MAX_OWNERS ? undefined : { code: 'capability_unavailable', bound: MAX_OWNERS };
}

function isValidRegistration({ identityDigest, provider, label, referralCode, passkey }: RegisterOwner): boolean {
  if (!SHA256_HEX.test(identityDigest) || !isCapability(`provider:${provider}`)) return false;
  return label.length <= MAX_LABEL_LENGTH && referralCode.length <= MAX_REFERRAL_CODE_LENGTH && passkey.kind === 'passkey';
}

export function commitRegistration(turn: Turn, command: RegisterOwner): void {
  const { identityDigest, provider, label, referralCode, digestSeed, passkey } = command;
  const { ordinal: account } = openAccount(turn, { label, partyId: '', digestSeed });
  emitOfOwner(turn, { type: 'OwnerRegistered', account, identityDigest, provider, referralCode });
  emitOfOwner(turn, { type: 'PasskeyAdded', account, passkey });
  referAccount(turn, account, referralCode);
}

export function planAddition(turn: Turn, { account, passkey }: AddPasskey): Refusal | undefined {
  const refusal = checkActiveOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const { owners } = turn.state;
  if (!isValidPasskey(passkey)) return { code: 'passkey_invalid' };
  if (owners.byCredential.has(passkey.credentialId)) return { code: 'passkey_exists' };
  const owner = owners.of(account)!;
  if (owner.passkeys.size >= MAX_PASSKEYS) return { code: 'too_many_passkeys', bound: MAX_PASSKEYS };
  if (owner.passkeys.size + owner.removedCredentials.size >= MAX_CREDENTIALS)
    return { code: 'too_many_passkeys', bound: MAX_CREDENTIALS };
  if (passkey.kind !== 'setup_key') return undefined;
  if (owner.setup === 'complete') return { code: 'setup_complete' };
  if (owner.setup === 'waiting_for_package' || isReplacement(owner.consent)) return { code: 'setup_unavailable' };
  return owner.hasSetupKey ? { code: 'setup_key_active' } : undefined;
}

export function commitAddition(turn: Turn, { account, passkey }: AddPasskey): void {
  emitOfOwner(turn, { type: 'PasskeyAdded', account, passkey });
}

/** Also for a retired account: its owner may still sign in and withdraw. */
export function planUse(turn: Turn, { account, credentialId, signatureCount }: RecordPasskeyUse): Refusal | undefined {
  const refusal = checkOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const passkey = turn.state.owners.of(account)!.passkeys.get(credentialId);
  if (passkey === undefined) return { code: 'passkey_not_found' };
  const isGreater = signatureCount > passkey.signatureCount && signatureCount <= MAX_SIGNATURE_COUNT;
  return isGreater ? undefined : { code: 'passkey_counter_invalid', bound: passkey.signatureCount };
}

export function commitUse(turn: Turn, { account, credentialId, signatureCount }: RecordPasskeyUse): void {
  emitOfOwner(turn, { type: 'PasskeyUsed', account, credentialId, signatureCount });
}

/** Also for a retired account. The last passkey of the site stays, because it cannot be recovered; a setup key may always be removed. */
export function planRemoval(turn: Turn, { account, credentialId, relyingPartyId }: RemovePasskey): Refusal | undefined {
  const refusal = checkOwner(turn, account);
  if (refusal !== undefined) return refusal;
  const owner = turn.state.owners.of(account)!;
  const passkey = owner.passkeys.get(credentialId);
  if (passkey === undefined) return { code: 'passkey_not_found' };
  if (passkey.kind === 'setup_key') return undefined;
  return owner.hasOtherPasskey(credentialId, relyingPartyId) ? undefined : { code: 'last_passkey' };
}

export function commitRemoval(turn: Turn, { account, credentialId }: RemovePasskey): void {
  emitOfOwner(turn, { type: 'PasskeyRemoved', account, credentialId });
}
