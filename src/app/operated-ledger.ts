/** The external ledger for the operator's actions and for the venue's report. */

import type { ExternalLedgerReport } from '#operator/action.ts';
import { OperatorRefusal } from '#operator/action.ts';
import type { OperatedLedger } from '#operator/ledger-actions.ts';
import type { Coordinator } from '#settlement/coordinator/coordinator.ts';
import { isAcceptable, REMEDIES } from '#settlement/coordinator/difference.ts';
import { LedgerUnavailable } from '#settlement/port/ledger.ts';

export function operatedLedger(coordinator: Coordinator): OperatedLedger {
  return {
    difference: () => {
      const { difference, isCompared } = coordinator.status;
      if (difference === null) return isCompared ? undefined : null;
      return { text: difference.text, remedy: REMEDIES[difference.kind], isAcceptable: isAcceptable(difference) };
    },
    entries: (query) => refusingUnavailable(coordinator.entries(query)),
    paymentOf: (withdrawal) => coordinator.paymentOf(withdrawal),
    eventIdAt: async (offset) => (await refusingUnavailable(coordinator.entryAt(offset)))?.receipt.ledgerEventId,
  };
}

export function externalLedgerReport({ status }: Coordinator): ExternalLedgerReport {
  const { difference, ...health } = status;
  return {
    ...health,
    difference: difference?.text ?? null,
    differenceOffset: difference?.ledgerOffset ?? null,
    differenceEventId: difference?.ledgerEventId ?? null,
  };
}

async function refusingUnavailable<Value>(read: Promise<Value>): Promise<Value> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof LedgerUnavailable) throw new OperatorRefusal('ledger_unavailable', error.message);
    throw error;
  }
}
