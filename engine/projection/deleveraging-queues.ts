/**
 * In what order the positions of a market would be deleveraged: the ranking that the core goes by, as of the newest mark
 * and the newest positions. Made when somebody asks, once for a market and sequence.
 */
import type { MarketOrdinal, PositionOrdinal, Sequence } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import type { AdlCandidate } from '#venue/risk/adl-score.ts';
import { adlIndicatorOf, compareByAdl, adlScoreOf } from '#venue/risk/adl-score.ts';
import type { ListedMarkets, MarketScales } from './listed-markets.ts';
import type { EpisodeRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

/** The open positions of a market by their scores, a map for each side. They are counted, not sorted: few are asked for. */
interface Queues {
  readonly sequence: Sequence;
  readonly long: Map<PositionOrdinal, AdlCandidate>;
  readonly short: Map<PositionOrdinal, AdlCandidate>;
}

export class DeleveragingQueues {
  readonly #store: ProjectionStore;
  readonly #markets: ListedMarkets;
  readonly #queues = new Map<MarketOrdinal, Queues>();

  constructor(store: ProjectionStore, markets: ListedMarkets) {
    this.#store = store;
    this.#markets = markets;
  }

  /** 5 for the fifth of its side that is first in line, 1 for the last. `undefined` where a market has no mark, or does not deleverage. */
  indicatorOf({ market, side, position }: EpisodeRow): number | undefined {
    const scales = this.#markets.get(market);
    const mark = this.#store.marketActivity.find(market)!.markPriceAtoms;
    if (mark === null || !scales.specification.autoDeleveraging) return undefined;
    const queue = this.#queuesOf(scales, mark)[side];
    const own = queue.get(position);
    if (own === undefined) return undefined;
    let ahead = 0;
    for (const other of queue.values()) if (compareByAdl(other, own) < 0) ahead += 1;
    return adlIndicatorOf(ahead + 1, queue.size);
  }

  #queuesOf({ market, tickLotAtoms }: MarketScales, mark: PriceAtoms): Queues {
    const { sequence } = this.#store.checkpoint;
    const known = this.#queues.get(market);
    if (known?.sequence === sequence) return known;
    const queues: Queues = { sequence, long: new Map(), short: new Map() };
    for (const episode of this.#store.openEpisodes.in(market)) {
      const score = adlScoreOf(episode, mark, tickLotAtoms);
      queues[episode.side].set(episode.position, { score, ordinal: episode.position });
    }
    this.#queues.set(market, queues);
    return queues;
  }
}
