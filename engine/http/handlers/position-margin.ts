/** Handlers for the margin that owners add to positions, or take out. */
import type { positionMarginOperations } from '#contract/position-margin.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import { type QuoteAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import { idempotencyOf } from './idempotency.ts';
import { marketNamed } from './markets.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

export function positionMarginHandlers({ submit, directory }: HttpPorts): Pick<Handlers, keyof typeof positionMarginOperations> {
  return {
    adjustPositionMargin: async (call) => {
      const { params, body, principal, idempotencyKey } = call;
      const account = ownAccount(principal, params.accountId);
      const market = marketNamed(directory, params.marketId);
      const { direction } = body;
      const amountAtoms = atomsOf(body.amount);
      const record = await submit({
        command: { type: 'AdjustPositionMargin', account, market, direction, amountAtoms },
        idempotency: idempotencyOf(account, 'adjustPositionMargin', call),
      });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      const adjusted = record.events.find((event) => event.type === 'PositionMarginAdjusted')!;
      return {
        body: {
          version: 'position-margin-adjustment/v1',
          accountId: renderAccountId(account),
          marketId: params.marketId,
          positionId: renderOrdinal(adjusted.position),
          direction,
          amountAtoms: String(amountAtoms),
          amount: renderDecimal(amountAtoms, SETTLEMENT_DECIMALS),
          repaidAtoms: String(adjusted.repaidAtoms),
          marginAtoms: String(adjusted.marginAtoms),
          margin: renderDecimal(adjusted.marginAtoms, SETTLEMENT_DECIMALS),
          lastSequence: record.sequence,
          idempotencyKey,
        },
        headers: record.replayed ? REPLAYED : {},
      };
    },
  };
}

/** Throws {@link Refused} if the amount is not a positive whole number of atoms. */
function atomsOf(amount: string): QuoteAtoms {
  const parsed = parseDecimal(amount, SETTLEMENT_DECIMALS);
  if ('atoms' in parsed && parsed.atoms > 0) return quoteAtoms(parsed.atoms);
  throw new Refused(
    'amount_out_of_bounds',
    `The amount is ${amount}; it must be above zero, have at most ${SETTLEMENT_DECIMALS} decimals, and be no more than an account can have.`,
  );
}
