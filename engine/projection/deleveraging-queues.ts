/**
 * In what order the open positions of a market would be deleveraged: the ranking that the core goes by, at a mark. Each side is one
 * line in memory, ranked once for a mark; a position that changes meanwhile is moved to its new place when somebody asks again.
 */
import type { MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import { type AdlCandidate, adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import { FileDamaged } from './page-sums-file.ts';
import type { EpisodeRow } from './rows.ts';

export const OPEN_EPISODES_IN = "SELECT * FROM episodes INDEXED BY openEpisodesByMarket WHERE market = ? AND status = 'open'";

/** The stored open episodes of a market. */
export type ReadOpenEpisodes = (market: MarketOrdinal) => Iterable<EpisodeRow>;

/** So many positions are moved one by one, and a share of the line: beyond that ranking all of it anew costs no more. */
const MOVED_AT_LEAST = 16;
const MOVED_SHARE = 64;

export class DeleveragingQueues {
  readonly #read: ReadOpenEpisodes;
  /** Of the markets that someone has asked for. */
  readonly #markets = new Map<MarketOrdinal, Readonly<Record<EpisodeRow['side'], Line>>>();

  constructor(read: ReadOpenEpisodes) {
    this.#read = read;
  }

  /** An episode as it has become. */
  observe(episode: EpisodeRow): void {
    this.#markets.get(episode.market)?.[episode.side].put(episode);
  }

  /**
   * The fifth of its side that an open position is in at a mark: 5 is first in line, 1 is last. Not to be called while a
   * group is being folded: what it changes is not stored yet. Throws {@link FileDamaged} if the stored index lacks the position.
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

/** A position in its line, with the score that it was ranked by: it may have changed since, or have been closed. */
interface Place extends AdlCandidate {
  episode: EpisodeRow;
  score: number;
  isRanked: boolean;
}

/** The open positions of one side of a market. */
class Line {
  readonly #places = new Map<PositionOrdinal, Place>();
  /** In order of their scores. */
  #ranked: Place[] = [];
  /** Those that have changed since they were ranked. */
  readonly #changed = new Set<Place>();
  #mark: PriceAtoms | undefined;

  /** Once ranked. */
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
    // What came and went since somebody asked is of no concern: it would only add up.
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

  /** From 1, of an open position; once ranked. `undefined` if the queue does not have it. */
  rankOf(position: PositionOrdinal): number | undefined {
    const place = this.#places.get(position);
    return place && this.#indexOf(place) + 1;
  }

  /** From the order that there is: a new mark changes little of it, and what is nearly sorted is sorted soon. */
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

  /** Where it is by its score, or would be. */
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
