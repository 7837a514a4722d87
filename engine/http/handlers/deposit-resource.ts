/**
 * Renders a deposit (2.9). Its ledger commands have names of the venue here: with their ids on the ledger, another client of the ledger
 * could submit other commands first.
 */
import type { DepositResource } from '#contract/deposits.ts';
import type { Environment } from '#contract/environments.ts';
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import type { DepositStep, DepositView } from '#reads/owner-money.ts';
import { commandIdOf } from '#settlement/coordinator/command-id.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { renderAccountId, renderDepositId, renderFundingIntentId } from '#units/ids.ts';

type Answers = Pick<Coordinator, 'isAnswered'>;

export function depositStatus(
  answers: Answers,
  { step, attempt, ledgerKey, isSubmitted }: DepositView,
): DepositResource['status'] {
  if (step === null) return 'ledger_confirmed';
  if (!isSubmitted) return 'bound';
  return answers.isAnswered(commandIdOf(ledgerKey, step, attempt)) ? 'submitted' : 'submitted_unknown';
}

export function depositResource(answers: Answers, environment: Environment, it: DepositView): DepositResource {
  const { deposit, intent, account, partyId, amountAtoms, lastOutcome } = it;
  return {
    version: 'local-signing/v2',
    environment: environment as DepositResource['environment'],
    adminCommandId: `${renderFundingIntentId(intent)}-grant`,
    fundingIntentId: renderFundingIntentId(intent),
    depositId: renderDepositId(deposit),
    engineCommandId: `${renderDepositId(deposit)}-credit`,
    accountId: renderAccountId(account),
    partyId,
    asset: SETTLEMENT_ASSET,
    amountAtoms: String(amountAtoms),
    plannedLedgerCommands: plannedCommands(it),
    status: depositStatus(answers, it),
    ledgerOutcome:
      lastOutcome === undefined
        ? null
        : {
            step: lastOutcome.step,
            outcome: `sequenced_${lastOutcome.outcome}`,
            guard: `completion_${lastOutcome.outcome}`,
          },
  };
}

const STEPS = ['treasury_offer', 'owner_offer_acceptance', 'owner_account_acceptance'] as const;

/** From the due step on, if each is accepted. After an offer was withdrawn, the next attempt begins. */
function plannedCommands({ deposit, step, attempt }: DepositView): DepositResource['plannedLedgerCommands'] {
  if (step === null) return [];
  const planned = (of: readonly DepositStep[], at: number) =>
    of.map((each) => ({ step: each, commandId: `${renderDepositId(deposit)}-${each}-${at}` }));
  if (step !== 'offer_withdrawal') return planned(STEPS.slice(STEPS.indexOf(step)), attempt);
  return [...planned([step], attempt), ...planned(STEPS, attempt + 1)];
}
