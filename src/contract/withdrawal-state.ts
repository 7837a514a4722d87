/** The state of a withdrawal: its status (2.5), the step that its owner must sign, and how it ended. */
import * as z from 'zod';
import { atoms, decimal, epochMs, sequence, settlementAsset } from './fields.ts';

export const withdrawalStatus = z.enum(['requested', 'reserved', 'authorized', 'submitted', 'blocked']).meta({
  description:
    'requested: the cash is reserved. reserved: the ledger covers it. authorized: its owner permits it. submitted: it is on the ledger, and ' +
    'has left the venue if settled is true. blocked: it ended, and all of its cash went back to the account.',
});

export const withdrawalState = z
  .strictObject({
    withdrawalId: z.string().regex(/^withdrawal-[1-9][0-9]{0,14}$/),
    asset: settlementAsset,
    amountAtoms: atoms,
    amount: decimal,
    status: withdrawalStatus,
    settled: z.boolean(),
    dueSigningStep: z.enum(['owner_withdrawal_consent', 'owner_offer_acceptance']).nullable().meta({
      description:
        'The step that its owner must sign next; null while the venue or the ledger works, after the payout offer has expired, and at the end.',
    }),
    payoutOfferExpiresAtEpochMs: epochMs.nullable().meta({ description: 'Null before the payout offer.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was blocked, or why its offer is being withdrawn; otherwise null.' }),
    ledgerEventId: z
      .string()
      .nullable()
      .meta({ description: "The ledger's newest event of the withdrawal; null before the first." }),
    updatedAtEpochMs: epochMs.meta({ description: 'The time of the last change in the list of transfers.' }),
    lastSequence: sequence,
  })
  .meta({ id: 'WithdrawalState', 'x-openperp-ours': true });
export type WithdrawalState = z.infer<typeof withdrawalState>;
