/** The view of money: balances, deposits, withdrawals and transfers. */
import { html, nothing } from 'lit-html';
import type { Owner } from '../app/owner.ts';
import { shownAmount } from '../money.ts';
import type { AccountPanel } from '../panels/account.ts';
import { depositSection } from './deposit.ts';
import { type Content, condition, viewTitle } from './parts.ts';
import { transferSection } from './transfers.ts';
import { withdrawalSection } from './withdrawal.ts';

export function fundsView(owner: Owner): Content {
  const { setup, account } = owner;
  const canMove = setup.binding === undefined || setup.binding.status === 'active';
  return html`
    ${viewTitle('Your funds')}
    ${canMove ? nothing : html`<p class="notice">Before you can move money, <a href="#setup">set up your account</a>.</p>`}
    ${balances(account)}
    ${canMove ? html`${depositSection(owner.deposits)} ${withdrawalSection(owner.withdrawals, account, setup.binding)}` : nothing}
    ${transferSection(account, owner.withdrawals)}
  `;
}

function balances(account: AccountPanel): Content {
  const { snapshot } = account;
  return html`<section class="card" tabindex="-1" aria-labelledby="balances-title">
    <h2 id="balances-title">Balances</h2>
    ${
      snapshot === undefined
        ? nothing
        : html`<dl class="balances">
            ${balance('Available', snapshot.availableForOrdersAtoms, 'available')}
            ${balance('Cash', snapshot.cashBalanceAtoms, 'cash')}
            ${balance('Equity', snapshot.equityAtoms, 'equity')}
          </dl>`
    }
    ${condition(account)}
  </section>`;
}

function balance(name: string, atoms: string, id: string): Content {
  return html`<div><dt>${name}</dt><dd id="balance-${id}">${shownAmount(atoms)}</dd></div>`;
}
