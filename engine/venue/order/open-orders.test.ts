import { expect, test } from 'vitest';
import { BTC, type Scenario } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { quickScenario } from '#venue/testing/venues.ts';

const ALICE = 1 as AccountOrdinal;
const BOB = 2 as AccountOrdinal;
const orders = (...numbers: number[]) => numbers as OrderOrdinal[];
const byClientId = (clientOrderId: string) => ({ clientOrderId });

test("finds all of an account's orders in the books in random worlds", () => {
  let seen = 0;
  for (let seed = 1; seed <= 10; seed += 1) {
    const world = new RandomWorld(seed, true);
    for (let step = 1; step <= 200; step += 1) {
      world.step();
      if (step % 20 > 0) continue;
      for (let account = 1; account <= world.accounts; account += 1) seen += openOf(world.scenario, account as AccountOrdinal);
    }
  }
  expect(seen).toBeGreaterThan(200);
});

/** Checks the account's open orders, and returns their number. */
function openOf({ venue, now }: Scenario, account: AccountOrdinal): number {
  const { state } = venue;
  const own = state.orders.slotsByAge().filter((slot) => state.orders.accountOf(slot) === account);
  const open = own.map((slot) => state.orders.orderOf(slot));
  expect(venue.openOrders(account)).toEqual(open);
  expect(venue.openOrders(account, BTC)).toEqual(
    open.filter((order) => state.orders.marketOf(state.orders.slotOf(order)) === BTC),
  );
  expect(venue.openOrders(account, 99 as MarketOrdinal)).toEqual([]);
  // Of all orders so far, named by their numbers, exactly these are open.
  const all = orders(...Array.from({ length: state.lastOrder + 2 }, (_, order) => order));
  expect(venue.ordersNamed(account, all, now)).toEqual({ orders: all, open });
  return open.length;
}

test('finds orders by number or client order id in the given order, and each open one once', () => {
  const scenario = quickScenario(2);
  for (const clientOrderId of ['a', 'b', 'c']) scenario.limit(1, 'buy', 9_990, 1, { clientOrderId });
  scenario.limit(2, 'buy', 9_990, 1, { clientOrderId: 'a' });
  scenario.cancel(1, 2);
  const named = (...names: (OrderOrdinal | { clientOrderId: string })[]) =>
    scenario.venue.ordersNamed(ALICE, names, scenario.now);
  const [third, second, first] = orders(3, 2, 1);
  expect(named(byClientId('c'), second!, byClientId('a'), first!, third!)).toEqual({
    orders: orders(3, 2, 1, 1, 3),
    open: orders(3, 1),
  });
  expect(named(byClientId('b'))).toEqual({ orders: orders(2), open: [] });
  expect(named(...orders(4, 5, 0, 2 ** 40)), 'of other accounts, and unknown').toEqual({
    orders: orders(4, 5, 0, 2 ** 40),
    open: [],
  });
  expect(scenario.venue.ordersNamed(BOB, [byClientId('a')], scenario.now)).toEqual({ orders: orders(4), open: orders(4) });
});

test('returns undefined when a client order id has expired, even if its order is open', () => {
  const scenario = quickScenario(1);
  scenario.limit(1, 'buy', 9_990, 1, { clientOrderId: 'a' });
  const named = () => scenario.venue.ordersNamed(ALICE, [...orders(1), byClientId('a')], scenario.now);
  expect(scenario.venue.ordersNamed(ALICE, [byClientId('never')], scenario.now)).toBeUndefined();
  scenario.wait(86_399_998);
  expect(named()).toMatchObject({ open: orders(1) });
  scenario.wait(2);
  expect(named()).toBeUndefined();
  scenario.price(10_000);
  scenario.limit(1, 'buy', 9_980, 1, { clientOrderId: 'a' });
  expect(named(), 'the newer order with the id').toEqual({ orders: orders(1, 2), open: orders(1, 2) });
});
