/**
 * In what order the open positions of a market would be deleveraged: the ranking that the core goes by, at a mark. They are
 * held in memory as they are folded, because anyone may ask at any rate on the thread that the writer runs on.
 */
import type { MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import type { AdlCandidate } from '#venue/risk/adl-score.ts';
import { adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import type { EpisodeRow } from './rows.ts';

export const OPEN_EPISODES_IN = "SELECT * FROM episodes INDEXED BY openEpisodesByMarket WHERE market = ? AND status = 'open'";

/** The stored open episodes of a market. */
export type ReadOpenEpisodes = (market: MarketOrdinal) => Iterable<EpisodeRow>;

export class DeleveragingQueues {
  readonly #read: ReadOpenEpisodes;
  /** Of the markets that someone has asked for. */
  readonly #markets = new Map<MarketOrdinal, Queues>();

  constructor(read: ReadOpenEpisodes) {
    this.#read = read;
  }

  /** An episode as it has become. */
  observe(episode: EpisodeRow): void {
    const queues = this.#markets.get(episode.market);
    if (queues !== undefined) put(queues, episode);
  }

  /**
   * The fifth of its side that an open position is in at a mark: 5 is first in line, 1 is last. Not to be called while a
   * group is being folded: what it changes is not stored yet.
   */
  indicatorOf({ market, side, position }: EpisodeRow, mark: PriceAtoms, tickLotAtoms: number): number {
    const queue = this.#queuesOf(market)[side];
    const own = queue.get(position)!;
    scoreAt(own, mark, tickLotAtoms);
    let rank = 1;
    for (const other of queue.values()) {
      scoreAt(other, mark, tickLotAtoms);
      if (compareByAdl(other, own) < 0) rank += 1;
    }
    return adlIndicatorOf(rank, queue.size);
  }

  /** Forgets everything: it is read again from what is stored. */
  forget(): void {
    this.#markets.clear();
  }

  #queuesOf(market: MarketOrdinal): Queues {
    let queues = this.#markets.get(market);
    if (queues === undefined) {
      queues = { long: new Map(), short: new Map() };
      for (const episode of this.#read(market)) put(queues, episode);
      this.#markets.set(market, queues);
    }
    return queues;
  }
}

/** Counted rather than sorted: a rank is asked for one position at a time, and every price would sort them anew. */
type Queue = Map<PositionOrdinal, Place>;
type Queues = Readonly<Record<EpisodeRow['side'], Queue>>;

/** A position in its queue, with the score that it last had and the mark that it had it at. */
interface Place extends AdlCandidate {
  readonly episode: EpisodeRow;
  score: number;
  scoredAt: PriceAtoms | undefined;
}

function put(queues: Queues, episode: EpisodeRow): void {
  const { position, side, status } = episode;
  if (status === 'open') queues[side].set(position, { ordinal: position, episode, score: 0, scoredAt: undefined });
  else queues[side].delete(position);
}

/** Only a new mark, or a change of the position, makes for another score. */
function scoreAt(place: Place, mark: PriceAtoms, tickLotAtoms: number): void {
  if (place.scoredAt === mark) return;
  place.score = adlScoreOf(place.episode, mark, tickLotAtoms);
  place.scoredAt = mark;
}
