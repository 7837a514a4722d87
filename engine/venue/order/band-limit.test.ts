/** Limit orders without a price: their limit is the end of the market's band, where the remainder rests. */
import { describe, expect, test } from 'vitest';
import { SCENARIO_RULES, Scenario } from '#simulation/scenario.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { OrderTerms, PlaceOrder } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { Venue } from '#venue/venue.ts';

/** The index is 1,000.0 (10,000 ticks), the band 10 %; a lot of 0.001 at a tick of 0.1 is 100 money atoms. */
const UNIT = 1_000;
const BAND = { buy: 11_000, sell: 9_000 };
const SEEDS = 4;

function only<Type extends VenueEvent['type']>(events: readonly VenueEvent[], type: Type): Extract<VenueEvent, { type: Type }>[] {
  return events.filter((event) => event.type === type) as Extract<VenueEvent, { type: Type }>[];
}

/** The accepted terms, the trades, the resting part, and the reasons of cancels. */
function outcomeOf(events: readonly VenueEvent[]): unknown {
  return {
    terms: only(events, 'OrderAccepted')[0]?.terms,
    trades: only(events, 'TradeExecuted').map(({ priceAtoms, quantityAtoms }) => [priceAtoms, quantityAtoms]),
    rests: only(events, 'OrderRested').map(({ priceAtoms, remainingAtoms }) => [priceAtoms, remainingAtoms]),
    ends: only(events, 'OrderCancelled').map(({ reason, remainingAtoms }) => [reason, remainingAtoms]),
  };
}

describe.each(['buy', 'sell'] as const)('a %s without a price', (side) => {
  const against = side === 'buy' ? 'sell' : 'buy';
  const limit = BAND[side];
  /** The price that is so many ticks better than the limit for the order's owner. */
  const inside = (ticks: number) => (side === 'buy' ? limit - ticks : limit + ticks);

  test('rests at the end of the band when it meets no order', () => {
    const scenario = Scenario.withAccounts(1);
    expect(outcomeOf(scenario.bandLimit(1, side, UNIT))).toEqual({
      terms: { kind: 'limit', priceAtoms: limit, quantityAtoms: UNIT, postOnly: false },
      trades: [],
      rests: [[limit, UNIT]],
      ends: [],
    });
  });

  test('fills up to the end of the band and no further', () => {
    const scenario = Scenario.withAccounts(2);
    for (const ticks of [500, 0, -1]) scenario.limit(1, against, inside(ticks), 300);
    expect(outcomeOf(scenario.bandLimit(2, side, UNIT))).toMatchObject({
      trades: [
        [inside(500), 300],
        [limit, 300],
      ],
      rests: [[limit, 400]],
      ends: [],
    });
  });

  test('by notional has the filled quantity plus the whole lots that the rest buys at the limit', () => {
    const scenario = Scenario.withAccounts(2);
    scenario.limit(1, against, inside(500), 300);
    const spent = inside(500) * 300 * 100;
    const lot = limit * 100;
    expect(outcomeOf(scenario.bandLimitFor(2, side, spent + 7 * lot + lot - 1))).toEqual({
      terms: { kind: 'limit', priceAtoms: limit, quantityAtoms: 307, postOnly: false, notionalAtoms: spent + 8 * lot - 1 },
      trades: [[inside(500), 300]],
      rests: [[limit, 7]],
      ends: [],
    });
  });

  test('by notional has the filled quantity when less than a lot is left unspent', () => {
    const scenario = Scenario.withAccounts(2);
    scenario.limit(1, against, 10_000, 300);
    expect(outcomeOf(scenario.bandLimitFor(2, side, 5_999_999))).toMatchObject({
      terms: { quantityAtoms: 5, notionalAtoms: 5_999_999 },
      trades: [[10_000, 5]],
      rests: [],
      ends: [],
    });
  });

  test('by notional is refused with the minimum notional when it buys less than the minimum quantity', () => {
    const scenario = Scenario.withAccounts(2);
    const smallest = only(scenario.bandLimitFor(2, side, 1), 'CommandRefused')[0]!;
    expect(smallest).toMatchObject({ code: 'notional_too_small', bound: limit * 100 });
    expect(only(scenario.bandLimitFor(2, side, smallest.bound - 1), 'CommandRefused')).toHaveLength(1);
    expect(outcomeOf(scenario.bandLimitFor(2, side, smallest.bound))).toMatchObject({ rests: [[limit, 1]] });
  });

  test('that is reduce-only fills at most the position', () => {
    const scenario = Scenario.withAccounts(2);
    scenario.limit(1, side, 10_000, 50);
    scenario.market(2, against, 50);
    scenario.limit(1, against, 10_000, 80);
    expect(outcomeOf(scenario.bandLimit(2, side, 60, { reduceOnly: true }))).toMatchObject({
      trades: [[10_000, 50]],
      rests: [],
      ends: [['reduce_only', 10]],
    });
  });
});

test('refuses an order without a price whose quantity or notional is out of bounds', () => {
  const scenario = Scenario.withAccounts(1);
  const { minQuantityAtoms, maxQuantityAtoms } = scenario.venue.state.market(1 as never)!.specification;
  for (const quantity of [minQuantityAtoms - 1, maxQuantityAtoms + 1])
    expect(scenario.bandLimit(1, 'buy', quantity)).toMatchObject([{ type: 'CommandRefused', code: 'quantity_out_of_bounds' }]);
  const maxNotional = maxQuantityAtoms * 10_000 * 100;
  expect(scenario.bandLimitFor(1, 'buy', maxNotional + 1)).toMatchObject([{ code: 'quantity_out_of_bounds' }]);
});

/** The same order with the price and the quantity with which it was accepted. */
function withAcceptedTerms(command: PlaceOrder, events: readonly VenueEvent[]): PlaceOrder | undefined {
  const terms = only(events, 'OrderAccepted').find(({ clientOrderId }) => clientOrderId === command.clientOrderId)?.terms;
  return terms?.kind === 'limit' ? { ...command, terms: { ...terms } as OrderTerms } : undefined;
}

describe.each(Array.from({ length: SEEDS }, (_, place) => place + 1))('in world %i', (seed) => {
  test('executes an order without a price like the same order with the price of the band', () => {
    const world = new RandomWorld(seed, true);
    const { scenario } = world;
    const seen = { filled: 0, rested: 0, notional: 0 };
    for (let count = 0; count < 400; count += 1) {
      for (let step = 0; step < 2; step += 1) world.step();
      const order = world.order();
      const { state } = scenario.venue;
      const notional =
        'quantityAtoms' in order.terms ? order.terms.quantityAtoms * state.market(order.market)!.tickLotAtoms * 10_000 : 1;
      const terms: OrderTerms =
        count % 2 === 0 && 'quantityAtoms' in order.terms
          ? { kind: 'band_limit', quantityAtoms: order.terms.quantityAtoms }
          : { kind: 'band_notional', notionalAtoms: notional as never };
      // With a price, the exposure of an order by notional is its quantity at the limit: more than it spends.
      const command = { ...order, terms, leverageHundredths: terms.kind === 'band_limit' ? order.leverageHundredths : 0 };
      const band = state.market(order.market)!.bandPrice(order.side);
      const twin = Venue.restore(scenario.venue.snapshot(), SCENARIO_RULES);
      const events = scenario.run(command);
      const priced = withAcceptedTerms(command, events);
      if (priced === undefined) continue;
      const accepted = priced.terms as Extract<OrderTerms, { kind: 'limit' }>;
      expect(accepted.priceAtoms).toBe(band);
      const place = { sequence: scenario.sequence, epochMs: scenario.now };
      const same = eventsOfTurn(twin, { ...place, command: priced });
      const isUnaffordable = same[0]?.type === 'CommandRefused' && same[0].code === 'insufficient_margin';
      if (terms.kind === 'band_notional' && isUnaffordable) continue;
      expect(outcomeOf(events)).toEqual(outcomeOf(same));
      if (terms.kind === 'band_limit') expect(events).toEqual(same);
      if (terms.kind === 'band_limit') expect(scenario.venue.snapshot()).toEqual(twin.snapshot());
      if (accepted.notionalAtoms !== undefined) {
        seen.notional += 1;
        const { tickLotAtoms } = state.market(order.market)!;
        const spent = only(events, 'TradeExecuted').reduce((sum, { notionalAtoms }) => sum + notionalAtoms, 0);
        const rests = only(events, 'OrderRested')[0]?.remainingAtoms ?? 0;
        expect(spent + rests * band * tickLotAtoms).toBeLessThanOrEqual(accepted.notionalAtoms);
      }
      if (only(events, 'TradeExecuted').length > 0) seen.filled += 1;
      if (only(events, 'OrderRested').length > 0) seen.rested += 1;
    }
    for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(0);
  });
});
