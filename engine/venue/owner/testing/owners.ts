/** Commands of owners with valid fields, for tests. */
import type { Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Command, PasskeyRecord, RegisterOwner } from '#venue/command.ts';
import type { Owner } from '#venue/owner/owner.ts';

/** The steps of a whole setup, in order. */
export const SETUP_STEPS = ['start', 'allocate', 'activate', 'wallet', 'submit', 'present'] as const;
export type SetupStep = (typeof SETUP_STEPS)[number];

export function passkey(credentialId: string, changes: Partial<PasskeyRecord> = {}): PasskeyRecord {
  const site = { relyingPartyId: 'localhost', origin: 'http://localhost:8080' };
  return { credentialId, kind: 'passkey', publicKey: 'AAAA', signatureCount: 0, name: 'phone', ...site, ...changes };
}

/** `identity` is any number; each has a digest of its own. */
export function registration(identity: number, changes: Partial<RegisterOwner> = {}): RegisterOwner {
  const identityDigest = identity.toString(16).padStart(64, '0');
  return {
    type: 'RegisterOwner',
    identityDigest,
    provider: 'local',
    label: `owner ${identity}`,
    referralCode: '',
    digestSeed: identity,
    passkey: passkey(`passkey-${identity}`),
    ...changes,
  };
}

export function setupCommand(step: SetupStep, account: AccountOrdinal): Command {
  const commands: Readonly<Record<SetupStep, Command>> = {
    start: { type: 'StartParty', account, ledgerKey: `party-key-${account}` },
    allocate: { type: 'AllocateParty', account, partyId: `owner-party-${account}` },
    activate: { type: 'ActivateParty', account },
    wallet: { type: 'CreateSigningWallet', account, walletId: `wallet-${account}` },
    submit: { type: 'SubmitPartyConsent', account, ledgerKey: `consent-key-${account}`, replacesConsentId: '' },
    present: { type: 'RecordPartyConsent', account, consent: 'present', consentId: `consent-${account}`, reason: '' },
  };
  return commands[step];
}

/** Registers an owner and takes the steps of its setup up to `last`; none if it is omitted. Returns the new account. */
export function owned(
  scenario: Scenario,
  identity: number,
  last?: SetupStep,
  changes: Partial<RegisterOwner> = {},
): AccountOrdinal {
  scenario.run(registration(identity, changes));
  const account = (scenario.venue.state.accounts.length - 1) as AccountOrdinal;
  const count = last === undefined ? 0 : SETUP_STEPS.indexOf(last) + 1;
  for (const step of SETUP_STEPS.slice(0, count)) scenario.run(setupCommand(step, account));
  return account;
}

export function ownerOf({ venue }: Scenario, account: AccountOrdinal): Owner {
  return venue.state.owners.of(account)!;
}
