/**
 * The attack: move the book and trade one minimum lot. At the next index price, with the index unmoved, the mark was at the end of its band,
 * and a stranger 45 basis points from liquidation sold to the attackers' bid: in an empty book, and beside the built-in makers.
 */
import { describe, expect, test } from 'vitest';
import { ladderOf } from '#devnet/ladder.ts';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import { Arena, USD } from '#simulation/arena.ts';
import { makerOf } from '#simulation/arena-maker.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { MARK_WINDOW_MS } from '#venue/market/mark-averages.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

const [ATTACKER, ACCOMPLICE, MAKER, STRANGER, OTHER] = [1, 2, 4, 5, 6];
const STRANGER_USD = 5_000_000;
const AWAY_BPS = 45;
/** The mark follows book and last trade of the moment, and liquidates without the index. */
const MOMENTARY = { averagesMark: false, confirmsByIndex: false } as const;
/** The averages alone. */
const UNCONFIRMED = { confirmsByIndex: false } as const;

const BITCOIN = DEVNET_MARKETS[0]!;

interface Outcome {
  readonly profit: number;
  /** What is left of the stranger's position. */
  readonly left: number;
  /** After each second of the attack, how far the mark was below the index, and the weight of the quotes since its start in the average. */
  readonly moves: readonly { readonly bps: number; readonly weight: number }[];
}

interface Attack {
  readonly seconds: number;
  readonly off?: Partial<RiskRules>;
  /** Whether the market has the band of version 3. */
  readonly isWide?: boolean;
}

/** The attackers own 10,100 dollars of asks and a bid for all of the stranger's position, 56 basis points below the index. */
function playAlone({ seconds, off = {}, isWide = false }: Attack): Outcome {
  const arena = new Arena(BITCOIN, 6, 100_000_000, off);
  if (isWide) arena.widenBand();
  const { scenario } = arena;
  const index = endanger(arena, () => {});
  const before = arena.wealthOf(ATTACKER, ACCOMPLICE);
  const low = Math.round(index * (1 - 56 / 10_000));
  scenario.limit(ATTACKER, 'sell', low, lotsAt(arena, 10_100, index) + 10 * seconds, { leverageX: 10 });
  const moves = hold(arena, index, seconds, (second) => {
    scenario.limit(ACCOMPLICE, 'buy', low, 10, { leverageX: 10 });
    if (second === 1) scenario.limit(ACCOMPLICE, 'buy', low - 24, lotsAt(arena, 5_500_000, index), { leverageX: 10 });
  });
  const left = arena.baseOf(STRANGER);
  cancelAll(arena);
  // The mark returns.
  for (let second = 0; second < 600; second += 1) arena.tick(index + (second % 2));
  return { profit: arena.wealthOf(ATTACKER, ACCOMPLICE) - before, left, moves };
}

/** The attackers sell the makers' bids down to 52 basis points below the index, each second again, and unwind what they sold. */
function playBesideMakers({ seconds, off = {}, isWide = false }: Attack): Outcome {
  const arena = new Arena(BITCOIN, 6, 100_000_000, off);
  if (isWide) arena.widenBand();
  arena.scenario.snapshotEvery = 5_000;
  const { scenario } = arena;
  const quote = makerOf(arena, MAKER, ladderOf);
  quote();
  const index = endanger(arena, quote);
  const before = arena.wealthOf(ATTACKER, ACCOMPLICE);
  const low = Math.round(index * (1 - 52 / 10_000));
  const moves = hold(arena, index, seconds, (second) => {
    if (second > 1) quote();
    scenario.limit(ATTACKER, 'sell', low, lotsAt(arena, 3_000_000, index), { leverageX: 10 });
    if (second === 1) scenario.limit(ACCOMPLICE, 'buy', low - 10, lotsAt(arena, 5_500_000, index), { leverageX: 10 });
    scenario.limit(ACCOMPLICE, 'buy', low, 10, { leverageX: 10 });
  });
  const left = arena.baseOf(STRANGER);
  unwind(arena, quote, index);
  return { profit: arena.wealthOf(ATTACKER, ACCOMPLICE) - before, left, moves };
}

/** The stranger buys, and the index falls to 45 basis points above the liquidation price. Returns the index. */
function endanger(arena: Arena, quote: () => void): number {
  const { basePrice: price, scenario } = arena;
  const entry = Math.round(price * (1 + 0.0098 - AWAY_BPS / 10_000));
  arena.drift(price, entry, 10);
  const lots = lotsAt(arena, STRANGER_USD, entry);
  scenario.limit(OTHER, 'sell', entry, lots);
  scenario.limit(STRANGER, 'buy', entry, lots, { leverageX: 33 });
  expect(arena.baseOf(STRANGER)).toBe(lots);
  const target = Math.round(arena.liquidationPriceOf(STRANGER) * (1 + AWAY_BPS / 10_000));
  arena.drift(entry, target, 10);
  quote();
  arena.tick(target);
  quote();
  return target;
}

/** Repeats an attack every second. */
function hold(arena: Arena, index: number, seconds: number, attack: (second: number) => void): Outcome['moves'] {
  let past = 1;
  return Array.from({ length: seconds }, (_, before) => {
    const from = arena.scenario.now;
    attack(before + 1);
    arena.tick(index + (before % 2));
    past *= MARK_WINDOW_MS / (MARK_WINDOW_MS + arena.scenario.now - from);
    return { bps: (1 - arena.market.markPriceAtoms / arena.market.indexPriceAtoms) * 10_000, weight: 1 - past };
  });
}

function lotsAt({ market }: Arena, usd: number, price: number): number {
  return Math.floor((usd * USD) / (price * market.tickLotAtoms));
}

function cancelAll({ scenario }: Arena): void {
  for (const account of [ATTACKER, ACCOMPLICE])
    for (const order of scenario.venue.openOrders(account as AccountOrdinal)) scenario.cancel(account, order);
}

/** The attackers close 40,000 dollars a second into the makers' ladder. */
function unwind(arena: Arena, quote: () => void, index: number): void {
  cancelAll(arena);
  const most = lotsAt(arena, 40_000, index);
  for (let second = 0; second < 1_000; second += 1) {
    arena.tick(index + (second % 2));
    quote();
    for (const account of [ATTACKER, ACCOMPLICE]) {
      const base = arena.baseOf(account);
      if (base !== 0)
        arena.scenario.market(account, base > 0 ? 'sell' : 'buy', Math.min(Math.abs(base), most), { reduceOnly: true });
    }
    if (arena.baseOf(ATTACKER) === 0 && arena.baseOf(ACCOMPLICE) === 0) return;
  }
  throw new Error('the attackers still have a position');
}

test('one minimum lot took the position of a stranger when the mark followed the moment', () => {
  const alone = playAlone({ seconds: 1, off: MOMENTARY, isWide: true });
  expect(Math.abs(alone.profit - 26_841)).toBeLessThan(1);
  expect(alone.left).toBe(0);
  const beside = playBesideMakers({ seconds: 1, off: MOMENTARY, isWide: true });
  expect([Math.round(beside.profit), beside.left]).toEqual([16_577, 0]);
});

describe.each([
  ['averages and the band of version 3', { isWide: true, off: UNCONFIRMED }, 50],
  ['averages and the listed band', { off: UNCONFIRMED }, BITCOIN.specification.markBandBps],
  ['all rules', {}, BITCOIN.specification.markBandBps],
] as const)('with %s', (_, terms, bandBps) => {
  test('it costs the attackers, and takes nothing', () => {
    for (const { profit, left } of [playAlone({ seconds: 1, ...terms }), playBesideMakers({ seconds: 1, ...terms })]) {
      expect(profit).toBeLessThanOrEqual(0);
      expect(left).toBeGreaterThan(0);
    }
  });

  test('minimum lots do not move the mark of an empty book in a minute', () => {
    const { profit, left, moves } = playAlone({ seconds: 60, ...terms });
    expect(profit).toBeLessThanOrEqual(0);
    expect(left).toBeGreaterThan(0);
    expect(Math.max(...moves.map(({ bps }) => bps))).toBeLessThan(3);
  });

  test('holding the makers down for a minute costs more than it takes, and moves the mark no further than the average', () => {
    const { profit, moves } = playBesideMakers({ seconds: 60, ...terms });
    expect(profit).toBeLessThan(0);
    for (const { bps, weight } of moves) expect(bps).toBeLessThanOrEqual(bandBps * weight);
    expect(moves.at(-1)!.weight).toBeGreaterThan(0.8);
  });
});
