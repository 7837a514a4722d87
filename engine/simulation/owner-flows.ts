/** Drives deposits and withdrawals of owners in a scenario: the next command of each, with a receipt as the ledger would give it. */
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { type EpochMs, quoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { StepReceipt } from '#venue/transfer/ledger-steps.ts';
import type { Scenario } from './scenario.ts';

export const FAUCET_ATOMS = quoteAtoms(1_000_000_000);
/** How long offers are open. */
export const OFFER_MS = 60_000;

/** Grants an account money of the faucet and binds a deposit to it. Returns the account's deposit; `undefined` if both are refused. */
export function bindDeposit(scenario: Scenario, account: number): DepositOrdinal | undefined {
  const owner = account as AccountOrdinal;
  scenario.run({ type: 'GrantFaucet', account: owner, amountAtoms: FAUCET_ATOMS });
  const intent = scenario.venue.state.settlement.grantOf(owner);
  if (intent === undefined) return undefined;
  scenario.run({ type: 'BindDeposit', account: owner, intent, ledgerKey: `key-of-intent-${intent}` });
  return scenario.venue.state.settlement.intents.get(intent)!.deposit || undefined;
}

export function requestWithdrawal(scenario: Scenario, account: number, amount: number): VenueEvent[] {
  return scenario.run({
    type: 'RequestWithdrawal',
    account: account as AccountOrdinal,
    amountAtoms: quoteAtoms(amount),
    destination: `party-${account}`,
    ledgerKey: `key-${scenario.sequence}`,
    idempotencyKey: `request-${scenario.sequence}`,
  });
}

/** Submits the step that is due unless it is submitted, then records its receipt. Returns the events of the record. */
export function advanceDeposit(scenario: Scenario, deposit: DepositOrdinal, reason = ''): VenueEvent[] {
  const { step, isSubmitted, attempt } = scenario.venue.state.settlement.deposits.get(deposit)!;
  if (step === 'none') throw new Error(`deposit ${deposit} is confirmed`);
  const offerExpiresAtEpochMs = expiryOf(scenario, step);
  if (!isSubmitted) scenario.run({ type: 'SubmitDepositStep', deposit, step, attempt, offerExpiresAtEpochMs });
  return scenario.run({ type: 'RecordDepositStep', deposit, step, attempt, ...receipt(scenario, step, reason) });
}

/** Carries out what is due next: the reservation, the authorization, or a step and its receipt. Returns the events of the last command. */
export function advanceWithdrawal(scenario: Scenario, withdrawal: WithdrawalOrdinal, reason = ''): VenueEvent[] {
  const { status, account, step, isSubmitted, attempt } = scenario.venue.state.settlement.withdrawals.get(withdrawal)!;
  if (status === 'requested') return scenario.run({ type: 'ReserveOnLedger', withdrawal });
  if (status === 'reserved') return scenario.run({ type: 'AuthorizeWithdrawal', account, withdrawal });
  const offerExpiresAtEpochMs = expiryOf(scenario, step);
  if (!isSubmitted) scenario.run({ type: 'SubmitWithdrawalStep', withdrawal, step, attempt, offerExpiresAtEpochMs });
  return scenario.run({ type: 'RecordWithdrawalStep', withdrawal, step, attempt, ...receipt(scenario, step, reason) });
}

function expiryOf({ now }: Scenario, step: string): EpochMs {
  return (step === 'treasury_offer' || step === 'payout_offer' ? now + OFFER_MS : 0) as EpochMs;
}

/** Rejected if there is a reason. */
function receipt({ sequence }: Scenario, step: string, reason: string): StepReceipt {
  return {
    outcome: reason === '' ? 'accepted' : 'rejected',
    reason,
    createdId: reason === '' ? `${step}-${sequence}` : '',
    ledgerEventId: `event-${sequence}`,
    ledgerOffset: sequence,
  };
}
