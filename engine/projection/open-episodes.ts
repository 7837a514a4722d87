/**
 * The open positions of each market, held in memory as they are folded: where a position stands among the others is asked
 * for at any rate, on the thread that the writer runs on.
 */
import type { MarketOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { EpisodeRow } from './rows.ts';

export const OPEN_EPISODES_IN = "SELECT * FROM episodes INDEXED BY openEpisodesByMarket WHERE market = ? AND status = 'open'";

/** The stored open episodes of a market. */
export type ReadOpenEpisodes = (market: MarketOrdinal) => Iterable<EpisodeRow>;

export class OpenEpisodes {
  readonly #read: ReadOpenEpisodes;
  /** Of the markets that someone has asked for. */
  readonly #markets = new Map<MarketOrdinal, Map<PositionOrdinal, EpisodeRow>>();

  constructor(read: ReadOpenEpisodes) {
    this.#read = read;
  }

  /** An episode as it has become. */
  observe(episode: EpisodeRow): void {
    const open = this.#markets.get(episode.market);
    if (episode.status === 'open') open?.set(episode.position, episode);
    else open?.delete(episode.position);
  }

  /** In no order that means anything. Not to be called while a group is being folded: what it changes is not stored yet. */
  in(market: MarketOrdinal): Iterable<EpisodeRow> {
    let open = this.#markets.get(market);
    if (open === undefined) {
      open = new Map();
      for (const episode of this.#read(market)) open.set(episode.position, episode);
      this.#markets.set(market, open);
    }
    return open.values();
  }

  /** Forgets everything: it is read again from what is stored. */
  forget(): void {
    this.#markets.clear();
  }
}
