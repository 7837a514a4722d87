/** The steps of sign-in, passkeys, setup and device grants that an owner approves by a signature. */
import { expect } from 'vitest';
import type { OperationId } from '#contract/operations.ts';
import { SITE, storedPasskey } from '#http/testing/software-owner.ts';
import { SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { SoftwareSetupKey } from '#identity/webauthn/testing/software-setup-key.ts';
import { eventually } from '#time/testing/eventually.ts';
import { agentFunding } from './agent-steps.ts';
import { type ApprovedStep, type Due, dueOf, type PreparedStep } from './approved-step.ts';
import type { ApprovingOwner } from './approving-owner.ts';
import { APPROVED_MONEY_STEPS } from './money-steps.ts';

/** Sends an approval to an operation under the account, in its field `approval` or as the body itself. */
function completion({ venue, owner }: ApprovingOwner, id: OperationId, bodyOf: (approval: object) => object): Due['complete'] {
  return (approval, by = owner.bot) =>
    venue.call(id, { bot: by, params: { accountId: owner.accountId }, body: bodyOf(approval) });
}

/** An operation under the account that returns its challenge if it gets no approval. */
function preparedBy(approver: ApprovingOwner, id: OperationId, request: object = {}): PreparedStep {
  const complete = completion(approver, id, (approval) => ({ ...request, approval }));
  return { approver, due: async () => dueOf(await approver.owner.body(id, request), complete) };
}

const passkeysOf = async ({ approver: { owner } }: PreparedStep): Promise<readonly { readonly kind: string }[]> =>
  (await owner.body('listPasskeys')).passkeys;

const login: ApprovedStep = {
  operation: 'completePasskeyLogin',
  name: 'a sign-in',
  signers: 'passkey',
  onOtherChallenge: 'refusal',
  prepare: async (approver) => ({
    approver,
    due: async () => {
      const { body } = await approver.venue.call('startPasskeyLogin', { body: {} });
      return dueOf(body, (approval) => approver.venue.call('completePasskeyLogin', { body: approval }));
    },
  }),
  others: {},
  commands: ['RecordPasskeyUse'],
  ledgerSteps: [],
  isCarriedOut: ({ status }) => status === 200,
  verify: async () => {},
  repeated: { code: 'challenge_rejected' },
};

async function newCredential(approver: ApprovingOwner, id: 'addPasskey' | 'setUpKey', added: (challenge: string) => object) {
  const { creation } = await approver.owner.body(id, { action: 'initiate' });
  const credential = added(creation.challenge);
  const { challengeIdentifier } = creation;
  const approving = await approver.owner.body(id, { action: 'approve', challengeIdentifier, ...credential });
  const completing = (as: object = credential) =>
    completion(approver, id, (approval) => ({ action: 'complete', ...as, ...approval }));
  return { due: dueOf(approving, completing()), credential, completing };
}

const newPasskey = (approver: ApprovingOwner) =>
  newCredential(approver, 'addPasskey', (challenge) => ({
    passkeyName: 'phone',
    credential: new SoftwareAuthenticator().register({ challenge, ...SITE }),
  }));

const passkeyAddition: ApprovedStep = {
  operation: 'addPasskey',
  name: 'a further passkey',
  signers: 'passkey',
  onOtherChallenge: 'refusal',
  prepare: async (approver) => ({ approver, due: async () => (await newPasskey(approver)).due }),
  others: {
    'another passkey': async ({ approver }) => {
      const { challenge } = (await newPasskey(approver)).due;
      return { ...(await newPasskey(approver)).due, challenge };
    },
    'the same passkey by another name': async ({ approver }) => {
      const { due, credential, completing } = await newPasskey(approver);
      return { ...due, complete: completing({ ...credential, passkeyName: 'other' }) };
    },
  },
  commands: ['RecordPasskeyUse', 'AddPasskey'],
  ledgerSteps: [],
  isCarriedOut: ({ status }) => status === 200,
  verify: async (prepared, before) => expect(await passkeysOf(prepared)).toHaveLength(before.passkeys.length + 1),
  repeated: { code: 'challenge_rejected' },
};

const newSetupKey = (approver: ApprovingOwner, key = approver.setupKey) =>
  newCredential(approver, 'setUpKey', (challenge) => ({ credential: key.register(challenge) }));

const setupKeyRegistration: ApprovedStep = {
  operation: 'setUpKey',
  name: 'a setup key',
  signers: 'passkey',
  registersSetupKey: true,
  onOtherChallenge: 'refusal',
  prepare: async (approver) => ({ approver, due: async () => (await newSetupKey(approver)).due }),
  others: {
    'another setup key': async ({ approver }) => {
      const { challenge } = (await newSetupKey(approver, new SoftwareSetupKey())).due;
      return { ...(await newSetupKey(approver)).due, challenge };
    },
  },
  commands: ['RecordPasskeyUse', 'AddPasskey'],
  ledgerSteps: [],
  verify: async (prepared) => {
    const keys = (await passkeysOf(prepared)).filter(({ kind }) => kind === 'setup_key');
    expect(keys).toMatchObject([{ passkeyId: prepared.approver.setupKey.credentialId }]);
  },
  // 3.1: it answers complete again, and no second key is added.
  repeated: { action: 'complete', challenge: null },
};

/** The removal of a passkey that was added for it. */
async function removalOf(approver: ApprovingOwner): Promise<PreparedStep> {
  const { venue, owner } = approver;
  const passkey = storedPasskey(new SoftwareAuthenticator());
  await venue.operate({ type: 'AddPasskey', account: owner.bot.account, passkey }, 'PasskeyAdded');
  const params = { accountId: owner.accountId, passkeyId: passkey.credentialId };
  return {
    approver,
    due: async () =>
      dueOf((await owner.call('removePasskey', { params, body: {} })).body, (approval, by = owner.bot) =>
        venue.call('removePasskey', { bot: by, params, body: { approval } }),
      ),
  };
}

const passkeyRemoval: ApprovedStep = {
  operation: 'removePasskey',
  name: 'the removal of a passkey',
  signers: 'passkey',
  onOtherChallenge: 'refusal',
  prepare: removalOf,
  others: {
    'the removal of another passkey': async ({ approver, due }) => {
      const { challenge } = await (await removalOf(approver)).due();
      return { ...(await due()), challenge };
    },
  },
  commands: ['RecordPasskeyUse', 'RemovePasskey'],
  ledgerSteps: [],
  isCarriedOut: ({ body }) => body.status === 'removed',
  verify: async (prepared, before) => expect(await passkeysOf(prepared)).toHaveLength(before.passkeys.length - 1),
  repeated: { code: 'passkey_not_found' },
};

async function grantOf(approver: ApprovingOwner, scopes: readonly string[] = ['read']): Promise<PreparedStep> {
  const started = await approver.venue.call('startDeviceGrant', { body: { label: 'bot', scopes } });
  const { userCode } = started.body;
  return preparedBy(approver, 'decideDeviceGrant', { userCode, decision: 'approve' });
}

const misdirectedGrant =
  (scopes: readonly string[]) =>
  async ({ approver, due }: PreparedStep): Promise<Due> => {
    const { challenge } = await (await grantOf(approver, scopes)).due();
    return { ...(await due()), challenge };
  };

const deviceGrant: ApprovedStep = {
  operation: 'decideDeviceGrant',
  name: 'a device grant',
  signers: 'passkey',
  onOtherChallenge: 'new_challenge',
  prepare: grantOf,
  others: {
    'another grant of the same access': misdirectedGrant(['read']),
    'a grant of other access': misdirectedGrant(['read', 'trade']),
  },
  commands: ['RecordPasskeyUse'],
  ledgerSteps: [],
  isCarriedOut: ({ body }) => body.status === 'approved',
  verify: async () => {},
  repeated: { code: 'device_grant_decided' },
};

const partyActivation: ApprovedStep = {
  operation: 'completeParty',
  name: 'the party',
  signers: 'passkey_or_setup_key',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    const complete = completion(approver, 'completeParty', (approval) => approval);
    await approver.owner.startParty();
    return { approver, due: async () => dueOf(await approver.owner.startParty(), complete) };
  },
  others: {},
  commands: ['RecordPasskeyUse', 'ActivateParty'],
  ledgerSteps: [],
  verify: async ({ approver }) => expect(await approver.owner.body('getParty')).toMatchObject({ status: 'active' }),
  repeated: { status: 'active', challenge: null },
};

const signingWallet: ApprovedStep = {
  operation: 'createSigningWallet',
  name: 'the signing wallet',
  signers: 'passkey_or_setup_key',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    await approver.owner.activate();
    return preparedBy(approver, 'createSigningWallet');
  },
  others: {},
  commands: ['RecordPasskeyUse', 'CreateSigningWallet'],
  ledgerSteps: [],
  verify: async ({ approver: { owner } }) =>
    expect(await owner.body('createSigningWallet', {})).toMatchObject({ status: 'active' }),
  repeated: { status: 'active', challenge: null },
};

const expectConsented = async ({ approver: { owner } }: Pick<PreparedStep, 'approver'>): Promise<void> =>
  expect(await owner.body('getAccount')).toMatchObject({ consentState: 'present' });

/** The setup to its end, also if the ledger takes longer than a request waits for it. */
async function completeSetup(approver: ApprovingOwner): Promise<void> {
  await approver.owner.createWallet();
  await approver.owner.consent();
  await eventually(() => expectConsented({ approver }));
}

const consent: ApprovedStep = {
  operation: 'consentParty',
  name: 'the consent of the party',
  signers: 'passkey_or_setup_key',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    await approver.owner.activate();
    return preparedBy(approver, 'consentParty');
  },
  others: {},
  commands: ['RecordPasskeyUse', 'SubmitPartyConsent'],
  ledgerSteps: ['party_consent'],
  verify: expectConsented,
  repeated: { consentState: 'present', challenge: null },
};

const renewedConsent: ApprovedStep = {
  operation: 'consentParty',
  name: 'the consent after a revocation',
  signers: 'passkey',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    const { venue, owner } = approver;
    const partyId = await owner.activate();
    const { challenge: former } = await owner.body('consentParty', {});
    await completeSetup(approver);
    const revocation = { step: 'party_consent_revocation', commandId: `revocation-${owner.accountId}`, partyId } as const;
    await venue.settlement!.local.submit(revocation);
    await eventually(async () => expect(await owner.body('consentParty', {})).toMatchObject({ consentState: 'revoked' }));
    return { ...preparedBy(approver, 'consentParty'), former };
  },
  others: {
    'the consent that was revoked': async ({ due, former }) => ({ ...(await due()), challenge: former! }),
  },
  commands: ['RecordPasskeyUse', 'SubmitPartyConsent'],
  ledgerSteps: ['party_consent'],
  verify: expectConsented,
  repeated: { consentState: 'present', challenge: null },
};

const setupKeyDeactivation: ApprovedStep = {
  operation: 'consentParty',
  name: 'the end of the setup key',
  signers: 'setup_key',
  onOtherChallenge: 'new_challenge',
  prepare: async (approver) => {
    await approver.owner.activate();
    await completeSetup(approver);
    return preparedBy(approver, 'consentParty');
  },
  others: {},
  commands: ['RemovePasskey'],
  ledgerSteps: [],
  verify: async (prepared) => expect((await passkeysOf(prepared)).map(({ kind }) => kind)).toEqual(['passkey', 'passkey']),
  repeated: { consentState: 'present', challenge: null },
};

export const APPROVED_STEPS: readonly ApprovedStep[] = [
  login,
  passkeyAddition,
  setupKeyRegistration,
  passkeyRemoval,
  deviceGrant,
  partyActivation,
  signingWallet,
  consent,
  renewedConsent,
  setupKeyDeactivation,
  ...APPROVED_MONEY_STEPS,
  agentFunding,
];
