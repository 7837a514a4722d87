/**
 * The commands of owners in a test world: they register, manage passkeys, take the steps of their setup, mostly in order, and become
 * affiliates.
 */
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { AllocateParty, Command, PasskeyRecord, RecordPartyConsent, RegisterOwner } from '#venue/command.ts';
import type { Intents } from './intent.ts';
import type { PublicView, SeenOwner } from './public-view.ts';
import type { Scene, Sender } from './sender.ts';
import { ledgerEventFor } from './settlement-intents.ts';

type OwnerCommandType =
  | 'RegisterOwner'
  | 'AddPasskey'
  | 'RecordPasskeyUse'
  | 'RemovePasskey'
  | 'StartParty'
  | 'AllocateParty'
  | 'ActivateParty'
  | 'CreateSigningWallet'
  | 'SubmitPartyConsent'
  | 'RecordPartyConsent'
  | 'RegisterAffiliate'
  | 'SkipKyc';

export const OWNER_INTENTS: Pick<Intents, OwnerCommandType> = {
  RegisterOwner: {
    weights: { onboarding: 1, stranger: 0.1 },
    make: (sender, { view }) => {
      const passkey = newPasskey(sender, view);
      const referralCode = sender.random.chance(0.4) ? referralCodeFor(sender, view) : '';
      const command = registration(sender.newText(), identityNumber(sender, view), passkey, referralCode);
      return sender.random.chance(0.1) ? { ...command, provider: sender.random.pick(['google', 'UNKNOWN']) } : command;
    },
  },
  AddPasskey: {
    weights: { onboarding: 3, stranger: 0.1 },
    make: (sender, { view }) => ({
      type: 'AddPasskey',
      account: accountFor(sender, view),
      passkey: { ...newPasskey(sender, view), kind: sender.random.chance(0.5) ? 'passkey' : 'setup_key' },
    }),
  },
  RecordPasskeyUse: {
    weights: { onboarding: 2, stranger: 0.1 },
    make: (sender, { view }) => {
      const account = accountFor(sender, view);
      const [credentialId, signatureCount] = knownPasskey(sender, view, account);
      return {
        type: 'RecordPasskeyUse',
        account,
        credentialId,
        signatureCount: signatureCount + sender.random.between(0, 3),
      };
    },
  },
  RemovePasskey: {
    weights: { onboarding: 3, stranger: 0.1 },
    make: (sender, scene) => {
      const account = accountDue(sender, scene, ({ passkeys }) => passkeys.size > 1);
      const [credentialId] = knownPasskey(sender, scene.view, account);
      return { type: 'RemovePasskey', account, credentialId, relyingPartyId: RELYING_PARTY };
    },
  },
  StartParty: {
    weights: { onboarding: 3, funder: 3, stranger: 0.1 },
    make: (sender, scene) => ({
      type: 'StartParty',
      account: accountDue(sender, scene, ({ party }) => party === 'absent'),
      ledgerKey: sender.newText(),
    }),
  },
  AllocateParty: {
    weights: { onboarding: 3, funder: 3, stranger: 0.1 },
    make: (sender, scene) => ({
      type: 'AllocateParty',
      account: accountDue(sender, scene, ({ party }) => party === 'allocating'),
      partyId: sender.random.chance(0.1) ? 'party-1' : sender.newText(),
      ...seenEvent(sender),
    }),
  },
  ActivateParty: {
    weights: { onboarding: 3, funder: 3, stranger: 0.1 },
    make: (sender, scene) => ({
      type: 'ActivateParty',
      account: accountDue(sender, scene, ({ party }) => party === 'allocated'),
    }),
  },
  CreateSigningWallet: {
    weights: { onboarding: 2, stranger: 0.1 },
    make: (sender, scene) => ({
      type: 'CreateSigningWallet',
      account: accountDue(sender, scene, ({ party, hasWallet }) => party === 'active' && !hasWallet),
      walletId: sender.newText(),
    }),
  },
  SubmitPartyConsent: {
    weights: { onboarding: 3, funder: 4, stranger: 0.1 },
    make: (sender, scene) => {
      const isDue = ({ party, consent }: SeenOwner) => party === 'active' && (consent === 'absent' || consent === 'revoked');
      const account = accountDue(sender, scene, isDue);
      const known = scene.view.owners.get(account)?.consentId ?? '';
      const replacesConsentId = sender.random.chance(0.9) ? known : sender.newText();
      return { type: 'SubmitPartyConsent', account, ledgerKey: sender.newText(), replacesConsentId };
    },
  },
  RecordPartyConsent: {
    weights: { onboarding: 3, funder: 4, stranger: 0.1 },
    make: (sender, scene) => {
      const { random } = sender;
      const account = accountDue(
        sender,
        scene,
        ({ consent }) => consent === 'submitted' || (consent === 'present' && random.chance(0.3)),
      );
      const owner = scene.view.owners.get(account);
      const recorded = (consent: RecordPartyConsent['consent'], consentId: string, reason: string): RecordPartyConsent => ({
        type: 'RecordPartyConsent',
        account,
        consent,
        consentId,
        reason,
        ...seenEvent(sender),
      });
      if (owner?.consent === 'present') return recorded('revoked', owner.consentId, 'by the owner');
      const consent = random.pick(['present', 'present', 'present', 'absent', 'revoked'] as const);
      if (consent === 'absent') return recorded(consent, '', random.pick(['package_absent', 'rejected']));
      return recorded(consent, sender.newText(), '');
    },
  },
  RegisterAffiliate: {
    weights: { onboarding: 1, stranger: 0.1 },
    make: (sender, { view }) => ({
      type: 'RegisterAffiliate',
      account: accountFor(sender, view),
      referralCode: sender.random.chance(0.1) ? referralCodeFor(sender, view) : sender.newText(),
    }),
  },
  SkipKyc: {
    weights: { onboarding: 1, stranger: 0.1 },
    make: (sender, { view }) => ({ type: 'SkipKyc', account: accountFor(sender, view) }),
  },
};

/** Journals of earlier versions have no event for parties and consents. */
function seenEvent(sender: Sender): Pick<AllocateParty, 'ledgerEvent'> {
  return sender.random.chance(0.7) ? { ledgerEvent: ledgerEventFor(sender) } : {};
}

/** How far the setup of an owner is when its account is opened. */
export type OpenedSetup = 'registered' | 'active' | 'consented';

/** The commands that open an account for an owner and set it up so far. */
export function ownerOpening(
  account: AccountOrdinal,
  label: string,
  setup: OpenedSetup,
  referralCode: string,
): readonly Command[] {
  const passkey = passkeyOf(`opening-${account}`);
  const registered = registration(label, 1_000_000 + account, passkey, referralCode);
  if (setup === 'registered') return [registered];
  const active: readonly Command[] = [
    registered,
    { type: 'StartParty', account, ledgerKey: `key-${account}` },
    { type: 'AllocateParty', account, partyId: `party-${account}` },
    { type: 'ActivateParty', account },
  ];
  if (setup === 'active') return active;
  return [
    ...active,
    { type: 'SubmitPartyConsent', account, ledgerKey: `consent-key-${account}`, replacesConsentId: '' },
    { type: 'RecordPartyConsent', account, consent: 'present', consentId: `consent-${account}`, reason: '' },
  ];
}

function registration(label: string, identity: number, passkey: PasskeyRecord, referralCode: string): RegisterOwner {
  const identityDigest = identity.toString(16).padStart(64, '0');
  return { type: 'RegisterOwner', identityDigest, provider: 'local', label, referralCode, digestSeed: identity, passkey };
}

/** The code of an affiliate; now and then one that no affiliate has, or a malformed one. */
function referralCodeFor({ random }: Sender, { referralCodes }: PublicView): string {
  return referralCodes.length === 0 || random.chance(0.1) ? random.pick(['no-such-code', 'a b']) : random.pick(referralCodes);
}

/** Now and then an identity that has registered already. */
function identityNumber({ random }: Sender, { owners }: PublicView): number {
  return random.chance(0.1) ? 1 : owners.size * 100 + random.between(1, 99);
}

/** Now and then a credential that an account has, or had. */
function newPasskey(sender: Sender, view: PublicView): PasskeyRecord {
  const used = [...view.owners.values()].flatMap(({ credentials }) => credentials);
  return passkeyOf(used.length > 0 && sender.random.chance(0.1) ? sender.random.pick(used) : sender.newText());
}

const RELYING_PARTY = 'localhost';

function passkeyOf(credentialId: string): PasskeyRecord {
  const site = { relyingPartyId: RELYING_PARTY, origin: 'http://localhost:8080' };
  return { credentialId, kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: credentialId, ...site };
}

/** A passkey of the account with its counter; now and then one that the account does not have. */
function knownPasskey({ random }: Sender, { owners }: PublicView, account: number): readonly [string, number] {
  const passkeys = [...(owners.get(account)?.passkeys ?? [])];
  return passkeys.length === 0 || random.chance(0.1) ? ['unknown', 0] : random.pick(passkeys);
}

function accountFor({ tradingStyle, random }: Sender, { owners }: PublicView): AccountOrdinal {
  if (tradingStyle === 'stranger' || owners.size === 0) return random.between(0, 40) as AccountOrdinal;
  return random.pick([...owners.keys()]) as AccountOrdinal;
}

/** An account whose next step it is. Without such an account, and sometimes otherwise, any account. */
function accountDue(sender: Sender, { view }: Scene, isDue: (owner: SeenOwner) => boolean): AccountOrdinal {
  const due = sender.tradingStyle === 'stranger' ? [] : [...view.owners].filter(([, owner]) => isDue(owner));
  return due.length === 0 || sender.random.chance(0.1) ? accountFor(sender, view) : pickAccount(sender.random, due);
}

function pickAccount(random: RandomSource, due: readonly (readonly [number, SeenOwner])[]): AccountOrdinal {
  return random.pick(due)[0] as AccountOrdinal;
}
