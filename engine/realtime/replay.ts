/**
 * The updates of a subscription since a sequence, rendered again from the replay buffer: the same frames that were sent then.
 * Runs in steps, while live records continue and are replayed too. The subscription starts when no record is left to replay.
 */
import type { NewestChannel } from '#contract/realtime-channels.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import type { LiveModel } from '#projection/live-model.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { SteadyClock } from '#time/clock.ts';
import { accountUpdate, affectedAccounts } from './account-updates.ts';
import { PastView } from './account-views.ts';
import { candlesData, isRecordChannel, recordUpdate, type StateChannel } from './market-updates.ts';
import { touchedMarks } from './position-updates.ts';
import type { ReplayBuffer, ReplayTarget } from './replay-buffer.ts';
import type { ReplayRange } from './replay-range.ts';
import { type Subject, type Update, updateBytes } from './topic.ts';

/** Records that are skipped between two checks of the time. */
const SKIPPED_BYTES_PER_STEP = 256;

export interface ReplaySources {
  readonly steadyClock: SteadyClock;
  readonly model: LiveModel;
  readonly recent: ReplayBuffer;
  readonly provider: PriceProvider;
}

export interface ReplayStep {
  readonly frames: readonly Buffer[];
  /** The client's sequence after the frames. */
  readonly replayedSequence: number;
}

export type Progress = ReplayStep | 'under_way' | 'not_kept' | 'too_much';

/** Renders the update of a subject record by record. */
interface UpdateRenderer {
  /** Reverts a record, from the newest one backwards. */
  rewind?(changes: RecordChanges): void;
  render(changes: RecordChanges): object | undefined;
  /** One update for all records together. */
  end?(): Update | undefined;
}

export class Replay {
  /** Bytes of the records that were read. */
  readBytes = 0;
  readonly #steadyClock: SteadyClock;
  readonly #recent: ReplayBuffer;
  readonly #subject: Subject;
  readonly #fromSequence: number;
  readonly #range: ReplayRange;
  readonly #maxBytes: number;
  readonly #target: ReplayTarget;
  readonly #renderer: UpdateRenderer;
  /** Records down to `fromSequence` are reverted first. */
  #rewindingFrom: number;

  /** Continues at the end of `range`. Not for topics of which only the newest state is sent. */
  constructor(sources: ReplaySources, subject: Subject, fromSequence: number, range: ReplayRange, maxBytes: number) {
    this.#steadyClock = sources.steadyClock;
    this.#recent = sources.recent;
    this.#subject = subject;
    this.#fromSequence = fromSequence;
    this.#range = range;
    this.#maxBytes = maxBytes;
    this.#target = 'account' in subject ? { account: subject.account } : { market: subject.market.market };
    this.#renderer = rendererOf(sources, subject);
    this.#rewindingFrom = this.#renderer.rewind === undefined ? fromSequence : sources.recent.newest;
  }

  /** Runs until a moment, for at least one record. */
  advance(untilMs: number): Progress {
    const [recent, range] = [this.#recent, this.#range];
    if (range.upTo < recent.oldest) return 'not_kept';
    for (let steps = 1; range.fromSequence <= this.#fromSequence; steps += 1) {
      if (this.#rewindingFrom === this.#fromSequence && range.upTo === recent.newest) return this.#replayed();
      if ((this.#step() || steps % SKIPPED_BYTES_PER_STEP === 0) && this.#steadyClock.elapsedMs() >= untilMs) return 'under_way';
    }
    return 'too_much';
  }

  /** Reverts or renders one record; true if it was read. */
  #step(): boolean {
    if (this.#rewindingFrom > this.#fromSequence) {
      const changes = this.#read(this.#rewindingFrom);
      this.#rewindingFrom -= 1;
      if (changes !== undefined) this.#renderer.rewind!(changes);
      return changes !== undefined;
    }
    const changes = this.#read(this.#range.upTo + 1);
    const data = changes === undefined ? undefined : this.#renderer.render(changes);
    if (data !== undefined) this.#push({ sequence: changes!.sequence, epochMs: changes!.epochMs, data });
    this.#range.upTo += 1;
    return changes !== undefined;
  }

  #replayed(): Progress {
    const [range, fromSequence] = [this.#range, this.#fromSequence];
    const last = this.#renderer.end?.();
    if (last !== undefined) this.#push(last);
    if (range.fromSequence > fromSequence) return 'too_much';
    return { frames: range.after(fromSequence), replayedSequence: Math.max(fromSequence, range.replayedSequence) };
  }

  #push(update: Update): void {
    const frame = updateBytes(this.#subject, update, this.#range.replayedSequence, JSON.stringify(update.data));
    this.#range.push(update.sequence, frame, this.#maxBytes);
  }

  #read(sequence: number): RecordChanges | undefined {
    if (!this.#recent.matters(sequence, this.#target)) return undefined;
    this.readBytes += this.#recent.bytesOf(sequence);
    return this.#recent.read(sequence);
  }
}

type MarketSubject = Extract<Subject, { market: unknown }>;

/** Lossless channels that publish states. */
const STATE_RENDERERS: {
  readonly [Channel in Exclude<StateChannel, NewestChannel>]: (model: LiveModel, subject: MarketSubject) => UpdateRenderer;
} = { 'market.candles': candlesRenderer };

function rendererOf({ model, provider }: ReplaySources, subject: Subject): UpdateRenderer {
  if ('account' in subject) return accountRenderer(model, subject);
  const { channel, market } = subject;
  if (isRecordChannel(channel)) return { render: (changes) => recordUpdate(channel, changes, market, provider) };
  return STATE_RENDERERS[channel as keyof typeof STATE_RENDERERS](model, subject);
}

function accountRenderer(model: LiveModel, { account, channel }: Extract<Subject, { account: unknown }>): UpdateRenderer {
  const view = new PastView(model, account);
  return {
    rewind: (changes) => view.rewind(changes),
    render(changes) {
      view.advance(changes);
      const isTouched =
        affectedAccounts(changes).has(account) || touchedMarks(changes, view).size > 0 || changes.markets.length > 0;
      return isTouched && view.isOpened ? accountUpdate(channel, changes, view) : undefined;
    },
  };
}

/** All candles that changed since, in one update: each replaces the one of its open time. */
function candlesRenderer(model: LiveModel, subject: MarketSubject): UpdateRenderer {
  const { market, series, timeframe } = subject;
  let first: RecordChanges | undefined;
  let last: RecordChanges | undefined;
  return {
    render(changes) {
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
