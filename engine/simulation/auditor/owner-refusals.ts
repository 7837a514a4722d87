/** Whether the refusal of a command of owners, their passkeys and their parties is possible, as far as the events show. */
import type { Command } from '#venue/command.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import type { AuditedOwners } from './owners.ts';

type OwnerRefusal = Extract<
  RefusalCode,
  | 'owner_not_found'
  | 'identity_registered'
  | 'passkey_exists'
  | 'passkey_not_found'
  | 'passkey_counter_invalid'
  | 'last_passkey'
  | 'setup_key_active'
  | 'setup_complete'
  | 'party_state_conflict'
  | 'party_exists'
  | 'wallet_exists'
>;

/** The status of the party that each command needs. */
const PARTY_STATUS_OF: Readonly<Partial<Record<Command['type'], string>>> = {
  StartParty: 'absent',
  AllocateParty: 'allocating',
  ActivateParty: 'allocated',
  CreateSigningWallet: 'active',
  SubmitPartyConsent: 'active',
};

export function ownerRefusalIsPossible(owners: AuditedOwners, code: OwnerRefusal, command: Command): boolean {
  const account = 'account' in command ? command.account : 0;
  const named = 'credentialId' in command ? owners.passkey(account, command.credentialId) : undefined;
  switch (code) {
    case 'owner_not_found':
      return !owners.has(account);
    case 'identity_registered':
      return command.type === 'RegisterOwner' && owners.hasIdentity(command.identityDigest);
    case 'passkey_exists':
      return 'passkey' in command && owners.hasCredential(command.passkey.credentialId);
    case 'passkey_not_found':
      return named === undefined || (command.type === 'ApproveAgentFunding' && named.kind !== 'passkey');
    case 'passkey_counter_invalid':
      return command.type === 'RecordPasskeyUse' && named !== undefined && command.signatureCount <= named.signatureCount;
    case 'last_passkey':
      return named?.kind === 'passkey';
    case 'setup_key_active':
      return owners.hasSetupKey(account);
    case 'setup_complete':
      return owners.isSetUp(account);
    case 'party_state_conflict':
      return owners.owner(account)?.party !== PARTY_STATUS_OF[command.type];
    case 'party_exists':
      return command.type === 'AllocateParty' && owners.hasParty(command.partyId);
    case 'wallet_exists':
      return owners.owner(account)?.walletId !== '';
    default:
      return code satisfies never;
  }
}
