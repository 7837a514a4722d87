/** Handlers for the timers that cancel an account's orders. */
import type { cancelAllAfterOperations } from '#contract/cancel-all-after.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { type MarketOrdinal, renderAccountId } from '#units/ids.ts';
import { marketOfBody } from './placement.ts';
import { venueRefusal } from './venue-refusal.ts';

const ALL_MARKETS = 0 as MarketOrdinal;

export function cancelAllAfterHandlers({
  submit,
  directory,
  openOrders,
}: HttpPorts): Pick<Handlers, keyof typeof cancelAllAfterOperations> {
  return {
    setCancelAllAfter: async ({ body, principal }) => {
      const account = ownAccount(principal, body.accountId);
      const { timeoutMs, marketId } = body;
      const market = marketId === undefined ? ALL_MARKETS : marketOfBody(directory, marketId).market;
      const record = await submit({ command: { type: 'SetCancelAllAfter', account, market, timeoutMs } });
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      return {
        body: {
          version: 'external-cancel-all-after/v1',
          accountId: renderAccountId(account),
          marketId: marketId ?? null,
          cancelsAtEpochMs: timeoutMs === 0 ? null : record.epochMs + timeoutMs,
          setAtEpochMs: record.epochMs,
          lastSequence: record.sequence,
        },
      };
    },

    getCancelAllAfter: async ({ params, principal }) => {
      const account = ownAccount(principal, params.accountId);
      const { view, sequence, epochMs } = await openOrders.cancelTimers(account);
      return {
        body: {
          version: 'external-cancel-all-after-timers/v1',
          accountId: renderAccountId(account),
          timers: [...view],
          snapshotSequence: sequence,
          asOfEpochMs: epochMs,
        },
      };
    },
  };
}
