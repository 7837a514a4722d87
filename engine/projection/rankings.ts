/**
 * The rankings of the leaderboard, by the full days before that of the newest record. These no longer change, so each ranking is computed once
 * a day. The result of an account is the difference of two of its rows, however long its history is.
 */
import type { LeaderboardEntry, LeaderboardOrder, LeaderboardWindow } from '#contract/leaderboard.ts';
import type { LeaderboardPage, LeaderboardQuery } from '#reads/reads.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { type EpochMs, significantTowardZero, type WideAtoms } from '#units/money.ts';
import type { LeaderboardListingRow } from './account-rows.ts';
import { renderMoney } from './market-scales.ts';
import { DAY_MS, dayOf } from './result-fold.ts';

export interface LeaderboardResult extends Pick<LeaderboardListingRow, 'account' | 'displayName' | 'handle'> {
  /** The total at the end of the window; `null` before the first trade. */
  readonly pnlAtoms: WideAtoms | null;
  readonly volumeAtoms: WideAtoms | null;
  /** The total at the start of the window, or when the account opted in; `null` if it has not changed since. */
  readonly pnlBeforeAtoms: WideAtoms | null;
  readonly volumeBeforeAtoms: WideAtoms | null;
}

/** All shown accounts with two totals: before their first change at or after the end of the window, and at or after its start. */
export const LEADERBOARD_RESULTS = `
  SELECT l.account, l.displayName, l.handle,
    coalesce(u.pnlAtoms, r.pnlAtoms) AS pnlAtoms, coalesce(u.volumeAtoms, r.volumeAtoms) AS volumeAtoms,
    s.pnlAtoms AS pnlBeforeAtoms, s.volumeAtoms AS volumeBeforeAtoms
  FROM leaderboardListings l INDEXED BY shownListings LEFT JOIN results r ON r.account = l.account
    LEFT JOIN dayOpenings u ON u.account = l.account AND u.dayEpochMs =
      (SELECT dayEpochMs FROM dayOpenings WHERE account = l.account AND dayEpochMs >= :untilEpochMs ORDER BY dayEpochMs LIMIT 1)
    LEFT JOIN dayOpenings s ON s.account = l.account AND s.dayEpochMs =
      (SELECT dayEpochMs FROM dayOpenings WHERE account = l.account AND dayEpochMs >= max(:sinceEpochMs, l.shownDayEpochMs)
        ORDER BY dayEpochMs LIMIT 1)
  WHERE l.isShown = 1 AND l.shownDayEpochMs < :untilEpochMs`;

/** Reads the stored results of a window. */
export type ReadLeaderboardResults = (sinceEpochMs: number, untilEpochMs: EpochMs) => Iterable<LeaderboardResult>;

const DAYS: Readonly<Record<Exclude<LeaderboardWindow, 'all'>, number>> = { day: 1, week: 7, month: 30 };
/** With more digits, or without the delay of a day, a reader could match an account's figures with sums of public trades. */
const SIGNIFICANT_DIGITS = 2;

/** A shown account with its rounded figures. */
interface LeaderboardEntryRow {
  readonly account: AccountOrdinal;
  readonly handle: string;
  readonly displayName: string;
  readonly pnl: bigint;
  readonly volume: bigint;
}

interface Ranking {
  readonly untilEpochMs: EpochMs;
  readonly entries: readonly LeaderboardEntryRow[];
}

export class Rankings {
  readonly #read: ReadLeaderboardResults;
  readonly #rankings = new Map<string, Ranking>();

  constructor(read: ReadLeaderboardResults) {
    this.#read = read;
  }

  /** The newest record gives the current day; all earlier days are folded completely. */
  page({ window, orderBy, limit, after }: LeaderboardQuery, newestEpochMs: EpochMs): LeaderboardPage {
    const untilEpochMs = dayOf(newestEpochMs);
    const sinceEpochMs = startOf(window, untilEpochMs);
    const { entries } = this.#ranking(window, orderBy, sinceEpochMs ?? 0, untilEpochMs);
    const begin = after?.[0] ?? 0;
    return {
      entries: entries.slice(begin, begin + limit).map((entry, index) => entryOf(entry, begin + index + 1)),
      untilEpochMs,
      ...(sinceEpochMs !== undefined && { sinceEpochMs }),
      ...(entries.length > begin + limit && { nextAfter: [begin + limit] }),
    };
  }

  /** Hiding an account or changing its name takes effect in every ranking at once. A newly shown account appears the next day. */
  observe({ account, isShown, displayName }: LeaderboardListingRow): void {
    for (const [name, ranking] of this.#rankings) {
      const index = ranking.entries.findIndex((entry) => entry.account === account);
      if (index < 0) continue;
      const changed = isShown === 1 ? [{ ...ranking.entries[index]!, displayName }] : [];
      this.#rankings.set(name, { ...ranking, entries: ranking.entries.toSpliced(index, 1, ...changed) });
    }
  }

  /** Forgets everything; the next use reads it again from the store. */
  forget(): void {
    this.#rankings.clear();
  }

  #ranking(window: LeaderboardWindow, orderBy: LeaderboardOrder, sinceEpochMs: number, untilEpochMs: EpochMs): Ranking {
    const name = `${window} ${orderBy}`;
    const cached = this.#rankings.get(name);
    if (cached?.untilEpochMs === untilEpochMs) return cached;
    const entries = Array.from(this.#read(sinceEpochMs, untilEpochMs), rowOf).sort(RANKS[orderBy]);
    const ranking = { untilEpochMs, entries };
    this.#rankings.set(name, ranking);
    return ranking;
  }
}

function startOf(window: LeaderboardWindow, untilEpochMs: EpochMs): EpochMs | undefined {
  return window === 'all' ? undefined : (Math.max(0, untilEpochMs - DAYS[window] * DAY_MS) as EpochMs);
}

function rowOf({ account, handle, displayName, ...result }: LeaderboardResult): LeaderboardEntryRow {
  return {
    account,
    handle,
    displayName,
    pnl: gained(result.pnlBeforeAtoms, result.pnlAtoms),
    volume: gained(result.volumeBeforeAtoms, result.volumeAtoms),
  };
}

/** Zero if no total is known at the start, because nothing changed in the window. Rounded, so that the exact figure is not published. */
function gained(before: WideAtoms | null, after: WideAtoms | null): bigint {
  return before === null || after === null ? 0n : significantTowardZero(BigInt(after) - BigInt(before), SIGNIFICANT_DIGITS);
}

/** Ranks by the rounded figures only: a finer order would reveal more than the figures. */
const RANKS: Readonly<Record<LeaderboardOrder, (left: LeaderboardEntryRow, right: LeaderboardEntryRow) => number>> = {
  pnl: (left, right) => compare(right.pnl, left.pnl) || compare(right.volume, left.volume) || byHandle(left, right),
  volume: (left, right) => compare(right.volume, left.volume) || compare(right.pnl, left.pnl) || byHandle(left, right),
};

/** A stable order for ties. */
function byHandle(left: LeaderboardEntryRow, right: LeaderboardEntryRow): number {
  return left.handle < right.handle ? -1 : 1;
}

function compare(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function entryOf({ handle, displayName, pnl, volume }: LeaderboardEntryRow, rank: number): LeaderboardEntry {
  return {
    rank,
    handle,
    displayName: displayName === '' ? null : displayName,
    pnlAtoms: String(pnl),
    pnl: renderMoney(pnl),
    volumeAtoms: String(volume),
    volume: renderMoney(volume),
  };
}
