/**
 * The order in which the open positions of a market would be deleveraged, by the ranking of the core at a mark. Each side is a sorted queue
 * in memory, ranked once per mark; a position that changes in between is moved at the next read.
 */
import type { MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import { type AdlCandidate, adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import { FileDamaged } from './page-sums-file.ts';
import type { EpisodeRow } from './rows.ts';

export const OPEN_EPISODES_IN = "SELECT * FROM episodes INDEXED BY openEpisodesByMarket WHERE market = ? AND status = 'open'";

/** Reads the stored open episodes of a market. */
export type ReadOpenEpisodes = (market: MarketOrdinal) => Iterable<EpisodeRow>;

/** Up to this many changed positions plus this share of the queue are moved one by one; above it, ranking the whole queue is cheaper. */
const MOVED_AT_LEAST = 16;
const MOVED_SHARE = 64;

export class DeleveragingQueues {
  readonly #read: ReadOpenEpisodes;
  /** Markets that have been read. */
  readonly #markets = new Map<MarketOrdinal, Readonly<Record<EpisodeRow['side'], Line>>>();

  constructor(read: ReadOpenEpisodes) {
    this.#read = read;
  }

  /** Notes the new state of an episode. */
  observe(episode: EpisodeRow): void {
    this.#markets.get(episode.market)?.[episode.side].put(episode);
  }

  /**
   * The fifth of its side that an open position is in at a mark: 5 is deleveraged first. Must not be called during a fold, whose changes are
   * not stored yet. Throws {@link FileDamaged} if the stored index lacks the position.
   */
  indicatorOf({ market, side, position }: EpisodeRow, mark: PriceAtoms, tickLotAtoms: number): number {
    const line = this.#linesOf(market)[side];
    line.rankAt(mark, tickLotAtoms);
    const rank = line.rankOf(position);
    if (rank === undefined) throw new FileDamaged(`lacks position ${position} in the index of market ${market}`);
    return adlIndicatorOf(rank, line.length);
  }

  /** Forgets everything: it is read again from what is stored. */
  forget(): void {
    this.#markets.clear();
  }

  #linesOf(market: MarketOrdinal): Readonly<Record<EpisodeRow['side'], Line>> {
    let lines = this.#markets.get(market);
    if (lines === undefined) {
      lines = { long: new Line(), short: new Line() };
      for (const episode of this.#read(market)) lines[episode.side].put(episode);
      this.#markets.set(market, lines);
    }
    return lines;
  }
}

/** A position in its queue, with the score that it was ranked by. The position may have changed or closed since then. */
interface Place extends AdlCandidate {
  episode: EpisodeRow;
  score: number;
  isRanked: boolean;
}

/** The open positions of one side of a market. */
class Line {
  readonly #places = new Map<PositionOrdinal, Place>();
  /** Sorted by score. */
  #ranked: Place[] = [];
  /** Places that changed since the last ranking. */
  readonly #changed = new Set<Place>();
  #mark: PriceAtoms | undefined;

  /** Valid after ranking. */
  get length(): number {
    return this.#ranked.length;
  }

  put(episode: EpisodeRow): void {
    const { position, status } = episode;
    let place = this.#places.get(position);
    if (place === undefined) {
      place = { ordinal: position, episode, score: 0, isRanked: false };
      this.#places.set(position, place);
    }
    place.episode = episode;
    this.#changed.add(place);
    if (status === 'open') return;
    this.#places.delete(position);
    // Opened and closed since the last read: dropped, so that the set does not grow.
    if (!place.isRanked) this.#changed.delete(place);
  }

  rankAt(mark: PriceAtoms, tickLotAtoms: number): void {
    const scoreOf = ({ episode }: Place) => adlScoreOf(episode, mark, tickLotAtoms);
    const isFar = mark !== this.#mark || this.#changed.size > MOVED_AT_LEAST + this.#ranked.length / MOVED_SHARE;
    if (isFar) this.#rankAll(scoreOf);
    else for (const place of this.#changed) this.#move(place, scoreOf);
    this.#changed.clear();
    this.#mark = mark;
  }

  /** The rank of an open position, from 1; valid after ranking. `undefined` if the queue does not have it. */
  rankOf(position: PositionOrdinal): number | undefined {
    const place = this.#places.get(position);
    return place && this.#indexOf(place) + 1;
  }

  /** Sorts the current order again. A new mark changes little of it, and sorting a nearly sorted array is fast. */
  #rankAll(scoreOf: (place: Place) => number): void {
    for (const place of this.#changed) if (!place.isRanked) this.#ranked.push(place);
    if (this.#changed.size > 0) this.#ranked = this.#ranked.filter(isOpen);
    for (const place of this.#ranked) {
      place.score = scoreOf(place);
      place.isRanked = true;
    }
    this.#ranked.sort(compareByAdl);
  }

  #move(place: Place, scoreOf: (place: Place) => number): void {
    if (place.isRanked) this.#ranked.splice(this.#indexOf(place), 1);
    if (!isOpen(place)) return;
    place.score = scoreOf(place);
    place.isRanked = true;
    this.#ranked.splice(this.#indexOf(place), 0, place);
  }

  /** The index of a place by its score, or where to insert it. */
  #indexOf(place: Place): number {
    let [begin, end] = [0, this.#ranked.length];
    while (begin < end) {
      const middle = (begin + end) >>> 1;
      if (compareByAdl(this.#ranked[middle]!, place) < 0) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
}

function isOpen({ episode }: Place): boolean {
  return episode.status === 'open';
}
