/**
 * Queues the reads for the projection's thread. Few are in progress at a time, so that the order is decided here. Pages wait for
 * pages: small reads overtake them, and the thread alternates between the steps of all. The cost of a page of a synthetic past is
 * not known in advance, so a client has one in progress at a time, beside one of another client.
 */
import { FairQueue, type Turn } from './fair-queue.ts';

/** In tokens. A read that costs more is a page. */
const MAX_SMALL_COST = 2;
const WAITING = { maxWaitingPerClient: 500, maxWaiting: 10_000 };

export class ReadQueue {
  /** A small read occupies the thread for up to half a millisecond: this many keep it busy until the next are sent. */
  readonly #small = new FairQueue({ maxConcurrent: 6, ...WAITING });
  readonly #pages = new FairQueue({ maxConcurrent: 2, maxConcurrentPerClient: 1, ...WAITING });

  /** Starts a read when it is its turn: see {@link FairQueue.run}. */
  run<Result>(turn: Turn, start: () => Promise<Result>): Promise<Result> {
    return (turn.cost > MAX_SMALL_COST ? this.#pages : this.#small).run(turn, start);
  }
}
