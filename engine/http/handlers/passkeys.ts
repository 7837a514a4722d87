/** Handlers of an account's passkeys and of its setup key. */
import type { PasskeyResult, passkeyOperations, SetupKeyResult } from '#contract/passkeys.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { AccountPasskeys } from '#identity/sign-in/account-passkeys.ts';
import { SetupKeys } from '#identity/sign-in/setup-keys.ts';
import { renderAccountId } from '#units/ids.ts';
import { renderIsoTime } from '#units/iso-time.ts';
import { approvalsOf, demandUnretired, ownerCommands } from './owner-commands.ts';

const VERSION = 'account-passkeys/v1';

export function passkeyHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof passkeyOperations> {
  const { challenges, owners, sessions, submit } = ports;
  const services = {
    approvals: approvalsOf(ports),
    challenges,
    sessions,
    owners,
    commands: ownerCommands(submit),
    get relyingParty() {
      return ports.relyingParty();
    },
  };
  const accountPasskeys = new AccountPasskeys(services);
  const setupKeys = new SetupKeys(services);
  return {
    listPasskeys: ({ params, principal }) => {
      const owner = owners.owner(ownAccount(principal, params.accountId));
      const { id: relyingPartyId } = ports.relyingParty();
      const passkeys = (owner?.passkeys ?? []).map((passkey) => ({
        passkeyId: passkey.credentialId,
        name: passkey.name,
        createdAt: renderIsoTime(passkey.createdAtEpochMs),
        relyingPartyId: passkey.relyingPartyId,
        origin: passkey.origin,
        status: passkey.relyingPartyId === relyingPartyId ? ('usable_here' as const) : ('other_relying_party' as const),
        kind: passkey.kind,
      }));
      return { body: { version: VERSION, relyingPartyId, passkeys } };
    },

    addPasskey: async ({ params, body, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const { action, passkeyName, credential, challengeIdentifier, firstFactor } = body;
      if (action !== 'complete') demandUnretired(owners, account);
      const result: PasskeyResult = {
        version: VERSION,
        action,
        accountId: renderAccountId(account),
        creation: null,
        challenge: null,
        passkeyId: null,
      };
      if (action === 'initiate') return { body: { ...result, creation: await accountPasskeys.initiate(account) } };
      // The parser has checked that each action has its fields.
      const added = { passkeyName: passkeyName!, credential: credential! };
      const identifier = challengeIdentifier!;
      if (action === 'approve')
        return { body: { ...result, challenge: await accountPasskeys.approve(account, identifier, added) } };
      await accountPasskeys.complete(account, added, { challengeIdentifier: identifier, firstFactor: firstFactor! });
      return { body: { ...result, passkeyId: added.credential.credId } };
    },

    removePasskey: async ({ params: { accountId, passkeyId }, body: { approval }, principal }) => {
      const account = ownAccount(principal, accountId);
      const removal = { version: VERSION, accountId: renderAccountId(account), passkeyId } as const;
      if (approval === undefined) {
        const challenge = await accountPasskeys.approveRemoval(account, passkeyId);
        return { body: { ...removal, status: 'approval_required', challenge } };
      }
      await accountPasskeys.remove(account, passkeyId, approval);
      return { body: { ...removal, status: 'removed', challenge: null } };
    },

    setUpKey: async ({ params, body, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const { action, credential, challengeIdentifier, firstFactor } = body;
      if (action !== 'complete') demandUnretired(owners, account);
      const result: SetupKeyResult = { version: VERSION, action, creation: null, challenge: null, passkeyId: null };
      if (action === 'initiate') {
        const { challengeIdentifier: identifier, challenge } = await setupKeys.initiate(account);
        return { body: { ...result, creation: { challengeIdentifier: identifier, challenge } } };
      }
      // The parser has checked that each action has its fields.
      const setupKey = credential!;
      const identifier = challengeIdentifier!;
      if (action === 'approve') return { body: { ...result, challenge: await setupKeys.approve(account, identifier, setupKey) } };
      await setupKeys.complete(account, setupKey, { challengeIdentifier: identifier, firstFactor: firstFactor! });
      return { body: { ...result, passkeyId: setupKey.credentialId } };
    },
  };
}
