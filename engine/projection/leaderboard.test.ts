/** The leaderboard: who is on it, by what, over which days; held against a naive sum over everything that was ever told. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LEADERBOARD_ORDERS, LEADERBOARD_WINDOWS, type LeaderboardWindow, leaderboardEntry } from '#contract/leaderboard.ts';
import type { LeaderboardQuery } from '#http/reads.ts';
import type { History } from '#simulation/history.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { historyOf, step } from './testing/any-history.ts';
import { changed, listed, opened } from './testing/events.ts';
import { Told } from './testing/told.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/leaderboard.test.ts';
const DAY_MS = 86_400_000;
const ALL: LeaderboardQuery = { window: 'all', orderBy: 'pnl', limit: 100 };

const handleOf = (account: number) => `trader-${String(account).padStart(16, '0')}`;

function listing(account: number, shown = true, displayName = ''): VenueEvent {
  const handle = shown ? handleOf(account) : '';
  return { type: 'LeaderboardListingSet', account: account as AccountOrdinal, shown, displayName, handle };
}

function ranked(told: Told, query: Partial<LeaderboardQuery> = {}): readonly string[] {
  const { entries } = told.reads.leaderboard({ ...ALL, ...query });
  for (const entry of entries) leaderboardEntry.parse(entry);
  return entries.map(({ rank, handle, pnl }) => `${rank} ${Number(handle.slice(-4))} ${pnl}`);
}

/** Each account trades in positions of its own, one for every trade: only what it comes to matters here. */
class Traders extends Told {
  #positions = 0;

  trade(account: number, pnlAtoms: number, feeAtoms = 0): void {
    this.#positions += 1;
    const position = this.#positions;
    this.tell(changed({ account, position, realizedPnlAtoms: pnlAtoms, feeAtoms }));
  }

  /** Whoever asks later than what is kept gets a ranking that is made anew. */
  later(ms: number): void {
    this.stepMs = ms;
    this.tell({ type: 'MarketWorkPending', market: 1 as MarketOrdinal });
    this.stepMs = 1;
  }
}

function traders(accounts: number): Traders {
  const told = new Traders();
  told.tell(listed(), ...Array.from({ length: accounts }, (_, place) => opened({ account: place + 1 })));
  return told;
}

test('nobody is on it who did not choose to be; who hides is off it at once, and forgotten', () => {
  const told = traders(2);
  told.trade(1, 5_000_000, 1_000_000);
  told.trade(2, 9_000_000);
  expect(ranked(told)).toEqual([]);
  told.tell(listing(1, true, 'Zoë'));
  expect(told.reads.leaderboard(ALL).entries).toEqual([
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
  expect(told.reads.leaderboardListing(1 as AccountOrdinal)).toEqual({
    version: 'external-leaderboard-listing/v1',
    accountId: 'acct-1',
    shown: true,
    displayName: 'Zoë',
    handle: handleOf(1),
  });
  told.tell(listing(2));
  expect(ranked(told)).toEqual(['1 2 9', '2 1 4']);
  // A new name comes with a handle for who had none: who is shown keeps the one that it has.
  told.tell({ ...listing(1, true, 'Zora'), handle: handleOf(77) } as VenueEvent);
  expect(told.reads.leaderboard(ALL).entries[1]).toMatchObject({ handle: handleOf(1), displayName: 'Zora' });
  told.tell(listing(1, false));
  expect(ranked(told)).toEqual(['1 2 9']);
  expect(told.reads.leaderboardListing(1 as AccountOrdinal)).not.toHaveProperty('displayName');
  // Its keys go with it, so that nobody could hide it any more.
  told.tell({ type: 'AccountRetired', account: 2 as AccountOrdinal });
  expect(ranked(told)).toEqual([]);
});

test('a ranking stands for ten seconds, and a new day begins a new one', () => {
  const told = traders(1);
  told.tell(listing(1));
  expect(ranked(told)).toEqual(['1 1 0']);
  told.trade(1, 3_000_000);
  expect(ranked(told)).toEqual(['1 1 0']);
  told.later(10_000);
  expect(ranked(told)).toEqual(['1 1 3']);
  told.later(DAY_MS - (told.now % DAY_MS) - 1_000);
  expect(ranked(told, { window: 'day' })).toEqual(['1 1 3']);
  told.later(1_000);
  expect(ranked(told, { window: 'day' })).toEqual(['1 1 0']);
  expect(told.reads.leaderboard({ ...ALL, window: 'day' })).toMatchObject({ sinceEpochMs: told.now, rankedAtEpochMs: told.now });
  expect(told.reads.leaderboard(ALL)).not.toHaveProperty('sinceEpochMs');
});

test('a day, a week and a month end with today, by days of UTC', () => {
  const told = traders(1);
  told.tell(listing(1));
  told.later(DAY_MS - (told.now % DAY_MS));
  const days = [0, 1, 7, 30];
  const pnl = (window: LeaderboardWindow) => told.reads.leaderboard({ ...ALL, window }).entries[0]!.pnl;
  for (let day = 0; day <= 30; day += 1) {
    if (days.includes(day)) told.trade(1, 1_000_000 * (day + 1));
    if (day < 30) told.later(DAY_MS - (told.now % DAY_MS));
  }
  // 1 on the first day, 2 on the second, 8 on the eighth, 31 today, which is the 31st.
  told.later(20_000);
  expect([pnl('day'), pnl('week'), pnl('month'), pnl('all')]).toEqual(['31', '31', '41', '42']);
});

test('equal ones are ranked by the other figure, and pages go on behind a rank', () => {
  const told = traders(4);
  for (const [account, trades] of [
    [1, 1],
    [2, 3],
    [3, 2],
    [4, 1],
  ] as const) {
    told.tell(listing(account));
    for (let trade = 0; trade < trades; trade += 1) told.trade(account, account === 4 ? 1_000_000 : 0);
  }
  told.later(20_000);
  expect(ranked(told)).toEqual(['1 4 1', '2 2 0', '3 3 0', '4 1 0']);
  expect(ranked(told, { orderBy: 'volume' })).toEqual(['1 2 0', '2 3 0', '3 4 1', '4 1 0']);
  const { entries, nextAfter } = told.reads.leaderboard({ ...ALL, limit: 3 });
  expect([entries.length, nextAfter]).toEqual([3, [3]]);
  expect(ranked(told, { limit: 3, after: nextAfter! })).toEqual(['4 1 0']);
  expect(told.reads.leaderboard({ ...ALL, limit: 3, after: [3] })).not.toHaveProperty('nextAfter');
  expect(ranked(told, { after: [4] })).toEqual([]);
});

test('totals outgrow exact numbers and stay exact', () => {
  const told = traders(1);
  told.tell(listing(1));
  for (let trade = 0; trade < 4; trade += 1) told.trade(1, Number.MAX_SAFE_INTEGER);
  told.later(20_000);
  const pnlAtoms = String(4n * BigInt(Number.MAX_SAFE_INTEGER));
  expect(told.reads.leaderboard(ALL).entries[0]).toMatchObject({ pnlAtoms, pnl: renderDecimal(BigInt(pnlAtoms), 6) });
});

/** What an account gained and traded from a moment on, summed over all events. */
function gainedSince({ records }: History, account: number, sinceEpochMs: number) {
  let [pnl, volume] = [0, 0];
  const margins = new Map<number, number>();
  for (const { epochMs, events } of records) {
    for (const event of events) {
      if (event.type !== 'PositionChanged' && event.type !== 'FundingPaid') continue;
      const before = margins.get(event.position) ?? 0;
      margins.set(event.position, event.marginAtoms);
      if (event.account !== account || epochMs < sinceEpochMs) continue;
      if (event.type === 'FundingPaid') pnl -= before - event.marginAtoms;
      else {
        pnl += event.realizedPnlAtoms - event.feeAtoms;
        volume += event.changedNotionalAtoms;
      }
    }
  }
  return { pnl, volume };
}

test('says what a sum over all events says, whatever was traded and whoever is shown', { timeout: TIMEOUT_MS }, () => {
  let shown = 0;
  holds(
    FILE,
    fc.property(fc.array(step, { minLength: 20, maxLength: 100 }), (steps) => {
      const history = historyOf(steps);
      const listings = new Map<number, boolean>();
      for (const event of history.records.flatMap(({ events }) => events))
        if (event.type === 'LeaderboardListingSet') listings.set(event.account, event.shown);
      const accounts = [...listings].filter(([, isShown]) => isShown).map(([account]) => account);
      const now = history.records.at(-1)!.epochMs;
      const today = (now - (now % DAY_MS)) as EpochMs;
      const since = { day: today, week: today - 6 * DAY_MS, month: today - 29 * DAY_MS, all: 0 };
      within(':memory:', ({ follow, reads }) => {
        follow(history.group(0));
        for (const window of LEADERBOARD_WINDOWS) {
          const expected = accounts.map((account) => ({ account, ...gainedSince(history, account, since[window]) }));
          for (const orderBy of LEADERBOARD_ORDERS) {
            const other = orderBy === 'pnl' ? 'volume' : 'pnl';
            const sorted = expected.toSorted(
              (left, right) => right[orderBy] - left[orderBy] || right[other] - left[other] || left.account - right.account,
            );
            const { entries } = reads.leaderboard({ window, orderBy, limit: 10 });
            expect(entries.map(({ rank, handle, pnlAtoms, volumeAtoms }) => [rank, handle, pnlAtoms, volumeAtoms])).toEqual(
              sorted.map(({ account, pnl, volume }, place) => [place + 1, handleOf(account), String(pnl), String(volume)]),
            );
            shown += entries.length;
          }
        }
      });
    }),
  );
  expect(shown).toBeGreaterThan(0);
});
