/**
 * The position snapshot (2.7). A position is one episode, from opening to zero quantity.
 * Live risk is null while the market has no mark; exit fields are null before the first close.
 */
import * as z from 'zod';
import {
  accountId,
  atoms,
  decimal,
  epochMs,
  freshness,
  marketId,
  numberedId,
  ours,
  readModelDigest,
  resync,
  sequence,
  signedAtoms,
  signedDecimal,
} from './fields.ts';

export const position = z
  .strictObject({
    positionId: numberedId,
    accountId,
    marketId,
    side: z.enum(['long', 'short']),
    status: z.enum(['open', 'closed']),
    openedAtEpochMs: epochMs,
    closedAtEpochMs: epochMs.nullable(),
    maxQuantityAtoms: atoms,
    maxQuantity: decimal,
    currentQuantityAtoms: atoms,
    currentQuantity: decimal,
    avgEntryPriceAtoms: atoms.meta({ description: 'Rounded down to the tick; entryNotionalAtoms is exact.' }),
    avgEntryPrice: decimal,
    avgExitPriceAtoms: atoms.nullable(),
    avgExitPrice: decimal.nullable(),
    realizedPnlAtoms: signedAtoms,
    realizedPnl: signedDecimal,
    feesPaidAtoms: signedAtoms,
    feesPaid: signedDecimal,
    fundingPaidAtoms: signedAtoms.meta({
      description:
        'Funding that the position paid out of its margin, minus funding that it received. Funding that the margin could not pay is added to the ' +
        'entry cost and shows in realizedPnl. For a closed position realizedPnl − feesPaid − fundingPaid + insuranceCovered is the change of ' +
        'cash.',
    }),
    fundingPaid: signedDecimal,
    insuranceCoveredAtoms: ours(
      signedAtoms,
      'What the insurance fund (the venue, if the fund is empty) paid of its losses because nothing else backed them, minus what its closes and ' +
        'removals of its margin repaid to the fund.',
    ),
    insuranceOwedAtoms: ours(
      atoms,
      'What the insurance fund has paid for the open position: what its closes bring repays it before its owner gets any.',
    ),
    insuranceOwed: ours(decimal, 'insuranceOwedAtoms as a decimal.'),
    insuranceCovered: ours(signedDecimal, 'insuranceCoveredAtoms as a decimal.'),
    closeReason: z.enum(['user_close', 'liquidation', 'auto_deleveraging']).nullable().meta({
      description:
        "How the episode ended: an order of its owner, its liquidation (in the book or by auto-deleveraging), or auto-deleveraging against another account's position.",
    }),
    lastSequence: sequence,
    markPriceAtoms: atoms.nullable(),
    unrealizedPnlAtoms: signedAtoms.nullable(),
    liquidationPriceAtoms: atoms.nullable(),
    marginHealthBps: z
      .string()
      .regex(/^-?[0-9]+$/)
      .nullable()
      .meta({
        description:
          'equityAtoms / maintenanceRequirementAtoms in hundredths of a percent. Below 10000 the equity is less than the maintenance margin.',
      }),
    equityAtoms: signedAtoms.nullable(),
    maintenanceRequirementAtoms: atoms.nullable(),
    marginStatus: z
      .enum(['healthy', 'at_risk', 'liquidating'])
      .nullable()
      .meta({
        description:
          'By marginHealthBps: at_risk below 15000, liquidating below 10000. While the index is not current or has not reached the liquidation ' +
          'price, or the market does not trade, the position is not liquidated, and the status is at_risk.',
      }),
    riskAsOfMarketDataSequence: z.int().min(0).max(4_503_599_627_370_495).nullable(),
    liquidationTierConsistent: z.boolean().nullable(),
    adlIndicator: z
      .int()
      .min(1)
      .max(5)
      .nullable()
      .meta({
        description:
          'The rank of the position for auto-deleveraging among the positions of its side in the market, in fifths: 5 is closed first. null if the ' +
          'market does not deleverage.',
      }),
    marginMode: ours(z.literal('isolated'), 'Always isolated.'),
    marginAtoms: ours(atoms, 'The margin of the position.'),
    margin: ours(decimal, 'The margin of the position.'),
    entryNotionalAtoms: ours(atoms, 'The entry cost of the open quantity, exact.'),
    entryNotional: ours(decimal, 'The entry cost of the open quantity, exact.'),
    markPrice: ours(decimal.nullable(), 'markPriceAtoms as a decimal.'),
    unrealizedPnl: ours(signedDecimal.nullable(), 'unrealizedPnlAtoms as a decimal.'),
    liquidationPrice: ours(decimal.nullable(), 'liquidationPriceAtoms as a decimal.'),
    maintenanceRequirement: ours(decimal.nullable(), 'maintenanceRequirementAtoms as a decimal.'),
    updatedAtEpochMs: ours(epochMs, 'When the episode last changed, by a fill or by funding.'),
  })
  .meta({ id: 'Position' });
export type PositionResource = z.infer<typeof position>;

export const positionSnapshot = z
  .strictObject({
    version: z.literal('external-position-snapshot/v1'),
    accountId,
    snapshotSequence: sequence,
    readModelDigest: readModelDigest.meta({
      description: 'Covers the durable episode rows only, not the live risk merged into positions.',
    }),
    positions: z.array(position),
    resync: resync('account.positions'),
    freshness,
  })
  .meta({ id: 'PositionSnapshot' });
export type PositionSnapshot = z.infer<typeof positionSnapshot>;
