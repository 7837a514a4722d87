/** Generates the tables of docs/deposits-and-withdrawals.md from the core: every state, what happens in it, and what follows. */
import { depositStatus } from '#http/handlers/deposit-resource.ts';
import type { DepositView } from '#reads/owner-money.ts';
import { DEPOSIT_STEPS, depositStepAfter } from '#venue/transfer/deposit-steps.ts';
import type { StepResult } from '#venue/transfer/ledger-steps.ts';
import { WITHDRAWAL_STEPS, withdrawalStepAfter } from '#venue/transfer/withdrawal-steps.ts';
import { tableOf } from './markdown-table.ts';
import { consentRows, faucetRows, partyRows, withdrawalRows } from './walked-states.ts';

const WALKED = ['state', 'what happens', 'then'];

export function transitionTables(): string {
  return [
    '### Faucet: the status of a funding intent',
    tableOf(WALKED, faucetRows()),
    '### Deposit: its status',
    tableOf(['the due step', 'the ledger', 'status'], depositStatusRows()),
    '### Deposit: what follows each step',
    stepTable(DEPOSIT_STEPS, depositStepAfter, { none: 'confirmed: the account is credited' }),
    '### Withdrawal: its status',
    tableOf(WALKED, withdrawalRows()),
    '### Withdrawal: what follows each step',
    stepTable(WITHDRAWAL_STEPS, withdrawalStepAfter, {
      settled: 'settled: the money has left',
      blocked: 'blocked: the cash returns',
    }),
    '### Party',
    tableOf(WALKED, partyRows()),
    '### Consent',
    tableOf(WALKED, consentRows()),
  ].join('\n\n');
}

type Due = { readonly step: string; readonly isNewAttempt: boolean };

function stepTable<Step extends string>(
  steps: readonly Step[],
  after: (step: Step, isRenewal: boolean, result: StepResult) => Due,
  ends: Readonly<Record<string, string>>,
): string {
  const next = ({ step, isNewAttempt }: Due) => `${ends[step] ?? `\`${step}\``}${isNewAttempt ? ', a new attempt' : ''}`;
  const rows = steps.flatMap((step) => {
    // An offer that was accepted is closed: a row of its own only where that makes a difference.
    const isOther = (isRenewal: boolean, result: StepResult) =>
      result !== 'offer_accepted' || next(after(step, isRenewal, result)) !== next(after(step, isRenewal, 'offer_closed'));
    const results: readonly StepResult[] =
      step === 'offer_withdrawal' ? ['accepted', 'rejected', 'offer_closed', 'offer_accepted'] : ['accepted', 'rejected'];
    const cases = step === 'offer_withdrawal' ? [false, true] : [false];
    return cases.flatMap((isRenewal) =>
      results
        .filter((result) => isOther(isRenewal, result))
        .map((result) => [`\`${step}\`${isRenewal ? ' of an expired offer' : ''}`, result, next(after(step, isRenewal, result))]),
    );
  });
  return tableOf(['step', 'outcome on the ledger', 'then'], rows);
}

/** The status that clients see is derived from the due step, and from whether the ledger has answered. */
function depositStatusRows(): string[][] {
  const due: Pick<DepositView, 'step' | 'attempt' | 'ledgerKey'> = { step: 'treasury_offer', attempt: 1, ledgerKey: '' };
  const states = [
    ['is not submitted', '', { ...due, isSubmitted: false }, false],
    ['is submitted', 'has not answered', { ...due, isSubmitted: true }, false],
    ['is submitted', 'has answered, and not sequenced it yet', { ...due, isSubmitted: true }, true],
    ['none: the last one was accepted', '', { ...due, step: null, isSubmitted: false }, true],
  ] as const;
  return states.map(([step, ledger, it, isAnswered]) => [
    step,
    ledger,
    `\`${depositStatus({ isAnswered: () => isAnswered }, it as DepositView)}\``,
  ]);
}
