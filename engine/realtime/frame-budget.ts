/**
 * Frames that several sockets send together: those of one network that are not authenticated, or those of one account. A frame beyond the
 * budget waits, unparsed, and nothing more is read from its socket; sockets take turns. No socket is closed for it, and others never wait.
 */
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import { TokenBucket } from '#time/token-bucket.ts';

/** How often waiting frames are looked at. */
const TURN_MS = 10;
/** Processor time that the frames of one budget may take before they count as what overloads the service: at once, and per second. */
const FAIR_TIME = { burst: 500, perSecond: 250 };

interface Frame {
  readonly tokens: number;
  readonly take: () => void;
}

/** The frames of one socket that wait, and how its reading is paused. */
export interface FrameSource {
  readonly waiting: Frame[];
  readonly pause: () => void;
  readonly resume: () => void;
}

export class FrameBudget {
  /** How many sockets there are. */
  sockets = 0;
  readonly #tokens: TokenBucket;
  readonly #milliseconds: TokenBucket;
  readonly #steadyClock: SteadyClock;
  readonly #timers: Timers;
  /** Those with waiting frames, in the order of their turns. */
  readonly #turns = new Set<FrameSource>();
  #timer: Timer | undefined;

  constructor({ sharedFrameBurst, sharedFramesPerSecond }: RealtimeLimits, steadyClock: SteadyClock, timers: Timers) {
    this.#tokens = new TokenBucket({ burst: sharedFrameBurst, perSecond: sharedFramesPerSecond }, steadyClock);
    this.#milliseconds = new TokenBucket(FAIR_TIME, steadyClock);
    this.#steadyClock = steadyClock;
    this.#timers = timers;
  }

  get isForgettable(): boolean {
    return this.sockets === 0 && this.#tokens.isFull && this.#milliseconds.isFull;
  }

  /** Its frames take more of the service's time than is fair. */
  get isHeavy(): boolean {
    return this.#milliseconds.isOverdrawn;
  }

  /** Runs `take` at once, or when it is the turn of the source. */
  admit(source: FrameSource, tokens: number, take: () => void): void {
    if (this.#turns.size === 0 && this.#tokens.take(tokens)) {
      this.#run(take);
      return;
    }
    source.waiting.push({ tokens, take });
    if (source.waiting.length === 1) source.pause();
    this.join(source);
  }

  /** Takes on what waits of a source. */
  join(source: FrameSource): void {
    if (source.waiting.length === 0) return;
    this.#turns.add(source);
    this.#timer ??= this.#timers.setTimeout(() => this.#takeTurns(), TURN_MS);
  }

  leave(source: FrameSource): void {
    this.#turns.delete(source);
  }

  #takeTurns(): void {
    this.#timer = undefined;
    for (const source of this.#turns) {
      const [frame] = source.waiting;
      if (!this.#tokens.take(frame!.tokens)) break;
      source.waiting.shift();
      // Behind those that wait already.
      this.#turns.delete(source);
      if (source.waiting.length > 0) this.#turns.add(source);
      else source.resume();
      this.#run(frame!.take);
    }
    if (this.#turns.size > 0) this.#timer ??= this.#timers.setTimeout(() => this.#takeTurns(), TURN_MS);
  }

  #run(take: () => void): void {
    const beganAtMs = this.#steadyClock.elapsedMs();
    take();
    this.#milliseconds.owe(this.#steadyClock.elapsedMs() - beganAtMs);
  }
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
