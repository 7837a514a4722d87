/**
 * A shared budget for frames of several sockets: the unauthenticated ones of a network, or those of an account. A frame beyond it
 * waits unparsed, its socket is not read meanwhile, and sockets take turns. No socket is closed for it, and other budgets are not
 * delayed.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { TokenBucket } from '#time/token-bucket.ts';
import type { FrameTurns } from './frame-turns.ts';
import { TokenTurns } from './token-turns.ts';

export interface Frame {
  readonly tokens: number;
  readonly take: () => void;
  /**
   * May authenticate its socket, and overtakes frames that do not: afterwards the socket no longer waits for others of its
   * network.
   */
  readonly isAuth: boolean;
}

/** The waiting frames of one socket, and how its reading is paused. `fail` receives an internal error and closes the socket. */
export interface FrameSource {
  readonly waiting: Frame[];
  /** How many of its auth frames may still overtake. */
  authsWaiting: number;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly fail: (error: unknown) => void;
}

export class FrameBudget {
  sockets = 0;
  readonly #tokens: TokenBucket;
  readonly #milliseconds: TokenBucket;
  readonly #steadyClock: SteadyClock;
  readonly #turns: FrameTurns;
  readonly #sources = new TokenTurns<FrameSource>();
  /** Sources whose first frame is an auth frame that overtakes. */
  readonly #early = new TokenTurns<FrameSource>();

  constructor(tokens: TokenBucket, milliseconds: TokenBucket, steadyClock: SteadyClock, turns: FrameTurns) {
    this.#tokens = tokens;
    this.#milliseconds = milliseconds;
    this.#steadyClock = steadyClock;
    this.#turns = turns;
  }

  get isIdle(): boolean {
    return this.sockets === 0 && this.#tokens.isFull && this.#milliseconds.isFull;
  }

  /** Whether its frames took more than their fair share of processing time. */
  get isExpensive(): boolean {
    return this.#milliseconds.isOverdrawn;
  }

  /** Processing time in milliseconds that its frames took recently. */
  get takenMs(): number {
    return this.#milliseconds.missing;
  }

  /** Processes a frame at once, or when it is its source's turn. */
  admit(source: FrameSource, frame: Frame): void {
    const { tokens } = frame;
    if (this.nextCost === 0 && this.#tokens.holds(tokens) && this.#turns.take(tokens)) {
      this.#tokens.borrow(tokens);
      this.#run(frame);
      return;
    }
    source.waiting.push(frame);
    if (source.waiting.length > 1) return;
    source.pause();
    this.join(source);
  }

  /** Takes over the waiting frames of a source. */
  join(source: FrameSource): void {
    const [first] = source.waiting;
    if (first === undefined) return;
    (first.isAuth && source.authsWaiting > 0 ? this.#early : this.#sources).add(source);
    this.#turns.join(this);
  }

  leave(source: FrameSource): void {
    this.#sources.delete(source);
    this.#early.delete(source);
  }

  /** Tokens of the next frame; 0 if no frame waits. */
  get nextCost(): number {
    const source = this.#next();
    return source === undefined ? 0 : costOf(source);
  }

  /** Whether the bucket has tokens for a frame. */
  holds(tokens: number): boolean {
    return this.#tokens.holds(tokens);
  }

  /** Processes the next frame. */
  takeNext(): void {
    const source = this.#next()!;
    try {
      this.#takeFirst(source);
    } catch (error) {
      this.leave(source);
      source.fail(error);
    }
  }

  #takeFirst(source: FrameSource): void {
    const frame = source.waiting.shift()!;
    this.#tokens.borrow(frame.tokens);
    if (this.#early.size > 0) source.authsWaiting -= 1;
    if (this.#early.size > 0 || source.waiting.length === 0) this.leave(source);
    else this.#sources.paid(source, frame.tokens);
    if (source.waiting.length === 0) source.resume();
    else if (source.waiting[0]!.isAuth) this.leave(source);
    this.join(source);
    this.#run(frame);
  }

  #next(): FrameSource | undefined {
    return this.#early.next(costOf) ?? this.#sources.next(costOf);
  }

  #run({ take }: Frame): void {
    const startedAtMs = this.#steadyClock.elapsedMs();
    take();
    this.#milliseconds.borrow(this.#steadyClock.elapsedMs() - startedAtMs);
  }
}

function costOf({ waiting }: FrameSource): number {
  return waiting[0]!.tokens;
}

/** Budgets by account. A budget stays after its last socket closes, until its buckets are full. */
export class AccountBudgets {
  readonly #open: () => FrameBudget;
  readonly #budgets = new Map<number, FrameBudget>();

  constructor(open: () => FrameBudget) {
    this.#open = open;
  }

  of(account: number): FrameBudget {
    let budget = this.#budgets.get(account);
    if (budget === undefined) {
      budget = this.#open();
      this.#budgets.set(account, budget);
    }
    return budget;
  }

  evictIdle(): void {
    for (const [account, budget] of this.#budgets) if (budget.isIdle) this.#budgets.delete(account);
  }
}
