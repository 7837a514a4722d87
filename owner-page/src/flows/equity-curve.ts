/** The paper equity of a deployment over time, in exact atoms: at each order by its mark, and now. */
import { atomsOfInput } from '../money.ts';
import type { AgentAction, OrderPayload, PaperLedger } from '../venue/agent-resources.ts';

/** The decimals of a market's prices and quantities; their sum is at most six, so a notional is a whole number of atoms. */
export interface Scales {
  readonly priceScale: number;
  readonly quantityScale: number;
}

export interface EquityPoint {
  readonly epochMs: number;
  readonly equityAtoms: bigint;
  /** What happened then. */
  readonly event: string;
}

const QUOTE_DECIMALS = 6;

/** Cash plus the position at the mark, minus fees; `undefined` for a position without a mark. */
export function equityOf(ledger: PaperLedger, markPriceAtoms: string | null, scales: Scales): bigint | undefined {
  const { positionBaseAtoms, cashQuoteAtoms, feesQuoteAtoms } = ledger;
  const position = BigInt(positionBaseAtoms);
  if (position !== 0n && markPriceAtoms === null) return undefined;
  const unit = 10n ** BigInt(QUOTE_DECIMALS - scales.priceScale - scales.quantityScale);
  return BigInt(cashQuoteAtoms) + position * BigInt(markPriceAtoms ?? 0) * unit - BigInt(feesQuoteAtoms);
}

/** The points of actions, which are oldest first. An end with an open position has no mark, so it is no point. */
export function pointsOf(actions: readonly AgentAction[], scales: Scales): readonly EquityPoint[] {
  return actions.flatMap((action) => {
    const { payload, recordedAtEpochMs: epochMs } = action;
    const mark = isOrder(payload) ? payload.markPriceAtoms : null;
    const equityAtoms = equityOf(payload.ledger, mark, scales);
    return equityAtoms === undefined ? [] : [{ epochMs, equityAtoms, event: nameOfAction(action) }];
  });
}

export function isOrder(payload: AgentAction['payload']): payload is OrderPayload {
  return 'side' in payload;
}

const NAMES: Readonly<Record<AgentAction['kind'], string>> = {
  deployment_started: 'Started',
  deployment_stopped: 'Stopped',
  deployment_failed: 'Failed',
  entry: 'Entry',
  exit: 'Exit',
  close: 'Close',
};

export function nameOfAction({ kind, outcome }: AgentAction): string {
  return outcome === 'refused' ? `${NAMES[kind]}, not filled` : NAMES[kind];
}

/** The atoms of a price that the venue sent as a decimal string. */
export function priceAtomsOf(price: string, { priceScale }: Scales): string | null {
  const atoms = atomsOfInput(price, priceScale);
  return atoms === undefined ? null : String(atoms);
}
