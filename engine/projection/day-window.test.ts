/** The last 24 hours in memory, compared with a sum over all trades for every read. */
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { DayWindow } from './day-window.ts';
import { foldEvent } from './fold.ts';
import { openStore } from './store.ts';

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;
const START = 1_700_000_000_000;
const MARKETS = [1, 2] as MarketOrdinal[];

interface Trade {
  readonly market: MarketOrdinal;
  readonly epochMs: number;
  readonly priceAtoms: number;
  readonly quantityAtoms: number;
}

/** Markets whose trades are folded one by one, and the trades as a plain list. */
class TradeFeed {
  readonly store = openStore(':memory:');
  readonly trades: Trade[] = [];
  now = START;

  constructor() {
    onTestFinished(() => this.store.close());
    this.fold(
      MARKETS.map((market) => ({
        type: 'MarketListed',
        market,
        specification: { ...SCENARIO_MARKET, marketId: `M${market}` },
        status: 'open',
      })),
    );
  }

  trade(market: MarketOrdinal, priceAtoms: number, quantityAtoms: number): void {
    this.trades.push({ market, epochMs: this.now, priceAtoms, quantityAtoms });
    this.fold([this.event(market, priceAtoms, quantityAtoms)]);
  }

  event(market: MarketOrdinal, priceAtoms: number, quantityAtoms: number): VenueEvent {
    const notionalAtoms = priceAtoms * quantityAtoms;
    const trade = this.trades.length;
    const terms = { origin: 'client', takerSide: 'buy', priceAtoms, quantityAtoms, notionalAtoms };
    return { type: 'TradeExecuted', trade, market, ...terms } as never;
  }

  fold(events: readonly VenueEvent[]): void {
    const { store } = this;
    const at = { sequence: (store.checkpoint.sequence + 1) as never, epochMs: this.now as EpochMs };
    store.fold(() => {
      for (const event of events) foldEvent(store, event, at);
      return { ...store.checkpoint, ...at };
    });
  }

  shown(market: MarketOrdinal): DayWindow {
    const { openAtoms, highAtoms, lowAtoms, volumeAtoms, notionalAtoms } = this.store.dayWindows.at(market, this.now as EpochMs);
    return { openAtoms, highAtoms, lowAtoms, volumeAtoms, notionalAtoms } as DayWindow;
  }

  naive(market: MarketOrdinal): DayWindow {
    const first = this.now - (this.now % MINUTE) - DAY + MINUTE;
    const trades = this.trades.filter((trade) => trade.market === market && trade.epochMs >= first);
    const prices = trades.map(({ priceAtoms }) => priceAtoms as PriceAtoms);
    const sum = (of: (trade: Trade) => number) => trades.reduce((total, trade) => total + BigInt(of(trade)), 0n);
    return {
      openAtoms: prices[0],
      highAtoms: prices.length === 0 ? undefined : Math.max(...prices),
      lowAtoms: prices.length === 0 ? undefined : Math.min(...prices),
      volumeAtoms: sum(({ quantityAtoms }) => quantityAtoms),
      notionalAtoms: sum(({ priceAtoms, quantityAtoms }) => priceAtoms * quantityAtoms),
    } as DayWindow;
  }
}

const wait = fc.oneof(
  { weight: 6, arbitrary: fc.nat(90_000) },
  { weight: 3, arbitrary: fc.nat(DAY / 4) },
  { weight: 1, arbitrary: fc.integer({ min: DAY - 2 * MINUTE, max: DAY + 2 * MINUTE }) },
);
const trade = fc.record({
  market: fc.constantFrom(...MARKETS),
  priceAtoms: fc.integer({ min: 1, max: 20 }),
  quantityAtoms: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.constant(2 ** 46)),
});
const step = fc.record({ wait, trade: fc.option(trade), isRead: fc.boolean(), isUndone: fc.boolean() });

test('equals the sum over the trades of the window, as time passes with and without trades', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const feed = new TradeFeed();
      for (const { wait: waitMs, trade: next, isRead, isUndone } of steps) {
        feed.now += waitMs;
        if (next !== null) feed.trade(next.market, next.priceAtoms, next.quantityAtoms);
        // A rolled-back group leaves nothing in the window.
        if (isUndone) {
          const events = [feed.event(MARKETS[0]!, 999, 999), { type: 'MarketPriced', market: 9 } as VenueEvent];
          expect(() => feed.fold(events)).toThrow('market 9');
        }
        if (isRead) for (const market of MARKETS) expect(feed.shown(market)).toEqual(feed.naive(market));
      }
      for (const market of MARKETS) expect(feed.shown(market)).toEqual(feed.naive(market));
    }),
    { numRuns: 150 },
  );
});

test('is read from the database once and then cached', () => {
  const feed = new TradeFeed();
  for (let minute = 0; minute < 3_000; minute += 1) {
    feed.now += MINUTE;
    feed.trade(MARKETS[0]!, 1 + ((minute * 7) % 100), 1 + minute);
  }
  const statement = vi.spyOn(feed.store, 'statement');
  expect(feed.shown(MARKETS[0]!)).toEqual(feed.naive(MARKETS[0]!));
  expect(statement).toHaveBeenCalledTimes(1);
  for (let minute = 0; minute < 2_000; minute += 1) {
    feed.now += MINUTE;
    if (minute % 3 === 0) feed.trade(MARKETS[0]!, 100 - (minute % 100), 5);
    if (minute % 50 === 0) expect(feed.shown(MARKETS[0]!)).toEqual(feed.naive(MARKETS[0]!));
  }
  expect(statement).toHaveBeenCalledTimes(1);
});
