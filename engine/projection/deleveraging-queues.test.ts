/** The cost of reading deleveraging queues, with the maximum number of open positions; `risk.test.ts` tests their order. */
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import { DeleveragingQueues } from './deleveraging-queues.ts';
import { FileDamaged } from './page-sums-file.ts';
import type { EpisodeRow } from './rows.ts';

const MARKET = 1 as MarketOrdinal;
const TICK_LOT = 100;
const MARK = 10_000 as PriceAtoms;
const NEXT_MARK = 10_007 as PriceAtoms;

interface OpenPosition {
  readonly base: number;
  readonly entryPrice: number;
  readonly marginBps: number;
}

function episodeOf(
  position: number,
  { base, entryPrice, marginBps }: OpenPosition,
  status: EpisodeRow['status'] = 'open',
): EpisodeRow {
  const entryNotionalAtoms = Math.abs(base) * entryPrice * TICK_LOT;
  return {
    position: position as PositionOrdinal,
    market: MARKET,
    side: base < 0 ? 'short' : 'long',
    status,
    signedBaseAtoms: base as BaseAtoms,
    entryNotionalAtoms: entryNotionalAtoms as QuoteAtoms,
    marginAtoms: Math.floor((entryNotionalAtoms * marginBps) / 10_000) as QuoteAtoms,
  } as EpisodeRow;
}

/** The numbers of computed scores and of comparisons. */
const done = vi.hoisted(() => ({ scores: 0, comparisons: 0 }));
vi.mock('#venue/risk/adl-score.ts', async (importOriginal) => {
  const core = await importOriginal<typeof import('#venue/risk/adl-score.ts')>();
  const adlScoreOf: typeof core.adlScoreOf = (...of) => {
    done.scores += 1;
    return core.adlScoreOf(...of);
  };
  const compareByAdl: typeof core.compareByAdl = (left, right) => {
    done.comparisons += 1;
    return core.compareByAdl(left, right);
  };
  return { ...core, adlScoreOf, compareByAdl };
});

test('are ranked once per mark, and move only the position that changes, with 50,000 open positions', () => {
  const open = 50_000;
  const positionAt = (position: number): OpenPosition => ({
    base: 1 + (position % 500),
    entryPrice: 9_000 + ((position * 7_919) % 2_000),
    marginBps: 100 + ((position * 104_729) % 3_000),
  });
  const episodes = Array.from({ length: open }, (_, place) => episodeOf(place + 1, positionAt(place + 1)));
  const queues = new DeleveragingQueues(() => episodes);
  const rankOf = (position: number, mark: PriceAtoms) => {
    Object.assign(done, { scores: 0, comparisons: 0 });
    queues.indicatorOf(episodes[position - 1]!, mark, TICK_LOT);
    return done;
  };
  expect(rankOf(1, MARK).scores).toBe(open);
  const halvings = Math.ceil(Math.log2(open));
  const indicatorAt = (position: number, mark: PriceAtoms) => {
    const { scores, comparisons } = rankOf(position, mark);
    // Finding the rank, removing and inserting.
    expect(comparisons).toBeLessThanOrEqual((scores === 0 ? 1 : 3) * halvings);
    return scores;
  };
  for (const position of [1, 2, 777, open]) expect(indicatorAt(position, MARK)).toBe(0);
  // A read after each fill.
  for (let fill = 0; fill < 1_000; fill += 1) {
    const position = 1 + ((fill * 31) % open);
    episodes[position - 1] = episodeOf(position, { ...positionAt(position), base: 600 + fill });
    queues.observe(episodes[position - 1]!);
    expect(indicatorAt(position, MARK)).toBe(1);
  }
  expect(rankOf(5, NEXT_MARK).scores).toBe(open);
  expect(indicatorAt(6, NEXT_MARK)).toBe(0);
});

const positions: fc.Arbitrary<OpenPosition> = fc.record({
  base: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: -50, max: -1 })),
  entryPrice: fc.integer({ min: 9_990, max: 10_010 }),
  marginBps: fc.constantFrom(500, 1_000),
});

/** A position that opens, changes or closes. Reads are rare, so that many changes come between them. */
const change = fc.record({
  position: fc.integer({ min: 1, max: 60 }),
  to: fc.oneof({ weight: 3, arbitrary: positions }, fc.constant(undefined)),
  mark: fc.constantFrom(MARK, MARK, MARK, NEXT_MARK),
  isRequested: fc.boolean(),
});

test('equal a full sort, whatever opened, changed and closed since the last read', () => {
  fc.assert(
    fc.property(fc.array(positions, { maxLength: 60 }), fc.array(change, { maxLength: 150 }), (before, changes) => {
      const open = new Map(before.map((it, place) => [place + 1, episodeOf(place + 1, it)]));
      const queues = new DeleveragingQueues(() => [...open.values()]);
      // Both queues are read here, so that later changes go to them.
      for (const episode of open.values()) queues.indicatorOf(episode, MARK, TICK_LOT);
      for (const { position, to, mark, isRequested } of changes) {
        const known = open.get(position);
        if (to === undefined) {
          if (known === undefined) continue;
          queues.observe({ ...known, status: 'closed' });
          open.delete(position);
        } else {
          // A position keeps its side.
          const base = known === undefined ? to.base : Math.sign(known.signedBaseAtoms) * Math.abs(to.base);
          const episode = episodeOf(position, { ...to, base });
          queues.observe(episode);
          open.set(position, episode);
        }
        if (!isRequested) continue;
        const sides = Map.groupBy(open.values(), ({ side }) => side);
        for (const line of sides.values()) {
          const ranked = line
            .map((episode) => ({ episode, ordinal: episode.position, score: adlScoreOf(episode, mark, TICK_LOT) }))
            .sort(compareByAdl);
          expect(ranked.map(({ episode }) => queues.indicatorOf(episode, mark, TICK_LOT))).toEqual(
            ranked.map((_, place) => adlIndicatorOf(place + 1, ranked.length)),
          );
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('reports damage when the stored index lacks a position', () => {
  const [first, second] = [1, 2].map((position) => episodeOf(position, { base: 1, entryPrice: 9_000, marginBps: 500 }));
  const queues = new DeleveragingQueues(() => [first!]);
  expect(queues.indicatorOf(first!, MARK, TICK_LOT)).toBe(5);
  expect(() => queues.indicatorOf(second!, MARK, TICK_LOT)).toThrow(new FileDamaged('lacks position 2 in the index of market 1'));
});
