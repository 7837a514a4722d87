/**
 * Deposits by the external ledger. A step is submitted in the journal before it is submitted to the ledger, and its receipt is recorded
 * once. The record of the last step credits the account, also if the account was retired meanwhile.
 */
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal } from '#units/ids.ts';
import { type EpochMs, plus } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import { postCash } from '#venue/account/cash.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { checkDepositAmount } from './deposit-bound.ts';
import { DEPOSIT_STEPS, type DepositStep, depositStepAfter } from './deposit-steps.ts';
import { isExpiryOf, isReceiptOf, receiptLayout, resultOf, type StepReceipt } from './ledger-steps.ts';
import { emitSettlement } from './settlement-fold.ts';
import { checkLedgerStart, checkParty, checkSettlement } from './settlement-gate.ts';
import type { Deposit } from './settlement-state.ts';

/** Starts the deposit of a funding intent. `ledgerKey` is random, so that no ledger command id is used twice. */
export interface BindDeposit {
  readonly type: 'BindDeposit';
  readonly account: AccountOrdinal;
  readonly intent: FundingIntentOrdinal;
  readonly ledgerKey: string;
}

/** The step that is due will be submitted to the ledger: exactly the attempt that was approved. */
export interface SubmitDepositStep {
  readonly type: 'SubmitDepositStep';
  readonly deposit: DepositOrdinal;
  readonly step: DepositStep;
  readonly attempt: number;
  /** Of an offer; 0 for the other steps. */
  readonly offerExpiresAtEpochMs: EpochMs;
}

/** The ledger's receipt of the submitted step. */
export interface RecordDepositStep extends StepReceipt {
  readonly type: 'RecordDepositStep';
  readonly deposit: DepositOrdinal;
  readonly step: DepositStep;
  readonly attempt: number;
}

/** The offer has expired and its acceptance was not submitted: it will be withdrawn and made again. */
export interface RenewDeposit {
  readonly type: 'RenewDeposit';
  readonly deposit: DepositOrdinal;
}

export type DepositCommand = BindDeposit | SubmitDepositStep | RecordDepositStep | RenewDeposit;

export const DEPOSIT_COMMANDS: CommandRules<DepositCommand> = {
  BindDeposit: {
    plan: planBinding,
    commit: commitBinding,
    layout: {
      tag: 41,
      fields: (io, it) => ({
        type: 'BindDeposit',
        account: io.int(it.account),
        intent: io.int(it.intent),
        ledgerKey: io.text(it.ledgerKey),
      }),
    },
  },
  SubmitDepositStep: {
    plan: planSubmission,
    commit: commitSubmission,
    layout: {
      tag: 42,
      fields: (io, it) => ({
        type: 'SubmitDepositStep',
        deposit: io.int(it.deposit),
        step: io.oneOf(DEPOSIT_STEPS, it.step),
        attempt: io.int(it.attempt),
        offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
      }),
    },
  },
  RecordDepositStep: {
    plan: planRecord,
    commit: commitRecord,
    layout: {
      tag: 43,
      fields: (io, it) => ({
        type: 'RecordDepositStep',
        deposit: io.int(it.deposit),
        step: io.oneOf(DEPOSIT_STEPS, it.step),
        attempt: io.int(it.attempt),
        ...receiptLayout(io, it),
      }),
    },
  },
  RenewDeposit: {
    plan: planRenewal,
    commit: commitRenewal,
    layout: { tag: 44, fields: (io, it) => ({ type: 'RenewDeposit', deposit: io.int(it.deposit) }) },
  },
};

/** A repeated binding is refused with the deposit before the switches are read, because it moves nothing. */
export function planBinding(turn: Turn, { account, intent: ordinal }: BindDeposit): Refusal | undefined {
  const refusal = checkAccount(turn, account) ?? checkParty(turn.state.account(account)!);
  if (refusal !== undefined) return refusal;
  const intent = turn.state.settlement.intents.get(ordinal);
  if (intent?.account !== account) return { code: 'funding_intent_not_found' };
  if (intent.deposit !== 0) return { code: 'funding_intent_bound', bound: intent.deposit };
  return checkSettlement(turn.state.switches, 'deposits') ?? checkDepositAmount(turn.state, intent.amountAtoms);
}

export function commitBinding(turn: Turn, { account, intent, ledgerKey }: BindDeposit): void {
  const { settlement } = turn.state;
  const { amountAtoms } = settlement.intents.get(intent)!;
  const deposit = settlement.nextDeposit();
  const { partyId } = turn.state.account(account)!;
  emitSettlement(turn, { type: 'DepositBound', deposit, intent, account, amountAtoms, ledgerKey, partyId });
}

/** An offer starts the deposit on the ledger. The steps after it end what was started. */
export function planSubmission(turn: Turn, command: SubmitDepositStep): Refusal | undefined {
  const { deposit, step, attempt, offerExpiresAtEpochMs } = command;
  const refusal = checkDeposit(
    turn,
    deposit,
    (it) => it.step === step && it.attempt === attempt && !it.isSubmitted && isExpiryOf(step, offerExpiresAtEpochMs, turn.now),
  );
  return refusal ?? (step === 'treasury_offer' ? checkLedgerStart(turn.state, 'deposits') : undefined);
}

export function commitSubmission(turn: Turn, command: SubmitDepositStep): void {
  const { deposit, step, attempt, offerExpiresAtEpochMs: given } = command;
  const { account, offerExpiresAtEpochMs: before } = turn.state.settlement.deposits.get(deposit)!;
  const offerExpiresAtEpochMs = given === 0 ? before : given;
  emitSettlement(turn, { type: 'DepositStepSubmitted', deposit, account, step, attempt, offerExpiresAtEpochMs });
}

/** A receipt that comes twice, or that belongs to another attempt, is refused: the step is not submitted any more. */
export function planRecord(turn: Turn, command: RecordDepositStep): Refusal | undefined {
  const { deposit, step, attempt } = command;
  return checkDeposit(
    turn,
    deposit,
    (it) => it.step === step && it.isSubmitted && it.attempt === attempt && isReceiptOf(step, command),
  );
}

export function commitRecord(turn: Turn, command: RecordDepositStep): void {
  const { step, attempt } = command;
  const { deposits } = turn.state.settlement;
  const { account, isRenewal } = deposits.get(command.deposit)!;
  const { step: nextStep, isNewAttempt } = depositStepAfter(step, isRenewal, resultOf(step, command));
  const nextAttempt = isNewAttempt ? attempt + 1 : attempt;
  emitSettlement(turn, { ...command, type: 'DepositStepRecorded', account, nextStep, nextAttempt });
  if (nextStep === 'none') confirm(turn, deposits.get(command.deposit)!);
}

function confirm(turn: Turn, { deposit, intent, account, amountAtoms, ledgerEventId }: Deposit): void {
  emitSettlement(turn, { type: 'DepositConfirmed', deposit, intent, account, amountAtoms, ledgerEventId });
  turn.state.netDepositsAtoms = plus(turn.state.netDepositsAtoms, amountAtoms);
  postCash(turn, turn.state.account(account)!, 'deposit', amountAtoms);
}

export function planRenewal(turn: Turn, { deposit }: RenewDeposit): Refusal | undefined {
  return checkDeposit(
    turn,
    deposit,
    (it) => it.step === 'owner_offer_acceptance' && !it.isSubmitted && turn.now >= it.offerExpiresAtEpochMs,
  );
}

export function commitRenewal(turn: Turn, { deposit }: RenewDeposit): void {
  const { account } = turn.state.settlement.deposits.get(deposit)!;
  emitSettlement(turn, { type: 'DepositRenewed', deposit, account, nextStep: 'offer_withdrawal' });
}

function checkDeposit({ state }: Turn, ordinal: DepositOrdinal, isPossible: (deposit: Deposit) => boolean): Refusal | undefined {
  const deposit = state.settlement.deposits.get(ordinal);
  if (deposit === undefined) return { code: 'deposit_not_found' };
  return isPossible(deposit) ? undefined : { code: 'deposit_state_conflict' };
}
