/** An owner with a passkey in software, and the commands with which it registers an account that may trade. */
import { randomBytes } from 'node:crypto';
import type { SignIn } from '#identity/sessions.ts';
import { identityDigestOf } from '#identity/sign-in/identity.ts';
import { coseKey, encodeCbor, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';

interface Site {
  readonly origin: string;
  readonly rpId: string;
}

/** The site of venues in tests. */
export const SITE: Site = { origin: 'http://localhost:8080', rpId: 'localhost' };

/** Its identity is one of the local provider. */
export interface SoftwareOwner {
  readonly local: { readonly name: string; readonly passphrase: string };
  readonly authenticator: SoftwareAuthenticator;
}

type Operate = <Type extends VenueEvent['type']>(command: Command, type: Type) => Promise<Extract<VenueEvent, { type: Type }>>;

export function softwareOwner(): SoftwareOwner {
  const name = `owner-${randomBytes(6).toString('hex')}`;
  return { local: { name, passphrase: 'correct horse' }, authenticator: new SoftwareAuthenticator() };
}

/** How its session was made. */
export function signInOf(owner: SoftwareOwner, by: SignIn['by']): SignIn {
  if (by === 'passkey') return { by, credentialId: owner.authenticator.credentialId.toString('base64url') };
  return { by, provider: 'local', identityDigest: digestOf(owner) };
}

function digestOf({ local: { name, passphrase } }: SoftwareOwner): string {
  return identityDigestOf('local', '', JSON.stringify([name, passphrase]));
}

/** A passkey as the journal has it, made on a site. */
export function storedPasskey({ credentialId, kind, publicKey }: SoftwareAuthenticator, { origin, rpId }: Site = SITE) {
  return {
    credentialId: credentialId.toString('base64url'),
    kind: 'passkey',
    publicKey: encodeCbor(coseKey(kind, publicKey)).toString('base64url'),
    signatureCount: 0,
    name: 'laptop',
    relyingPartyId: rpId,
    origin,
  } as const;
}

/** Registers an account without a party. */
export async function registerOwned(operate: Operate, owner: SoftwareOwner): Promise<AccountOrdinal> {
  const { authenticator } = owner;
  const { account } = await operate(
    {
      type: 'RegisterOwner',
      identityDigest: digestOf(owner),
      provider: 'local',
      label: 'bot',
      referralCode: '',
      digestSeed: 7,
      passkey: storedPasskey(authenticator),
    },
    'OwnerRegistered',
  );
  return account;
}

/** Registers an account with an active party. */
export async function openOwned(operate: Operate, owner: SoftwareOwner): Promise<AccountOrdinal> {
  const account = await registerOwned(operate, owner);
  await operate({ type: 'StartParty', account, ledgerKey: randomBytes(16).toString('hex') }, 'PartyChanged');
  // A venue with a ledger may have allocated one first.
  await operate({ type: 'AllocateParty', account, partyId: `party::${account}` }, 'PartyChanged').catch(() => undefined);
  await operate({ type: 'ActivateParty', account }, 'PartyChanged');
  return account;
}
