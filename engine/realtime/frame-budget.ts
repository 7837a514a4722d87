/**
 * Frames that several sockets send together: those of one network that are not authenticated, or those of one account. A frame beyond the
 * budget waits, unparsed, and nothing more is read from its socket; sockets take turns. No socket is closed for it, and others never wait.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { TokenBucket } from '#time/token-bucket.ts';
import type { FrameTurns } from './frame-turns.ts';
import { TokenTurns } from './token-turns.ts';

export interface Frame {
  readonly tokens: number;
  readonly take: () => void;
  /** It may authenticate its socket, and goes ahead of those that do not: then its socket waits for nobody of the network any more. */
  readonly isAuth: boolean;
}

/** The frames of one socket that wait, and how its reading is paused. `fail` takes an internal error at its turn, and ends it. */
export interface FrameSource {
  readonly waiting: Frame[];
  /** How many of its auth frames may still go ahead. */
  authsAhead: number;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly fail: (error: unknown) => void;
}

export class FrameBudget {
  /** How many sockets there are. */
  sockets = 0;
  readonly #tokens: TokenBucket;
  readonly #milliseconds: TokenBucket;
  readonly #steadyClock: SteadyClock;
  readonly #turns: FrameTurns;
  readonly #sources = new TokenTurns<FrameSource>();
  /** Those whose first frame goes ahead. */
  readonly #ahead = new TokenTurns<FrameSource>();

  constructor(tokens: TokenBucket, milliseconds: TokenBucket, steadyClock: SteadyClock, turns: FrameTurns) {
    this.#tokens = tokens;
    this.#milliseconds = milliseconds;
    this.#steadyClock = steadyClock;
    this.#turns = turns;
  }

  get isForgettable(): boolean {
    return this.sockets === 0 && this.#tokens.isFull && this.#milliseconds.isFull;
  }

  /** Its frames take more of the service's time than is fair. */
  get isHeavy(): boolean {
    return this.#milliseconds.isOverdrawn;
  }

  /** Processor time that its frames took lately. */
  get takenMs(): number {
    return this.#milliseconds.missing;
  }

  /** Takes a frame at once, or when it is the turn of the source. */
  admit(source: FrameSource, frame: Frame): void {
    const { tokens } = frame;
    if (this.nextCost === 0 && this.#tokens.holds(tokens) && this.#turns.take(tokens)) {
      this.#tokens.owe(tokens);
      this.#run(frame);
      return;
    }
    source.waiting.push(frame);
    if (source.waiting.length > 1) return;
    source.pause();
    this.join(source);
  }

  /** Takes on what waits of a source. */
  join(source: FrameSource): void {
    const [first] = source.waiting;
    if (first === undefined) return;
    (first.isAuth && source.authsAhead > 0 ? this.#ahead : this.#sources).add(source);
    this.#turns.join(this);
  }

  leave(source: FrameSource): void {
    this.#sources.delete(source);
    this.#ahead.delete(source);
  }

  /** What the frame costs whose turn is next; 0 if none waits. */
  get nextCost(): number {
    const source = this.#next();
    return source === undefined ? 0 : costOf(source);
  }

  /** Whether there are tokens for a frame. */
  holds(tokens: number): boolean {
    return this.#tokens.holds(tokens);
  }

  /** Takes the frame whose turn is next. */
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
    this.#tokens.owe(frame.tokens);
    if (this.#ahead.size > 0) source.authsAhead -= 1;
    if (this.#ahead.size > 0 || source.waiting.length === 0) this.leave(source);
    else this.#sources.paid(source, frame.tokens);
    if (source.waiting.length === 0) source.resume();
    else if (source.waiting[0]!.isAuth) this.leave(source);
    this.join(source);
    this.#run(frame);
  }

  #next(): FrameSource | undefined {
    return this.#ahead.next(costOf) ?? this.#sources.next(costOf);
  }

  #run({ take }: Frame): void {
    const beganAtMs = this.#steadyClock.elapsedMs();
    take();
    this.#milliseconds.owe(this.#steadyClock.elapsedMs() - beganAtMs);
  }
}

function costOf({ waiting }: FrameSource): number {
  return waiting[0]!.tokens;
}

/** Those of accounts. One is remembered after its last socket has gone, until what it took has come back. */
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

  forgetQuiet(): void {
    for (const [account, budget] of this.#budgets) if (budget.isForgettable) this.#budgets.delete(account);
  }
}
