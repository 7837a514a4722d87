/** Faults in orders that wait for a price. The crash has none of them. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import { has, replacedAll } from './turn-edits.ts';

export const TRIGGER_FAULTS: readonly PlantedFault[] = [
  {
    fault: 'an order that waits on the wrong side of its price',
    plant: () => wrongSide,
    isNotInCrash: true,
    check: 'trigger',
    says: /is a stop_loss that (?:buy|sell)s, and waits (?:below|above)/,
  },
  {
    fault: 'a leg with a lot more than its entry order has opened',
    plant: () => largeLeg,
    isNotInCrash: true,
    check: 'trigger',
    says: /leg \d+ has \d+, its entry order has opened \d+/,
  },
  {
    fault: 'a waiting order that ends with a position that is open',
    plant: () => earlyEnd,
    isNotInCrash: true,
    check: 'trigger',
    says: /was cancelled for position_ended, which does not apply/,
  },
  {
    fault: 'a trailing stop a tick from its distance',
    plant: () => offDistance,
    isNotInCrash: true,
    check: 'trigger',
    says: /trails at \d+, expected \d+/,
  },
];

function wrongSide(turn: CommittedRecord): CommittedRecord | undefined {
  const accepted = turn.events.find(has('TriggerAccepted', ({ kind, entry }) => kind === 'stop_loss' && entry > 0));
  if (accepted === undefined) return undefined;
  return replacedAll(turn, [[accepted, { direction: accepted.direction === 'below' ? 'above' : 'below' }]]);
}

function largeLeg(turn: CommittedRecord): CommittedRecord | undefined {
  const changed = turn.events.find(has('LegChanged', ({ quantityAtoms }) => quantityAtoms > 0));
  return changed && replacedAll(turn, [[changed, { quantityAtoms: changed.quantityAtoms + 1 }]]);
}

function earlyEnd(turn: CommittedRecord, { waiting }: Auditor): CommittedRecord | undefined {
  const ended = turn.events.find(has('OrderCancelled', ({ order, reason }) => reason === 'user' && waiting.has(order)));
  return ended && replacedAll(turn, [[ended, { reason: 'position_ended' }]]);
}

function offDistance(turn: CommittedRecord): CommittedRecord | undefined {
  const accepted = turn.events.find(has('TriggerAccepted', ({ kind }) => kind === 'trailing_stop'));
  return accepted && replacedAll(turn, [[accepted, { triggerPriceAtoms: accepted.triggerPriceAtoms + 1 }]]);
}
