/** The faults of the external ledger that statuses are crossed with: how each begins, and how it ends. */
import type { openSettlement } from '#http/testing/test-settlement.ts';
import type { LedgerCall, LedgerFault } from '#settlement/testing/faulty-ledger.ts';

type Settlement = Awaited<ReturnType<typeof openSettlement>>;
/** The calls that a step makes. */
export type IsOfStep = (call: LedgerCall) => boolean;

/** Ends the fault. */
type End = () => void;
type Begin = (settlement: Settlement, isOfStep: IsOfStep) => End;

/** Above the second for which a request waits, and below the time limit of a call. */
const SLOW_MS = 3_000;
/** Above the time limit of a call. */
const TOO_SLOW_MS = 45_000;

export const CONNECTION_FAULTS = {
  /** It does not respond, and has not received anything. */
  down: ({ ledger }) => {
    ledger.isDown = true;
    return () => {
      ledger.isDown = false;
    };
  },
  /** It carries out the command, and goes down before it responds. */
  down_after_effect: ({ planted }, isOfStep) => {
    let isDown = false;
    planted.faults = (call) => {
      if (isDown) return { kind: 'request_lost' };
      isDown = isOfStep(call);
      return isDown ? { kind: 'answer_lost' } : undefined;
    };
    return () => {
      planted.faults = undefined;
    };
  },
  slow: (settlement) => always(settlement, { kind: 'slow', ms: SLOW_MS }),
  slow_beyond_timeout: (settlement) => always(settlement, { kind: 'slow', ms: TOO_SLOW_MS }),
  answer_late: (settlement) => always(settlement, { kind: 'answer_late', ms: SLOW_MS }),
  request_lost: (settlement, isOfStep) => onFirst(settlement, isOfStep, { kind: 'request_lost' }),
  answer_lost: (settlement, isOfStep) => onFirst(settlement, isOfStep, { kind: 'answer_lost' }),
  request_late: (settlement, isOfStep) => onFirst(settlement, isOfStep, { kind: 'request_late', ms: SLOW_MS }),
  request_repeated: (settlement) => always(settlement, { kind: 'request_repeated' }),
  /** It repeats its first response to a command: a receipt is never seen. */
  answer_repeated: (settlement) => always(settlement, { kind: 'answer_repeated' }),
  /** It publishes no receipt. */
  receipt_lost: ({ planted }) => {
    planted.faults = ({ method }) => (method === 'watch' ? { kind: 'request_lost' } : undefined);
    return () => {
      planted.faults = undefined;
    };
  },
  /** It is full. */
  busy: (settlement) => always(settlement, { kind: 'busy' }),
  refused: (settlement) => always(settlement, { kind: 'refused' }),
} as const satisfies Record<string, Begin>;

/**
 * The venue starts on stores that differ. `older_ledger`, `older_journal`: one of them is a copy from before the step. `foreign_command`:
 * the step has not reached the ledger, and a command of someone else has.
 */
export const STORE_FAULTS = ['older_ledger', 'older_journal', 'foreign_command'] as const;

export type ConnectionFault = keyof typeof CONNECTION_FAULTS;
export type StoreFault = (typeof STORE_FAULTS)[number];
export type FaultName = ConnectionFault | StoreFault;
export const FAULT_NAMES: readonly FaultName[] = [...(Object.keys(CONNECTION_FAULTS) as ConnectionFault[]), ...STORE_FAULTS];

function always({ planted }: Settlement, fault: LedgerFault): End {
  planted.fault = fault;
  return () => {
    planted.fault = undefined;
  };
}

function onFirst({ planted }: Settlement, isOfStep: IsOfStep, fault: LedgerFault): End {
  let isOver = false;
  planted.faults = (call) => {
    if (isOver || !isOfStep(call)) return undefined;
    isOver = true;
    return fault;
  };
  return () => {
    planted.faults = undefined;
  };
}
