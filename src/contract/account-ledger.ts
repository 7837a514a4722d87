/** The ledger of an account: every change of its cash and position margin together, in pages. Not in the interface. */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  epochMs,
  freshness,
  marketId,
  nextCursor,
  numberedId,
  pageQuery,
  sequence,
  settlementAsset,
  signedAtoms,
  signedDecimal,
} from './fields.ts';
import { fundingPayment } from './funding.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

const kind = z
  .enum([
    'realized_pnl',
    'trade_fee',
    'liquidation_fee',
    'insurance_covered',
    'insurance_repaid',
    'funding',
    'deposit',
    'withdrawal',
    'withdrawal_release',
    'transfer',
  ])
  .meta({
    description:
      'realized_pnl and trade_fee are of a fill, each fill has a trade_fee, also of 0. liquidation_fee is paid beside it to the insurance fund. ' +
      'insurance_covered is what the insurance fund (the venue, if the fund is empty) paid of a loss; insurance_repaid went back to the fund, by ' +
      'a fill or by a removal of margin. funding is what the margin of the position paid or received: of a payment that exceeds the margin, the ' +
      'rest is in the realized PnL of its closes. A withdrawal counts when its cash is reserved, and its withdrawal_release when all of it is back. ' +
      'transfer is cash from or to another account of the venue.',
  });

export const ledgerEntry = z
  .strictObject({
    entryId: z.string().meta({ description: 'Unique in the ledger of the account.' }),
    accountId,
    kind,
    asset: settlementAsset,
    amountAtoms: signedAtoms.meta({ description: 'Negative if the account paid.' }),
    amount: signedDecimal.meta({ description: 'amountAtoms as a decimal.' }),
    marketId: marketId.nullable().meta({ description: 'Null for a deposit, a withdrawal and a transfer, like positionId.' }),
    positionId: numberedId.nullable(),
    orderId: numberedId.nullable().meta({ description: 'The order of the fill; null if no fill caused the entry.' }),
    tradeId: numberedId.nullable().meta({ description: 'The trade of the fill; null if no fill caused the entry.' }),
    paymentId: fundingPayment.shape.paymentId.nullable().meta({ description: 'The funding payment; null for other kinds.' }),
    transferId: z.string().nullable().meta({
      description:
        'The transfer of a deposit or a withdrawal; the funding of an agent account. Null for a transfer by the operator, and for other kinds.',
    }),
    postedAtEpochMs: epochMs,
    sequence,
  })
  .meta({ id: 'LedgerEntry', 'x-openperp-ours': true });
export type LedgerEntry = z.infer<typeof ledgerEntry>;

export const ledgerEntryList = z
  .strictObject({
    version: z.literal('ledger-entry-list/v1'),
    accountId,
    entries: z.array(ledgerEntry),
    nextCursor,
    freshness,
  })
  .meta({ id: 'LedgerEntryList', 'x-openperp-ours': true });
export type LedgerEntryList = z.infer<typeof ledgerEntryList>;

export const listLedgerEntries = {
  id: 'listLedgerEntries',
  isOurs: true,
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/ledger',
  summary: 'Ledger',
  description:
    'Every change of the cash and the position margin of the account together. The sum of all entries is cashBalance + positionMargin of the ' +
    'account, to the atom; reservations are part of the cash, and unrealized PnL does not count. Newest first; with `since` oldest first from ' +
    'there. Entries have the order of their records; within a record funding is first, then fills by trade, then the rest.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery({}),
  success: { status: 200, schema: ledgerEntryList, description: 'The entries.' },
  refusals: ['account_forbidden', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const accountLedgerOperations = { listLedgerEntries };
