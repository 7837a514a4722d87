/**
 * Who is where on the leaderboard. What an account gained in some days is what it came to less what it had come to before them, so
 * that a ranking looks at two rows of each account that is shown, however long its history is. It is made when somebody asks and
 * kept for some seconds.
 */
import type { LeaderboardEntry, LeaderboardOrder, LeaderboardWindow } from '#contract/leaderboard.ts';
import type { LeaderboardPage, LeaderboardQuery } from '#http/reads.ts';
import type { EpochMs, WideAtoms } from '#units/money.ts';
import { renderMoney } from './listed-markets.ts';
import { DAY_MS, dayOf } from './result-fold.ts';

export interface ShownResult {
  readonly displayName: string;
  readonly handle: string;
  /** `null` before the first trade. */
  readonly pnlAtoms: WideAtoms | null;
  readonly volumeAtoms: WideAtoms | null;
  /** Before the window; `null` where nothing has changed in it. */
  readonly pnlBeforeAtoms: WideAtoms | null;
  readonly volumeBeforeAtoms: WideAtoms | null;
}

/** Every account that is shown, with what it came to, and what it had come to before the first change of its on a day or later. */
export const SHOWN_RESULTS = `
  SELECT l.displayName, l.handle, r.pnlAtoms, r.volumeAtoms, o.pnlAtoms AS pnlBeforeAtoms, o.volumeAtoms AS volumeBeforeAtoms
  FROM leaderboardListings l INDEXED BY shownListings LEFT JOIN results r ON r.account = l.account
    LEFT JOIN dayOpenings o ON o.account = l.account AND o.dayEpochMs =
      (SELECT dayEpochMs FROM dayOpenings WHERE account = l.account AND dayEpochMs >= ? ORDER BY dayEpochMs LIMIT 1)
  WHERE l.isShown = 1`;

const DAYS: Readonly<Record<Exclude<LeaderboardWindow, 'all'>, number>> = { day: 1, week: 7, month: 30 };
const KEPT_MS = 10_000;

interface Ranking {
  readonly sinceEpochMs: number;
  readonly madeAtEpochMs: EpochMs;
  readonly entries: readonly LeaderboardEntry[];
}

interface Gain {
  readonly result: ShownResult;
  readonly pnl: bigint;
  readonly volume: bigint;
}

export class Rankings {
  readonly #shownSince: (dayEpochMs: number) => Iterable<ShownResult>;
  readonly #kept = new Map<string, Ranking>();

  constructor(shownSince: (dayEpochMs: number) => Iterable<ShownResult>) {
    this.#shownSince = shownSince;
  }

  page({ window, orderBy, limit, after }: LeaderboardQuery, now: EpochMs): LeaderboardPage {
    const sinceEpochMs = beginningOf(window, now);
    const { entries: all, madeAtEpochMs } = this.#ranking(window, orderBy, sinceEpochMs ?? 0, now);
    const begin = after?.[0] ?? 0;
    const entries = all.slice(begin, begin + limit);
    return {
      entries,
      rankedAtEpochMs: madeAtEpochMs,
      ...(sinceEpochMs !== undefined && { sinceEpochMs }),
      ...(all.length > begin + limit && { nextAfter: [begin + limit] }),
    };
  }

  /** Somebody wants to be shown, or no longer. */
  forget(): void {
    this.#kept.clear();
  }

  #ranking(window: LeaderboardWindow, orderBy: LeaderboardOrder, sinceEpochMs: number, now: EpochMs): Ranking {
    const name = `${window} ${orderBy}`;
    const kept = this.#kept.get(name);
    if (kept !== undefined && kept.sinceEpochMs === sinceEpochMs && kept.madeAtEpochMs + KEPT_MS > now) return kept;
    const gains = [...this.#shownSince(sinceEpochMs)].map(gainOf);
    const ranking = { sinceEpochMs, madeAtEpochMs: now, entries: gains.sort(RANKS[orderBy]).map(entryOf) };
    this.#kept.set(name, ranking);
    return ranking;
  }
}

function beginningOf(window: LeaderboardWindow, now: EpochMs): EpochMs | undefined {
  return window === 'all' ? undefined : ((dayOf(now) - (DAYS[window] - 1) * DAY_MS) as EpochMs);
}

/** Nothing has changed in a window that nothing is known of the beginning of. */
function gainOf(result: ShownResult): Gain {
  const { pnlAtoms, volumeAtoms, pnlBeforeAtoms, volumeBeforeAtoms } = result;
  if (pnlAtoms === null || volumeAtoms === null || pnlBeforeAtoms === null || volumeBeforeAtoms === null)
    return { result, pnl: 0n, volume: 0n };
  return { result, pnl: BigInt(pnlAtoms) - BigInt(pnlBeforeAtoms), volume: BigInt(volumeAtoms) - BigInt(volumeBeforeAtoms) };
}

const RANKS: Readonly<Record<LeaderboardOrder, (left: Gain, right: Gain) => number>> = {
  pnl: (left, right) => compare(right.pnl, left.pnl) || compare(right.volume, left.volume) || byHandle(left, right),
  volume: (left, right) => compare(right.volume, left.volume) || compare(right.pnl, left.pnl) || byHandle(left, right),
};

/** Those that are equal in all have some order at least, and always the same. */
function byHandle(left: Gain, right: Gain): number {
  return left.result.handle < right.result.handle ? -1 : 1;
}

function compare(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function entryOf({ result: { handle, displayName }, pnl, volume }: Gain, place: number): LeaderboardEntry {
  return {
    rank: place + 1,
    handle,
    ...(displayName !== '' && { displayName }),
    pnlAtoms: String(pnl),
    pnl: renderMoney(pnl),
    volumeAtoms: String(volume),
    volume: renderMoney(volume),
  };
}
