/** The commands that change owners, and the approvals of owners, over the writer and the directory of owners. */
import { randomInt } from 'node:crypto';
import { Refused } from '#contract/refused.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { Approvals, type RecordPasskeyUse } from '#identity/approvals.ts';
import type { OwnerCommands } from '#identity/sign-in/owners.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Submit } from '#writer/port/submit.ts';
import { venueRefusal } from './venue-refusal.ts';

/** Throws {@link Refused} before an owner is prompted for what the venue refuses to a retired account. */
export function demandUnretired(owners: HttpPorts['owners'], account: AccountOrdinal): void {
  if (owners.owner(account)?.isRetired === true) throw new Refused('account_retired');
}

/** Shown to the operator beside the number of the account. The venue knows no name of an owner. */
const OWNER_LABEL = 'owner';

export function ownerCommands(submit: Submit): OwnerCommands {
  return {
    register: async ({ identityDigest, provider, referralCode, passkey }) => {
      const digestSeed = randomInt(2 ** 32);
      const names = { provider, label: OWNER_LABEL, referralCode };
      const events = await carryOut(submit, { type: 'RegisterOwner', identityDigest, ...names, digestSeed, passkey });
      return events.find((event) => event.type === 'OwnerRegistered')!.account;
    },
    addPasskey: async (account, passkey) => void (await carryOut(submit, { type: 'AddPasskey', account, passkey })),
    removePasskey: async (account, credentialId, relyingPartyId) =>
      void (await carryOut(submit, { type: 'RemovePasskey', account, credentialId, relyingPartyId })),
    recordPasskeyUse: recordPasskeyUseBy(submit),
  };
}

/** Approvals by the passkeys and the setup key of an account. */
export function approvalsOf(ports: Pick<HttpPorts, 'challenges' | 'owners' | 'relyingParty' | 'submit'>): Approvals {
  const { challenges, owners, submit } = ports;
  return new Approvals({
    challenges,
    get relyingParty() {
      return ports.relyingParty();
    },
    credentialsOf: (account) => owners.owner(account)?.passkeys ?? [],
    recordPasskeyUse: recordPasskeyUseBy(submit),
  });
}

function recordPasskeyUseBy(submit: Submit): RecordPasskeyUse {
  return async (use) => {
    const refusal = venueRefusal(await submit({ command: { type: 'RecordPasskeyUse', ...use } }));
    if (refusal === undefined) return 'recorded';
    if (refusal.code === 'passkey_counter_invalid' || refusal.code === 'passkey_not_found') return 'refused';
    throw refusal;
  };
}

/** Resolves when the command is durable. Throws what refuses it. */
async function carryOut(submit: Submit, command: Command): Promise<readonly VenueEvent[]> {
  const record = await submit({ command });
  const refusal = venueRefusal(record);
  if (refusal !== undefined) throw refusal;
  return record.events;
}
