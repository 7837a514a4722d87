/** The layouts of what an order waits for, in commands and in a snapshot. */
import type { PriceAtoms } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import {
  type AttachedLegs,
  type LegTerms,
  TRIGGER_DIRECTIONS,
  TRIGGER_KINDS,
  TRIGGER_SOURCES,
  type TriggerTerms,
} from './trigger-terms.ts';

const DIRECTIONS = ['derived', ...TRIGGER_DIRECTIONS] as const;

export function triggerLayout(io: Cursor, it: TriggerTerms): TriggerTerms {
  return {
    kind: io.oneOf(TRIGGER_KINDS, it.kind),
    source: io.oneOf(TRIGGER_SOURCES, it.source),
    direction: io.oneOf(DIRECTIONS, it.direction),
    priceAtoms: io.int(it.priceAtoms),
    trailingAtoms: io.int(it.trailingAtoms),
    trailingBps: io.int(it.trailingBps),
    closePosition: io.flag(it.closePosition),
    linkedClientOrderId: io.text(it.linkedClientOrderId),
  };
}

export function attachedLayout(io: Cursor, it: AttachedLegs): AttachedLegs {
  const stopLoss = legLayout(io, it.stopLoss);
  const takeProfit = legLayout(io, it.takeProfit);
  return { ...(stopLoss !== undefined && { stopLoss }), ...(takeProfit !== undefined && { takeProfit }) };
}

function legLayout(io: Cursor, it: LegTerms | undefined): LegTerms | undefined {
  if (!io.flag(it !== undefined)) return undefined;
  return {
    source: io.oneOf(TRIGGER_SOURCES, it?.source ?? 'mark'),
    triggerPriceAtoms: io.int(it?.triggerPriceAtoms ?? (0 as PriceAtoms)),
    priceAtoms: io.int(it?.priceAtoms ?? (0 as PriceAtoms)),
  };
}
