/**
 * The commands of drafts and deployments in a test world: drafts are reviewed, deployed and removed, deployments run and end, and place
 * orders on paper, most of them in the order of their bars, some twice or late.
 */
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, MarketOrdinal } from '#units/ids.ts';
import { baseAtoms, epochMs } from '#units/money.ts';
import { CHANGED_DEPLOYMENT_STATES, type ChangedDeploymentState } from '#venue/agent/deployment.ts';
import { PAPER_ORDER_KINDS } from '#venue/agent/paper-outcome.ts';
import type { Command } from '#venue/command.ts';
import type { SeenDeployment } from './agent-view.ts';
import type { Intents } from './intent.ts';
import type { Scene, Sender } from './sender.ts';

type AgentCommandType =
  | 'DraftAgentScript'
  | 'ReviewAgentScript'
  | 'RemoveAgentDraft'
  | 'CreateAgentDeployment'
  | 'ChangeAgentDeployment'
  | 'PlacePaperOrder';

const BAR_MS = 60_000;
const SCRIPT = 'strategy("test")';
const STRATEGY = { strategySource: 'strategy_lab', strategyVersion: '1', modelId: 'script-1' } as const;

export const AGENT_INTENTS: Pick<Intents, AgentCommandType> = {
  DraftAgentScript: {
    weights: { strategist: 1, stranger: 0.1 },
    make: (sender, { view }) => {
      const owner = pick(sender, [...view.agents.agentAccounts.values()]);
      if (isIdle(sender, owner)) return undefined;
      return {
        type: 'DraftAgentScript',
        account: (owner ?? sender.random.between(0, 40)) as AccountOrdinal,
        name: sender.random.chance(0.03) ? '' : sender.newText(),
        text: SCRIPT.repeat(sender.random.between(1, 4)),
        textDigest: digestOf(sender),
      };
    },
  },
  ReviewAgentScript: {
    weights: { strategist: 1, stranger: 0.1 },
    make: (sender, { view }) => {
      const drafts = [...view.agents.drafts.values()];
      const unreviewed = drafts.filter(({ isReviewed }) => !isReviewed);
      const chosen = pick(sender, unreviewed.length > 0 ? unreviewed : drafts);
      if (isIdle(sender, chosen)) return undefined;
      return { type: 'ReviewAgentScript', ...draftOf(sender, chosen), reviewDigest: digestOf(sender) };
    },
  },
  RemoveAgentDraft: {
    weights: { strategist: 0.4, stranger: 0.1 },
    make: (sender, { view }) => ({
      type: 'RemoveAgentDraft',
      ...draftOf(sender, pick(sender, [...view.agents.drafts.values()])),
    }),
  },
  CreateAgentDeployment: {
    weights: { strategist: 5, stranger: 0.1 },
    make: (sender, { view }) => {
      const { random } = sender;
      const ready = [...view.agents.agentAccounts].filter(([, owner]) => view.owners.get(owner)?.consent === 'present');
      const known = pick(sender, ready);
      if (isIdle(sender, known)) return undefined;
      const [agentAccount, account] = known ?? [random.between(0, 40), random.between(0, 40)];
      const own = [...view.agents.drafts.values()].filter((draft) => draft.account === account);
      const reviewed = own.filter(({ isReviewed }) => isReviewed);
      const chosen = pick(sender, random.chance(0.9) ? reviewed : own);
      const market = view.markets.length === 0 ? undefined : random.pick(view.markets);
      return {
        type: 'CreateAgentDeployment',
        account: account as AccountOrdinal,
        agentAccount: agentAccount as AccountOrdinal,
        draft: (chosen?.draft ?? random.between(0, 5)) as AgentDraftOrdinal,
        market: (market?.ordinal ?? 1) as MarketOrdinal,
        timeframeMs: random.chance(0.03) ? 0 : BAR_MS,
        historyBars: random.between(1, 300),
        orderSizeAtoms: baseAtoms(market?.specification.minQuantityAtoms ?? 1),
        parameters: '{}',
        ...STRATEGY,
      };
    },
  },
  ChangeAgentDeployment: {
    weights: { strategist: 5, stranger: 0.1 },
    make: (sender, { view }) => {
      const { random } = sender;
      const open = [...view.agents.deployments.values()];
      const pending = open.filter(({ state }) => state === 'pending');
      const chosen = pick(sender, pending.length > 0 && random.chance(0.8) ? pending : open);
      if (isIdle(sender, chosen)) return undefined;
      const ends = random.pick(CHANGED_DEPLOYMENT_STATES);
      const state: ChangedDeploymentState = chosen?.state === 'pending' && random.chance(0.85) ? 'running' : ends;
      return {
        type: 'ChangeAgentDeployment',
        deployment: deploymentOf(sender, chosen),
        state,
        reason: state === 'running' ? '' : sender.newText(),
        expectedStateVersion: (chosen?.stateVersion ?? 1) + (random.chance(0.05) ? 1 : 0),
      };
    },
  },
  PlacePaperOrder: {
    weights: { strategist: 14, stranger: 0.1 },
    make: (sender, scene) => {
      const { random } = sender;
      const open = [...scene.view.agents.deployments.values()];
      const running = open.filter(({ state }) => state === 'running');
      const chosen = pick(sender, running.length > 0 || random.chance(0.8) ? running : open);
      if (isIdle(sender, chosen)) return undefined;
      const isClosing = chosen !== undefined && chosen.position !== 0 && random.chance(0.5);
      const long = isClosing ? chosen.position < 0 : random.chance(0.5);
      return {
        type: 'PlacePaperOrder',
        deployment: deploymentOf(sender, chosen),
        ...placeOf(sender, scene, chosen),
        kind: isClosing ? random.pick(['exit', 'close'] as const) : random.pick(PAPER_ORDER_KINDS),
        signal: sender.newText(),
        side: long ? 'buy' : 'sell',
        quantityAtoms: baseAtoms(sizeOf(sender, scene, chosen, isClosing)),
        reduceOnly: random.chance(isClosing ? 0.7 : 0.1),
      };
    },
  },
};

/** The commands that give an owner with an active party a consent and a reviewed draft. */
export function agentOpening(account: AccountOrdinal, label: string): readonly Command[] {
  return [
    { type: 'SubmitPartyConsent', account, ledgerKey: `${label}-consent`, replacesConsentId: '' },
    { type: 'RecordPartyConsent', account, consent: 'present', consentId: `${label}-consent`, reason: '' },
    { type: 'DraftAgentScript', account, name: label, text: SCRIPT, textDigest: 'd'.repeat(64) },
    { type: 'ReviewAgentScript', account, draft: 1 as AgentDraftOrdinal, reviewDigest: 'e'.repeat(64) },
  ];
}

/** Mostly the next bar or the next order of the bar, sometimes one that was placed. */
function placeOf({ random }: Sender, scene: Scene, deployment: SeenDeployment | undefined) {
  const { lastBarEpochMs, lastIndex } = deployment ?? { lastBarEpochMs: 0, lastIndex: 0 };
  if (lastBarEpochMs === 0 || deployment === undefined) return { barEpochMs: epochMs(scene.nowEpochMs()), index: 0 };
  const isNextBar = random.chance(0.7);
  const back = random.chance(0.08) ? random.pick([0, 1]) : -1;
  if (isNextBar) return { barEpochMs: epochMs(lastBarEpochMs - back * BAR_MS), index: 0 };
  return { barEpochMs: epochMs(lastBarEpochMs), index: lastIndex - back };
}

/** From a few lots to the largest order; a closing one mostly has the size of the position. */
function sizeOf({ random }: Sender, { view }: Scene, deployment: SeenDeployment | undefined, isClosing: boolean): number {
  const { minQuantityAtoms, maxQuantityAtoms } = view.market(deployment?.market ?? 1)?.specification ?? {
    minQuantityAtoms: 1,
    maxQuantityAtoms: 1,
  };
  if (isClosing && random.chance(0.6)) return Math.abs(deployment!.position);
  if (random.chance(0.05)) return random.pick([0, minQuantityAtoms - 1, maxQuantityAtoms, maxQuantityAtoms + 1]);
  return minQuantityAtoms + Math.floor((maxQuantityAtoms - minQuantityAtoms) * 10 ** (random.fraction() * -5));
}

function digestOf({ random }: Sender): string {
  return random.chance(0.03)
    ? 'none'
    : random
        .between(1, 2 ** 32 - 1)
        .toString(16)
        .padStart(64, '0');
}

/** Strangers name any. */
function pick<Item>({ random, tradingStyle }: Sender, items: readonly Item[]): Item | undefined {
  return tradingStyle === 'stranger' || items.length === 0 || random.chance(0.03) ? undefined : random.pick(items);
}

/** Mostly, a strategist sends nothing about what it does not know. */
function isIdle({ random, tradingStyle }: Sender, chosen: unknown): boolean {
  return chosen === undefined && tradingStyle === 'strategist' && random.chance(0.9);
}

function draftOf({ random }: Sender, chosen: { readonly draft: number; readonly account: number } | undefined) {
  const { draft, account } = chosen ?? { draft: random.between(0, 10), account: random.between(0, 40) };
  return { account: account as AccountOrdinal, draft: draft as AgentDraftOrdinal };
}

function deploymentOf({ random }: Sender, chosen: SeenDeployment | undefined): AgentDeploymentOrdinal {
  return (chosen?.deployment ?? random.between(0, 10)) as AgentDeploymentOrdinal;
}
