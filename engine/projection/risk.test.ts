/** Risk reads: margin health, the order of deleveraging, and risk evidence. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accountSnapshot } from '#contract/accounts.ts';
import { position as positionSchema } from '#contract/positions.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import { changed, listed, opened, priced, TICK_LOT } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';

const ALICE = 1 as AccountOrdinal;
const HOUR = 3_600_000;

function shownOf(feed: EventFeed, account = ALICE) {
  const [shown] = feed.reads.positions(account).positions;
  return positionSchema.parse(shown);
}

describe('the margin of a position', () => {
  // 0.1 at 1,000.0 has a notional of 100, with 2.5 % maintenance margin.
  test.each([
    [5_000_000, '20000', 'healthy'],
    [3_750_000, '15000', 'healthy'],
    [3_749_999, '14999', 'at_risk'],
    [2_500_000, '10000', 'at_risk'],
    [2_499_999, '9999', 'liquidating'],
    [0, '0', 'liquidating'],
  ])('of %i atoms is %s bps of the requirement: %s', (marginAtoms, marginHealthBps, marginStatus) => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced(), changed({ marginAtoms }));
    expect(shownOf(feed)).toMatchObject({
      equityAtoms: String(marginAtoms),
      maintenanceRequirementAtoms: '2500000',
      marginHealthBps,
      marginStatus,
    });
  });

  test('is liquidating only in a market that trades, with a current index', () => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced(), changed({ marginAtoms: 0 }));
    const statusIn = (status: string) => {
      feed.emit({ type: 'MarketStatusChanged', market: 1, status } as never);
      return shownOf(feed).marginStatus;
    };
    expect(shownOf(feed).marginStatus).toBe('liquidating');
    expect([statusIn('cancel_only'), statusIn('reduce_only'), statusIn('open')]).toEqual([
      'at_risk',
      'liquidating',
      'liquidating',
    ]);
    feed.emit(priced({ indexStatus: 'unconfirmed' }));
    expect(shownOf(feed).marginStatus).toBe('at_risk');
    feed.emit(priced({ observedAtEpochMs: feed.now }));
    expect(shownOf(feed).marginStatus).toBe('liquidating');
    feed.timeEpochMs = (feed.now + HOUR + 1) as EpochMs;
    expect(shownOf(feed).marginStatus).toBe('at_risk');
  });

  test('is liquidating only when the index has reached its price too', () => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced(), changed({ marginAtoms: 2_500_000 }));
    expect(shownOf(feed)).toMatchObject({ marginHealthBps: '10000', marginStatus: 'at_risk' });
    feed.emit(priced({ markPriceAtoms: 9_999 }));
    expect(shownOf(feed)).toMatchObject({ marginHealthBps: '9960', marginStatus: 'at_risk' });
    feed.emit(priced({ markPriceAtoms: 9_999, indexPriceAtoms: 9_999 }));
    expect(shownOf(feed).marginStatus).toBe('liquidating');
  });

  test('changes with a funding payment, as does the entry notional', () => {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), priced(), changed());
    const before = shownOf(feed);
    expect(before).toMatchObject({ margin: '5', entryNotional: '100', fundingPaid: '0' });
    const payment = { type: 'FundingPaid', position: 1, account: 1, market: 1, period: 1 };
    feed.emit({ ...payment, paidAtoms: 6_000_000, marginAtoms: 0, entryNotionalAtoms: 101_000_000 } as never);
    const paid = shownOf(feed);
    expect(paid).toMatchObject({
      // The sixth dollar is added to the entry notional and becomes a loss.
      fundingPaid: '5',
      fundingPaidAtoms: '5000000',
      margin: '0',
      entryNotional: '101',
      avgEntryPrice: '1010',
      unrealizedPnl: '-1',
      marginStatus: 'liquidating',
      lastSequence: 2,
      updatedAtEpochMs: feed.now,
    });
    feed.emit({
      ...payment,
      period: 2,
      paidAtoms: -6_500_000,
      marginAtoms: 6_500_000,
      entryNotionalAtoms: 101_000_000,
    } as never);
    expect(shownOf(feed)).toMatchObject({ fundingPaid: '-1.5', margin: '6.5', marginStatus: 'healthy' });
  });
});

describe('the deleveraging queue', () => {
  /** Ten longs of 0.1 at 1,000, each with less margin than the previous one, and one short. */
  function line(specification = SCENARIO_MARKET): EventFeed {
    const feed = new EventFeed();
    const accounts = Array.from({ length: 11 }, (_, place) => opened({ account: place + 1 }));
    const longs = Array.from({ length: 10 }, (_, place) =>
      changed({ position: place + 1, account: place + 1, marginAtoms: 50_000_000 - 4_000_000 * place }),
    );
    const short = changed({ position: 11, account: 11, changedBaseAtoms: -1_000, marginAtoms: 500_000_000 });
    feed.emit(listed({ specification }), ...accounts, priced(), ...longs, short);
    return feed;
  }

  const indicators = (feed: EventFeed) =>
    Array.from({ length: 11 }, (_, place) => feed.reads.positions((place + 1) as AccountOrdinal).positions[0]?.adlIndicator);

  test('starts on each side with the highest profit at the highest leverage', () => {
    const feed = line();
    // No position has a profit: the older one comes first.
    expect(indicators(feed)).toEqual([5, 5, 4, 4, 3, 3, 2, 2, 1, 1, 5]);
    feed.emit(priced({ indexPriceAtoms: 10_100 }));
    expect(indicators(feed)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]);
    // Losing positions come last, the lowest leverage at the end.
    feed.emit(priced({ indexPriceAtoms: 9_900 }));
    expect(indicators(feed)).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]);
  });

  test('moves up as positions leave it', () => {
    const feed = line();
    feed.emit(priced({ indexPriceAtoms: 10_100 }));
    indicators(feed);
    const leaving = [9, 10].map((position) =>
      changed({ position, account: position, changedBaseAtoms: -100, signedBaseAtoms: 0 }),
    );
    feed.emit(...leaving);
    expect(indicators(feed)).toEqual([1, 2, 2, 3, 4, 4, 5, 5, undefined, undefined, 5]);
  });

  test('is empty in a market that does not deleverage', () => {
    expect(indicators(line({ ...SCENARIO_MARKET, autoDeleveraging: false }))).toEqual(Array(11).fill(null));
  });

  const positions = fc.record({
    base: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: -500, max: -1 })),
    entryPrice: fc.integer({ min: 9_000, max: 11_000 }),
    marginBps: fc.integer({ min: 0, max: 3_000 }),
  });

  test('equals that of the core for any positions and marks', () => {
    fc.assert(
      fc.property(
        fc.array(positions, { minLength: 1, maxLength: 30 }),
        fc.integer({ min: 9_000, max: 11_000 }),
        (positions, mark) => {
          const feed = new EventFeed();
          feed.emit(listed(), ...positions.map((_, place) => opened({ account: place + 1 })), priced({ indexPriceAtoms: mark }));
          const exposures = positions.map(({ base, entryPrice, marginBps }, place) => {
            const entryNotionalAtoms = Math.abs(base) * entryPrice * TICK_LOT;
            const marginAtoms = Math.floor((entryNotionalAtoms * marginBps) / 10_000);
            const change = { position: place + 1, account: place + 1, changedBaseAtoms: base, entryNotionalAtoms, marginAtoms };
            feed.emit(changed(change));
            const ordinal = (place + 1) as PositionOrdinal;
            const exposure = {
              signedBaseAtoms: base as BaseAtoms,
              entryNotionalAtoms: entryNotionalAtoms as QuoteAtoms,
              marginAtoms: marginAtoms as QuoteAtoms,
            };
            return { ordinal, base, score: adlScoreOf(exposure, mark as PriceAtoms, TICK_LOT) };
          });
          for (const own of exposures) {
            const side = exposures.filter(({ base }) => base > 0 === own.base > 0).sort(compareByAdl);
            const shown = shownOf(feed, own.ordinal as number as AccountOrdinal).adlIndicator;
            expect(shown).toBe(adlIndicatorOf(side.indexOf(own) + 1, side.length));
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('the evidence of an account’s equity', () => {
  function holding(...events: VenueEvent[]): EventFeed {
    const feed = new EventFeed();
    feed.emit(listed(), opened(), ...events, changed());
    return feed;
  }

  const evidenceOf = (feed: EventFeed) => accountSnapshot.parse(feed.reads.accountSnapshot(ALICE)).riskEvidence.status;

  test('is complete while the index of every position is current, and without positions', () => {
    expect(evidenceOf(holding(priced()))).toBe('complete');
    const feed = new EventFeed();
    feed.emit(listed(), opened());
    expect(evidenceOf(feed)).toBe('complete');
  });

  test('is partial when a position has no mark, and equity excludes its PnL', () => {
    expect(evidenceOf(holding())).toBe('partial');
    expect(evidenceOf(holding(priced({ indexPriceAtoms: 0, indexStatus: 'stale' })))).toBe('partial');
    const feed = holding(priced({ indexPriceAtoms: 10_500 }));
    feed.emit(listed({ market: 2, specification: { ...SCENARIO_MARKET, marketId: 'ETH-USD-PERP' } }));
    feed.emit(changed({ market: 2, position: 2 }));
    const snapshot = feed.reads.accountSnapshot(ALICE);
    expect(snapshot).toMatchObject({ riskEvidence: { status: 'partial' }, equity: '15', positionMargin: '10' });
  });

  test('is stale while an index is not current, and uses the last mark', () => {
    const feed = holding(priced());
    feed.emit(priced({ indexStatus: 'unconfirmed' }));
    expect(evidenceOf(feed)).toBe('stale');
    expect(feed.reads.accountSnapshot(ALICE).positions).toMatchObject([{ markPriceAtoms: '10000', unrealizedPnlAtoms: '0' }]);
    feed.emit(priced({ observedAtEpochMs: feed.now }));
    expect(evidenceOf(feed)).toBe('complete');
  });

  test('becomes stale with time, by the journal’s time or by other records', () => {
    const feed = holding(priced());
    const observedAtEpochMs = 1_700_000_000_000;
    feed.timeEpochMs = (observedAtEpochMs + HOUR) as EpochMs;
    expect(evidenceOf(feed)).toBe('complete');
    expect(feed.reads.marketStats(1 as MarketOrdinal).indexStatus).toBe('current');
    feed.timeEpochMs = (feed.timeEpochMs + 1) as EpochMs;
    expect(evidenceOf(feed)).toBe('stale');
    expect(feed.reads.marketStats(1 as MarketOrdinal).indexStatus).toBe('stale');
    feed.timeEpochMs = 0 as EpochMs;
    expect(evidenceOf(feed)).toBe('complete');
    feed.now = (observedAtEpochMs + HOUR) as EpochMs;
    feed.emit(opened({ account: 2 }));
    expect(evidenceOf(feed)).toBe('stale');
  });
});
