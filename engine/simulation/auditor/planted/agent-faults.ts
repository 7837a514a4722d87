/** Faults of agents: paper orders that are placed twice or filled elsewhere than in the book, and deployments that run after their end. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { ChangeAgentDeployment } from '#venue/command.ts';
import type { PaperOrderPlaced } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import { has, replaced } from './turn-edits.ts';

export const AGENT_FAULTS: readonly PlantedFault[] = [
  {
    fault: 'a paper order that is placed again after a crash',
    plant: () => secondOrder,
    isNotInCrash: true,
    check: 'agent',
    says: /deployment \d+ placed \d+\/\d+ after \d+\/\d+/,
  },
  {
    fault: 'a paper order that fills at the mark price',
    plant: () => fillAtMark,
    isNotInCrash: true,
    check: 'agent',
    says: /deployment \d+ became .*, not \[/,
  },
  {
    fault: 'a paper order that pays the fee of a maker',
    plant: () => makerFee,
    isNotInCrash: true,
    check: 'agent',
    says: /deployment \d+ became .*, not \[/,
  },
  {
    fault: 'a deployment that runs again after its end',
    plant: () => secondStart,
    isNotInCrash: true,
    check: 'agent',
    says: /deployment \d+ is not an open one/,
  },
  {
    fault: 'a deployment that goes on with a retired account',
    plant: () => (turn) => {
      if (turn.command.type !== 'RetireAccount') return undefined;
      const others = turn.events.filter(({ type }) => type !== 'AgentDeploymentChanged');
      return others.length < turn.events.length ? { ...turn, events: others } : undefined;
    },
    isNotInCrash: true,
    check: 'agent',
    says: /deployment \d+ stays (?:pending|running) on a retired account/,
  },
];

function secondOrder(turn: CommittedRecord): readonly CommittedRecord[] | undefined {
  const placed = turn.events.find(has('PaperOrderPlaced'));
  if (placed === undefined) return undefined;
  return [turn, replaced(turn, placed, { ...placed, action: (placed.action + 1) as PaperOrderPlaced['action'] })];
}

function fillAtMark(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const placed = turn.events.find(has('PaperOrderPlaced'));
  if (placed === undefined || placed.fills === 0) return undefined;
  const { tickLot } = books.markets.of(placed.market).listing;
  const notional = placed.filledBaseAtoms * placed.markPriceAtoms * tickLot;
  const gain = (notional - placed.filledNotionalAtoms) * (placed.side === 'buy' ? -1 : 1);
  if (gain === 0) return undefined;
  const ledger = { ...placed.ledger, cashQuoteAtoms: placed.ledger.cashQuoteAtoms + gain };
  return replaced(turn, placed, { ...placed, filledNotionalAtoms: notional, ledger } as PaperOrderPlaced);
}

function makerFee(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const placed = turn.events.find(has('PaperOrderPlaced'));
  if (placed === undefined || placed.fills === 0) return undefined;
  const { makerFeeBps } = books.markets.of(placed.market).listing.specification;
  const feeAtoms = Math.trunc((placed.filledNotionalAtoms * makerFeeBps) / 10_000);
  const saved = placed.feeAtoms - feeAtoms;
  if (saved === 0) return undefined;
  const ledger = { ...placed.ledger, feesQuoteAtoms: placed.ledger.feesQuoteAtoms - saved };
  return replaced(turn, placed, { ...placed, feeAtoms, ledger } as PaperOrderPlaced);
}

function secondStart(turn: CommittedRecord, { switches }: Auditor): readonly CommittedRecord[] | undefined {
  const changed = turn.events.find(has('AgentDeploymentChanged'));
  if (turn.command.type !== 'ChangeAgentDeployment' || changed === undefined || changed.state === 'running') return undefined;
  const { action, stateVersion, reason } = changed;
  const again = { ...changed, action: action + 1, state: 'running', stateVersion: stateVersion + 1, reason } as typeof changed;
  const command = { ...turn.command, state: 'running', expectedStateVersion: stateVersion } as ChangeAgentDeployment;
  // A deployment ends also while the venue is halted, when none may start.
  if (switches.status !== 'open' || switches.isOff(command)) return undefined;
  return [turn, { ...replaced(turn, changed, again), command }];
}
