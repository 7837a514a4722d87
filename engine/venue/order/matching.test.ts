import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FINE_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, ZERO_QUOTE } from '#units/money.ts';
import { Account } from '#venue/account/account.ts';
import type { Side } from '#venue/command.ts';
import { Market } from '#venue/market/market.ts';
import { ratedOpenInterest } from '#venue/risk/open-interest.ts';
import { VenueState } from '#venue/state.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { Turn } from '#venue/turn.ts';
import { backingCheckAt, missingBacking, missingBackingIn } from './backing.ts';
import { FILL, MatchPlan, UNBACKED } from './match-plan.ts';
import { planMatches } from './matching.ts';
import { RestingOrder } from './order-table.ts';
import { openingMargin } from './reservation.ts';

const MARKET = 1 as MarketOrdinal;
/** With a single tier, the cheap check of margins has the same limit as the rule. */
const SPECIFICATION = {
  ...FINE_MARKET,
  maintenanceMarginTiers: [{ notionalThresholdAtoms: ZERO_QUOTE, maintenanceMarginBps: 250 as Bps }],
};
const state = new VenueState();
const turn = new Turn(state);
const market = new Market(MARKET, SPECIFICATION, 'open', state);
const maker = new Account(1 as AccountOrdinal, '', '', 0);
maker.positionIn(MARKET);
state.markets.push(market);
state.accounts.push(maker);

interface Resting {
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  readonly quantity: BaseAtoms;
  readonly leverageHundredths: number;
  readonly initialMarginBps: Bps;
  readonly markPriceAtoms: PriceAtoms;
}

/** The step that an account's only resting order results in when a taker meets it at a mark price. */
function kindOfStep(resting: Resting, mark: PriceAtoms): number {
  const { side, priceAtoms, quantity, leverageHundredths, initialMarginBps, markPriceAtoms } = resting;
  const { orders } = state;
  const order = 1 as OrderOrdinal;
  const terms = { side, priceAtoms, remainingAtoms: quantity, leverageHundredths, initialMarginBps, markPriceAtoms };
  const slot = orders.add(
    Object.assign(new RestingOrder(), { order, account: maker.ordinal, market: MARKET, ...terms }),
    ZERO_QUOTE,
  );
  market.book.add(slot);
  market.markPriceAtoms = mark;
  const plan = new MatchPlan();
  const account = 2 as AccountOrdinal;
  const taker: Side = side === 'buy' ? 'sell' : 'buy';
  planMatches(turn, market, { account, side: taker, limitPrice: priceAtoms, quantity, notional: undefined, mayOpen: true }, plan);
  market.book.remove(slot);
  orders.remove(slot);
  expect(plan.count).toBe(1);
  return plan.kindAt(0);
}

/** The rule for an account without cash: the order's margin less its loss at the mark price covers the initial margin. */
function isBackedByRule(resting: Resting, mark: PriceAtoms): boolean {
  const { side, priceAtoms, quantity } = resting;
  const behind = (side === 'buy' ? priceAtoms - mark : mark - priceAtoms) as PriceAtoms;
  const equity = openingMargin(market, resting, quantity) - market.notional(behind, quantity);
  return behind <= 0 || equity >= bpsOfUp(market.notional(mark, quantity), FINE_MARKET.initialMarginBps);
}

test('fills an order behind the mark exactly while its margin covers the initial margin', () => {
  const price = fc.integer({ min: 9_000, max: 11_000 }).map((ticks) => ticks as PriceAtoms);
  const terms = fc.record({
    side: fc.constantFrom<Side>('buy', 'sell'),
    priceAtoms: price,
    quantity: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 50_000 })).map((lots) => lots as BaseAtoms),
    leverageHundredths: fc.constantFrom(0, 100, 255, 300, 700, 1_900, 1_999, 2_000),
    initialMarginBps: fc.constantFrom(500, 501, 1_000).map((rate) => rate as Bps),
    markPriceAtoms: price,
  });
  let unbacked = 0;
  fc.assert(
    fc.property(terms, price, fc.integer({ min: -3, max: 3 }), fc.boolean(), (resting, anyMark, near, isNear) => {
      // Errors are likely at the limit of the rule, so many marks are within a few ticks of it.
      const margin = openingMargin(market, resting, 1 as BaseAtoms);
      const sign = resting.side === 'buy' ? -1 : 1;
      const behind = Math.floor((margin - resting.priceAtoms * 0.05) / (1 + sign * 0.05)) + near;
      const mark = isNear ? ((resting.priceAtoms + sign * behind) as PriceAtoms) : anyMark;
      const kind = kindOfStep(resting, mark);
      if (kind === UNBACKED) unbacked += 1;
      expect(kind).toBe(isBackedByRule(resting, mark) ? FILL : UNBACKED);
    }),
    { numRuns: 2_000 },
  );
  expect(unbacked).toBeGreaterThan(200);
});

/** `OPENPERP_BACKING_WORLDS=10000 npx vitest run engine/venue/order/matching.test.ts` runs 10,000 worlds. */
const WORLDS = Number(process.env.OPENPERP_BACKING_WORLDS ?? 50);

/** The rates rise from the first position on. */
function limitOpenInterest({ scenario }: RandomWorld): void {
  const { specification } = scenario.venue.state.market(MARKET)!;
  const upperAtoms = (40 * specification.maintenanceMarginTiers.at(-1)!.notionalThresholdAtoms) as QuoteAtoms;
  const openInterest = { lowerAtoms: ZERO_QUOTE, upperAtoms };
  expect(scenario.run({ type: 'UpdateMarket', market: MARKET, specification: { ...specification, openInterest } })).toMatchObject(
    [{ type: 'MarketUpdated' }],
  );
}

test('gives the same result with the cheap check as with the full check of backing', () => {
  const backed = { none: 0, margin: 0, any: 0 };
  for (let seed = 1; seed <= WORLDS; seed += 1) {
    const world = new RandomWorld(seed, seed % 2 === 0);
    world.scenario.snapshotEvery = Number.POSITIVE_INFINITY;
    if (seed % 3 === 0) limitOpenInterest(world);
    for (let step = 0; step < 250; step += 1) {
      world.step();
      const { state: it } = world.scenario.venue;
      const turnOfWorld = new Turn(it);
      const market = it.market(MARKET)!;
      const openInterestAtoms = ratedOpenInterest(turnOfWorld, market);
      for (const slot of it.orders.slotsByAge()) {
        const takerSide = it.orders.sideOf(slot) === 'buy' ? 'sell' : 'buy';
        const check = backingCheckAt(market, takerSide, it.orders.priceOf(slot), openInterestAtoms);
        const quantity = it.orders.remainingOf(slot);
        const missing = missingBackingIn(check, turnOfWorld, market, slot, quantity, openInterestAtoms);
        expect(missing, `order ${it.orders.orderOf(slot)} in world ${seed} after step ${step}`).toBe(
          missingBacking(turnOfWorld, market, slot, quantity, openInterestAtoms),
        );
        if (missing === 0) backed[check] += 1;
      }
    }
  }
  for (const count of Object.values(backed)) expect(count).toBeGreaterThan(WORLDS * 20);
});
