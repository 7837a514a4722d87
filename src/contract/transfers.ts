/** Transfers: deposits and withdrawals, with the interface's own cursor (2.13, 4.5). */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  atoms,
  betweenTimes,
  cursorInput,
  decimal,
  epochMs,
  freshness,
  ours,
  sequence,
  settlementAsset,
  timeInput,
  wholeNumberInput,
} from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

const kind = z.enum(['deposit', 'withdrawal']);

export const transfer = z
  .strictObject({
    transferId: z.string().regex(/^(?:deposit|withdrawal)-[1-9][0-9]{0,15}$/),
    accountId,
    kind,
    depositId: ours(
      z
        .string()
        .regex(/^dep-[1-9][0-9]{0,14}$/)
        .nullable(),
      'The deposit that the external ledger confirmed; null for a withdrawal, and for a deposit that the operator credited.',
    ),
    asset: settlementAsset,
    amountAtoms: atoms,
    amount: decimal,
    status: z.enum(['credited', 'requested', 'reserved', 'authorized', 'submitted', 'released', 'settled']).meta({
      description:
        'A deposit is credited. A withdrawal has its cash reserved from the request on: it is requested, reserved, authorized by its owner and ' +
        'submitted to the ledger. It is settled when the money has left the venue, or released when all of it went back to the account.',
    }),
    ledgerEventId: z
      .string()
      .nullable()
      .meta({
        description:
          "The external ledger's event for the movement of money, or the journal's record if the operator moved it; null for a withdrawal before " +
          'any money has left.',
      }),
    updatedAtEpochMs: epochMs.meta({
      description:
        'When the transfer last changed. Strictly increasing over the changes of an account: the second of two changes in one millisecond gets the ' +
        'next millisecond.',
    }),
    lastSequence: sequence,
  })
  .meta({ id: 'Transfer' });
export type TransferResource = z.infer<typeof transfer>;

/** The content of a cursor: the place of an entry in the list. */
export const transferPlace = transfer.pick({ updatedAtEpochMs: true, transferId: true });
export type TransferPlace = z.infer<typeof transferPlace>;

export const transferHistory = z
  .strictObject({
    version: z.literal('external-transfer-history/v1'),
    accountId,
    kind: kind.nullable().meta({ description: 'The filter of the request; null without one.' }),
    transfers: z.array(transfer),
    nextCursor: z.string().nullable().meta({ description: 'Continues the list; null on its last page.' }),
    freshness,
  })
  .meta({ id: 'TransferHistory' });
export type TransferHistory = z.infer<typeof transferHistory>;

export const listTransfers = {
  id: 'listTransfers',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/transfers',
  summary: 'Deposits and withdrawals',
  description:
    'Ordered by the time of the last change, oldest first. A transfer that changes between two pages moves to the end and is listed again; ' +
    'no transfer is skipped. The cursor is the base64url of a JSON object with updatedAtEpochMs and transferId of the last entry, so a client ' +
    'that stores these two can read later changes. Transfers between accounts of the venue are not listed.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: betweenTimes(
    z.strictObject({
      kind: ours(kind.optional(), 'Only transfers of this kind.'),
      limit: ours(wholeNumberInput(1, 100).default(50), 'The maximum number of entries.'),
      since: ours(timeInput.optional(), 'Epoch milliseconds, inclusive: only transfers that changed at or after this time.'),
      until: ours(
        timeInput.optional(),
        'Epoch milliseconds, inclusive: only transfers that last changed at or before this time. Must not be before since.',
      ),
      cursor: ours(cursorInput, 'The nextCursor of the previous page.'),
    }),
  ),
  success: { status: 200, schema: transferHistory, description: 'The transfers.' },
  refusals: ['account_forbidden', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const transferOperations = { listTransfers };
