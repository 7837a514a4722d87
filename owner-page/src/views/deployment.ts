/** The view of one deployment: its state, its paper PnL as a curve, and its action log. */
import { html, nothing } from 'lit-html';
import type { AgentsOfOwner } from '../app/agents-of-owner.ts';
import type { ActionLog } from '../flows/action-log.ts';
import { shownAmount, shownGain, shownScaled } from '../money.ts';
import type { DeploymentPanel } from '../panels/deployment.ts';
import type { Market } from '../venue/agent-resources.ts';
import { actionItem } from './action.ts';
import { isOpen, stateTag, stateText } from './deployment-state.ts';
import { equityCurve } from './equity-curve.ts';
import { button, type Content, condition, shownTime, viewTitle } from './parts.ts';

export function deploymentView({ deployment: panel, deployments }: AgentsOfOwner): Content {
  const log = panel?.log;
  const market = panel?.market;
  return html`
    ${viewTitle(log === undefined ? 'Deployment' : `${deployments.nameOf(log.deployment)} on ${log.deployment.marketId}`)}
    <p><a class="back" href="#agents">All deployments</a></p>
    ${panel === undefined || log === undefined || market === undefined ? html`<section class="card" tabindex="-1" aria-labelledby="view-title">${panel === undefined ? nothing : condition(panel)}</section>` : shown(panel, log, market)}
  `;
}

function shown(panel: DeploymentPanel, log: ActionLog, market: Market): Content {
  return html`
    <section class="card" tabindex="-1" aria-labelledby="state-title">
      <h2 id="state-title">State</h2>
      ${state(panel, log)}
      ${condition(panel)}
      ${terms(log, market)}
    </section>
    <section class="card" tabindex="-1" aria-labelledby="pnl-title">
      <h2 id="pnl-title">Paper PnL</h2>
      ${pnl(panel, log, market)}
      ${equityCurve(panel.curve)}
      <p class="hint">Simulated from zero, never a balance. A point for each order, at the mark of its moment, and one for now.</p>
    </section>
    <section class="card" tabindex="-1" aria-labelledby="log-title">
      <h2 id="log-title">Action log ${panel.isLive ? html`<span class="tag good">live</span>` : nothing}</h2>
      ${panel.lost === undefined ? nothing : html`<p class="failure" role="alert">${panel.lost}</p>`}
      ${actions(panel, log, market)}
    </section>
  `;
}

function state(panel: DeploymentPanel, { deployment }: ActionLog): Content {
  return html`
    <div class="focusable" id="deployment-state" tabindex="-1"><p>${stateTag(deployment.state)} ${stateText(deployment)}</p></div>
    ${isOpen(deployment) ? stopping(panel) : nothing}
  `;
}

function stopping(panel: DeploymentPanel): Content {
  const { isBusy } = panel;
  if (!panel.isConfirmingStop)
    return html`<p>${button('Stop', () => panel.confirmStop(), { isBusy, kind: 'quiet', id: 'stop', name: 'Stop the deployment' })}</p>`;
  return html`<div class="confirm" id="confirm-stop" tabindex="-1" role="group" aria-label="Stop the deployment?">
    <p>Stop it for good? Its paper position stays as it is in the log.</p>
    <p class="row">
      ${button('Stop', () => panel.stop(), { isBusy, kind: 'danger', name: 'Stop the deployment now' })}
      ${button('Let it run', () => panel.keepRunning(), { isBusy, kind: 'quiet' })}
    </p>
  </div>`;
}

function terms({ deployment }: ActionLog, { quantityScale, baseAsset }: Market): Content {
  const { deploymentId, draftId, agentAccountId, parameters, modelId, strategyVersion, createdAtEpochMs } = deployment;
  const { orderSizeAtoms, timeframe, historyBars, inputs } = parameters;
  return html`<details>
    <summary>Terms</summary>
    <dl class="facts">
      <dt>Deployment</dt><dd>${deploymentId}, created ${shownTime(createdAtEpochMs)}</dd>
      <dt>Draft</dt><dd><a href="#draft=${draftId}">Draft ${draftId}</a></dd>
      <dt>Agent account</dt><dd class="code">${agentAccountId}</dd>
      <dt>Candles</dt><dd>${timeframe}, ${historyBars} before the first order</dd>
      <dt>Order size</dt><dd>${shownScaled(orderSizeAtoms, quantityScale)} ${baseAsset}</dd>
      ${inputs.length === 0 ? nothing : html`<dt>Inputs</dt><dd>${inputs.map(({ name, value }) => html`<span class="code">${name} = ${String(value)}</span><br />`)}</dd>`}
      <dt>Interpreter</dt><dd class="code">${modelId}</dd>
      <dt>SHA-256 of the script</dt><dd class="code">${strategyVersion}</dd>
    </dl>
  </details>`;
}

function pnl(
  { equityAtoms }: DeploymentPanel,
  { ledger, markPriceAtoms }: ActionLog,
  { priceScale, quantityScale, baseAsset }: Market,
): Content {
  const { positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms } = ledger;
  const mark = markPriceAtoms === null ? 'no price yet' : shownScaled(markPriceAtoms, priceScale);
  return html`<dl class="balances">
    ${figure('Equity', equityAtoms === undefined ? 'no price yet' : shownGain(equityAtoms), 'paper-equity')}
    ${figure('Position', `${shownScaled(positionBaseAtoms, quantityScale)}\u00a0${baseAsset}`, 'paper-position')}
    ${figure('Mark', mark, 'mark')}
    ${figure('Cash', shownAmount(cashQuoteAtoms), 'paper-cash')}
    ${figure('Fees', shownAmount(feesQuoteAtoms), 'paper-fees')}
  </dl>`;
}

function figure(name: string, value: string, id: string): Content {
  return html`<div><dt>${name}</dt><dd id=${id}>${value}</dd></div>`;
}

function actions(panel: DeploymentPanel, log: ActionLog, market: Market): Content {
  const newestFirst = log.actions.toReversed();
  return html`
    ${newestFirst.length === 0 ? html`<p class="hint">Nothing happened yet. The first entry is the start, after the warm-up.</p>` : html`<ol class="list" id="actions">${newestFirst.map((action) => actionItem(action, market))}</ol>`}
    ${log.older === null ? nothing : button('Show older actions', () => panel.showOlder(), { isBusy: panel.isBusy, kind: 'quiet' })}
  `;
}
