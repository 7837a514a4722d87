/**
 * The reads on their way to the thread of the projection. Few are there at a time, so that whose turn it is is decided here. Pages wait
 * for pages: small reads pass them, and the thread runs a step of each in turn. What a page of a synthetic past computes is not known before,
 * so a client has one there at a time, and another's has its steps beside it.
 */
import { FairQueue, type Turn } from './fair-queue.ts';

/** In tokens. A read that costs more is a page. */
const MAX_SMALL_COST = 2;
const WAITING = { maxWaitingPerClient: 500, maxWaiting: 10_000 };

export class ReadQueue {
  /** A small read takes the thread up to half a millisecond: with so many it is busy until the next are sent. */
  readonly #small = new FairQueue({ atOnce: 6, ...WAITING });
  readonly #pages = new FairQueue({ atOnce: 2, atOncePerClient: 1, ...WAITING });

  /** Starts a read when it is its turn: see {@link FairQueue.run}. */
  run<Result>(turn: Turn, start: () => Promise<Result>): Promise<Result> {
    return (turn.cost > MAX_SMALL_COST ? this.#pages : this.#small).run(turn, start);
  }
}
