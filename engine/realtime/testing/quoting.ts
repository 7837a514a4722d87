/** Large updates with few records. */
import type { History } from '#simulation/history.ts';
import type { AccountOrdinal } from '#units/ids.ts';

/** Two turns that each change 32 orders of Alice's. */
export function quoteAndCancel(history: History): number {
  const accepted = history.batch(
    1,
    Array.from({ length: 32 }, (_, level) => ['buy', 9_900 - level, 1] as const),
  );
  const orders = accepted.flatMap((event) => (event.type === 'OrderAccepted' ? [event.order] : []));
  history.run({ type: 'CancelOrders', account: 1 as AccountOrdinal, orders });
  return 2;
}
