/**
 * Subscriptions that wait for their replay. Live updates go first: replays run in slices of some milliseconds, round-robin over
 * networks and their sockets. A socket's next replay starts when its send queue has drained, a network's when it is within its
 * rate.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import type { Connection } from './connection.ts';
import type { Network } from './networks.ts';
import type { Progress, Replay } from './replay.ts';

/** How often networks beyond their rate are checked. */
const HELD_BACK_MS = 50;

export interface AskedReplay {
  readonly connection: Connection;
  readonly key: string;
  readonly begin: () => Replay;
  /** Receives an internal error. It closes the connection, which then has nothing in the queue. */
  readonly fail: (error: unknown) => void;
  /** Called once with the outcome, unless the connection is dropped before. */
  readonly end: (outcome: ReplayOutcome) => void;
}

export type ReplayOutcome = Exclude<Progress, 'under_way'> | 'withdrawn';

type Lane = Map<Connection, AskedReplay[]>;

export interface ReplayQueueParts {
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** How long replays run at a time. */
  readonly sliceMs: number;
  /** Receives errors that close no connection; the queue continues. */
  readonly onInternalError: (error: unknown) => void;
}

export class ReplayQueue {
  readonly #parts: ReplayQueueParts;
  readonly #lanes = new Map<Network, Lane>();
  #current: { readonly asked: AskedReplay; readonly replay: Replay } | undefined;
  #turn: Timer | undefined;
  #waking: Timer | undefined;

  constructor(parts: ReplayQueueParts) {
    this.#parts = parts;
  }

  add(asked: AskedReplay): void {
    const { connection } = asked;
    const { network } = connection;
    const lane: Lane = this.#lanes.get(network) ?? new Map();
    this.#lanes.set(network, lane);
    const list = lane.get(connection);
    if (list === undefined) lane.set(connection, [asked]);
    else list.push(asked);
    this.wake();
  }

  get count(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) for (const list of lane.values()) count += list.length;
    return count;
  }

  has(connection: Connection, key: string): boolean {
    return this.#listOf(connection).some((asked) => asked.key === key);
  }

  countOf(connection: Connection): number {
    return this.#listOf(connection).length;
  }

  /** No effect if no such replay waits. */
  withdraw(connection: Connection, key: string): void {
    const withdrawn = this.#listOf(connection).find((asked) => asked.key === key);
    if (withdrawn === undefined) return;
    this.#remove(withdrawn);
    withdrawn.end('withdrawn');
  }

  dropAll(connection: Connection): void {
    for (const asked of [...this.#listOf(connection)]) this.#remove(asked);
  }

  /** Checks whether a replay can continue: a send queue may have drained. */
  wake(): void {
    if (this.#lanes.size > 0) this.#turn ??= this.#parts.timers.setImmediate(() => this.#takeTurn());
  }

  stop(): void {
    this.#turn?.cancel();
    this.#waking?.cancel();
    this.#lanes.clear();
    this.#current = undefined;
  }

  /** After an exception it waits before the next try, so that it cannot fail in a loop. */
  #takeTurn(): void {
    this.#turn = undefined;
    try {
      this.#goOn();
    } catch (error) {
      this.#wakeLater();
      this.#parts.onInternalError(error);
    }
  }

  #goOn(): void {
    const { steadyClock, sliceMs } = this.#parts;
    const untilMs = steadyClock.elapsedMs() + sliceMs;
    do if (!this.#advance(untilMs)) return;
    while (steadyClock.elapsedMs() < untilMs);
    this.wake();
  }

  /** False if no replay can continue. */
  #advance(untilMs: number): boolean {
    const asked = this.#current?.asked ?? this.#next();
    if (asked === undefined) return false;
    try {
      this.#advanceOne(asked, untilMs);
    } catch (error) {
      asked.fail(error);
    }
    return true;
  }

  #advanceOne(asked: AskedReplay, untilMs: number): void {
    this.#current ??= { asked, replay: asked.begin() };
    const { replay } = this.#current;
    const readBefore = replay.readBytes;
    const progress = replay.advance(untilMs);
    asked.connection.network.replayBytes.owe(replay.readBytes - readBefore);
    if (progress === 'under_way') return;
    this.#remove(asked);
    asked.end(progress);
  }

  #wakeLater(): void {
    this.#waking ??= this.#parts.timers.setTimeout(() => {
      this.#waking = undefined;
      this.wake();
    }, HELD_BACK_MS);
  }

  /** A connection that gets a turn goes behind the others, as does its network. */
  #next(): AskedReplay | undefined {
    for (const [network, lane] of this.#lanes) {
      if (network.replayBytes.isOverdrawn) {
        this.#wakeLater();
        continue;
      }
      for (const [connection, list] of lane) {
        if (!connection.isOpen || !connection.isDrained) continue;
        lane.delete(connection);
        lane.set(connection, list);
        this.#lanes.delete(network);
        this.#lanes.set(network, lane);
        return list[0];
      }
    }
    return undefined;
  }

  #listOf(connection: Connection): readonly AskedReplay[] {
    return this.#lanes.get(connection.network)?.get(connection) ?? [];
  }

  #remove(asked: AskedReplay): void {
    const { connection } = asked;
    const { network } = connection;
    const lane = this.#lanes.get(network)!;
    const left = lane.get(connection)!.filter((it) => it !== asked);
    if (left.length > 0) lane.set(connection, left);
    else lane.delete(connection);
    if (lane.size === 0) this.#lanes.delete(network);
    if (this.#current?.asked === asked) this.#current = undefined;
  }
}
