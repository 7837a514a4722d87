/** How long an order waits for fills, on /v1. The interface has no such field; /v2 refuses it with 501. */
import * as z from 'zod';
import { epochMs, ours } from './fields.ts';

export const timeInForce = z.enum(['GTC', 'IOC', 'FOK', 'PO', 'GTD']).meta({
  id: 'TimeInForce',
  description:
    'GTC: until it is cancelled. IOC: what does not fill at once is cancelled (immediate_or_cancel). FOK: it fills whole at once, or not ' +
    'at all (fill_or_kill). PO: post-only, as postOnly does. GTD: until expiresAtEpochMs (expired).',
});

export const timeFields = {
  timeInForce: ours(
    timeInForce.optional(),
    'Without it GTC, or PO with postOnly. A market order is IOC. What contradicts postOnly or orderType is refused.',
  ),
  expiresAtEpochMs: ours(
    epochMs.optional(),
    'When a GTD order expires, from 1 second to 90 days after its turn. Only GTD takes it, and needs it.',
  ),
};

export const orderTimeFields = {
  timeInForce: ours(
    timeInForce,
    'As placed: IOC for a market order; PO for a post-only order without expiry; otherwise GTC by default.',
  ),
  expiresAtEpochMs: ours(epochMs.nullable(), 'When a GTD order expires; null for any other order.'),
};

interface TimedBody {
  readonly orderType: 'limit' | 'market';
  readonly price?: string | undefined;
  readonly postOnly?: boolean | undefined;
  readonly timeInForce?: z.output<typeof timeInForce> | undefined;
  readonly expiresAtEpochMs?: number | undefined;
}

const has = (field: string, value: object = {}) => ({ required: [field], properties: { [field]: value } });
const implies = (condition: object, consequence: object) => ({ anyOf: [{ not: condition }, consequence] });

/** The contradictions among these fields for the document. `timeFault` checks the same rules. */
export const TIME_RULES = [
  implies(has('timeInForce', { const: 'GTD' }), { required: ['expiresAtEpochMs'] }),
  implies(has('expiresAtEpochMs'), has('timeInForce', { const: 'GTD' })),
  implies(has('timeInForce', { const: 'PO' }), { required: ['price'], properties: { postOnly: { const: true } } }),
  implies(has('postOnly', { const: true }), { properties: { timeInForce: { enum: ['GTC', 'PO', 'GTD'] } } }),
  implies(has('orderType', { const: 'market' }), { properties: { timeInForce: { const: 'IOC' } } }),
];

/** The field whose value contradicts another one, and why. */
export function timeFault(body: TimedBody): { readonly field: string; readonly message: string } | undefined {
  const { orderType, price, postOnly, timeInForce: time, expiresAtEpochMs } = body;
  if (orderType === 'market' && time !== undefined && time !== 'IOC')
    return { field: 'timeInForce', message: `a market order is IOC, got ${time}` };
  if (time === 'GTD' && expiresAtEpochMs === undefined) return { field: 'expiresAtEpochMs', message: 'a GTD order needs it' };
  if (time !== 'GTD' && expiresAtEpochMs !== undefined)
    return { field: 'expiresAtEpochMs', message: 'only an order with timeInForce GTD takes it' };
  if (time === 'PO' && postOnly === false) return { field: 'postOnly', message: 'it is false, and timeInForce is PO' };
  if (time === 'PO' && price === undefined) return { field: 'timeInForce', message: 'a post-only order needs a price' };
  if (postOnly === true && (time === 'IOC' || time === 'FOK'))
    return { field: 'timeInForce', message: `a post-only order cannot be ${time}: it never fills at once` };
  return undefined;
}
