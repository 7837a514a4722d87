/** The layouts of what an order waits for, and of its legs, in commands. All fields are written, also those of what an order does not have. */
import type { Bps, PriceAtoms } from '#units/money.ts';
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
const NO_PRICE = 0 as PriceAtoms;
const NO_LEG: LegTerms = { source: 'mark', triggerPriceAtoms: NO_PRICE, priceAtoms: NO_PRICE };
const NO_TRIGGER: TriggerTerms = {
  kind: 'trigger',
  source: 'mark',
  direction: 'derived',
  priceAtoms: NO_PRICE,
  trailingAtoms: NO_PRICE,
  trailingBps: 0 as Bps,
  closePosition: false,
  linkedClientOrderId: '',
};

export interface OrderConditions {
  readonly trigger?: TriggerTerms;
  readonly attached?: AttachedLegs;
}

export function hasConditions({ trigger, attached }: OrderConditions): boolean {
  return trigger !== undefined || attached !== undefined;
}

export function conditionsLayout(io: Cursor, it: OrderConditions): OrderConditions {
  const waits = io.flag(it.trigger !== undefined);
  const trigger = io.part(it.trigger ?? NO_TRIGGER, triggerLayout);
  const hasLegs = io.flag(it.attached !== undefined);
  const attached = io.part(it.attached ?? {}, attachedLayout);
  return { ...(waits && { trigger }), ...(hasLegs && { attached }) };
}

function triggerLayout(io: Cursor, it: TriggerTerms): TriggerTerms {
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

function attachedLayout(io: Cursor, it: AttachedLegs): AttachedLegs {
  const hasStop = io.flag(it.stopLoss !== undefined);
  const stopLoss = io.part(it.stopLoss ?? NO_LEG, legLayout);
  const hasProfit = io.flag(it.takeProfit !== undefined);
  const takeProfit = io.part(it.takeProfit ?? NO_LEG, legLayout);
  return { ...(hasStop && { stopLoss }), ...(hasProfit && { takeProfit }) };
}

function legLayout(io: Cursor, it: LegTerms): LegTerms {
  return {
    source: io.oneOf(TRIGGER_SOURCES, it.source),
    triggerPriceAtoms: io.int(it.triggerPriceAtoms),
    priceAtoms: io.int(it.priceAtoms),
  };
}
