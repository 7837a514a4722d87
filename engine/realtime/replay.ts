/**
 * The updates of a subscription since a sequence, rendered again from the replay buffer: the same frames that were sent then.
 * Runs in steps, while live records continue and are replayed too. The subscription starts at the moment when none is left.
 */
import type { PriceProvider } from '#contract/realtime-market.ts';
import type { LiveModel } from '#projection/live-model.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { SteadyClock } from '#time/clock.ts';
import { accountsToldOf, accountUpdate } from './account-updates.ts';
import { PastView } from './account-views.ts';
import { candlesData, isRecordChannel, recordUpdate } from './market-updates.ts';
import { touchedMarks } from './position-updates.ts';
import type { RecentChanges, ReplayOf } from './recent-changes.ts';
import type { Stretch } from './stretch.ts';
import { type Subject, type Update, updateBytes } from './topic.ts';

/** Records that are skipped between two checks of the time. */
const PASSED_OVER = 256;

export interface ReplaySources {
  readonly steadyClock: SteadyClock;
  readonly model: LiveModel;
  readonly recent: RecentChanges;
  readonly provider: PriceProvider;
}

export interface Replayed {
  readonly frames: readonly Buffer[];
  /** The client's sequence after the frames. */
  readonly heldSequence: number;
}

export type Progress = Replayed | 'under_way' | 'not_kept' | 'too_much';

/** Renders the update of a subject record by record. */
interface Teller {
  /** Reverts a record, from the newest one backwards. */
  rewind?(changes: RecordChanges): void;
  tell(changes: RecordChanges): object | undefined;
  /** One update for all records together. */
  end?(): Update | undefined;
}

export class Replay {
  /** Bytes of the records that were read. */
  readBytes = 0;
  readonly #steadyClock: SteadyClock;
  readonly #recent: RecentChanges;
  readonly #subject: Subject;
  readonly #fromSequence: number;
  readonly #stretch: Stretch;
  readonly #mostBytes: number;
  readonly #whose: ReplayOf;
  readonly #teller: Teller;
  /** Records down to `fromSequence` are reverted first. */
  #rewindingFrom: number;

  /** Continues at the end of `stretch`. Not for topics of which only the newest state is sent. */
  constructor(sources: ReplaySources, subject: Subject, fromSequence: number, stretch: Stretch, mostBytes: number) {
    this.#steadyClock = sources.steadyClock;
    this.#recent = sources.recent;
    this.#subject = subject;
    this.#fromSequence = fromSequence;
    this.#stretch = stretch;
    this.#mostBytes = mostBytes;
    this.#whose = 'account' in subject ? { account: subject.account } : { market: subject.market.market };
    this.#teller = tellerOf(sources, subject);
    this.#rewindingFrom = this.#teller.rewind === undefined ? fromSequence : sources.recent.newest;
  }

  /** Runs until a moment, for at least one record. */
  advance(untilMs: number): Progress {
    const [recent, stretch] = [this.#recent, this.#stretch];
    if (stretch.upTo < recent.oldest) return 'not_kept';
    for (let steps = 1; stretch.fromSequence <= this.#fromSequence; steps += 1) {
      if (this.#rewindingFrom === this.#fromSequence && stretch.upTo === recent.newest) return this.#replayed();
      if ((this.#step() || steps % PASSED_OVER === 0) && this.#steadyClock.elapsedMs() >= untilMs) return 'under_way';
    }
    return 'too_much';
  }

  /** Reverts or renders one record; true if it was read. */
  #step(): boolean {
    if (this.#rewindingFrom > this.#fromSequence) {
      const changes = this.#read(this.#rewindingFrom);
      this.#rewindingFrom -= 1;
      if (changes !== undefined) this.#teller.rewind!(changes);
      return changes !== undefined;
    }
    const changes = this.#read(this.#stretch.upTo + 1);
    const data = changes === undefined ? undefined : this.#teller.tell(changes);
    if (data !== undefined) this.#push({ sequence: changes!.sequence, epochMs: changes!.epochMs, data });
    this.#stretch.upTo += 1;
    return changes !== undefined;
  }

  #replayed(): Progress {
    const [stretch, fromSequence] = [this.#stretch, this.#fromSequence];
    const last = this.#teller.end?.();
    if (last !== undefined) this.#push(last);
    if (stretch.fromSequence > fromSequence) return 'too_much';
    return { frames: stretch.after(fromSequence), heldSequence: Math.max(fromSequence, stretch.heldSequence) };
  }

  #push(update: Update): void {
    const frame = updateBytes(this.#subject, update, this.#stretch.heldSequence, JSON.stringify(update.data));
    this.#stretch.push(update.sequence, frame, this.#mostBytes);
  }

  #read(sequence: number): RecordChanges | undefined {
    if (!this.#recent.matters(sequence, this.#whose)) return undefined;
    this.readBytes += this.#recent.bytesOf(sequence);
    return this.#recent.read(sequence);
  }
}

function tellerOf({ model, provider }: ReplaySources, subject: Subject): Teller {
  if ('account' in subject) return accountTeller(model, subject);
  const { channel, market } = subject;
  if (isRecordChannel(channel)) return { tell: (changes) => recordUpdate(channel, changes, market, provider) };
  return candlesTeller(model, subject);
}

function accountTeller(model: LiveModel, { account, channel }: Extract<Subject, { account: unknown }>): Teller {
  const view = new PastView(model, account);
  return {
    rewind: (changes) => view.rewind(changes),
    tell(changes) {
      view.advance(changes);
      const isTouched =
        accountsToldOf(changes).has(account) || touchedMarks(changes, model).size > 0 || changes.markets.length > 0;
      return isTouched && view.isOpened ? accountUpdate(channel, changes, view) : undefined;
    },
  };
}

/** All candles that changed since, in one update: each replaces the one of its open time. */
function candlesTeller(model: LiveModel, subject: Extract<Subject, { market: unknown }>): Teller {
  const { market, series, timeframe } = subject;
  let first: RecordChanges | undefined;
  let last: RecordChanges | undefined;
  return {
    tell(changes) {
      if (!changes.observed.some((it) => it.market === market.market && it.series === series)) return undefined;
      first ??= changes;
      last = changes;
      return undefined;
    },
    end() {
      if (first === undefined || last === undefined) return undefined;
      const data = candlesData(model, market, { series: series!, timeframe: timeframe! }, first.epochMs);
      return data === undefined ? undefined : { sequence: last.sequence, epochMs: last.epochMs, data };
    },
  };
}
