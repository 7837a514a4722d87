/** The timer that cancels an account's orders unless its client sets it again: a dead man's switch. Ours: the interface has none. */
import * as z from 'zod';
import { accountId, epochMs, idInput, marketId, sequence } from './fields.ts';
import type { Operation } from './operation.ts';

const cancelTimer = {
  marketId: marketId.nullable().meta({ description: 'null for the timer of all markets.' }),
  cancelsAtEpochMs: epochMs
    .nullable()
    .meta({ description: "When it cancels the orders, by the venue's time; null if it is off." }),
};

export const cancelAllAfterBody = z
  .strictObject({
    accountId: idInput.meta({ description: 'The account of the API key.' }),
    marketId: idInput
      .optional()
      .meta({ description: 'Only the orders of this market, with a timer of its own; otherwise those of all markets.' }),
    timeoutMs: z
      .int()
      .min(0)
      .max(2 ** 31)
      .meta({ description: 'From 1 second to 24 hours; 0 turns the timer off.' }),
  })
  .meta({ id: 'CancelAllAfter', 'x-openperp-ours': true });

export const cancelAllAfterSet = z
  .strictObject({
    version: z.literal('external-cancel-all-after/v1'),
    accountId,
    ...cancelTimer,
    setAtEpochMs: epochMs,
    lastSequence: sequence,
  })
  .meta({ id: 'CancelAllAfterSet', 'x-openperp-ours': true });

export const cancelAllAfterTimers = z
  .strictObject({
    version: z.literal('external-cancel-all-after-timers/v1'),
    accountId,
    timers: z
      .array(z.strictObject({ ...cancelTimer, cancelsAtEpochMs: epochMs }).meta({ id: 'CancelTimer' }))
      .meta({ description: 'The timers that are on: that of all markets first, then by market.' }),
    snapshotSequence: sequence,
    asOfEpochMs: epochMs,
  })
  .meta({ id: 'CancelAllAfterTimers', 'x-openperp-ours': true });

export const setCancelAllAfter = {
  id: 'setCancelAllAfter',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/cancel-all-after',
  summary: 'Cancel all orders unless called again in time',
  description:
    'Starts a timer, or replaces the one of the same market (or of all markets). When it runs out, the venue cancels the orders that are open ' +
    'then (cancel_all_after), in the book or waiting for a price, 100 in a turn, and the timer is off until it is set again. Reduce-only ' +
    'orders that wait for a price stay, because they protect a position, and so do orders that are placed later. The timer ' +
    'survives a restart: what ran out meanwhile is cancelled at the start. A call that the venue takes after the time does not prevent the ' +
    'cancel. Call it every 15 to 30 seconds with a timeout of 60. It counts as one cancel.',
  isOurs: true,
  access: 'bearer:trade',
  limit: 'cancels',
  body: cancelAllAfterBody,
  example: { body: { accountId: 'acct-1', timeoutMs: 60_000 } },
  success: { status: 200, schema: cancelAllAfterSet, description: 'The timer.' },
  refusals: ['account_forbidden', 'unknown_market', 'timeout_out_of_bounds', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getCancelAllAfter = {
  id: 'getCancelAllAfter',
  group: 'Orders',
  method: 'GET',
  path: '/v1/accounts/{accountId}/cancel-all-after',
  summary: 'Read the timers that will cancel orders',
  description: 'The timers of the account that are on.',
  isOurs: true,
  access: 'bearer:read',
  params: z.strictObject({ accountId: idInput }),
  success: { status: 200, schema: cancelAllAfterTimers, description: 'The timers.' },
  refusals: ['account_forbidden', 'venue_halted'],
} as const satisfies Operation;

export const cancelAllAfterOperations = { setCancelAllAfter, getCancelAllAfter };
