/**
 * The steps of an owner with the external ledger, in the order in which one owner takes them, and the statuses that the interface
 * shows. Each step leads from one status to the next.
 */

import type { VenueResponse } from '#http/testing/driven-venue.ts';
import type { TestOwner } from '#http/testing/test-owner.ts';
import { OFFER_LIFETIME_MS } from '#settlement/coordinator/pass-ports.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import type { Ledger } from '#settlement/port/ledger.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';

/** What a step uses of the venue that the fault strikes. */
export interface StepPorts {
  /** With a session. */
  readonly owner: TestOwner;
  /** The external ledger, without the connection that fails. */
  readonly onLedger: (command: LedgerCommand) => Promise<void>;
  readonly retire: (account: AccountOrdinal) => Promise<void>;
  /** Lets so much time pass. */
  readonly pass: (ms: number) => Promise<void>;
  /** Found in earlier steps. */
  readonly ids: { deposit: string; withdrawal: string };
}

type Body = VenueResponse['body'];
/** Statuses as they are shown, each with what it is the status of. */
export type ShownStatuses = readonly string[];

export interface Step {
  readonly name: string;
  /** The call of the ledger that faults of one call strike; by default every submission. */
  readonly strikes?: { readonly method: keyof Ledger; readonly step?: LedgerCommand['step'] };
  /** Before the fault. What it returns is for the act. */
  readonly prepare?: (ports: StepPorts) => Promise<Body>;
  /** Returns what its response shows. */
  readonly act: (ports: StepPorts, prepared: Body) => Promise<ShownStatuses>;
  /** Reads what is shown: waits for nothing that the act has not caused. */
  readonly read: (ports: StepPorts) => Promise<ShownStatuses>;
  /** Requests what is due, as a client does until the flow goes on. */
  readonly request: (ports: StepPorts) => Promise<ShownStatuses>;
}

const of = ({ accountId }: TestOwner) => ({ accountId });
const statusOf = ({ status, body }: VenueResponse, shown: (body: Body) => ShownStatuses): ShownStatuses =>
  status < 300 ? shown(body) : [`refused ${body.code}`];

const onboarding = async ({ owner }: StepPorts): Promise<ShownStatuses> =>
  statusOf(await owner.call('startParty', { params: of(owner) }), ({ status }) => [`onboarding ${status}`]);
const party = async ({ owner }: StepPorts): Promise<ShownStatuses> => {
  const { status, setup } = await owner.body('getParty');
  return [`party ${status}`, `setup ${setup}`];
};

const consentShown = ({ consentState, failure }: Body): ShownStatuses => [
  `consent ${consentState}`,
  ...(failure === null ? [] : [`consent failure ${failure.reason}`]),
];
const consent = async ({ owner }: StepPorts, approval?: object): Promise<ShownStatuses> =>
  statusOf(
    await owner.call('consentParty', { params: of(owner), body: approval === undefined ? {} : { approval } }),
    consentShown,
  );
const account = async (ports: StepPorts): Promise<ShownStatuses> => [
  `account consent ${(await ports.owner.body('getAccount')).consentState}`,
  ...(await party(ports)),
];

const wallet = async ({ owner }: StepPorts, approval?: object): Promise<ShownStatuses> =>
  statusOf(
    await owner.call('createSigningWallet', { params: of(owner), body: approval === undefined ? {} : { approval } }),
    ({ status }) => [`wallet ${status}`],
  );

const intents = async ({ owner }: StepPorts): Promise<ShownStatuses> =>
  (await owner.body('listFundingIntents')).fundingIntents.map(({ status }: Body) => `intent ${status}`);
const transfers = async ({ owner }: StepPorts, id: string): Promise<ShownStatuses> => {
  const { body } = await owner.call('listTransfers', { params: of(owner) });
  return body.transfers
    .filter((it: Body) => it.depositId === id || it.transferId === id)
    .map((it: Body) => `transfer ${it.kind} ${it.status}`);
};

const depositShown = ({ status, signingStep, deposit }: Body): ShownStatuses => [
  `deposit ${deposit.status}`,
  ...(status === 'approval_required' ? [`deposit approval_required ${signingStep}`] : []),
];
const prepareDeposit = async ({ owner, ids }: StepPorts): Promise<ShownStatuses> => {
  const { fundingIntentId } = await owner.body('claimFaucetGrant');
  return statusOf(await owner.call('prepareDeposit', { params: of(owner), body: { fundingIntentId } }), (body) => {
    ids.deposit = body.depositId;
    return [`deposit ${body.status}`];
  });
};
const deposit: Pick<Step, 'read' | 'request'> = {
  read: async (ports) => [...(await intents(ports)), ...(await transfers(ports, ports.ids.deposit))],
  request: async (ports) => {
    const { owner, ids } = ports;
    const body = { action: 'initiate', depositId: ids.deposit };
    const shown = statusOf(await owner.call('confirmDeposit', { params: of(owner), body }), depositShown);
    // A deposit that is bound can be prepared again while transfers are halted: that returns it.
    return shown.includes('refused capability_unavailable') ? [...shown, ...(await prepareDeposit(ports))] : shown;
  },
};
const initiatedDeposit = ({ owner, ids }: StepPorts) => owner.initiateDeposit(ids.deposit);
const completeDeposit = async ({ owner, ids }: StepPorts, { signingStep, challenge }: Body): Promise<ShownStatuses> => {
  const body = { action: 'complete', depositId: ids.deposit, signingStep, ...owner.approval(challenge) };
  return statusOf(await owner.call('confirmDeposit', { params: of(owner), body }), depositShown);
};
const withdrawalShown = ({ status, settled, dueSigningStep }: Body): ShownStatuses => [
  `withdrawal ${settled ? 'settled' : status}`,
  ...(dueSigningStep === null ? [] : [`withdrawal due ${dueSigningStep}`]),
];
const confirmationShown = ({ status, signingStep, withdrawal }: Body): ShownStatuses => [
  ...withdrawalShown(withdrawal),
  ...(status === 'approval_required' ? [`withdrawal approval_required ${signingStep}`] : []),
];
const withdrawal: Pick<Step, 'read' | 'request'> = {
  read: async (ports) => [
    ...statusOf(await ports.owner.withdrawal(ports.ids.withdrawal), withdrawalShown),
    ...(await transfers(ports, ports.ids.withdrawal)),
  ],
  request: async ({ owner, ids }) =>
    statusOf(await owner.confirmWithdrawal(ids.withdrawal, { action: 'initiate' }), confirmationShown),
};
const requestWithdrawal = async ({ owner, ids }: StepPorts): Promise<ShownStatuses> =>
  statusOf(await owner.requestWithdrawal('10'), (body) => {
    ids.withdrawal = body.withdrawalId;
    return withdrawalShown(body);
  });
const initiatedWithdrawal = async ({ owner, ids }: StepPorts) =>
  (await owner.confirmWithdrawal(ids.withdrawal, { action: 'initiate' })).body;
const completeWithdrawal = async ({ owner, ids }: StepPorts, { signingStep, challenge }: Body): Promise<ShownStatuses> => {
  const approval = owner.approval(challenge);
  return statusOf(
    await owner.confirmWithdrawal(ids.withdrawal, { action: 'complete', signingStep, ...approval }),
    confirmationShown,
  );
};

const A_MOMENT_MS = 10_000;
const A_DAY_MS = OFFER_LIFETIME_MS + 60_000;

const submits = (step: LedgerCommand['step']) => ({ method: 'submit', step }) as const;
/** A withdrawal whose consent is due. */
const untilConsent = async (ports: StepPorts): Promise<void> => {
  await requestWithdrawal(ports);
  await ports.pass(A_MOMENT_MS);
  await ports.owner.authorize(ports.ids.withdrawal);
};
const setPackage = (commandId: string, isAvailable: boolean) =>
  ({ step: 'package_availability', commandId, isAvailable }) as const;

const setup: readonly Step[] = [
  { name: 'register', act: party, read: party, request: party },
  { name: 'allocate the party', strikes: submits('party_allocation'), act: onboarding, read: party, request: onboarding },
  {
    name: 'activate the party',
    prepare: ({ owner }) => owner.body('startParty'),
    act: async ({ owner }, { challenge }) =>
      statusOf(await owner.call('completeParty', { params: of(owner), body: owner.approval(challenge) }), ({ status }) => [
        `onboarding ${status}`,
      ]),
    read: party,
    request: onboarding,
  },
  {
    name: 'show the signing wallet',
    act: (ports) => wallet(ports),
    read: party,
    request: (ports) => wallet(ports),
  },
  {
    name: 'create the signing wallet',
    prepare: ({ owner }) => owner.body('createSigningWallet', {}),
    act: (ports, { challenge }) => wallet(ports, ports.owner.approval(challenge)),
    read: party,
    request: (ports) => wallet(ports),
  },
  { name: 'show the consent', act: (ports) => consent(ports), read: account, request: (ports) => consent(ports) },
  {
    name: 'consent without the package',
    strikes: submits('party_consent'),
    prepare: async ({ owner, onLedger }) => {
      await onLedger(setPackage('removed', false));
      return owner.body('consentParty', {});
    },
    act: (ports, { challenge }) => consent(ports, ports.owner.approval(challenge)),
    read: account,
    request: (ports) => consent(ports),
  },
  {
    name: 'consent',
    strikes: submits('party_consent'),
    prepare: async ({ owner, onLedger }) => {
      await onLedger(setPackage('added', true));
      return owner.body('consentParty', {});
    },
    act: (ports, { challenge }) => consent(ports, ports.owner.approval(challenge)),
    read: account,
    request: (ports) => consent(ports),
  },
  {
    name: 'revoke the consent on the ledger',
    strikes: { method: 'consent' },
    act: async (ports) => {
      const { partyId } = await ports.owner.body('getParty');
      await ports.onLedger({ step: 'party_consent_revocation', commandId: 'revoked', partyId });
      return consent(ports);
    },
    read: account,
    request: (ports) => consent(ports),
  },
  {
    name: 'consent again',
    strikes: submits('party_consent'),
    prepare: ({ owner }) => owner.body('consentParty', {}),
    act: (ports, { challenge }) => consent(ports, ports.owner.approval(challenge)),
    read: account,
    request: (ports) => consent(ports),
  },
];

const claim = async ({ owner }: StepPorts): Promise<ShownStatuses> =>
  statusOf(await owner.call('claimFaucetGrant', { params: of(owner) }), ({ status }) => [`intent ${status}`]);

const money: readonly Step[] = [
  { name: 'claim the grant of the faucet', act: claim, read: intents, request: claim },
  { name: 'prepare the deposit', strikes: submits('treasury_offer'), act: prepareDeposit, ...deposit },
  {
    name: 'accept the offer of the deposit',
    strikes: submits('owner_offer_acceptance'),
    prepare: initiatedDeposit,
    act: completeDeposit,
    ...deposit,
  },
  {
    name: 'transfer the deposit to the venue',
    strikes: submits('owner_account_acceptance'),
    prepare: initiatedDeposit,
    act: completeDeposit,
    ...deposit,
  },
  { name: 'request the withdrawal', strikes: { method: 'balance' }, act: requestWithdrawal, ...withdrawal },
  {
    name: 'authorize the withdrawal',
    act: async ({ owner, ids }) => statusOf(await owner.authorize(ids.withdrawal), withdrawalShown),
    ...withdrawal,
  },
  {
    name: 'consent to the withdrawal',
    strikes: submits('owner_withdrawal_consent'),
    prepare: initiatedWithdrawal,
    act: completeWithdrawal,
    ...withdrawal,
  },
  {
    name: 'accept the payout',
    strikes: submits('owner_offer_acceptance'),
    prepare: initiatedWithdrawal,
    act: completeWithdrawal,
    ...withdrawal,
  },
  {
    name: 'offer the payout',
    strikes: submits('payout_offer'),
    prepare: async (ports) => {
      await untilConsent(ports);
      return initiatedWithdrawal(ports);
    },
    act: completeWithdrawal,
    ...withdrawal,
  },
  {
    name: 'let the payout offer expire',
    strikes: submits('offer_withdrawal'),
    act: async (ports) => {
      await ports.pass(A_DAY_MS);
      return withdrawal.read(ports);
    },
    ...withdrawal,
  },
];

/** Without the fault. */
const untilOffer = async (ports: StepPorts): Promise<void> => {
  const { owner, pass } = ports;
  await owner.body('startParty');
  await pass(A_MOMENT_MS);
  await owner.activate();
  await prepareDeposit(ports);
  await pass(A_MOMENT_MS);
};

/** The steps of three owners. */
export const WALKS: readonly (readonly Step[])[] = [
  [...setup, ...money],
  [
    {
      name: 'let the offer of the deposit expire',
      strikes: submits('offer_withdrawal'),
      prepare: untilOffer,
      act: async (ports) => {
        await ports.pass(A_DAY_MS);
        return deposit.read(ports);
      },
      ...deposit,
    },
  ],
  [
    {
      name: 'retire the account before its deposit',
      prepare: async ({ owner }) => owner.body('claimFaucetGrant'),
      act: async ({ owner, retire }) => {
        await retire(parseAccountId(owner.accountId)!);
        return [];
      },
      read: intents,
      request: intents,
    },
  ],
];

export const STEP_NAMES: readonly string[] = WALKS.flat().map(({ name }) => name);
