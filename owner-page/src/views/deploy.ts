/** The form that deploys a draft on paper. */
import { html, nothing } from 'lit-html';
import type { AgentsOfOwner } from '../app/agents-of-owner.ts';
import type { DeployPanel } from '../panels/deploy.ts';
import { boundsOf, fieldOf, MAX_HISTORY_BARS } from '../panels/deploy-form.ts';
import { type Draft, type ScriptParameter, type ScriptReview, TIMEFRAMES } from '../venue/agent-resources.ts';
import { checkBox, choice, field } from './fields.ts';
import { type Content, condition, onSubmit, submit } from './parts.ts';

const MIN_HISTORY = 300;
const DEFAULT_TIMEFRAME = '1h';

export function deploySection({ deploy, strategies }: AgentsOfOwner, draft: Draft, review: ScriptReview): Content {
  const strategy = strategies.strategies?.find(({ script }) => script === draft.text);
  return html`<section class="card" id="deploy" tabindex="-1" aria-labelledby="deploy-title">
    <h2 id="deploy-title">Deploy on paper</h2>
    <p class="hint">Its orders fill against the real book. No order, balance or position of yours changes.</p>
    ${deploy.markets === undefined ? nothing : content(deploy, draft, review, strategy?.timeframe ?? DEFAULT_TIMEFRAME)}
    ${condition(deploy)}
  </section>`;
}

function content(deploy: DeployPanel, draft: Draft, review: ScriptReview, timeframe: string): Content {
  if (deploy.accounts.length === 0)
    return html`<p class="notice">A deployment needs an agent account that is ready. <a href="#agents">Open one</a>, then come back.</p>`;
  return form(deploy, draft, review, timeframe);
}

function form(deploy: DeployPanel, draft: Draft, { parameters, warmUpBars }: ScriptReview, timeframe: string): Content {
  const { faults, market, accounts, markets = [] } = deploy;
  const named = (name: string) => ({ name, id: `deploy-${name}`, failure: faults.get(name) });
  const history = String(Math.min(MAX_HISTORY_BARS, Math.max(MIN_HISTORY, 2 * warmUpBars)));
  return html`<form novalidate @submit=${onSubmit((fields) => deploy.deploy(draft, fields))}>
    <div class="columns">
      ${choice({
        ...named('account'),
        label: 'Agent account',
        chosen: accounts[0]?.agentAccountId ?? '',
        options: accounts.map(({ agentAccountId, label }) => ({ value: agentAccountId, text: `${label} (${agentAccountId})` })),
      })}
      ${choice({
        ...named('market'),
        label: 'Market',
        chosen: market?.marketId ?? '',
        options: markets.map(({ marketId }) => ({ value: marketId, text: marketId })),
        onChange: (marketId) => deploy.chooseMarket(marketId),
      })}
      ${choice({
        ...named('timeframe'),
        label: 'Timeframe of the candles',
        chosen: timeframe,
        options: TIMEFRAMES.map((value) => ({ value, text: value })),
      })}
      ${field({
        ...named('history'),
        label: 'Candles before the first order',
        value: history,
        inputmode: 'numeric',
        maxLength: 4,
        hint: `At most ${MAX_HISTORY_BARS}.`,
      })}
      ${field({
        ...named('size'),
        label: `Order size${market === undefined ? '' : ` in ${market.baseAsset}`}`,
        inputmode: 'decimal',
        maxLength: 22,
        hint:
          market === undefined ? undefined : `From ${market.minQuantity} to ${market.maxQuantity}, where the script names none.`,
      })}
    </div>
    ${parameters.length === 0 ? nothing : html`<h3>Inputs of the script</h3><div class="columns">${parameters.map((parameter) => input(parameter, faults.get(fieldOf(parameter))))}</div>`}
    ${submit('Deploy on paper', deploy.isBusy)}
  </form>`;
}

function input(parameter: ScriptParameter, failure: string | undefined): Content {
  const name = fieldOf(parameter);
  const label = parameter.title === '' ? parameter.name : parameter.title;
  const labelled = { name, id: `deploy-${name}`, label, failure };
  if (parameter.kind === 'bool') return checkBox({ ...labelled, isChecked: parameter.default });
  const value = String(parameter.default);
  if (parameter.options !== null) {
    const options = parameter.options.map((option) => ({ value: String(option), text: String(option) }));
    return choice({ ...labelled, chosen: value, options });
  }
  const isNumber = parameter.kind === 'int' || parameter.kind === 'float';
  return field({
    ...labelled,
    value,
    maxLength: 100,
    ...(isNumber ? { inputmode: 'decimal', hint: `Default ${value}; ${boundsOf(parameter)}.` } : {}),
  });
}
