/**
 * Turns committed records into frames. Folds each record into the model and renders its update of a topic once for all
 * subscribers. The first update goes out at once; those within the next `coalesceMs` go out together, in one write per socket.
 */

import type { Channel } from '#contract/realtime-channel.ts';
import { type AccountChannel, CHANNELS, type ServedChannel } from '#contract/realtime-channels.ts';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { PriceProvider } from '#contract/realtime-market.ts';
import { spanStart } from '#projection/candle-spans.ts';
import type { LiveModel } from '#projection/live-model.ts';
import type { CoveringGroup, RecordChanges } from '#projection/record-changes.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { accountUpdate, affectedAccounts } from './account-updates.ts';
import { liveView } from './account-views.ts';
import type { Connection, ConnectionTopic } from './connection.ts';
import {
  affectedMarkets,
  type ChangedState,
  changedStates,
  isRecordChannel,
  recordUpdate,
  STATE_CHANNELS,
  type StateChannel,
  stateData,
} from './market-updates.ts';
import { touchedMarks } from './position-updates.ts';
import { Replay, type ReplayStep } from './replay.ts';
import { ReplayBuffer } from './replay-buffer.ts';
import type { ReplayLog } from './replay-log.ts';
import { SharedReplayRanges } from './shared-replay-ranges.ts';
import { switchedOff } from './switched-off.ts';
import { type Subject, type Update, updateBytes } from './topic.ts';
import { Topics } from './topics.ts';

const MINUTE_MS = 60_000;

export interface Subscription {
  /** The sequence from which the client's updates continue. */
  readonly sequence: number;
  readonly frames: readonly Buffer[];
}

export interface FanOutPorts {
  readonly limits: RealtimeLimits;
  readonly provider: PriceProvider;
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** Receives an internal error in what is sent to these connections, and closes them. */
  readonly onSendError: (connections: Iterable<Connection>, error: unknown) => void;
}

export class FanOut {
  readonly recent: ReplayBuffer;
  readonly topics = new Topics();
  conflated = 0;
  readonly #model: LiveModel;
  readonly #limits: RealtimeLimits;
  readonly #provider: PriceProvider;
  readonly #steadyClock: SteadyClock;
  readonly #timers: Timers;
  readonly #onSendError: FanOutPorts['onSendError'];
  readonly #ranges: SharedReplayRanges;
  readonly #replayLog: ReplayLog | undefined;
  readonly #waiting = new Set<ConnectionTopic>();
  #flushedAtMs = Number.NEGATIVE_INFINITY;
  /** When the oldest waiting update was published. */
  #changedAtMs = Number.POSITIVE_INFINITY;
  #flushing: Timer | undefined;

  /** Also writes changes to `replayLog`, if given. */
  constructor(model: LiveModel, { limits, provider, steadyClock, timers, onSendError }: FanOutPorts, replayLog?: ReplayLog) {
    this.#model = model;
    this.#replayLog = replayLog;
    this.#limits = limits;
    this.#provider = provider;
    this.#steadyClock = steadyClock;
    this.#timers = timers;
    this.#onSendError = onSendError;
    this.#ranges = new SharedReplayRanges(limits.sharedReplayBytes);
    this.recent = new ReplayBuffer(limits, model.sequence);
  }

  get sequence(): number {
    return this.#model.sequence;
  }

  /**
   * Folds the next group, published at `publishedAtMs`, and returns the changes of its records. Skips groups that the model already
   * contains.
   */
  follow({ records, stored, chainDigest }: CommittedGroup, publishedAtMs: number): readonly RecordChanges[] {
    if (stored === undefined) throw new TypeError('the group has no stored bytes');
    const last = records.at(-1);
    if (last === undefined || last.sequence <= this.#model.sequence) return [];
    const { number, firstSequence, previousDigest } = stored.header;
    const group: CoveringGroup = {
      number,
      firstSequence,
      lastSequence: last.sequence,
      digest: chainDigest,
      previousDigest: Buffer.from(previousDigest).toString('hex'),
    };
    // Changes of an earlier window get an update of their own, however late it goes out.
    if (publishedAtMs - this.#changedAtMs >= this.#limits.coalesceMs) {
      this.#writeStates(() => true);
      this.#changedAtMs = Number.POSITIVE_INFINITY;
    }
    const folded = records.filter(({ sequence }) => sequence > this.#model.sequence).map((record) => this.#fold(record, group));
    if (this.#waiting.size > 0) {
      this.#changedAtMs = Math.min(this.#changedAtMs, publishedAtMs);
      this.#scheduleFlush();
    }
    return folded;
  }

  /** False while the operator has the channel switched off. */
  hasSource(channel: ServedChannel): boolean {
    return channel !== 'account.earnings' || this.#model.areEarningsOn;
  }

  /** Subscribes the connection to updates from now on. If only the newest state counts, returns it as the first frame. */
  subscribe(connection: Connection, subject: Subject): Subscription {
    const { sequence } = this;
    const state = deliversNewest(subject) ? JSON.stringify(this.#stateOf(subject, 0)!) : undefined;
    this.#join(connection, subject, sequence).publishedState = state;
    if (state === undefined) return { sequence, frames: [] };
    return { sequence, frames: [updateBytes(subject, { sequence, epochMs: this.#model.epochMs }, sequence, state)] };
  }

  /** A replay of a subject since `fromSequence`. Not for subjects of which only the newest state is sent. */
  replay(subject: Subject, fromSequence: number): Replay {
    const { recent } = this;
    const sources = { model: this.#model, recent, provider: this.#provider, steadyClock: this.#steadyClock };
    const range = this.#ranges.for(subject, fromSequence, recent.oldest);
    return new Replay(sources, subject, fromSequence, range, this.#limits.maxReplayBytes);
  }

  /** Subscribes the connection at the moment when its replay has reached the present. */
  resume(connection: Connection, subject: Subject, { replayedSequence }: ReplayStep): void {
    this.#join(connection, subject, replayedSequence);
  }

  /** Returns the sequence from which a new subscription would miss nothing. */
  unsubscribe(connection: Connection, key: string): number {
    const topic = connection.subscriptions.get(key);
    if (topic !== undefined) {
      this.#flushTopics([topic]);
      this.#leave(connection, topic);
    }
    return this.sequence;
  }

  /** Removes a closed connection. */
  drop(connection: Connection): void {
    for (const topic of connection.subscriptions.values()) this.#leave(connection, topic);
  }

  /** Drops the replay ranges shared between clients. */
  dropReplayRanges(): void {
    this.#ranges.forget();
  }

  /** Sends waiting updates. */
  flush(): void {
    this.#flushing = undefined;
    this.#flushedAtMs = this.#steadyClock.elapsedMs();
    this.#changedAtMs = Number.POSITIVE_INFINITY;
    this.#flushTopics([...this.#waiting]);
  }

  stop(): void {
    this.#flushing?.cancel();
  }

  #fold(record: CommittedGroup['records'][number], group: CoveringGroup): RecordChanges {
    if (spanStart(record.epochMs, MINUTE_MS) !== spanStart(this.#model.epochMs, MINUTE_MS)) {
      // Renders candles at the end of their minute: the next record may be many minutes later.
      this.#writeStates(({ subject }) => subject.channel === 'market.candles');
    }
    const hadEarnings = this.#model.areEarningsOn;
    const changes = this.#model.fold(record, group);
    const packed = this.recent.add(changes);
    this.#replayLog?.add(changes.sequence, group, packed, this.recent.columns);
    if (!this.topics.isEmpty) {
      this.#orEnd(this.topics.marketConnections, () => this.#publishMarkets(changes));
      this.#orEnd(this.topics.accountConnections, () => this.#publishAccounts(changes));
      if (hadEarnings && !this.#model.areEarningsOn) this.#endSubscriptions('account.earnings');
    }
    return changes;
  }

  /** The channel has no source any more: its subscribers get what precedes that, and then the error. */
  #endSubscriptions(channel: AccountChannel): void {
    const topics = [...this.topics.accounts()].flatMap((account) => [...this.topics.ofAccount(account)]);
    const ended = topics.filter(({ subject }) => subject.channel === channel);
    this.#flushTopics(ended);
    for (const topic of ended)
      for (const connection of [...topic.connections])
        this.#orEnd(
          () => [connection],
          () => {
            this.#leave(connection, topic);
            connection.send(switchedOff(channel));
          },
        );
  }

  /**
   * An internal error in rendering closes the sockets that it concerns. A skipped update would break the channel's guarantee; the
   * close reason says to resync. The fold is complete by then, so other sockets continue.
   */
  #orEnd(connections: () => Iterable<Connection>, render: () => void): void {
    try {
      render();
    } catch (error) {
      this.#onSendError([...connections()], error);
    }
  }

  /** Renders the state of changed topics, to go out with the flush. */
  #writeStates(isMeant: (topic: ConnectionTopic) => boolean): void {
    for (const topic of this.#waiting)
      if (isMeant(topic))
        this.#orEnd(
          () => topic.connections,
          () => this.#writeState(topic),
        );
  }

  #publishMarkets(changes: RecordChanges): void {
    const { epochMs } = changes;
    for (const market of affectedMarkets(changes) as ReadonlySet<MarketOrdinal>) {
      for (const topic of this.topics.ofMarket(market)) {
        const subject = topic.subject as Extract<Subject, { market: unknown }>;
        const { channel } = subject;
        if (!isRecordChannel(channel)) continue;
        this.#push(topic, changes, () => recordUpdate(channel, changes, subject.market, this.#provider));
      }
    }
    for (const channel of STATE_CHANNELS)
      for (const changed of changedStates(channel, changes)) this.#recordChange(channel, changed, epochMs);
  }

  #publishAccounts(changes: RecordChanges): void {
    const accounts = affectedAccounts(changes);
    for (const account of accounts) this.#publishAccount(account, changes);
    const markets = new Set([...touchedMarks(changes, this.#model), ...changes.markets.map(({ after }) => after.market)]);
    if (markets.size === 0) return;
    for (const account of this.topics.accounts()) {
      const isConcerned = !accounts.has(account) && this.#model.openEpisodes(account).some(({ market }) => markets.has(market));
      if (isConcerned) this.#publishAccount(account, changes);
    }
  }

  #publishAccount(account: AccountOrdinal, changes: RecordChanges): void {
    const topics = this.topics.ofAccount(account);
    let view: ReturnType<typeof liveView> | undefined;
    for (const topic of topics) {
      const { channel } = topic.subject as Extract<Subject, { account: unknown }>;
      this.#push(topic, changes, () => {
        view ??= liveView(this.#model, account);
        return accountUpdate(channel, changes, view);
      });
    }
  }

  #push(topic: ConnectionTopic, { sequence, epochMs }: RecordChanges, render: () => object | undefined): void {
    this.#orEnd(
      () => topic.connections,
      () => {
        const data = render();
        if (data === undefined) return;
        topic.push({ sequence, epochMs, data });
        this.#waiting.add(topic);
      },
    );
  }

  #recordChange(channel: StateChannel, { market, series }: ChangedState, epochMs: number): void {
    for (const topic of this.topics.ofMarket(market)) {
      const { subject } = topic;
      if (subject.channel !== channel || (series !== undefined && 'series' in subject && subject.series !== series)) continue;
      topic.changed(epochMs);
      this.#waiting.add(topic);
    }
  }

  /** At once, unless the last flush was less than `coalesceMs` ago. */
  #scheduleFlush(): void {
    if (this.#flushing !== undefined) return;
    const inMs = this.#flushedAtMs + this.#limits.coalesceMs - this.#steadyClock.elapsedMs();
    const flush = () => this.flush();
    this.#flushing = inMs <= 0 ? this.#timers.setImmediate(flush) : this.#timers.setTimeout(flush, inMs);
  }

  #flushTopics(topics: readonly ConnectionTopic[]): void {
    const touched: Connection[] = [];
    for (const topic of topics) {
      if (!this.#waiting.delete(topic)) continue;
      this.#orEnd(
        () => topic.connections,
        () => this.#addPending(topic, touched),
      );
    }
    for (const connection of touched)
      this.#orEnd(
        () => [connection],
        () => connection.flush(),
      );
  }

  /** Adds the updates of a topic to each subscriber's flush. Appends those with a first update to `touched`. */
  #addPending(topic: ConnectionTopic, touched: Connection[]): void {
    this.#writeState(topic);
    const outgoing = topic.takePending();
    if (outgoing === undefined) return;
    const isNewest = deliversNewest(topic.subject);
    if (isNewest) topic.newest = outgoing;
    for (const connection of topic.connections) {
      const added = isNewest ? connection.addNewest(topic, outgoing) : connection.add(outgoing) ? 'first' : 'added';
      if (added === 'first') touched.push(connection);
      if (added === 'conflated') this.conflated += 1;
    }
  }

  /** Renders the state of a topic that was marked as changed. */
  #writeState(topic: ConnectionTopic): void {
    const { changedSinceEpochMs, subject } = topic;
    if (changedSinceEpochMs === undefined) return;
    topic.changedSinceEpochMs = undefined;
    const data = this.#stateOf(subject, changedSinceEpochMs);
    if (data === undefined) return;
    const update: Update = { sequence: this.sequence, epochMs: this.#model.epochMs, data };
    if (deliversNewest(subject)) topic.pushState(update);
    else topic.push(update);
  }

  #stateOf(subject: Subject, sinceEpochMs: number): object | undefined {
    return 'account' in subject ? undefined : stateData(this.#model, subject, sinceEpochMs);
  }

  #join(connection: Connection, subject: Subject, replayedSequence: number): ConnectionTopic {
    const topic = this.topics.open(subject, this.sequence);
    // Pending updates precede the subscription: existing subscribers get them now, the new one has them already.
    this.#flushTopics([topic]);
    topic.lastSequence = Math.min(topic.lastSequence, replayedSequence);
    topic.connections.add(connection);
    connection.subscriptions.set(topic.key, topic);
    return topic;
  }

  #leave(connection: Connection, topic: ConnectionTopic): void {
    connection.subscriptions.delete(topic.key);
    connection.forget(topic);
    topic.connections.delete(connection);
    if (topic.connections.size > 0) return;
    this.#waiting.delete(topic);
    this.topics.close(topic);
  }
}

export function deliversNewest({ channel }: Subject): boolean {
  return (CHANNELS[channel] as Channel).delivery === 'newest';
}
