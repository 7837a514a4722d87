/** One action of a log: a change of the state, or a paper order. */
import { html, nothing } from 'lit-html';
import { isOrder, nameOfAction } from '../flows/equity-curve.ts';
import { shownAmount, shownScaled } from '../money.ts';
import type { AgentAction, Market, OrderPayload } from '../venue/agent-resources.ts';
import { type Content, shownTime } from './parts.ts';

export function actionItem(action: AgentAction, market: Market): Content {
  const { actionId, payload, recordedAtEpochMs } = action;
  return html`<li class="entry" id="action-${actionId}">
    <div>
      <strong>${nameOfAction(action)}</strong>
      ${isOrder(payload) ? order(action, payload, market) : payload.reason === '' ? nothing : html`<p>Reason: ${payload.reason}.</p>`}
      <p class="hint">${shownTime(recordedAtEpochMs)}, action ${actionId}</p>
    </div>
  </li>`;
}

/** Codes of a real market order, as far as a sentence helps. */
const REASONS: Readonly<Record<string, string>> = {
  no_liquidity: 'the book had no order to fill it',
  price_band: 'the book was too far from the mark',
  market_not_open: 'the market did not accept orders',
  market_reduce_only: 'the market only accepted orders that reduce',
};

function order({ outcome }: AgentAction, payload: OrderPayload, { quantityScale, baseAsset }: Market): Content {
  const { side, quantityAtoms, filledBaseAtoms, filledNotionalAtoms, feeAtoms, reason, signal } = payload;
  const [wanted, filled] = [quantityAtoms, filledBaseAtoms].map((atoms) => shownScaled(atoms, quantityScale));
  const verb = side === 'buy' ? 'Bought' : 'Sold';
  const unfilled = `Not filled: ${REASONS[reason] ?? reason}.`;
  return html`<p>
    ${
      outcome === 'refused'
        ? `${side === 'buy' ? 'Buy' : 'Sell'} ${wanted} ${baseAsset}. ${unfilled}`
        : `${verb} ${filled}${outcome === 'applied' ? '' : ` of ${wanted}`} ${baseAsset} for ${shownAmount(filledNotionalAtoms)}, fee ${shownAmount(feeAtoms)}.`
    }
    ${outcome === 'partially_applied' ? `The rest: ${unfilled.charAt(0).toLowerCase()}${unfilled.slice(1)}` : nothing}
    <span class="hint">By “${signal}”.</span>
  </p>`;
}
