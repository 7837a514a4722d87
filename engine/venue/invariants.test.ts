/**
 * The invariants find faults that tests plant in the heaps of positions. A heap that lost a position, or orders it by an outdated
 * price, would miss its liquidation, and no other check would find that in time.
 */
import { describe, expect, test } from 'vitest';
import type { AccountOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { checkInvariants, InvariantBroken } from '#venue/invariants.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { liquidationTriggerOf } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import { quickScenario, SMALL_MARKET } from '#venue/testing/venues.ts';

const UNIT = 1_000;
const MARKET = 1;

interface Scene {
  readonly state: VenueState;
  readonly market: Market;
  /** Account 1 is short against all others. Accounts 1 and 3 are watched. 4 and 5 wait for deleveraging; 4 becomes bankrupt first. */
  readonly short: Position;
  readonly long: Position;
  readonly waits: Position;
}

function planted(autoDeleveraging = true): Scene {
  const scenario = quickScenario(5, { ...SMALL_MARKET, autoDeleveraging });
  scenario.limit(1, 'sell', 10_000, 3 * UNIT, { leverageX: 2 });
  scenario.market(3, 'buy', UNIT, { leverageX: 2 });
  for (const long of [4, 5]) scenario.market(long, 'buy', UNIT, { leverageX: 24 - long });
  scenario.price(9_700);
  const { state } = scenario.venue;
  const of = (account: number) => state.account(account as AccountOrdinal)!.positions[MARKET]!;
  const market = state.markets[MARKET]!;
  expect([...market.positions.parked()]).toEqual([of(4), of(5)]);
  return { state, market, short: of(1), long: of(3), waits: of(4) };
}

/** Moves `by` atoms from the margin to cash, so that money is conserved, and updates the liquidation price. */
function thin({ state, market }: Scene, position: Position, by: number): void {
  position.marginAtoms = (position.marginAtoms - by) as QuoteAtoms;
  state.account(position.account)!.cashAtoms = (state.account(position.account)!.cashAtoms + by) as QuoteAtoms;
  const { tickLotAtoms, specification } = market;
  position.liquidationPriceAtoms = liquidationTriggerOf(position, tickLotAtoms, specification.maintenanceMarginTiers);
}

const FAULTS: Readonly<Record<string, readonly [plant: (it: Scene) => void, message: RegExp]>> = {
  'a waiting position with the step price of another margin': [
    (it) => thin(it, it.waits, 10_000_000),
    /account 4 waits for \d+, but reaches step \d at \d+/,
  ],
  'a waiting position that is missing from its heap': [
    ({ market, waits }) => market.positions.waitingHeapOf(waits).remove(market.positions.waitingTriggerOf(waits)!),
    /account 4 waits, but is not in the heap of its side/,
  ],
  'a waiting position with the ordinal of another episode': [
    ({ waits }) => {
      waits.ordinal = (waits.ordinal + 1) as PositionOrdinal;
    },
    /account 4 waits as position/,
  ],
  'a stale entry in a heap of waiting positions': [
    ({ market, waits }) =>
      market.positions
        .waitingHeapOf(waits)
        .add({ ordinal: 99 as PositionOrdinal, liquidationPriceAtoms: 1 as PriceAtoms, triggerIndex: -1 }),
    /has 3 positions waiting for a step, expected 2/,
  ],
  'a waiting position at the heap index of an earlier price': [
    (it) => {
      thin(it, it.waits, 10_000_000);
      (it.market.positions.waitingTriggerOf(it.waits)! as { liquidationPriceAtoms: number }).liquidationPriceAtoms = 9_721;
    },
    /out of order/,
  ],
  'a watched position at the heap index of another margin': [(it) => thin(it, it.short, 10_000_000), /out of order/],
  'a watched position that is missing from its heap': [
    ({ long }) => long.triggers!.remove(long),
    /account 3 is watched, but is not in the heap of its side/,
  ],
  'a stale entry in a heap of watched positions': [
    ({ short }) =>
      short.triggers!.add({
        ordinal: 99 as PositionOrdinal,
        liquidationPriceAtoms: 1 as PriceAtoms,
        triggerIndex: -1,
      } as Position),
    /watches 3 positions, expected 2/,
  ],
  'a watched position in the heap of the other side': [
    ({ long, short }) => {
      long.triggers!.remove(long);
      long.triggers = short.triggers;
      long.triggers!.add(long);
    },
    /account 3 is watched, but is not in the heap of its side/,
  ],
};

describe('checkInvariants', () => {
  test.each(Object.entries(FAULTS))('finds %s', (_, [plant, message]) => {
    const it = planted();
    checkInvariants(it.state);
    plant(it);
    expect(() => checkInvariants(it.state)).toThrow(InvariantBroken);
    expect(() => checkInvariants(it.state)).toThrow(message);
  });

  test('finds a position that waits for a step in a market without deleveraging', () => {
    const { state, market, waits } = planted(false);
    checkInvariants(state);
    market.positions.park(market, waits, 1);
    expect(() => checkInvariants(state)).toThrow(/account 4 waits for a step in a market without deleveraging/);
  });
});
