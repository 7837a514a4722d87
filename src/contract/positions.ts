/**
 * The position snapshot (2.7). A position is one episode: from flat to flat.
 * Live risk is null while the market has no mark, and what needs an exit before the first close.
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
        'What the position paid in funding out of its margin, less what it got. What its margin could not pay was added to what ' +
        'entering cost and shows in realizedPnl: of a closed position realizedPnl − feesPaid − fundingPaid is what came to cash, ' +
        'and where the insurance fund bore a part of its liquidation, that on top.',
    }),
    fundingPaid: signedDecimal,
    closeReason: z.enum(['user_close', 'liquidation', 'auto_deleveraging']).nullable().meta({
      description:
        "By what the episode ended: an order of its owner, its liquidation (into the book or against others), or a deleveraging against another's bankrupt position.",
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
          'equityAtoms over maintenanceRequirementAtoms in hundredths of a percent; below 10000 the margin does not suffice.',
      }),
    equityAtoms: signedAtoms.nullable(),
    maintenanceRequirementAtoms: atoms.nullable(),
    marginStatus: z
      .enum(['healthy', 'at_risk', 'liquidating'])
      .nullable()
      .meta({
        description:
          'By marginHealthBps: at_risk below 15000, liquidating below 10000. While the market or its index stands still nobody is ' +
          'liquidated: then it is at_risk.',
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
          'Where the position stands among those of its side in its market, in fifths, should they be closed against a bankrupt position ' +
          'that nothing else covers: 5 is first in line. null where the market does not deleverage.',
      }),
    marginMode: ours(z.literal('isolated'), 'The only one.'),
    marginAtoms: ours(atoms, 'The margin that the position holds.'),
    margin: ours(decimal, 'The margin that the position holds.'),
    entryNotionalAtoms: ours(atoms, 'What the open quantity cost to enter, exact.'),
    entryNotional: ours(decimal, 'What the open quantity cost to enter, exact.'),
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
