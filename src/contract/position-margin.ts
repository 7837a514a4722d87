/** Margin that the owner of a position adds to it, or takes out. */
import * as z from 'zod';
import { accountId, atoms, decimal, decimalInput, idInput, marketId, sequence } from './fields.ts';
import type { Operation } from './operation.ts';

const direction = z.enum(['add', 'remove']).meta({ id: 'MarginDirection' });

export const marginAdjustmentBody = z
  .strictObject({
    direction,
    amount: decimalInput.meta({ description: 'In USD.E. Adding takes it from the cash that no open order reserves.' }),
  })
  .meta({ id: 'MarginAdjustmentBody', 'x-openperp-ours': true });

export const marginAdjustment = z
  .strictObject({
    version: z.literal('position-margin-adjustment/v1'),
    accountId,
    marketId,
    positionId: z.string(),
    direction,
    amountAtoms: atoms,
    amount: decimal,
    repaidAtoms: atoms.meta({
      description: 'What of the removed margin went back to the insurance fund, for what it has paid for the position.',
    }),
    marginAtoms: atoms.meta({ description: 'The margin of the position after the change.' }),
    margin: decimal,
    lastSequence: sequence,
    idempotencyKey: z.string(),
  })
  .meta({ id: 'MarginAdjustment', 'x-openperp-ours': true });
export type MarginAdjustment = z.infer<typeof marginAdjustment>;

export const adjustPositionMargin = {
  id: 'adjustPositionMargin',
  isOurs: true,
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/positions/{marketId}/margin',
  access: 'bearer:trade',
  limit: 'orders',
  needsIdempotencyKey: true,
  params: z.strictObject({ accountId: idInput, marketId: idInput }),
  body: marginAdjustmentBody,
  example: { body: { direction: 'add', amount: '1' } },
  success: { status: 200, schema: marginAdjustment, description: 'The change.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'account_legacy_excluded',
    'market_not_found',
    'position_not_found',
    'amount_out_of_bounds',
    'insufficient_cash',
    'margin_required',
    'market_not_open',
    'market_reduce_only',
    'index_not_current',
    'capability_unavailable',
    'intake_paused',
    'venue_busy',
    'venue_halted',
  ],
  summary: 'Add margin to a position, or remove it',
  description:
    'What stays after a removal is at least the initial margin of the exposure at the mark, both as margin and as equity: an unrealized profit ' +
    'cannot be taken out. Removing needs a market that permits opening; adding is possible while positions may be reduced.',
} as const satisfies Operation;

export const positionMarginOperations = { adjustPositionMargin };
