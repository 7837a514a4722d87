/** Money out. */
import { html, nothing } from 'lit-html';
import { WITHDRAWAL_STEPS } from '../flows/withdrawal.ts';
import { shownAmount, shownDecimal } from '../money.ts';
import type { AccountPanel } from '../panels/account.ts';
import { MIN_ATOMS, type WithdrawalsPanel } from '../panels/withdrawals.ts';
import type { WithdrawalRequest } from '../venue/money-operations.ts';
import type { PartyBinding, Withdrawal } from '../venue/resources.ts';
import { field } from './fields.ts';
import { dueNow, stepList } from './flow.ts';
import { button, type Content, condition, onSubmit, shownTime, submit } from './parts.ts';

const SIGNS = {
  owner_withdrawal_consent: 'You consent that the venue pays this amount to your party.',
  owner_offer_acceptance: 'You accept the payout on the ledger.',
} as const;

export function withdrawalSection(
  withdrawals: WithdrawalsPanel,
  { snapshot }: AccountPanel,
  binding: PartyBinding | undefined,
): Content {
  const { withdrawal, review, due } = withdrawals;
  const isOpen = withdrawal !== undefined && due?.by !== 'none';
  return html`<section class="card" tabindex="-1" aria-labelledby="withdrawal-title">
    <h2 id="withdrawal-title">Withdraw</h2>
    ${withdrawal === undefined ? nothing : current(withdrawals, withdrawal)}
    ${review === undefined ? nothing : reviewed(withdrawals, review)}
    ${
      isOpen || review !== undefined || snapshot === undefined || binding?.partyId == null
        ? nothing
        : form(withdrawals, snapshot.availableForOrdersAtoms, binding.partyId)
    }
    ${withdrawal === undefined ? condition(withdrawals) : nothing}
  </section>`;
}

function form(withdrawals: WithdrawalsPanel, availableAtoms: string, partyId: string): Content {
  const prepare = (fields: (name: string) => string) => withdrawals.prepare(fields('amount'), availableAtoms, partyId);
  return html`<form novalidate @submit=${onSubmit(prepare)}>
    ${field({
      label: 'Amount in USD.E',
      name: 'amount',
      id: 'withdrawal-amount',
      inputmode: 'decimal',
      maxLength: 22,
      hint: `Available: ${shownAmount(availableAtoms)}. At least ${shownAmount(String(MIN_ATOMS))}, or all of it. It goes to your own party on the ledger.`,
      failure: withdrawals.inputFailure,
    })}
    ${submit('Check the withdrawal', withdrawals.isBusy)}
  </form>`;
}

function reviewed(withdrawals: WithdrawalsPanel, { amount, destination }: WithdrawalRequest): Content {
  const { isBusy } = withdrawals;
  return html`<div class="due owner" id="withdrawal-review" tabindex="-1">
    <h3>Check the withdrawal</h3>
    <dl class="facts"><dt>Amount</dt><dd>${shownDecimal(amount)}</dd><dt>To your party</dt><dd class="code">${destination}</dd></dl>
    <p class="row">
      ${button('Withdraw', () => withdrawals.request(), { isBusy })}
      ${button('Change', () => withdrawals.cancelReview(), { isBusy, kind: 'quiet' })}
    </p>
  </div>`;
}

function current(withdrawals: WithdrawalsPanel, { amount }: Withdrawal): Content {
  const { due, step, payoutOfferExpiresAtEpochMs: expiry } = withdrawals;
  const isSettled = due?.by === 'none' && due.result === 'done';
  return html`
    <p>Withdrawal of <strong>${shownDecimal(amount)}</strong></p>
    ${stepList(WITHDRAWAL_STEPS, step, isSettled)}
    ${due?.by === 'owner' && expiry !== null ? html`<p class="hint">Accept the payout until ${shownTime(expiry)}.</p>` : nothing}
    ${dueNow(withdrawals, SIGNS)}
  `;
}
