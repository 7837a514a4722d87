/** Transfers: money that came in from outside and money that goes out, with the interface's own cursor (2.13, 4.5). */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  atoms,
  betweenMoments,
  cursorInput,
  decimal,
  epochMs,
  freshness,
  momentInput,
  ours,
  sequence,
  settlementAsset,
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
    asset: settlementAsset,
    amountAtoms: atoms,
    amount: decimal,
    status: z.enum(['credited', 'reserved', 'released', 'settled']).meta({
      description:
        'A deposit is credited. A withdrawal is reserved, its cash kept for it; then settled, when the money has left the venue, or released, ' +
        'when all of it came back to the account.',
    }),
    ledgerEventId: z.string().nullable().meta({
      description:
        "The record of the venue's ledger by which money came in or left; null on a withdrawal of which none has left.",
    }),
    updatedAtEpochMs: epochMs.meta({
      description:
        'When it last changed. Grows from each change of an account to the next: of two in one millisecond the later has the next one.',
    }),
    lastSequence: sequence,
  })
  .meta({ id: 'Transfer' });
export type TransferResource = z.infer<typeof transfer>;

/** What a cursor of the list holds: the place of an entry. */
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
    'By the time of their last change, oldest first. A transfer that changes while somebody pages moves to the end and is shown again; ' +
    'none is left out. The cursor is the base64url of a JSON object with updatedAtEpochMs and transferId of the last entry, so that ' +
    'whoever keeps these two can ask later for what has changed since. Money that goes from one account of the venue to another is neither.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: betweenMoments(
    z.strictObject({
      kind: ours(kind.optional(), 'Only these.'),
      limit: ours(wholeNumberInput(1, 100).default(50), 'The most entries to return.'),
      since: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: nothing that last changed before.'),
      until: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: nothing that last changed later. Not before since.'),
      cursor: ours(cursorInput, 'The nextCursor of the page before.'),
    }),
  ),
  success: { status: 200, schema: transferHistory, description: 'The transfers.' },
  refusals: ['account_forbidden', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const transferOperations = { listTransfers };
