import { describe, expect, test } from 'vitest';
import type { PlaceOrder } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Preview } from '#venue/preview.ts';
import { NEVER_REACHED } from '#venue/risk/position-risk.ts';
import { type Holdings, holdingsOf, only } from '#venue/testing/outcome.ts';
import { RandomWorld } from '#venue/testing/random-world.ts';
import { snapshotScenario } from '#venue/testing/venues.ts';

/** `OPENPERP_PREVIEW_SEEDS=500 npx vitest run engine/venue/order/preview` runs that many worlds. */
const SEEDS = Number(process.env.OPENPERP_PREVIEW_SEEDS ?? 8);
const ORDERS = 600;
const UNIT = 1_000;

const order: PlaceOrder = {
  type: 'PlaceOrder',
  account: 1 as never,
  market: 1 as never,
  clientOrderId: 'previewed',
  side: 'buy',
  terms: { kind: 'limit', priceAtoms: 10_010 as never, quantityAtoms: (2 * UNIT) as never, postOnly: false },
  reduceOnly: false,
  leverageHundredths: 1_000,
  idempotencyKey: '',
};

test('reports fills, the resting part, their costs and the liquidation price', () => {
  const scenario = snapshotScenario(2);
  scenario.limit(2, 'sell', 10_000, UNIT, { leverageX: 2 });
  const preview = scenario.venue.preview(order, scenario.now);
  // 1 BTC at 1,000.0 with a margin of 100, due below 923.077; 1 BTC at 1,001.0 reserves a tenth, the loss of 1 at the mark, and its fee.
  expect(preview).toMatchObject({
    refusal: undefined,
    filledBaseAtoms: UNIT,
    filledNotionalAtoms: 1_000_000_000,
    feeAtoms: 500_000,
    realizedPnlAtoms: 0,
    lockedMarginAtoms: 100_000_000,
    restsBaseAtoms: UNIT,
    reservedMarginAtoms: 100_100_000 + 1_000_000,
    reservedFeeAtoms: 500_500,
    cancelReason: undefined,
    position: { signedBaseAtoms: UNIT, entryNotionalAtoms: 1_000_000_000, marginAtoms: 100_000_000 },
    liquidationPriceAtoms: 9_230,
    availableBeforeAtoms: 10_000_000_000,
    availableAfterAtoms: 10_000_000_000 - 500_000 - 100_000_000 - 101_600_500,
  });
});

test('reports the refusal that placing the order results in', () => {
  const scenario = snapshotScenario(1);
  const preview = scenario.venue.preview({ ...order, reduceOnly: true }, scenario.now);
  expect(preview).toMatchObject({ refusal: { code: 'reduce_only_would_increase' }, filledBaseAtoms: 0, reservedMarginAtoms: 0 });
  expect(preview.availableAfterAtoms).toBe(preview.availableBeforeAtoms);
  expect(scenario.run({ ...order, reduceOnly: true })).toMatchObject([{ code: 'reduce_only_would_increase' }]);
});

/** A preview with margin and fee reservations as one sum: events carry only the sum. */
type Outcome = Omit<Preview, 'reservedMarginAtoms' | 'reservedFeeAtoms'> & { readonly reservedAtoms: number };

/** The actual outcome of the order. */
function outcomeOf(world: RandomWorld, { account }: PlaceOrder, before: Holdings, events: readonly VenueEvent[]): Outcome {
  const [first] = events;
  if (first?.type !== 'OrderAccepted') throw new Error(`expected OrderAccepted as the first event, got ${first?.type}`);
  const { order } = first;
  const fills = only(events, 'OrderFilled').filter((fill) => fill.order === order);
  const rested = only(events, 'OrderRested').find((it) => it.order === order);
  // The account's own orders that it met are cancelled before it rests.
  const selfTrades = only(events, 'OrderCancelled').filter((it) => it.reason === 'self_trade');
  const position = world.scenario.venue.state.account(account)!.positions[1];
  const price = position === undefined || position.listIndex < 0 ? 0 : position.liquidationPriceAtoms;
  const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0) as never;
  const locks = only(events, 'CashPosted').filter((it) => it.account === account && it.kind === 'margin_lock');
  const { cash, reserved, base, entry, margin } = holdingsOf(world.scenario.venue.state, account);
  const insured = position?.insuredAtoms ?? 0;
  return {
    refusal: undefined,
    limitPriceAtoms: (first.terms.kind === 'limit' ? first.terms.priceAtoms : 0) as never,
    filledBaseAtoms: sum(fills.map((fill) => fill.quantityAtoms)),
    filledNotionalAtoms: sum(fills.map((fill) => fill.notionalAtoms)),
    feeAtoms: sum(fills.map((fill) => fill.feeAtoms)),
    realizedPnlAtoms: sum(fills.map((fill) => fill.realizedPnlAtoms)),
    lockedMarginAtoms: sum(locks.map((posting) => -posting.amountAtoms)),
    restsBaseAtoms: (rested?.remainingAtoms ?? 0) as never,
    reservedAtoms: (rested === undefined
      ? 0
      : rested.accountReservedAtoms - (selfTrades.at(-1)?.accountReservedAtoms ?? before.reserved)) as never,
    cancelReason: only(events, 'OrderCancelled').find((it) => it.order === order && !it.wasResting)?.reason as never,
    position: {
      signedBaseAtoms: base as never,
      entryNotionalAtoms: entry as never,
      marginAtoms: margin as never,
      insuredAtoms: insured as never,
    },
    liquidationPriceAtoms: (price === NEVER_REACHED ? 0 : price) as never,
    availableBeforeAtoms: (before.cash - before.reserved) as never,
    availableAfterAtoms: (cash - reserved) as never,
  };
}

describe.each(Array.from({ length: SEEDS }, (_, place) => place + 1))('in world %i', (seed) => {
  test('previews every order correctly and changes nothing', () => {
    const world = new RandomWorld(seed, true);
    const { scenario } = world;
    const seen = { refused: 0, filled: 0, rested: 0, cancelled: 0 };
    for (let count = 0; count < ORDERS; count += 1) {
      world.step();
      const command = world.order();
      const before = count % 20 === 0 ? scenario.venue.snapshot() : undefined;
      const preview = scenario.venue.preview(command, (scenario.now + 1) as never);
      if (before !== undefined) expect(scenario.venue.snapshot()).toEqual(before);
      const holdings = holdingsOf(scenario.venue.state, command.account);
      const events = scenario.run(command);
      if (preview.refusal !== undefined) {
        seen.refused += 1;
        const { code, order: earlier = 0, bound = 0 } = preview.refusal;
        expect(events).toEqual([{ type: 'CommandRefused', code, order: earlier, bound }]);
        continue;
      }
      const { position, reservedMarginAtoms, reservedFeeAtoms, ...reported } = preview;
      const { signedBaseAtoms, entryNotionalAtoms, marginAtoms, insuredAtoms } = position;
      const reservedAtoms = reservedMarginAtoms + reservedFeeAtoms;
      expect({
        ...reported,
        reservedAtoms,
        position: { signedBaseAtoms, entryNotionalAtoms, marginAtoms, insuredAtoms },
      }).toEqual(outcomeOf(world, command, holdings, events));
      if (preview.filledBaseAtoms > 0) seen.filled += 1;
      if (preview.restsBaseAtoms > 0) seen.rested += 1;
      if (preview.cancelReason !== undefined) seen.cancelled += 1;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  });
});
