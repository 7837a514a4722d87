/** Money in. */
import { html, nothing } from 'lit-html';
import { DEPOSIT_STEPS } from '../flows/deposit.ts';
import { shownAmount } from '../money.ts';
import type { DepositsPanel } from '../panels/deposits.ts';
import type { FundingIntent } from '../venue/resources.ts';
import { dueNow, stepList } from './flow.ts';
import { button, type Content, condition } from './parts.ts';

const SIGNS = {
  owner_offer_acceptance: 'You accept the money that the venue offers to your party on the ledger.',
  owner_account_acceptance: 'You assign the accepted money to your account at the venue.',
} as const;

export function depositSection(deposits: DepositsPanel): Content {
  return html`<section class="card" tabindex="-1" aria-labelledby="deposit-title">
    <h2 id="deposit-title">Deposit</h2>
    ${deposits.deposit === undefined ? condition(deposits) : current(deposits, deposits.deposit.amountAtoms)}
    ${available(deposits)}
  </section>`;
}

function current(deposits: DepositsPanel, amountAtoms: string): Content {
  const isDone = deposits.due?.by === 'none';
  return html`
    <p>Deposit of <strong>${shownAmount(amountAtoms)}</strong></p>
    ${stepList(DEPOSIT_STEPS, deposits.step, isDone)}
    ${dueNow(deposits, SIGNS)}
    ${deposits.failure === undefined || deposits.due?.by === 'owner' ? nothing : button('Try again', () => deposits.load(), { kind: 'quiet' })}
  `;
}

/** What can be deposited now. */
function available(deposits: DepositsPanel): Content {
  const { intents, deposit, due, isBusy } = deposits;
  if (intents === undefined || (deposit !== undefined && due?.by !== 'none')) return nothing;
  const ready = intents.filter(({ status }) => status === 'available');
  const isFaucetOpen = deposits.hasFaucet && intents.length === 0;
  return html`
    <div class="focusable" id="funding-intents" tabindex="-1">
      ${ready.map((intent) => offer(intent, deposits))}
      ${isFaucetOpen ? faucet(deposits) : nothing}
      ${ready.length === 0 && !isFaucetOpen && !isBusy && deposit === undefined ? html`<p class="hint">There is nothing to deposit now.${deposits.hasFaucet ? ' Each account gets test funds once.' : ''}</p>` : nothing}
    </div>
  `;
}

function offer(intent: FundingIntent, deposits: DepositsPanel): Content {
  const amount = shownAmount(intent.amountAtoms);
  return html`<p class="row">
    <span><strong>${amount}</strong> ready to deposit</span>
    ${button('Deposit', () => deposits.start(intent), { isBusy: deposits.isBusy, name: `Deposit ${amount}` })}
  </p>`;
}

function faucet(deposits: DepositsPanel): Content {
  return html`<p class="row">
    <span>This venue gives each account test funds once.</span>
    ${button('Get test funds', () => deposits.requestFaucet(), { isBusy: deposits.isBusy })}
  </p>`;
}
