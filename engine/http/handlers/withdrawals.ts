/** Handlers for withdrawals of owners. What is due is read in this thread; what the client sees is read from the projection. */
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import { Refused } from '#contract/refused.ts';
import type { SigningApproval } from '#contract/signing.ts';
import {
  MIN_WITHDRAWAL,
  type WithdrawalConfirmation,
  type WithdrawalResource,
  type withdrawalOperations,
} from '#contract/withdrawals.ts';
import { ownAccount } from '#http/access/access.ts';
import type { StartLedgerStep } from '#http/access/ledger-step-charge.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { ApprovalRequest } from '#identity/approvals.ts';
import type { Principal } from '#identity/directory.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { WithdrawalStep, WithdrawalView } from '#reads/owner-money.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import { newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { approvedBytes, isOfferExpired, withdrawalCommand } from '#settlement/coordinator/ledger-steps.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { parseWithdrawalId, renderAccountId, renderWithdrawalId, type WithdrawalOrdinal } from '#units/ids.ts';
import { type EpochMs, type QuoteAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import { NO_OFFER } from '#venue/command.ts';
import type { Idempotency, Outcome } from '#writer/port/submit.ts';
import { readAccepted } from './accepted-command.ts';
import { idempotencyOf, type KeyedCall } from './idempotency.ts';
import { dueChallenge, isApproved } from './owner-approval.ts';
import { approvalsOf } from './owner-commands.ts';
import { demandLedger, demandMovable } from './settlement-gate.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

const MINIMUM = atomsOf(MIN_WITHDRAWAL);

interface OwnCall {
  readonly params: { readonly withdrawalId: string };
  readonly principal: Principal;
  readonly reads: RenderedReads;
}

interface StartingCall extends OwnCall {
  readonly startLedgerStep: StartLedgerStep;
}

interface SignedStep {
  readonly step: WithdrawalStep;
  readonly approval: SigningApproval;
  readonly idempotency: Idempotency;
}

export function withdrawalHandlers(ports: HttpPorts): Pick<Handlers, keyof typeof withdrawalOperations> {
  const { submit, findOutcome, directory, owners, clock } = ports;
  const approvals = approvalsOf(ports);
  const resourceOf = async (call: OwnCall) => withoutExpiredStep(await recordedResource(call), clock.now());

  /** Throws {@link Refused} with the status that the withdrawal has if it has changed meanwhile. */
  const demandCarriedOut = async (outcome: Outcome, call: OwnCall): Promise<void> => {
    const refusal = venueRefusal(outcome);
    if (refusal === undefined) return;
    throw refusal.code === 'withdrawal_state_conflict' ? stateConflict(await resourceOf(call)) : withDetails(refusal);
  };

  /** Submits the step if it is due and its owner has signed it; `undefined` if nothing is submitted. */
  const submitSigned = async (
    call: StartingCall,
    it: WithdrawalView | undefined,
    { step, approval, idempotency }: SignedStep,
  ): Promise<Outcome | undefined> => {
    if (it?.step !== step || !isAuthorized(it) || isOfferExpired(it, clock.now())) throw stateConflict(await resourceOf(call));
    if (it.isSubmitted) return undefined;
    const { withdrawal, attempt } = it;
    const request = stepApproval(owners, it, step);
    const command = { type: 'SubmitWithdrawalStep', withdrawal, step, attempt, offerExpiresAtEpochMs: NO_OFFER } as const;
    return call.startLedgerStep(async () =>
      (await isApproved(approvals, request, approval)) ? submit({ command, idempotency }) : undefined,
    );
  };

  /** What is due now, with a challenge if the owner signs it. */
  const confirmation = async (call: OwnCall, it: WithdrawalView | undefined): Promise<WithdrawalConfirmation> => {
    const resource = await readAccepted(resourceOf(call));
    const { withdrawalId, accountId, amountAtoms, status, dueSigningStep, payoutOfferExpiresAtEpochMs, settled } = resource;
    const isDue = it !== undefined && dueSigningStep !== null && it.step === dueSigningStep && !it.isSubmitted;
    const challenge = isDue ? await dueChallenge(approvals, stepApproval(owners, it, dueSigningStep)) : null;
    return {
      version: 'local-signing/v2',
      status: challenge !== null || status === 'authorized' ? 'approval_required' : status,
      signingStep: dueSigningStep,
      challenge,
      withdrawal: {
        version: 'local-signing/v2',
        withdrawalId,
        accountId,
        asset: SETTLEMENT_ASSET,
        amountAtoms,
        status,
        dueSigningStep,
        payoutOfferExpiresAtEpochMs,
        settled,
      },
    };
  };

  return {
    requestWithdrawal: async (call) => {
      const { body, principal, idempotencyKey } = call;
      const { destination } = body;
      const account = ownAccount(principal, body.accountId);
      const amountAtoms = atomsOf(body.amount);
      if (ports.settlement === undefined) {
        demandMovable(directory, 'withdrawals');
        demandLedger(ports);
      }
      const command = {
        type: 'RequestWithdrawal',
        account,
        amountAtoms,
        destination,
        ledgerKey: newLedgerKey(owners.owner(account)?.party.ledgerKey),
        idempotencyKey,
        minimumAtoms: MINIMUM,
      } as const;
      const idempotency = idempotencyOf(account, 'requestWithdrawal', call);
      const record = (await findOutcome(idempotency)) ?? (await call.startLedgerStep(() => submit({ command, idempotency })));
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw withDetails(refusal);
      const requested = record.events.find((event) => event.type === 'WithdrawalRequested');
      if (requested === undefined) throw new Error(`record ${record.sequence} neither took nor refused its withdrawal`);
      return {
        body: {
          version: 'external-withdrawal/v1',
          withdrawalId: renderWithdrawalId(requested.withdrawal),
          accountId: renderAccountId(account),
          asset: SETTLEMENT_ASSET,
          amount: renderDecimal(amountAtoms, SETTLEMENT_DECIMALS),
          status: 'requested',
          lastSequence: record.sequence,
          idempotencyKey,
          amountAtoms: String(amountAtoms),
          settled: false,
          dueSigningStep: null,
          payoutOfferExpiresAtEpochMs: null,
          reason: null,
        },
        headers: record.replayed ? REPLAYED : {},
      };
    },

    getWithdrawal: async (call) => ({ body: await resourceOf(call) }),

    authorizeWithdrawal: async (call) => {
      const { account } = call.principal;
      const before = await resourceOf(call);
      if (before.status === 'authorized' || before.status === 'submitted') return { body: before };
      demandMovable(directory, 'withdrawals');
      const settlement = demandLedger(ports);
      const withdrawal = ordinalOf(call);
      if (before.status === 'requested') await settlement.withdrawalSettled(withdrawal);
      if (owners.withdrawal(withdrawal)?.status !== 'reserved') throw stateConflict(await resourceOf(call));
      await demandCarriedOut(await submit({ command: { type: 'AuthorizeWithdrawal', account, withdrawal } }), call);
      return { body: await readAccepted(resourceOf(call)) };
    },

    confirmWithdrawal: async (call) => {
      const { params, body } = call;
      if (body.withdrawalId !== params.withdrawalId)
        throw new Refused('invalid_request', 'The field withdrawalId must be the withdrawalId of the path.');
      // Refuses an unknown withdrawal, and that of another account.
      await resourceOf(call);
      const withdrawal = ordinalOf(call);
      const it = owners.withdrawal(withdrawal);
      if (it !== undefined) demandMovable(directory, 'withdrawals');
      const settlement = demandLedger(ports);
      const { signingStep: step, challengeIdentifier, firstFactor } = body;
      if (body.action === 'complete' && step !== undefined && challengeIdentifier !== undefined && firstFactor !== undefined) {
        const idempotency = confirmationOf(call, challengeIdentifier);
        const signed = { step, approval: { challengeIdentifier, firstFactor }, idempotency };
        const outcome = (await findOutcome(idempotency)) ?? (await submitSigned(call, it, signed));
        if (outcome !== undefined) await demandCarriedOut(outcome, call);
      }
      if (it !== undefined) await settlement.withdrawalSettled(withdrawal);
      return { body: await confirmation(call, owners.withdrawal(withdrawal)) };
    },
  };
}

/** A malformed id matches no withdrawal, and another account's is not shown. Rejects with {@link Refused} `withdrawal_not_found`. */
async function recordedResource({ params, principal, reads }: OwnCall): Promise<WithdrawalResource> {
  const withdrawal = parseWithdrawalId(params.withdrawalId);
  const found = withdrawal === undefined ? undefined : await reads.withdrawal(principal.account, withdrawal);
  if (found === undefined) throw new Refused('withdrawal_not_found');
  return parseRendered(found);
}

/** The acceptance of an expired offer is due in the journal until the ledger responds and the venue withdraws the offer. */
function withoutExpiredStep(resource: WithdrawalResource, now: EpochMs): WithdrawalResource {
  const { dueSigningStep, payoutOfferExpiresAtEpochMs } = resource;
  const isExpired = dueSigningStep === 'owner_offer_acceptance' && now >= payoutOfferExpiresAtEpochMs!;
  return isExpired ? { ...resource, dueSigningStep: null } : resource;
}

function ordinalOf({ params }: OwnCall): WithdrawalOrdinal {
  return parseWithdrawalId(params.withdrawalId)!;
}

/** The challenge is part of the key, so that the client may use its key again for the next step. */
function confirmationOf(call: KeyedCall & OwnCall, challengeIdentifier: string): Idempotency {
  const { principal, idempotencyKey } = call;
  const keyed = { ...call, idempotencyKey: `${idempotencyKey}\n${challengeIdentifier}` };
  return idempotencyOf(principal.account, 'confirmWithdrawal', keyed);
}

function isAuthorized({ status }: WithdrawalView): boolean {
  return status === 'authorized' || status === 'submitted';
}

function stepApproval(owners: OwnerDirectory, it: WithdrawalView, step: WithdrawalStep): ApprovalRequest {
  const command = approvedBytes(owners.ledger()!, withdrawalCommand(it, step));
  return { account: it.account, operation: `withdrawal/${step}`, command, signers: 'passkey' };
}

/** Throws {@link Refused} if the amount is not a whole number of atoms. */
function atomsOf(amount: string): QuoteAtoms {
  const parsed = parseDecimal(amount, SETTLEMENT_DECIMALS);
  if ('atoms' in parsed) return quoteAtoms(parsed.atoms);
  const message = `The amount is ${amount}; it must have at most ${SETTLEMENT_DECIMALS} decimals, and be no more than the account has.`;
  throw new Refused('amount_out_of_bounds', message, { rejectionGuard: 'amount_atoms_invalid' });
}

const TOO_SMALL =
  `A withdrawal must be of ${MIN_WITHDRAWAL} USD.E or more. With less, withdraw all cash of the account: cancel open orders that ` +
  'reserve some of it.';

function withDetails(refusal: Refused): Refused {
  const { code, message, details } = refusal;
  switch (code) {
    case 'amount_out_of_bounds':
      return new Refused(code, TOO_SMALL, { ...details, rejectionGuard: 'amount_atoms_invalid' });
    case 'venue_halted':
      return new Refused(code, message, { ...details, agentRefusal: 'venue_halted' });
    case 'capability_unavailable':
      return new Refused(code, message, { ...details, agentRefusal: 'account_transfer_unavailable' });
    default:
      return refusal;
  }
}

function stateConflict({ status }: WithdrawalResource): Refused {
  const message = `The withdrawal is ${status}, so that this is not possible now. Read it to see what is due.`;
  return new Refused('withdrawal_state_conflict', message, { withdrawalFailure: status });
}
