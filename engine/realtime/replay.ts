/**
 * The updates of a subscription since a sequence, made again of what is kept of the records: the same that were sent then. Made bit by bit:
 * what is live goes on meanwhile, and is replayed too until there is nothing more. Then the subscription begins, in the same moment.
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

/** Records that are passed over without a look at the time. */
const PASSED_OVER = 256;

export interface ReplaySources {
  readonly steadyClock: SteadyClock;
  readonly model: LiveModel;
  readonly recent: RecentChanges;
  readonly provider: PriceProvider;
}

export interface Replayed {
  readonly frames: readonly Buffer[];
  /** What a client holds once it has them. */
  readonly heldSequence: number;
}

export type Progress = Replayed | 'under_way' | 'not_kept' | 'too_much';

/** What a subject is told of record after record. */
interface Teller {
  /** Goes back to before a record, from the newest one on. */
  rewind?(changes: RecordChanges): void;
  tell(changes: RecordChanges): object | undefined;
  /** Of all of them together. */
  end?(): Update | undefined;
}

export class Replay {
  /** Of records that were looked into. */
  readBytes = 0;
  readonly #steadyClock: SteadyClock;
  readonly #recent: RecentChanges;
  readonly #subject: Subject;
  readonly #fromSequence: number;
  readonly #stretch: Stretch;
  readonly #mostBytes: number;
  readonly #whose: ReplayOf;
  readonly #teller: Teller;
  /** Down to `fromSequence` records are taken back. */
  #rewindingFrom: number;

  /** Goes on where the stretch ends. Of a topic whose newest state is sent anyway there is none. */
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

  /** Goes on until a moment; by a record at least. */
  advance(untilMs: number): Progress {
    const [recent, stretch] = [this.#recent, this.#stretch];
    if (stretch.upTo < recent.oldest) return 'not_kept';
    for (let steps = 1; stretch.fromSequence <= this.#fromSequence; steps += 1) {
      if (this.#rewindingFrom === this.#fromSequence && stretch.upTo === recent.newest) return this.#replayed();
      if ((this.#step() || steps % PASSED_OVER === 0) && this.#steadyClock.elapsedMs() >= untilMs) return 'under_way';
    }
    return 'too_much';
  }

  /** A record back, or forward; true where it was looked into. */
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

/** All that have changed since, in one update: each replaces the one of its open time. */
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
