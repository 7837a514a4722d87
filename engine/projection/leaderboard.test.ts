/** The leaderboard: accounts, figures and windows, compared with a naive sum over all events. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LEADERBOARD_ORDERS, LEADERBOARD_WINDOWS, type LeaderboardWindow, leaderboardEntry } from '#contract/leaderboard.ts';
import type { LeaderboardQuery } from '#reads/reads.ts';
import type { History } from '#simulation/history.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { Rankings } from './rankings.ts';
import { ACCOUNTS, historyOf, MARKETS, step } from './testing/any-history.ts';
import { changed, listed, opened } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/leaderboard.test.ts';
const DAY_MS = 86_400_000;
const ALL: LeaderboardQuery = { window: 'all', orderBy: 'pnl', limit: 100 };

const handleOf = (account: number) => `trader-${String(account).padStart(16, '0')}`;

function listing(account: number, shown = true, displayName = ''): VenueEvent {
  const handle = shown ? handleOf(account) : '';
  return { type: 'LeaderboardListingSet', account: account as AccountOrdinal, shown, displayName, handle };
}

function ranked(feed: EventFeed, query: Partial<LeaderboardQuery> = {}): readonly string[] {
  const { entries } = feed.reads.leaderboard({ ...ALL, ...query });
  for (const entry of entries) leaderboardEntry.parse(entry);
  return entries.map(({ rank, handle, pnl }) => `${rank} ${Number(handle.slice(-4))} ${pnl}`);
}

/** Every trade is a position of its own, because only the results matter here. */
class Traders extends EventFeed {
  #positions = 0;

  trade(account: number, pnlAtoms: number, feeAtoms = 0): void {
    this.#positions += 1;
    const position = this.#positions;
    this.emit(changed({ account, position, realizedPnlAtoms: pnlAtoms, feeAtoms }));
  }

  /** Advances to the last record of this day, or to the first of the next. */
  upTo(end: 'end of day' | 'next day'): void {
    this.stepMs = DAY_MS - (this.now % DAY_MS) - (end === 'next day' ? 0 : 1);
    this.emit({ type: 'MarketWorkPending', market: 1 as MarketOrdinal });
    this.stepMs = 1;
  }
}

function traders(accounts: number): Traders {
  const feed = new Traders();
  feed.emit(listed(), ...Array.from({ length: accounts }, (_, place) => opened({ account: place + 1 })));
  return feed;
}

test('shows an account from the day after its opt-in, and hides it at once', () => {
  const feed = traders(2);
  feed.trade(1, 5_000_000, 1_000_000);
  feed.trade(2, 9_000_000);
  expect(ranked(feed)).toEqual([]);
  feed.emit(listing(1, true, 'Zoë'));
  feed.upTo('end of day');
  expect(ranked(feed)).toEqual([]);
  feed.upTo('next day');
  expect(feed.reads.leaderboard(ALL).entries).toEqual([
    {
      rank: 1,
      handle: handleOf(1),
      displayName: 'Zoë',
      pnlAtoms: '4000000',
      pnl: '4',
      volumeAtoms: '100000000',
      volume: '100',
    },
  ]);
  expect(feed.reads.leaderboardListing(1 as AccountOrdinal)).toEqual({
    version: 'external-leaderboard-listing/v1',
    accountId: 'acct-1',
    shown: true,
    displayName: 'Zoë',
    handle: handleOf(1),
  });
  feed.emit(listing(2));
  feed.trade(2, 7_000_000);
  feed.upTo('next day');
  expect(ranked(feed)).toEqual(['1 2 7', '2 1 4']);
  // The event of a new name has a handle for hidden accounts: a shown account keeps its handle.
  feed.emit({ ...listing(1, true, 'Zora'), handle: handleOf(77) } as VenueEvent);
  expect(feed.reads.leaderboard(ALL).entries[1]).toMatchObject({ handle: handleOf(1), displayName: 'Zora' });
  feed.emit(listing(1, false));
  expect(ranked(feed)).toEqual(['1 2 7']);
  expect(feed.reads.leaderboardListing(1 as AccountOrdinal)).toHaveProperty('displayName', null);
  // Retiring revokes its keys, so the account could not be hidden later.
  feed.emit({ type: 'AccountRetired', account: 2 as AccountOrdinal });
  expect(ranked(feed)).toEqual([]);
});

test('shows nothing of a day before it has ended, and no exact figures', () => {
  const feed = traders(3);
  for (const account of [1, 2, 3]) feed.emit(listing(account));
  feed.upTo('next day');
  for (let trade = 0; trade < 20; trade += 1) {
    feed.trade(1, 1_234_567, 89);
    feed.trade(2, -1_999_999);
    const shown = feed.reads.leaderboard(ALL);
    expect(shown).toMatchObject({ untilEpochMs: feed.now - (feed.now % DAY_MS) });
    expect(shown.entries.map(({ pnl, volume }) => [pnl, volume])).toEqual(shown.entries.map(() => ['0', '0']));
    // Hiding and showing again on the same day does not count it either.
    feed.emit(listing(3, trade % 2 === 1));
    expect(ranked(feed)).toEqual(['1 1 0', '2 2 0']);
  }
  feed.upTo('next day');
  expect(feed.reads.leaderboard(ALL).entries).toMatchObject([
    // The exact figures are 24.69 and 39.99.
    { pnlAtoms: '24000000', pnl: '24', volumeAtoms: '2000000000', volume: '2000' },
    { handle: handleOf(3), pnl: '0' },
    { pnlAtoms: '-39000000', pnl: '-39' },
  ]);
});

test('orders equal rounded figures by handle', () => {
  const feed = traders(3);
  for (const account of [1, 2, 3]) feed.emit(listing(account));
  feed.trade(1, 1_210_000);
  feed.trade(2, 1_290_000);
  feed.trade(3, 1_250_000);
  feed.upTo('next day');
  expect(ranked(feed)).toEqual(['1 1 1.2', '2 2 1.2', '3 3 1.2']);
});

test('starts again without earlier figures for an account that is shown again', () => {
  const feed = traders(1);
  feed.trade(1, 8_000_000);
  feed.upTo('next day');
  feed.emit(listing(1));
  feed.trade(1, 5_000_000);
  feed.upTo('next day');
  expect(ranked(feed)).toEqual(['1 1 5']);
  feed.upTo('next day');
  feed.emit(listing(1, false), { ...listing(1), handle: handleOf(2) } as VenueEvent);
  expect(ranked(feed)).toEqual([]);
  feed.trade(1, 1_000_000);
  feed.upTo('next day');
  expect([ranked(feed), ranked(feed, { window: 'month' })]).toEqual([['1 2 1'], ['1 2 1']]);
});

test('ends a day, a week and a month with the last full UTC day', () => {
  const feed = traders(1);
  feed.emit(listing(1));
  feed.upTo('next day');
  const days = [0, 1, 7, 30];
  const pnl = (window: LeaderboardWindow) => feed.reads.leaderboard({ ...ALL, window }).entries[0]!.pnl;
  for (let day = 0; day <= 30; day += 1) {
    if (days.includes(day)) feed.trade(1, 1_000_000 * (day + 1));
    feed.upTo('next day');
  }
  const untilEpochMs = feed.now;
  feed.trade(1, 50_000_000);
  // 1 on the first day, 2 on the second, 8 on the eighth, 31 yesterday, which was the 31st.
  expect([pnl('day'), pnl('week'), pnl('month'), pnl('all')]).toEqual(['31', '31', '41', '42']);
  for (const [window, length] of [
    ['day', 1],
    ['week', 7],
    ['month', 30],
  ] as const)
    expect(feed.reads.leaderboard({ ...ALL, window })).toMatchObject({
      sinceEpochMs: untilEpochMs - length * DAY_MS,
      untilEpochMs,
    });
  expect(feed.reads.leaderboard(ALL)).not.toHaveProperty('sinceEpochMs');
});

test('ranks ties by the other figure, and continues pages after a rank', () => {
  const feed = traders(4);
  for (const [account, trades] of [
    [1, 1],
    [2, 3],
    [3, 2],
    [4, 1],
  ] as const) {
    feed.emit(listing(account));
    for (let trade = 0; trade < trades; trade += 1) feed.trade(account, account === 4 ? 1_000_000 : 0);
  }
  feed.upTo('next day');
  expect(ranked(feed)).toEqual(['1 4 1', '2 2 0', '3 3 0', '4 1 0']);
  expect(ranked(feed, { orderBy: 'volume' })).toEqual(['1 2 0', '2 3 0', '3 4 1', '4 1 0']);
  const { entries, nextAfter } = feed.reads.leaderboard({ ...ALL, limit: 3 });
  expect([entries.length, nextAfter]).toEqual([3, [3]]);
  expect(ranked(feed, { limit: 3, after: nextAfter! })).toEqual(['4 1 0']);
  expect(feed.reads.leaderboard({ ...ALL, limit: 3, after: [3] })).not.toHaveProperty('nextAfter');
  expect(ranked(feed, { after: [4] })).toEqual([]);
  // An account that leaves moves the others up in every ranking.
  feed.emit(listing(2, false));
  expect(ranked(feed)).toEqual(['1 4 1', '2 3 0', '3 1 0']);
  expect(ranked(feed, { orderBy: 'volume' })).toEqual(['1 3 0', '2 4 1', '3 1 0']);
});

test('is read once a day, also when accounts opt in or out', () => {
  const shown = (account: number) => ({ account: account as AccountOrdinal, handle: handleOf(account), displayName: '' });
  const noFigures = { pnlAtoms: null, volumeAtoms: null, pnlBeforeAtoms: null, volumeBeforeAtoms: null };
  let reads = 0;
  const rankings = new Rankings(() => {
    reads += 1;
    return [1, 2].map((account) => ({ ...shown(account), ...noFigures }));
  });
  const day = 19_675 * DAY_MS;
  const row = (account: number, isShown: 0 | 1) => ({ ...shown(account), isShown, shownDayEpochMs: day as EpochMs });
  for (let count = 0; count < 100; count += 1) {
    expect(rankings.page(ALL, (day + count) as EpochMs).entries).toHaveLength(count === 0 ? 2 : 1);
    rankings.observe(row(2, 0));
    rankings.observe(row(3, 1));
  }
  expect(reads).toBe(1);
  rankings.page(ALL, (day + DAY_MS) as EpochMs);
  expect(reads).toBe(2);
});

test('shows totals beyond safe integers', () => {
  const feed = traders(1);
  feed.emit(listing(1));
  for (let trade = 0; trade < 4; trade += 1) feed.trade(1, Number.MAX_SAFE_INTEGER);
  feed.upTo('next day');
  // The exact total is 36028797018963964.
  expect(feed.reads.leaderboard(ALL).entries[0]).toMatchObject({ pnlAtoms: '36000000000000000', pnl: '36000000000' });
});

/** The result and volume of an account between two times, summed over all events and rounded to two digits. */
function gainedIn({ records }: History, account: number, sinceEpochMs: number, untilEpochMs: number) {
  let [pnl, volume] = [0, 0];
  const margins = new Map<number, number>();
  for (const { epochMs, events } of records) {
    for (const event of events) {
      if (event.type !== 'PositionChanged' && event.type !== 'FundingPaid' && event.type !== 'PositionMarginAdjusted') continue;
      const before = margins.get(event.position) ?? 0;
      margins.set(event.position, event.marginAtoms);
      if (event.account !== account || epochMs < sinceEpochMs || epochMs >= untilEpochMs) continue;
      if (event.type === 'FundingPaid') pnl -= before - event.marginAtoms;
      else if (event.type === 'PositionMarginAdjusted') pnl -= event.repaidAtoms;
      else {
        pnl += event.realizedPnlAtoms - event.feeAtoms + (event.insuranceCoveredAtoms ?? 0);
        volume += event.changedNotionalAtoms;
      }
    }
  }
  return { pnl: shortened(pnl), volume: shortened(volume) };
}

function shortened(value: number): number {
  const text = String(value);
  const digits = value < 0 ? 3 : 2;
  return Number(text.slice(0, digits).padEnd(text.length, '0'));
}

/** The shown accounts, with the day of their opt-in. */
function shownIn({ records }: History): Map<number, number> {
  const shown = new Map<number, number>();
  for (const { epochMs, events } of records)
    for (const event of events) {
      if (event.type !== 'LeaderboardListingSet') continue;
      if (!event.shown) shown.delete(event.account);
      else if (!shown.has(event.account)) shown.set(event.account, epochMs - (epochMs % DAY_MS));
    }
  return shown;
}

const ALL_SHOWN = Array.from({ length: ACCOUNTS }, (_, place) => (history: History) => {
  const account = (place + 1) as AccountOrdinal;
  history.run({ type: 'SetLeaderboardListing', account, shown: true, displayName: '', handle: handleOf(account) });
});

test('equals a sum over all events for any history and listings', { timeout: TIMEOUT_MS }, () => {
  let nonZeroCount = 0;
  // Days pass often, because figures are shown only after the end of a day.
  const night = fc.constant((history: History) => {
    history.wait(DAY_MS);
    for (const market of MARKETS) history.price(10_000, market);
  });
  const steps = fc.array(fc.oneof({ weight: 30, arbitrary: step }, { weight: 1, arbitrary: night }), {
    minLength: 20,
    maxLength: 100,
  });
  holds(
    FILE,
    fc.property(steps, (taken) => {
      const history = historyOf([...ALL_SHOWN, ...taken]);
      const shown = shownIn(history);
      const now = history.records.at(-1)!.epochMs;
      const today = now - (now % DAY_MS);
      const since = { day: today - DAY_MS, week: today - 7 * DAY_MS, month: today - 30 * DAY_MS, all: 0 };
      within(':memory:', ({ follow, reads }) => {
        follow(history.group(0));
        for (const window of LEADERBOARD_WINDOWS) {
          const expected = [...shown]
            .filter(([, day]) => day < today)
            .map(([account, day]) => ({ account, ...gainedIn(history, account, Math.max(since[window], day), today) }));
          for (const orderBy of LEADERBOARD_ORDERS) {
            const other = orderBy === 'pnl' ? 'volume' : 'pnl';
            const sorted = expected.toSorted(
              (left, right) => right[orderBy] - left[orderBy] || right[other] - left[other] || left.account - right.account,
            );
            const { entries } = reads.leaderboard({ window, orderBy, limit: 10 });
            expect(entries.map(({ rank, handle, pnlAtoms, volumeAtoms }) => [rank, handle, pnlAtoms, volumeAtoms])).toEqual(
              sorted.map(({ account, pnl, volume }, place) => [place + 1, handleOf(account), String(pnl), String(volume)]),
            );
            nonZeroCount += entries.filter(({ pnlAtoms }) => pnlAtoms !== '0').length;
          }
        }
      });
    }),
  );
  expect(nonZeroCount).toBeGreaterThan(0);
});
