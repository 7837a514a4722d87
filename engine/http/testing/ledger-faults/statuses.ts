/** Every status of setups, deposits and withdrawals that the contract has, as the cross names them: with what it is the status of. */
import { accountSnapshot, partyBinding } from '#contract/accounts.ts';
import { DEPOSIT_SIGNING_STEPS, deposit } from '#contract/deposits.ts';
import { FUNDING_STATUSES } from '#contract/faucet.ts';
import { partyConsent, partyOnboarding, signingWallet } from '#contract/party.ts';
import { transfer } from '#contract/transfers.ts';
import { withdrawalStatus } from '#contract/withdrawal-state.ts';
import { WITHDRAWAL_SIGNING_STEPS } from '#contract/withdrawals.ts';

const of = (subject: string, statuses: readonly string[]) => statuses.map((status) => `${subject} ${status}`);

export const STATUSES: readonly string[] = [
  ...of('onboarding', partyOnboarding.shape.status.options),
  ...of('party', partyBinding.shape.status.options),
  ...of('setup', partyBinding.shape.setup.unwrap().options),
  ...of('wallet', signingWallet.shape.status.options),
  ...of('consent', partyConsent.shape.consentState.options),
  ...of('consent failure', partyConsent.shape.failure.unwrap().shape.reason.options),
  ...of('account consent', accountSnapshot.shape.consentState.options),
  ...of('intent', FUNDING_STATUSES),
  ...of('deposit', deposit.shape.status.options),
  ...of('deposit approval_required', DEPOSIT_SIGNING_STEPS),
  ...of('withdrawal', [...withdrawalStatus.options, 'settled']),
  ...of('withdrawal due', WITHDRAWAL_SIGNING_STEPS),
  ...of('withdrawal approval_required', WITHDRAWAL_SIGNING_STEPS),
  ...transfer.shape.status.options.map((status) => `transfer ${status === 'credited' ? 'deposit' : 'withdrawal'} ${status}`),
  'refused capability_unavailable',
];
