/**
 * The invariants find faults that are planted in what finds due positions: a heap that has lost one, or has it at a price that
 * it had before, tells of nobody, and nobody else would notice until it is too late.
 */
import { describe, expect, test } from 'vitest';
import type { AccountOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { checkInvariants, InvariantBroken } from '#venue/invariants.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { liquidationTriggerOf } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import { SMALL_MARKET, unwatched } from '#venue/testing/venues.ts';

const UNIT = 1_000;
const MARKET = 1;

interface Planted {
  readonly state: VenueState;
  readonly market: Market;
  /** Account 1 is short of all and watched, account 3 is long and watched, accounts 4 and 5 wait: of them 4 is bankrupt first. */
  readonly short: Position;
  readonly long: Position;
  readonly waits: Position;
}

function planted(autoDeleveraging = true): Planted {
  const scenario = unwatched(5, { ...SMALL_MARKET, autoDeleveraging });
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

/** Takes an atom or more out of the margin and puts it where it is no fault, with the liquidation price that this comes to. */
function thin({ state, market }: Planted, position: Position, by: number): void {
  position.marginAtoms = (position.marginAtoms - by) as QuoteAtoms;
  state.account(position.account)!.cashAtoms = (state.account(position.account)!.cashAtoms + by) as QuoteAtoms;
  const { tickLotAtoms, specification } = market;
  position.liquidationPriceAtoms = liquidationTriggerOf(position, tickLotAtoms, specification.maintenanceMarginTiers);
}

const FAULTS: Readonly<Record<string, readonly [plant: (it: Planted) => void, says: RegExp]>> = {
  'one that waits at the price of another margin': [
    (it) => thin(it, it.waits, 10_000_000),
    /account 4 waits for 9499, and is bankrupt at 9599/,
  ],
  'one that waits, and is not where a price would find it': [
    ({ market, waits }) => market.positions.waitingHeapOf(waits).remove(market.positions.waitingFor(waits)!),
    /account 4 waits, and no price would find it/,
  ],
  'one that waits as the episode before': [
    ({ waits }) => {
      waits.ordinal = (waits.ordinal + 1) as PositionOrdinal;
    },
    /account 4 waits as position/,
  ],
  'one that was forgotten among those that wait': [
    ({ market, waits }) =>
      market.positions
        .waitingHeapOf(waits)
        .add({ ordinal: 99 as PositionOrdinal, liquidationPriceAtoms: 1 as PriceAtoms, triggerIndex: -1 }),
    /has 3 wait for bankruptcy, there are 2/,
  ],
  'one that waits, and stands where its price was': [
    (it) => {
      thin(it, it.waits, 10_000_000);
      (it.market.positions.waitingFor(it.waits)! as { liquidationPriceAtoms: number }).liquidationPriceAtoms = 9_599;
    },
    /out of order/,
  ],
  'one that is watched at the price of another margin': [(it) => thin(it, it.short, 10_000_000), /out of order/],
  'one that is watched, and is not where a price would find it': [
    ({ long }) => long.triggers!.remove(long),
    /account 3 is watched, and no price would find it/,
  ],
  'one that was forgotten among those that are watched': [
    ({ short }) =>
      short.triggers!.add({
        ordinal: 99 as PositionOrdinal,
        liquidationPriceAtoms: 1 as PriceAtoms,
        triggerIndex: -1,
      } as Position),
    /watches 3 positions, there are 2/,
  ],
  'one that is watched among those of the other side': [
    ({ long, short }) => {
      long.triggers!.remove(long);
      long.triggers = short.triggers;
      long.triggers!.add(long);
    },
    /account 3 is watched, and no price would find it/,
  ],
};

describe('the invariants find', () => {
  test.each(Object.entries(FAULTS))('%s', (_, [plant, description]) => {
    const it = planted();
    checkInvariants(it.state);
    plant(it);
    expect(() => checkInvariants(it.state)).toThrow(InvariantBroken);
    expect(() => checkInvariants(it.state)).toThrow(description);
  });

  test('one that waits for a bankruptcy where others are not closed for it', () => {
    const { state, market, waits } = planted(false);
    checkInvariants(state);
    market.positions.park(market, waits, true);
    expect(() => checkInvariants(state)).toThrow(/account 4 waits for bankruptcy where nobody is deleveraged/);
  });
});
