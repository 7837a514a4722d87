/** What a run reads when its bars are replayed: older bars, and the orders of the action log by pages. */
import { expect, test } from 'vitest';
import type { LoggedAction } from '#reads/agent-log.ts';
import type { AgentActionOrdinal, AgentDeploymentOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { LoggedOrders } from './logged-orders.ts';
import type { BarSource, ClosedBar } from './ports.ts';
import { RecentBars } from './recent-bars.ts';

const MINUTE_MS = 60_000;

test('has all orders of a bar whose orders are on two pages of the log', async () => {
  const actions = Array.from({ length: 501 }, (_, index): LoggedAction => {
    // The last two orders are of one bar.
    const bar = Math.min(index, 499);
    const fills = { filledBaseAtoms: 1, filledNotionalAtoms: 1, positionBaseAtoms: 1 };
    const place = { barEpochMs: bar * MINUTE_MS, barIndex: index - bar };
    return { action: (index + 1) as AgentActionOrdinal, kind: 'entry', recordedAtEpochMs: 0, ...place, ...fills } as LoggedAction;
  });
  const log = {
    actions: async ({ after, limit }: { after: number; limit: number }) =>
      actions.filter(({ action }) => action > after).slice(0, limit),
  };
  const orders = new LoggedOrders(log, 1 as AgentDeploymentOrdinal, 0 as AgentActionOrdinal);
  const bar = 499 * MINUTE_MS;
  while (!orders.reaches(bar)) await orders.readPage();
  expect(orders.orders(bar - 1)).toHaveLength(499);
  expect(orders.orders(bar).map(({ action }) => action)).toEqual([500, 501]);
});

test('has the newest of many bars that closed at once, and reads older ones from the source', async () => {
  let closed = 0;
  const barOf = (minute: number): ClosedBar => {
    const prices = { openAtoms: 1, highAtoms: 1, lowAtoms: 1, closeAtoms: 1, volumeAtoms: 1 };
    return { openTimeEpochMs: (minute * MINUTE_MS) as EpochMs, ...prices };
  };
  const source: BarSource = {
    hasTimeframe: () => true,
    barsSince: async (_, sinceEpochMs, limit) => {
      const bars = Array.from({ length: closed }, (__, minute) => barOf(minute));
      const found = bars.filter(({ openTimeEpochMs }) => openTimeEpochMs >= sinceEpochMs).slice(0, limit);
      return { bars: found, closedUntilEpochMs: closed * MINUTE_MS };
    },
  };
  const recent = new RecentBars(source, { market: 1 as MarketOrdinal, timeframeMs: MINUTE_MS }, 0);
  // More than a page.
  closed = 1_005;
  expect(await recent.refresh()).toBe(true);
  for (const minute of [0, 904, 905, 1_000, 1_004]) {
    const [first] = await recent.since(minute * MINUTE_MS);
    expect(first?.openTimeEpochMs).toBe(minute * MINUTE_MS);
  }
  expect(await recent.since(1_005 * MINUTE_MS)).toEqual([]);
});
