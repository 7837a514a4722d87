/** Converts what an order of a request waits for, and its legs, to the terms of a command. The body must have passed its schema. */
import type { OrderPlacement } from '#contract/orders.ts';
import { type Bps, type PriceAtoms, priceAtoms } from '#units/money.ts';
import type { BatchEntry, LegTerms, TriggerTerms } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { priceOf } from './order-terms.ts';

/** Whether an order only reduces if its request does not say. */
export function reducesByDefault({ trigger }: OrderPlacement): boolean {
  return trigger !== undefined && (trigger.type !== 'trigger' || trigger.closePosition === true);
}

/** Throws `Refused` if a price does not fit the market. */
export function conditionalTerms(
  { trigger, stopLoss, takeProfit }: OrderPlacement,
  specification: MarketSpecification,
): Pick<BatchEntry, 'trigger' | 'attached'> {
  if (trigger !== undefined) return { trigger: triggerTerms(trigger, specification) };
  if (stopLoss === undefined && takeProfit === undefined) return {};
  return {
    attached: {
      ...(stopLoss !== undefined && { stopLoss: legTerms(stopLoss, specification) }),
      ...(takeProfit !== undefined && { takeProfit: legTerms(takeProfit, specification) }),
    },
  };
}

function triggerTerms(
  { type, source, direction, price, trailingAmount, trailingBps, closePosition, linkedClientOrderId }: TriggerBody,
  specification: MarketSpecification,
): TriggerTerms {
  return {
    kind: type,
    source: source ?? 'mark',
    direction: direction ?? 'derived',
    priceAtoms: priceOr0(price, specification),
    trailingAtoms: priceOr0(trailingAmount, specification),
    trailingBps: (trailingBps ?? 0) as Bps,
    closePosition: closePosition ?? false,
    linkedClientOrderId: linkedClientOrderId ?? '',
  };
}

function legTerms({ triggerPrice, source, price }: LegBody, specification: MarketSpecification): LegTerms {
  return {
    source: source ?? 'mark',
    triggerPriceAtoms: priceOf(triggerPrice, specification),
    priceAtoms: priceOr0(price, specification),
  };
}

function priceOr0(text: string | undefined, specification: MarketSpecification): PriceAtoms {
  return text === undefined ? priceAtoms(0) : priceOf(text, specification);
}

type TriggerBody = NonNullable<OrderPlacement['trigger']>;
type LegBody = NonNullable<OrderPlacement['stopLoss']>;
