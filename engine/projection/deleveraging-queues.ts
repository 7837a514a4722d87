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
const MIN_RERANKED = 16;
const MAX_RERANKED_SHARE = 64;

export class DeleveragingQueues {
  readonly #read: ReadOpenEpisodes;
  /** Markets that have been read. */
  readonly #markets = new Map<MarketOrdinal, Readonly<Record<EpisodeRow['side'], RankedQueue>>>();

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
    const queue = this.#queuesOf(market)[side];
    queue.rankAt(mark, tickLotAtoms);
    const rank = queue.rankOf(position);
    if (rank === undefined) throw new FileDamaged(`lacks position ${position} in the index of market ${market}`);
    return adlIndicatorOf(rank, queue.length);
  }

  /** Forgets everything; the next use reads it again from the store. */
  forget(): void {
    this.#markets.clear();
  }

  #queuesOf(market: MarketOrdinal): Readonly<Record<EpisodeRow['side'], RankedQueue>> {
    let queues = this.#markets.get(market);
    if (queues === undefined) {
      queues = { long: new RankedQueue(), short: new RankedQueue() };
      for (const episode of this.#read(market)) queues[episode.side].put(episode);
      this.#markets.set(market, queues);
    }
    return queues;
  }
}

/** A position in its queue, with the score that it was ranked by. The position may have changed or closed since then. */
interface RankedPosition extends AdlCandidate {
  episode: EpisodeRow;
  score: number;
  isRanked: boolean;
}

/** The open positions of one side of a market. */
class RankedQueue {
  readonly #byPosition = new Map<PositionOrdinal, RankedPosition>();
  /** Sorted by score. */
  #ranked: RankedPosition[] = [];
  /** Places that changed since the last ranking. */
  readonly #changed = new Set<RankedPosition>();
  #mark: PriceAtoms | undefined;

  /** Valid after ranking. */
  get length(): number {
    return this.#ranked.length;
  }

  put(episode: EpisodeRow): void {
    const { position, status } = episode;
    let ranked = this.#byPosition.get(position);
    if (ranked === undefined) {
      ranked = { ordinal: position, episode, score: 0, isRanked: false };
      this.#byPosition.set(position, ranked);
    }
    ranked.episode = episode;
    this.#changed.add(ranked);
    if (status === 'open') return;
    this.#byPosition.delete(position);
    // The position was opened and closed since the last read. Drop it, so that the set does not grow.
    if (!ranked.isRanked) this.#changed.delete(ranked);
  }

  rankAt(mark: PriceAtoms, tickLotAtoms: number): void {
    const scoreOf = ({ episode }: RankedPosition) => adlScoreOf(episode, mark, tickLotAtoms);
    const isFar = mark !== this.#mark || this.#changed.size > MIN_RERANKED + this.#ranked.length / MAX_RERANKED_SHARE;
    if (isFar) this.#rankAll(scoreOf);
    else for (const ranked of this.#changed) this.#move(ranked, scoreOf);
    this.#changed.clear();
    this.#mark = mark;
  }

  /** The rank of an open position, from 1; valid after ranking. `undefined` if the queue does not have it. */
  rankOf(position: PositionOrdinal): number | undefined {
    const ranked = this.#byPosition.get(position);
    return ranked && this.#indexOf(ranked) + 1;
  }

  /** Sorts the current order again. A new mark changes little of it, and sorting a nearly sorted array is fast. */
  #rankAll(scoreOf: (ranked: RankedPosition) => number): void {
    for (const ranked of this.#changed) if (!ranked.isRanked) this.#ranked.push(ranked);
    if (this.#changed.size > 0) this.#ranked = this.#ranked.filter(isOpen);
    for (const ranked of this.#ranked) {
      ranked.score = scoreOf(ranked);
      ranked.isRanked = true;
    }
    this.#ranked.sort(compareByAdl);
  }

  #move(ranked: RankedPosition, scoreOf: (ranked: RankedPosition) => number): void {
    if (ranked.isRanked) this.#ranked.splice(this.#indexOf(ranked), 1);
    if (!isOpen(ranked)) return;
    ranked.score = scoreOf(ranked);
    ranked.isRanked = true;
    this.#ranked.splice(this.#indexOf(ranked), 0, ranked);
  }

  /** The index of a place by its score, or where to insert it. */
  #indexOf(ranked: RankedPosition): number {
    let [begin, end] = [0, this.#ranked.length];
    while (begin < end) {
      const middle = (begin + end) >>> 1;
      if (compareByAdl(this.#ranked[middle]!, ranked) < 0) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
}

function isOpen({ episode }: RankedPosition): boolean {
  return episode.status === 'open';
}
