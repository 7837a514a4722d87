/** Handlers for the faucet, funding intents and deposits. */
import type { DepositConfirmation, depositOperations } from '#contract/deposits.ts';
import { DEPOSIT_SIGNING_STEPS } from '#contract/deposits.ts';
import type { FaucetGrant, faucetOperations } from '#contract/faucet.ts';
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { ApprovalRequest } from '#identity/approvals.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { DepositView, FundingIntentView } from '#reads/owner-money.ts';
import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { approvedBytes, depositCommand, isOfferExpired } from '#settlement/coordinator/ledger-steps.ts';
import {
  type AccountOrdinal,
  type DepositOrdinal,
  parseDepositId,
  parseFundingIntentId,
  renderAccountId,
  renderDepositId,
  renderFundingIntentId,
} from '#units/ids.ts';
import { type EpochMs, quoteAtoms } from '#units/money.ts';
import { NO_OFFER } from '#venue/command.ts';
import type { Outcome } from '#writer/port/submit.ts';
import { depositResource, depositStatus } from './deposit-resource.ts';
import { dueChallenge, isApproved } from './owner-approval.ts';
import { approvalsOf } from './owner-commands.ts';
import { demandLedger, demandMovable } from './settlement-gate.ts';
import { venueRefusal } from './venue-refusal.ts';

type Operations = typeof faucetOperations & typeof depositOperations;

/** 10,000 USD.E. */
export const FAUCET_AMOUNT = quoteAtoms(10_000_000_000);

export function depositHandlers(ports: HttpPorts): Pick<Handlers, keyof Operations> {
  const { submit, directory, owners, environment, clock } = ports;
  const approvals = approvalsOf(ports);

  const resourceOf = (settlement: Coordinator, deposit: DepositOrdinal) =>
    depositResource(settlement, environment, depositOf(owners, deposit));

  /** What is due now, with a challenge if the owner signs it. */
  const confirmation = async (settlement: Coordinator, deposit: DepositOrdinal): Promise<DepositConfirmation> => {
    const it = depositOf(owners, deposit);
    const step = dueSigningStep(it, clock.now());
    const challenge = step === null ? null : await dueChallenge(approvals, stepApproval(owners, it, step));
    return {
      version: 'local-signing/v2',
      status: challenge === null ? depositStatus(settlement, it) : 'approval_required',
      signingStep: step,
      challenge,
      deposit: depositResource(settlement, environment, it),
    };
  };

  return {
    claimFaucetGrant: async ({ params, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const [granted] = owners.fundingIntents(account);
      if (granted !== undefined) return { body: grantOf(account, granted, true) };
      const refusal = venueRefusal(await submit({ command: { type: 'GrantFaucet', account, amountAtoms: FAUCET_AMOUNT } }));
      // Another request of the account was first.
      const isReplayed = refusal?.code === 'faucet_granted';
      if (refusal !== undefined && !isReplayed) throw refusal;
      return { body: grantOf(account, owners.fundingIntents(account)[0]!, isReplayed) };
    },

    listFundingIntents: ({ params, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const fundingIntents = owners.fundingIntents(account).map((it) => ({
        fundingIntentId: renderFundingIntentId(it.intent),
        asset: SETTLEMENT_ASSET as typeof SETTLEMENT_ASSET,
        amountAtoms: String(it.amountAtoms),
        source: it.source,
        status: it.status,
        depositId: it.deposit === undefined ? null : renderDepositId(it.deposit),
        createdAtEpochMs: it.createdAtEpochMs,
      }));
      return { body: { version: 'local-signing/v2' as const, accountId: renderAccountId(account), fundingIntents } };
    },

    prepareDeposit: async ({ params, body, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const isBound = findIntent(owners, account, body.fundingIntentId)?.deposit !== undefined;
      if (!isBound) demandMovable(directory, 'deposits');
      const settlement = demandLedger(ports);
      const intent = intentOf(owners, account, body.fundingIntentId);
      if (intent.deposit === undefined) {
        const ledgerKey = newLedgerKey(owners.owner(account)?.party.ledgerKey);
        const command = { type: 'BindDeposit', account, intent: intent.intent, ledgerKey } as const;
        const refusal = venueRefusal(await submit({ command }));
        if (refusal !== undefined && refusal.code !== 'funding_intent_bound') throw refusal;
      }
      const deposit = intentOf(owners, account, body.fundingIntentId).deposit!;
      await settlement.depositSettled(deposit);
      return { body: resourceOf(settlement, deposit) };
    },

    confirmDeposit: async ({ params, body, principal, startLedgerStep }) => {
      const account = ownAccount(principal, params.accountId);
      const deposit = parseDepositId(body.depositId);
      const found = deposit === undefined ? undefined : owners.deposit(deposit);
      const it = found?.account === account ? found : undefined;
      if (it?.confirmed !== true) demandMovable(directory, 'deposits');
      const settlement = demandLedger(ports);
      if (it === undefined) throw new Refused('deposit_not_found');
      const { signingStep: step, challengeIdentifier, firstFactor } = body;
      if (body.action === 'complete' && step !== undefined && challengeIdentifier !== undefined && firstFactor !== undefined) {
        if (it.step !== step || isOfferExpired(it, clock.now())) throw new Refused('deposit_state_conflict');
        const request = stepApproval(owners, it, step);
        const submitSigned = async () =>
          (await isApproved(approvals, request, { challengeIdentifier, firstFactor })) ? submitStep(it, step) : undefined;
        if (!it.isSubmitted) demandSubmitted(await startLedgerStep(submitSigned));
      }
      await settlement.depositSettled(it.deposit);
      return { body: await confirmation(settlement, it.deposit) };
    },
  };

  function submitStep({ deposit, attempt }: DepositView, step: SigningStep): Promise<Outcome> {
    return submit({ command: { type: 'SubmitDepositStep', deposit, step, attempt, offerExpiresAtEpochMs: NO_OFFER } });
  }
}

/** A conflict means that the offer has expired meanwhile: what is due then is returned. */
function demandSubmitted(outcome: Outcome | undefined): void {
  const refusal = outcome && venueRefusal(outcome);
  if (refusal !== undefined && refusal.code !== 'deposit_state_conflict') throw refusal;
}

type SigningStep = (typeof DEPOSIT_SIGNING_STEPS)[number];

function dueSigningStep(it: DepositView, now: EpochMs): SigningStep | null {
  if (it.isSubmitted || isOfferExpired(it, now)) return null;
  return DEPOSIT_SIGNING_STEPS.find((step) => step === it.step) ?? null;
}

function stepApproval(owners: OwnerDirectory, it: DepositView, step: SigningStep): ApprovalRequest {
  const command = approvedBytes(owners.ledger()!, depositCommand(it, step));
  return { account: it.account, operation: `deposit/${step}`, command, signers: 'passkey' };
}

function depositOf(owners: OwnerDirectory, deposit: DepositOrdinal): DepositView {
  const found = owners.deposit(deposit);
  if (found === undefined) throw new Error(`deposit ${deposit} is gone`);
  return found;
}

function intentOf(owners: OwnerDirectory, account: AccountOrdinal, fundingIntentId: string): FundingIntentView {
  const found = findIntent(owners, account, fundingIntentId);
  if (found === undefined) throw new Refused('funding_intent_not_found');
  return found;
}

function findIntent(owners: OwnerDirectory, account: AccountOrdinal, fundingIntentId: string): FundingIntentView | undefined {
  const intent = parseFundingIntentId(fundingIntentId);
  return owners.fundingIntents(account).find((it) => it.intent === intent);
}

function grantOf(account: AccountOrdinal, { intent, amountAtoms, status }: FundingIntentView, replayed: boolean): FaucetGrant {
  return {
    version: 'faucet-grant/v1',
    accountId: renderAccountId(account),
    asset: SETTLEMENT_ASSET,
    amountAtoms: String(amountAtoms),
    fundingIntentId: renderFundingIntentId(intent),
    status,
    replayed,
  };
}
