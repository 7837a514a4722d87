/** The transfers of the account. */
import { html, nothing } from 'lit-html';
import { shownAmount } from '../money.ts';
import type { AccountPanel } from '../panels/account.ts';
import type { WithdrawalsPanel } from '../panels/withdrawals.ts';
import type { Transfer } from '../venue/resources.ts';
import { button, type Content, shownTime } from './parts.ts';

/** Statuses after which nothing of a transfer changes. */
const ENDED = ['credited', 'settled', 'released', 'blocked'];

export function transferSection(account: AccountPanel, withdrawals: WithdrawalsPanel): Content {
  const { transfers, snapshot } = account;
  if (snapshot === undefined) return nothing;
  return html`<section class="card" tabindex="-1" aria-labelledby="transfers-title">
    <h2 id="transfers-title">Transfers</h2>
    ${transfers.length === 0 ? html`<p class="hint">None yet.</p>` : html`<ul class="list">${transfers.map((transfer) => item(transfer, withdrawals))}</ul>`}
    ${account.hasMore ? button('Show older ones', () => account.showMore(), { kind: 'quiet' }) : nothing}
  </section>`;
}

function item(transfer: Transfer, withdrawals: WithdrawalsPanel): Content {
  const { kind, amountAtoms, status, updatedAtEpochMs, transferId } = transfer;
  const amount = shownAmount(amountAtoms);
  const isShown = withdrawals.withdrawal?.withdrawalId === transferId && withdrawals.due !== undefined;
  const canResume = kind === 'withdrawal' && !ENDED.includes(status) && !isShown;
  return html`<li class="entry">
    <div>
      <strong>${kind === 'deposit' ? 'Deposit' : 'Withdrawal'} of ${amount}</strong>
      <p class="hint"><span class="tag">${status}</span> ${shownTime(updatedAtEpochMs)} <span class="code unbroken">${transferId}</span></p>
    </div>
    ${canResume ? button('Continue', () => withdrawals.resume(transferId), { isBusy: withdrawals.isBusy, kind: 'quiet', name: `Continue the withdrawal of ${amount}` }) : nothing}
  </li>`;
}
