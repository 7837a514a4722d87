/** What the senders of a test world know of deposits and withdrawals on the external ledger, derived from events. */
import type { VenueEvent } from '#venue/event.ts';

/** A deposit or an open withdrawal, and the step that is due. */
export interface SeenFlow {
  readonly ordinal: number;
  readonly account: number;
  status: string;
  step: string;
  attempt: number;
  isSubmitted: boolean;
}

export class SettlementView {
  /** Intents without a deposit, with their accounts. */
  readonly intents = new Map<number, number>();
  /** Deposits that are not confirmed. */
  readonly deposits = new Map<number, SeenFlow>();
  /** Open withdrawals of owners. */
  readonly withdrawals = new Map<number, SeenFlow>();

  /** Applies an event. Ignores other events. */
  take(event: VenueEvent): void {
    switch (event.type) {
      case 'FundingIntentCreated':
        this.intents.set(event.intent, event.account);
        break;
      case 'DepositBound':
        this.intents.delete(event.intent);
        this.deposits.set(event.deposit, flow(event.deposit, event.account, 'treasury_offer'));
        break;
      case 'DepositStepSubmitted':
        this.deposits.get(event.deposit)!.isSubmitted = true;
        break;
      case 'DepositStepRecorded':
        if (event.nextStep === 'none') this.deposits.delete(event.deposit);
        else receive(this.deposits.get(event.deposit)!, event);
        break;
      case 'DepositRenewed':
        this.deposits.get(event.deposit)!.step = event.nextStep;
        break;
      case 'WithdrawalRequested':
        this.withdrawals.set(event.withdrawal, flow(event.withdrawal, event.account, 'owner_withdrawal_consent'));
        break;
      case 'WithdrawalStatusChanged':
        this.withdrawals.get(event.withdrawal)!.status = event.status;
        break;
      case 'WithdrawalStepSubmitted':
        this.withdrawals.get(event.withdrawal)!.status = event.status;
        this.withdrawals.get(event.withdrawal)!.isSubmitted = true;
        break;
      case 'WithdrawalStepRecorded':
        receive(this.withdrawals.get(event.withdrawal)!, event);
        break;
      case 'WithdrawalRenewed':
        this.withdrawals.get(event.withdrawal)!.step = event.nextStep;
        break;
      case 'WithdrawalReleased':
      case 'WithdrawalSettled':
        this.withdrawals.delete(event.withdrawal);
        break;
    }
  }
}

function flow(ordinal: number, account: number, step: string): SeenFlow {
  return { ordinal, account, status: 'requested', step, attempt: 1, isSubmitted: false };
}

function receive(it: SeenFlow, { nextStep, nextAttempt }: { readonly nextStep: string; readonly nextAttempt: number }): void {
  it.step = nextStep;
  it.attempt = nextAttempt;
  it.isSubmitted = false;
}
