/**
 * The YFI case of dYdX v3 (November 2023): a straddle that is split over 100 accounts, so that each stays in the first tier. The
 * accounts need the first tier's margin for an open interest that the last tier is made for. With a margin that rises with the open
 * interest they need 18 times as much, and no account opens at the highest leverage beyond the lower bound.
 */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { Arena, USD } from '#simulation/arena.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const PAIRS = 50;
const PER_ACCOUNT_USD = 1_900_000;
const LEVERAGE = 50;

/** Each pair trades with itself at the index: one long, one short, at the highest leverage that the venue grants. */
function crowd(off: Partial<RiskRules>): { openInterest: number; margin: number; refused: number } {
  const arena = new Arena(DEVNET_MARKETS[0]!, 2 * PAIRS, 5_000_000, off);
  arena.scenario.snapshotEvery = Number.POSITIVE_INFINITY;
  const { basePrice: price, scenario } = arena;
  const lots = arena.lotsOf(PER_ACCOUNT_USD);
  let refused = 0;
  for (let pair = 0; pair < PAIRS; pair += 1) {
    const [long, short] = [2 * pair + 1, 2 * pair + 2];
    for (const [account, side] of [
      [short, 'sell'],
      [long, 'buy'],
    ] as const) {
      const events = scenario.limit(account, side, price, lots, { leverageX: LEVERAGE });
      if (events[0]!.type !== 'CommandRefused') continue;
      refused += 1;
      // The least margin that the venue asks for.
      scenario.limit(account, side, price, lots);
    }
  }
  const state = scenario.venue.state;
  let margin = 0;
  for (let account = 1; account <= 2 * PAIRS; account += 1)
    margin += state.account(account as AccountOrdinal)!.holdingIn(arena.market.ordinal).marginAtoms / USD;
  const openInterest = (arena.market.positions.longBaseAtoms * arena.market.tickLotAtoms * price) / USD;
  return { openInterest, margin, refused };
}

const inMillions = ({ openInterest, margin, refused }: ReturnType<typeof crowd>) => [
  Math.round(openInterest / 1e6),
  Math.round(margin / 1e5) / 10,
  refused,
];

test('a hundred accounts held 95 million with the margin of the first tier', () => {
  expect(inMillions(crowd({ scalesMargin: false }))).toEqual([95, 3.8, 0]);
});

test('the margin rises with the open interest, and the highest leverage ends at the lower bound', () => {
  const [openInterest, margin, refused] = inMillions(crowd({}));
  expect([openInterest, margin, refused]).toEqual([95, 69.6, 74]);
});

test('an account in a market that is not crowded has the leverage of the market', () => {
  const arena = new Arena(DEVNET_MARKETS[0]!, 2, 5_000_000);
  arena.scenario.limit(1, 'sell', arena.basePrice, arena.lotsOf(PER_ACCOUNT_USD), { leverageX: LEVERAGE });
  arena.scenario.limit(2, 'buy', arena.basePrice, arena.lotsOf(PER_ACCOUNT_USD), { leverageX: LEVERAGE });
  expect(arena.baseOf(2)).toBeGreaterThan(0);
});
