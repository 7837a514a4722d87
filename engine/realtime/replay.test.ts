/**
 * A replay in steps, while records come, equals one made at once. `OPENPERP_REPLAY_RUNS=2000 npx vitest run
 * engine/realtime/replay.test.ts` tries that many histories.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Channel } from '#contract/realtime-channel.ts';
import { CHANNEL_NAMES, CHANNELS, isServed } from '#contract/realtime-channels.ts';
import { REALTIME_LIMITS, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { repeatable } from '#http/testing/seeds.ts';
import { gathered, LiveModel, openProjection } from '#projection/projection.ts';
import { ACCOUNTS, historyOf, type Step, step } from '#projection/testing/any-history.ts';
import type { History } from '#simulation/history.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { FanOut } from './fan-out.ts';
import { type Progress, Replay, type ReplayStep } from './replay.ts';
import { ReplayRange } from './replay-range.ts';
import { storedGroup } from './testing/recorded-service.ts';
import type { Subject } from './topic.ts';

const RUNS = Number(process.env.OPENPERP_REPLAY_RUNS ?? 60);
const FILE = 'engine/realtime/replay.test.ts';
const MAX_BYTES = 2 ** 26;

/** A fan-out that follows a history. */
class FollowingFanOut {
  readonly history: History;
  readonly model: LiveModel;
  readonly fanOut: FanOut;
  readonly sources;

  constructor(history: History, limits: Partial<RealtimeLimits> = {}) {
    const projection = openProjection(':memory:');
    const time = new ManualTime();
    this.history = history;
    this.model = new LiveModel(gathered(projection.livePieces()));
    projection.close();
    const all = { ...REALTIME_LIMITS, replayWindowMs: 10 ** 12, replayWindowBytes: 2 ** 22, ...limits };
    this.fanOut = new FanOut(this.model, {
      limits: all,
      provider: 'generated',
      steadyClock: time,
      timers: time,
      onSendError: (_, error) => {
        throw error;
      },
    });
    this.sources = { model: this.model, recent: this.fanOut.recent, provider: 'generated', steadyClock: time } as const;
    this.proceed();
  }

  proceed(): void {
    for (let sequence = this.fanOut.sequence; sequence < this.history.records.length; sequence = this.fanOut.sequence)
      this.fanOut.follow(storedGroup(this.history, sequence), sequence);
  }

  take(steps: readonly Step[]): void {
    for (const take of steps) take(this.history);
    this.proceed();
  }

  replay(subject: Subject, fromSequence: number, maxBytes = MAX_BYTES): Replay {
    return new Replay(this.sources, subject, fromSequence, new ReplayRange(fromSequence), maxBytes);
  }

  /** All subjects that can be replayed. */
  subjects(account: AccountOrdinal): readonly Subject[] {
    const names = CHANNEL_NAMES.filter((name) => isServed(name) && (CHANNELS[name] as Channel).delivery === 'lossless');
    return names.flatMap((channel): Subject[] => {
      if ((CHANNELS[channel] as Channel).subject === 'accountId') return [{ channel, account } as Subject];
      const choice = channel === 'market.candles' ? ({ series: 'index', timeframe: '1m' } as const) : {};
      return ['BTC-USD-PERP', 'ETH-USD-PERP'].map(
        (marketId) => ({ channel, market: this.model.marketNamed(marketId)!, ...choice }) as Subject,
      );
    });
  }
}

function toEnd(replay: Replay): Exclude<Progress, 'under_way'> {
  for (;;) {
    const progress = replay.advance(0);
    if (progress !== 'under_way') return progress;
  }
}

const textsOf = (progress: Progress) => (progress as ReplayStep).frames.map((frame) => frame.toString());

describe('a replay', () => {
  test(
    'equals one made at once, also if made in steps while records come',
    async () => {
      const someSteps = (maxLength: number) => fc.array(step, { maxLength, size: 'max' });
      const who = fc.integer({ min: 1, max: ACCOUNTS });
      const property = fc.asyncProperty(
        someSteps(60),
        someSteps(4),
        someSteps(4),
        someSteps(12),
        who,
        fc.integer({ min: 1, max: 4 }),
        async (before, own, gone, meanwhile, account, bits) => {
          const it = new FollowingFanOut(historyOf(before));
          const fromSequence = it.fanOut.sequence;
          // Mostly records of the account alone, with no price between.
          it.take(own);
          it.history.limit(account, 'buy', 9_990, 10);
          it.take(gone);
          it.history.limit(account, 'sell', 10_010, 10);
          it.proceed();
          const running = new Map(
            it.subjects(account as AccountOrdinal).map((subject) => [subject, it.replay(subject, fromSequence)]),
          );
          const advance = (subject: Subject, replay: Replay) => {
            const progress = replay.advance(0);
            if (progress === 'under_way') return;
            running.delete(subject);
            const maxConcurrent = toEnd(it.replay(subject, fromSequence));
            expect(textsOf(progress)).toEqual(textsOf(maxConcurrent));
            expect(progress).toMatchObject({ replayedSequence: (maxConcurrent as ReplayStep).replayedSequence });
          };
          for (const take of meanwhile) {
            for (let bit = 0; bit < bits; bit += 1) for (const [subject, replay] of running) advance(subject, replay);
            it.take([take]);
          }
          while (running.size > 0) for (const [subject, replay] of running) advance(subject, replay);
        },
      );
      await fc.assert(property, { ...repeatable(FILE, RUNS), endOnFailure: true });
    },
    600_000 + 100 * RUNS,
  );

  test('stops when it exceeds its maximum, without reading the rest', () => {
    const it = new FollowingFanOut(historyOf([]));
    const fromSequence = it.fanOut.sequence;
    it.take(Array.from({ length: 400 }, (_, count) => (history) => history.price(10_000 + count)));
    const subject = it.subjects(1 as AccountOrdinal).find(({ channel }) => channel === 'market.price')!;
    const whole = it.replay(subject, fromSequence);
    expect((toEnd(whole) as ReplayStep).frames).toHaveLength(400);
    const large = it.replay(subject, fromSequence, 5_000);
    expect(toEnd(large)).toBe('too_much');
    expect(large.readBytes).toBeLessThan(whole.readBytes / 10);
  });

  test('reports not_kept if records that it needs were evicted', () => {
    const it = new FollowingFanOut(historyOf([]), { replayWindowBytes: 20_000 });
    const fromSequence = it.fanOut.sequence;
    const price = (history: History) => void history.price(10_001);
    it.take([price, price, price]);
    const subjects = it.subjects(1 as AccountOrdinal);
    const replays = subjects.map((subject) => it.replay(subject, fromSequence));
    for (const replay of replays) replay.advance(0);
    it.take(Array.from({ length: 100 }, () => price));
    const outcomes = replays.map((replay, index) => [subjects[index]!.channel, toEnd(replay)]);
    const inMarket = outcomes.filter(([, outcome]) => outcome !== 'not_kept');
    expect(inMarket).toEqual([]);
  });
});

describe('replays of a public channel', () => {
  const prices = (count: number) =>
    Array.from({ length: count }, (_, at) => (history: History) => void history.price(10_000 + at));
  const sharing = (limits: Partial<RealtimeLimits> = {}) => {
    const it = new FollowingFanOut(historyOf([]), limits);
    const from = it.fanOut.sequence;
    it.take(prices(100));
    const [subject] = it.subjects(1 as AccountOrdinal).filter(({ channel }) => channel === 'market.price');
    const replayFrom = (fromSequence: number) => {
      const replay = it.fanOut.replay(subject!, fromSequence);
      const outcome = toEnd(replay);
      return { outcome, frames: typeof outcome === 'object' ? outcome.frames : [], readBytes: replay.readBytes };
    };
    return { it, from, replayFrom };
  };

  test('are read and rendered once for all clients that reconnect together', () => {
    const { it, from, replayFrom } = sharing();
    const first = replayFrom(from);
    expect(first.readBytes).toBeGreaterThan(0);
    const [again, later] = [replayFrom(from), replayFrom(from + 60)];
    expect([again.readBytes, later.readBytes]).toEqual([0, 0]);
    expect(again.frames).toEqual(first.frames);
    expect(later.frames).toEqual(first.frames.slice(60));
    it.take(prices(10));
    const longer = replayFrom(from + 60);
    expect(longer.frames).toHaveLength(50);
    expect(longer.readBytes).toBeGreaterThan(0);
    expect(longer.readBytes).toBeLessThan(first.readBytes / 5);
    expect(replayFrom(it.fanOut.sequence)).toMatchObject({ frames: [], readBytes: 0 });
    // One from an earlier sequence is read again, and has the same frames.
    expect(
      replayFrom(from - 1)
        .frames.slice(-110)
        .map(String),
    ).toHaveLength(110);
  });

  test('are not read again after they exceeded the maximum', () => {
    const { from, replayFrom } = sharing({ maxReplayBytes: 5_000 });
    expect(replayFrom(from).outcome).toBe('too_much');
    expect(replayFrom(from)).toMatchObject({ outcome: 'too_much', readBytes: 0 });
    // What fits is replayed.
    expect(replayFrom(from + 95).frames).toHaveLength(5);
  });

  test('start over if records in between were evicted', () => {
    const { it, from, replayFrom } = sharing({ replayWindowBytes: 100_000 });
    replayFrom(from);
    it.take(prices(1_000));
    const recent = it.fanOut.sequence - 5;
    expect(replayFrom(recent).frames).toHaveLength(5);
  });
});
