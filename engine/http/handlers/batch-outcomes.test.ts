import { expect, test } from 'vitest';
import type { LimitPlacement } from '#contract/order-batches.ts';
import { VenueDirectory } from '#projection/projection.ts';
import { History } from '#simulation/history.ts';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import { batchEntries, batchOutcomes } from './batch-outcomes.ts';

const { marketId } = SCENARIO_MARKET;
const directory = new VenueDirectory({
  sequence: 0 as Sequence,
  markets: [[BTC, SCENARIO_MARKET]],
  apiKeys: [],
  switches: [],
});

function body(clientOrderId: string, price: string, quantity = '0.1'): LimitPlacement {
  return { accountId: 'acct-1', marketId, clientOrderId, side: 'buy', orderType: 'limit', price, quantity };
}

test('reads the amounts once: the record decides the outcome of an entry that reached the venue', () => {
  const orders = [body('rests', '999.1'), body('off tick', '999.12345'), body('too far', '2000'), body('nothing', '0', '0')];
  const history = History.begin(1);
  const entries = batchEntries(directory, orders);
  history.run({ type: 'PlaceOrders', account: 1 as AccountOrdinal, entries, idempotencyKey: 'key' });
  const record = history.records.at(-1)!;
  const outcomes = batchOutcomes(directory, orders, record);
  expect(outcomes.map((it) => (it.accepted ? it.price : it.code))).toEqual([
    '999.1',
    'price_off_tick',
    'price_out_of_band',
    'quantity_out_of_bounds',
  ]);
  const unread = orders.map((order, index) => (index % 2 === 0 ? { ...order, price: 'unread' } : order));
  // A refusal repeats the price as it was sent.
  const expected = outcomes.map((it) =>
    it.accepted ? it : { ...it, safeMessage: it.safeMessage.replace('is 2000,', 'is unread,') },
  );
  expect(expected).not.toEqual(outcomes);
  expect(batchOutcomes(directory, unread, record)).toEqual(expected);
});
