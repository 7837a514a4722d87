/** Orders that wait for a price: stop-loss, take-profit, trailing stop and plain trigger, and the legs of an entry order. All of it is ours. */
import * as z from 'zod';
import { clientOrderId, decimal, decimalInput, epochMs, numberedId, ours } from './fields.ts';

const KINDS = ['stop_loss', 'take_profit', 'trigger', 'trailing_stop'] as const;
const triggerType = z.enum(KINDS).meta({
  id: 'TriggerType',
  description:
    'stop_loss: triggers when the price moves against the position that it reduces; take_profit: when it moves in its favor; trailing_stop: ' +
    'a stop_loss whose price follows the best price at a distance; trigger: on either side.',
});
const triggerSource = z.enum(['mark', 'index', 'last']).meta({
  id: 'TriggerSource',
  description: 'The price that the order waits for. The mark by default. last is the last trade.',
});
const triggerDirection = z.enum(['below', 'above']).meta({
  id: 'TriggerDirection',
  description: 'Whether it triggers at or below its price, or at or above.',
});

/** What an order of a request waits for. */
export const triggerInput = z.strictObject({
  type: triggerType,
  price: decimalInput.optional().meta({ description: 'The trigger price. Not for a trailing_stop.' }),
  source: triggerSource.optional(),
  direction: triggerDirection.optional().meta({
    description: 'Only for type trigger. If not given it follows from the price of the source when the order is placed.',
  }),
  closePosition: z.boolean().optional().meta({
    description: 'The market order closes whatever the position is when it triggers. It has no quantity.',
  }),
  trailingAmount: decimalInput.optional().meta({ description: 'The distance of a trailing_stop from the best price.' }),
  trailingBps: z.int().min(1).max(9_999).optional().meta({
    description:
      'The distance of a trailing_stop from the best price, in hundredths of a percent of it. Instead of trailingAmount.',
  }),
  linkedClientOrderId: clientOrderId.optional().meta({
    description:
      'The clientOrderId of a waiting order of the account in the market. When one of the two triggers, the other is cancelled.',
  }),
});
export type TriggerInput = z.output<typeof triggerInput>;

const leg = z.strictObject({
  triggerPrice: decimalInput,
  source: triggerSource.optional(),
  price: decimalInput.optional().meta({ description: 'The limit price when triggered. Without it a market order.' }),
});

/** The fields of a placement beside its amounts. */
export const conditionalExtras = {
  trigger: ours(
    triggerInput.optional(),
    'The order waits for a price. Until then it is open, in no book, and reserves no margin.',
  ),
  stopLoss: ours(
    leg.optional(),
    'An order of its own that waits, with the quantity that this order has opened. It ends when the takeProfit triggers, and with the position. ' +
      'For a buy its triggerPrice is below the price of this order, or without one below the current price; for a sell above.',
  ),
  takeProfit: ours(
    leg.optional(),
    'An order of its own that waits, with the quantity that this order has opened. It ends when the stopLoss triggers, and with the position. ' +
      'For a buy its triggerPrice is above the price of this order, or without one above the current price; for a sell below.',
  ),
};

/** What an order waits or waited for. */
export const orderTrigger = z
  .strictObject({
    type: triggerType,
    source: triggerSource,
    direction: triggerDirection,
    price: decimal.meta({
      description:
        'The trigger price. For a trailing_stop the price at which it would have triggered first, and then the one at which it did.',
    }),
    status: z.enum(['entry', 'waiting', 'triggered', 'ended']).meta({
      id: 'TriggerStatus',
      description:
        'entry: the entry order has opened nothing yet; waiting: for its price; triggered: it runs or ran; ended: it was cancelled before.',
    }),
    triggeredAtEpochMs: epochMs.nullable(),
    closePosition: z.boolean(),
    trailingAmount: decimal.nullable(),
    trailingBps: z.int().min(1).nullable(),
    entryOrderId: numberedId.nullable().meta({ description: 'The order whose stopLoss or takeProfit it is.' }),
    linkedOrderId: numberedId.nullable().meta({ description: 'The order that one of the two cancels when it triggers.' }),
  })
  .meta({ id: 'OrderTrigger', 'x-openperp-ours': true });

interface ConditionalFields {
  readonly orderType: 'limit' | 'market';
  readonly price?: string | undefined;
  readonly quantity?: string | undefined;
  readonly notional?: string | undefined;
  readonly postOnly?: boolean | undefined;
  readonly timeInForce?: string | undefined;
  readonly reduceOnly?: boolean | undefined;
  readonly trigger?: TriggerInput | undefined;
  readonly stopLoss?: unknown;
  readonly takeProfit?: unknown;
}

interface Fault {
  readonly field: string;
  readonly message: string;
}

/** Whether an order of this form closes the position, so that it needs no quantity. */
export function closesPosition({ trigger }: ConditionalFields): boolean {
  return trigger?.closePosition === true;
}

/** The first rule that an order with a trigger or legs breaks. The other rules of its form apply too. */
export function conditionalFault(body: ConditionalFields): Fault | undefined {
  const { trigger, stopLoss, takeProfit, reduceOnly } = body;
  const hasLegs = stopLoss !== undefined || takeProfit !== undefined;
  if (hasLegs && trigger !== undefined)
    return { field: 'trigger', message: 'an order with stopLoss or takeProfit cannot wait itself' };
  if (hasLegs && reduceOnly === true)
    return { field: 'reduceOnly', message: 'an order with stopLoss or takeProfit opens a position: it cannot be reduceOnly' };
  return trigger === undefined ? undefined : (formFault(body) ?? triggerFault(trigger));
}

function formFault(body: ConditionalFields): Fault | undefined {
  if (body.postOnly === true) return { field: 'postOnly', message: 'an order with a trigger cannot be post-only' };
  if (body.timeInForce !== undefined && body.timeInForce !== 'GTC')
    return { field: 'timeInForce', message: 'an order with a trigger is GTC' };
  if (body.notional !== undefined) return { field: 'notional', message: 'an order with a trigger takes quantity, not notional' };
  if (body.orderType === 'limit' && body.price === undefined)
    return { field: 'price', message: 'a limit order with a trigger needs a price' };
  if (!closesPosition(body)) return undefined;
  if (body.orderType !== 'market') return { field: 'orderType', message: 'an order that closes the position is a market order' };
  if (body.quantity !== undefined) return { field: 'quantity', message: 'an order that closes the position takes no quantity' };
  return body.reduceOnly === false
    ? { field: 'reduceOnly', message: 'an order that closes the position is reduceOnly' }
    : undefined;
}

function triggerFault({ type, price, source, direction, trailingAmount, trailingBps }: TriggerInput): Fault | undefined {
  if (direction !== undefined && type !== 'trigger')
    return { field: 'trigger', message: `direction is only for type trigger: that of ${type} follows from the side` };
  if (type !== 'trailing_stop') {
    if (trailingAmount !== undefined || trailingBps !== undefined)
      return { field: 'trigger', message: 'trailingAmount and trailingBps are only for type trailing_stop' };
    return price === undefined ? { field: 'trigger', message: `type ${type} needs a price` } : undefined;
  }
  if (price !== undefined)
    return { field: 'trigger', message: 'type trailing_stop takes no price: it follows from the distance' };
  if (source === 'last') return { field: 'trigger', message: 'type trailing_stop follows mark or index' };
  const distances = [trailingAmount, trailingBps].filter((distance) => distance !== undefined).length;
  return distances === 1
    ? undefined
    : { field: 'trigger', message: 'type trailing_stop needs trailingAmount or trailingBps, and not both' };
}
