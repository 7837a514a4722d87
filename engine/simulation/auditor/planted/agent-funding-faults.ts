/** Faults in fundings of agent accounts: money that moves twice, without an approval, not at all, or to another account. */
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import { balanced, has, replacedAll } from './turn-edits.ts';

const CHECK = 'agent';

export const AGENT_FUNDING_FAULTS: readonly PlantedFault[] = [
  {
    fault: 'a funding that moves twice',
    plant: () => (turn, books) => (isMovement(turn) ? [turn, balanced(turn, books)] : undefined),
    isNotInCrash: true,
    check: CHECK,
    says: /account \d+ has no open funding/,
  },
  {
    fault: 'a funding that moves without an approval',
    plant: () => unapprovedMovement,
    isNotInCrash: true,
    check: CHECK,
    says: /funding .* moved to agent account \d+ and was not approved so/,
  },
  {
    fault: 'a funding that moves another amount than was approved',
    plant: () => (turn, books) => (isMovement(turn) ? balanced(doubled(turn), books) : undefined),
    isNotInCrash: true,
    check: CHECK,
    says: /the turn transferred \d+ from \d+ to \d+ as .*, and must transfer \(/,
  },
  {
    fault: 'a funding that ends without its transfer',
    plant: () => (turn) => (isMovement(turn) ? { ...turn, events: turn.events.slice(0, 1) } : undefined),
    isNotInCrash: true,
    check: CHECK,
    says: /the turn has no transfer of/,
  },
  {
    fault: 'a funding that is approved after its expiry',
    plant: () => lateApproval,
    isNotInCrash: true,
    check: CHECK,
    says: /funding .* was approved twice, or late/,
  },
  {
    fault: 'a funding that stays open after its account was retired',
    plant: () => (turn) => {
      const kept = turn.events.filter(({ type }) => type !== 'AgentFundingRefused');
      return kept.length < turn.events.length ? { ...turn, events: kept } : undefined;
    },
    isNotInCrash: true,
    check: CHECK,
    says: /funding .* stays open, and can never move/,
  },
];

function isMovement({ events }: CommittedRecord): boolean {
  return events.some(has('AgentFundingMoved'));
}

/** The money follows the creation. */
function unapprovedMovement(turn: CommittedRecord): readonly CommittedRecord[] | undefined {
  const created = turn.events.find(has('AgentFundingCreated'));
  if (created === undefined) return undefined;
  const { transferId, account, agentAccount } = created;
  const command = { type: 'MoveAgentFunding', account, transferId } as const;
  return [turn, { ...turn, command, events: [{ type: 'AgentFundingMoved', transferId, account, agentAccount }] }];
}

function doubled(turn: CommittedRecord): CommittedRecord {
  const changes = turn.events.filter((event) => 'amountAtoms' in event);
  return replacedAll(
    turn,
    changes.map((event) => [event, { amountAtoms: event.amountAtoms * 2 }]),
  );
}

function lateApproval(turn: CommittedRecord): CommittedRecord | undefined {
  const approved = turn.events.find(has('AgentFundingApproved'));
  return approved && { ...turn, epochMs: (turn.epochMs + 86_400_001) as CommittedRecord['epochMs'] };
}
