/** The steps of deposits and withdrawals that an owner approves by a signature. */
import { expect } from 'vitest';
import type { DEPOSIT_SIGNING_STEPS } from '#contract/deposits.ts';
import type { WITHDRAWAL_SIGNING_STEPS } from '#contract/withdrawals.ts';
import type { VenueResponse } from '#http/testing/driven-venue.ts';
import { eventually } from '#time/testing/eventually.ts';
import { type ApprovedStep, type Due, dueOf, type PreparedStep } from './approved-step.ts';
import type { ApprovingOwner } from './approving-owner.ts';

type DepositStep = (typeof DEPOSIT_SIGNING_STEPS)[number];
type WithdrawalStep = (typeof WITHDRAWAL_SIGNING_STEPS)[number];

/** The deposit of the account, which has one, when this step is due. */
function depositDue(approver: ApprovingOwner, depositId: string, signingStep: DepositStep): Promise<Due> {
  const { venue, owner } = approver;
  const params = { accountId: owner.accountId };
  return eventually(async () => {
    const initiated = await owner.initiateDeposit(depositId);
    if (initiated.signingStep !== signingStep) throw new Error(`${signingStep} is not due: ${initiated.status}`);
    return dueOf(initiated, (approval, by = owner.bot) =>
      venue.call('confirmDeposit', { bot: by, params, body: { action: 'complete', depositId, signingStep, ...approval } }),
    );
  });
}

async function cashIs({ approver }: PreparedStep, cashBalance: string): Promise<void> {
  expect(await approver.owner.body('getAccount')).toMatchObject({ cashBalance });
}

const ofDeposit = {
  operation: 'confirmDeposit',
  signers: 'passkey',
  onOtherChallenge: 'new_challenge',
  commands: ['RecordPasskeyUse', 'SubmitDepositStep'],
} as const;

const depositOffer: ApprovedStep = {
  ...ofDeposit,
  name: 'owner_offer_acceptance',
  prepare: async (approver) => {
    await approver.owner.activate();
    const { depositId } = await approver.owner.prepareDeposit();
    const due = () => depositDue(approver, depositId, 'owner_offer_acceptance');
    await due();
    return { approver, due, itemId: depositId };
  },
  others: {},
  ledgerSteps: ['owner_offer_acceptance'],
  verify: async (prepared) => {
    await depositDue(prepared.approver, prepared.itemId!, 'owner_account_acceptance');
    await cashIs(prepared, '0');
  },
  repeated: { code: 'deposit_state_conflict' },
};

const depositTransfer: ApprovedStep = {
  ...ofDeposit,
  name: 'owner_account_acceptance',
  prepare: async (approver) => {
    const { owner } = approver;
    await owner.activate();
    const { depositId } = await owner.prepareDeposit();
    const { challenge: former } = await depositDue(approver, depositId, 'owner_offer_acceptance');
    const { challenge, complete } = await depositDue(approver, depositId, 'owner_offer_acceptance');
    await complete(owner.approval(challenge));
    const due = () => depositDue(approver, depositId, 'owner_account_acceptance');
    await due();
    return { approver, due, former };
  },
  others: {
    'the offer acceptance of the same deposit': async ({ due, former }) => ({ ...(await due()), challenge: former! }),
  },
  ledgerSteps: ['owner_account_acceptance'],
  verify: (prepared) => cashIs(prepared, '10000'),
  repeated: { code: 'deposit_state_conflict' },
};

function confirm({ venue, owner }: ApprovingOwner, withdrawalId: string, body: object, bot = owner.bot): Promise<VenueResponse> {
  const request = { params: { withdrawalId }, body: { withdrawalId, ...body }, idempotencyKey: owner.key() };
  return venue.call('confirmWithdrawal', { bot, ...request });
}

/** A withdrawal when this step is due. */
function withdrawalDue(approver: ApprovingOwner, withdrawalId: string, signingStep: WithdrawalStep): Promise<Due> {
  return eventually(async () => {
    const { body } = await confirm(approver, withdrawalId, { action: 'initiate' });
    if (body.challenge === null || body.signingStep !== signingStep) throw new Error(`${signingStep} is not due: ${body.status}`);
    return dueOf(body, (approval, by) => confirm(approver, withdrawalId, { action: 'complete', signingStep, ...approval }, by));
  });
}

/** A withdrawal of the amount that the owner has authorized. */
async function authorized({ owner }: ApprovingOwner, amount: string): Promise<string> {
  const { withdrawalId } = (await owner.requestWithdrawal(amount)).body;
  await eventually(async () => expect((await owner.authorize(withdrawalId)).status).toBe(200));
  return withdrawalId;
}

/** A withdrawal whose payout the owner can accept, and an unused challenge of its consent. */
async function offered(approver: ApprovingOwner, amount: string) {
  const withdrawalId = await authorized(approver, amount);
  const { challenge: former } = await withdrawalDue(approver, withdrawalId, 'owner_withdrawal_consent');
  const { challenge, complete } = await withdrawalDue(approver, withdrawalId, 'owner_withdrawal_consent');
  await complete(approver.owner.approval(challenge));
  const due = () => withdrawalDue(approver, withdrawalId, 'owner_offer_acceptance');
  await due();
  return { due, former, itemId: withdrawalId };
}

const ofWithdrawal = {
  operation: 'confirmWithdrawal',
  signers: 'passkey',
  onOtherChallenge: 'new_challenge',
  commands: ['RecordPasskeyUse', 'SubmitWithdrawalStep'],
} as const;

const AMOUNT = '400';

const anotherConsent =
  (amount: string) =>
  async ({ approver, due }: PreparedStep): Promise<Due> => {
    const other = await authorized(approver, amount);
    const { challenge } = await withdrawalDue(approver, other, 'owner_withdrawal_consent');
    return { ...(await due()), challenge };
  };

const withdrawalConsent: ApprovedStep = {
  ...ofWithdrawal,
  name: 'owner_withdrawal_consent',
  prepare: async (approver) => {
    await approver.owner.fund();
    const withdrawalId = await authorized(approver, AMOUNT);
    return { approver, itemId: withdrawalId, due: () => withdrawalDue(approver, withdrawalId, 'owner_withdrawal_consent') };
  },
  others: {
    'a withdrawal of another amount': anotherConsent('4'),
    'another withdrawal of the same amount': anotherConsent(AMOUNT),
  },
  ledgerSteps: ['owner_withdrawal_consent', 'payout_offer'],
  verify: async (prepared, before) => {
    const { status, body } = await prepared.approver.owner.withdrawal(prepared.itemId!);
    expect([status, body.dueSigningStep]).toEqual([200, 'owner_offer_acceptance']);
    await cashIs(prepared, before.cashBalance);
  },
  repeated: { code: 'withdrawal_state_conflict', withdrawalFailure: 'submitted' },
};

const payoutAcceptance: ApprovedStep = {
  ...ofWithdrawal,
  name: 'owner_offer_acceptance',
  prepare: async (approver) => {
    await approver.owner.fund();
    return { approver, ...(await offered(approver, AMOUNT)) };
  },
  others: {
    'the consent of the same withdrawal': async ({ due, former }) => ({ ...(await due()), challenge: former! }),
    'the payout of another withdrawal': async ({ approver, due }) => {
      const { challenge } = await (await offered(approver, AMOUNT)).due();
      return { ...(await due()), challenge };
    },
  },
  ledgerSteps: ['owner_offer_acceptance'],
  verify: async ({ approver: { owner, venue }, itemId }) => {
    expect((await owner.withdrawal(itemId!)).body).toMatchObject({ settled: true });
    const balance = await venue.settlement!.local.balance(await owner.partyId());
    expect(balance).toMatchObject({ availableAtoms: 400_000_000 });
  },
  repeated: { code: 'withdrawal_state_conflict' },
};

export const APPROVED_MONEY_STEPS: readonly ApprovedStep[] = [depositOffer, depositTransfer, withdrawalConsent, payoutAcceptance];
