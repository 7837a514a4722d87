/**
 * The command of a running deployment: places an order on paper. What the market refuses is an action too, with its reason, so that the
 * log says what the strategy wanted.
 */
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs } from '#units/money.ts';
import { checkIdentityReady } from '#venue/agent-account/agent-account-turn.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { SIDES } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { emitOfAgents, nextAction } from './agent-turn.ts';
import { checkOpen } from './deploying.ts';
import { planPaperFill } from './paper-fill.ts';
import { PAPER_ORDER_KINDS, type PaperOrderKind } from './paper-outcome.ts';

export interface PlacePaperOrder {
  readonly type: 'PlacePaperOrder';
  readonly deployment: AgentDeploymentOrdinal;
  /** The opening time of the bar at whose close the strategy ordered, and the place of the order among those of the bar, from 0. */
  readonly barEpochMs: EpochMs;
  readonly index: number;
  readonly kind: PaperOrderKind;
  /** The id that the script gave the order. */
  readonly signal: string;
  readonly side: Side;
  readonly quantityAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
}

export type PaperTradingCommand = PlacePaperOrder;

export const PAPER_TRADING_COMMANDS: CommandRules<PaperTradingCommand> = {
  PlacePaperOrder: {
    plan: planPaperOrder,
    commit: commitPaperOrder,
    layout: {
      tag: 80,
      fields: (io, it) => ({
        type: 'PlacePaperOrder',
        deployment: io.int(it.deployment),
        barEpochMs: io.int(it.barEpochMs),
        index: io.int(it.index),
        kind: io.oneOf(PAPER_ORDER_KINDS, it.kind),
        signal: io.text(it.signal),
        side: io.oneOf(SIDES, it.side),
        quantityAtoms: io.int(it.quantityAtoms),
        reduceOnly: io.flag(it.reduceOnly),
      }),
    },
  },
};

/** The maximum number of orders of a bar. */
export const MAX_BAR_ORDERS = 1_000;
const MAX_SIGNAL_LENGTH = 64;

/**
 * An order must come after the last one of its deployment, by bar and index: an order that is sent again after a crash places nothing
 * twice. The status of the venue does not refuse it, because its markets do.
 */
export function planPaperOrder(turn: Turn, command: PlacePaperOrder): Refusal | undefined {
  const { agents, switches } = turn.state;
  const { barEpochMs, index, signal } = command;
  const refusal = checkOpen(turn, command.deployment);
  if (refusal !== undefined) return refusal;
  const deployment = agents.deployments.get(command.deployment)!;
  const { account, agentAccount, state, stateVersion, lastBarEpochMs, lastIndex } = deployment;
  if (state !== 'running') return { code: 'agent_state_conflict', bound: stateVersion };
  const isLater = barEpochMs > lastBarEpochMs || (barEpochMs === lastBarEpochMs && index > lastIndex);
  if (!isLater) return { code: 'agent_order_repeated' };
  if (index < 0 || index >= MAX_BAR_ORDERS || signal.length > MAX_SIGNAL_LENGTH) return { code: 'agent_order_invalid' };
  const notReady = checkIdentityReady(turn, account, agentAccount);
  if (notReady !== undefined) return notReady;
  if (!switches.isOn('agents')) return { code: 'capability_unavailable' };
  planPaperFill(turn, turn.state.market(deployment.market)!, agentAccount, command, deployment.ledger);
  return undefined;
}

export function commitPaperOrder(turn: Turn, { type: _, ...order }: PlacePaperOrder): void {
  const { account, market } = turn.state.agents.deployments.get(order.deployment)!;
  const { outcome, reason, filledBaseAtoms, filledNotionalAtoms, feeAtoms, fills, worstPriceAtoms, ledger } = turn.paper;
  emitOfAgents(turn, {
    type: 'PaperOrderPlaced',
    action: nextAction(turn),
    account,
    market,
    ...order,
    outcome,
    reason,
    filledBaseAtoms,
    filledNotionalAtoms,
    feeAtoms,
    fills,
    worstPriceAtoms,
    markPriceAtoms: turn.state.market(market)!.markPriceAtoms,
    ledger,
  });
}
