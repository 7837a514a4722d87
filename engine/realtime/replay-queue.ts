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
const YIELD_MS = 50;

export interface ReplayRequest {
  readonly connection: Connection;
  readonly key: string;
  readonly create: () => Replay;
  /** Receives an internal error. It closes the connection, which then has nothing in the queue. */
  readonly fail: (error: unknown) => void;
  /** Called once with the outcome, unless the connection is dropped before. */
  readonly end: (outcome: ReplayOutcome) => void;
}

export type ReplayOutcome = Exclude<Progress, 'under_way'> | 'withdrawn';

type ReplayLane = Map<Connection, ReplayRequest[]>;

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
  readonly #lanes = new Map<Network, ReplayLane>();
  #running: { readonly request: ReplayRequest; readonly replay: Replay } | undefined;
  #turn: Timer | undefined;
  #waking: Timer | undefined;

  constructor(parts: ReplayQueueParts) {
    this.#parts = parts;
  }

  add(request: ReplayRequest): void {
    const { connection } = request;
    const { network } = connection;
    const lane: ReplayLane = this.#lanes.get(network) ?? new Map();
    this.#lanes.set(network, lane);
    const list = lane.get(connection);
    if (list === undefined) lane.set(connection, [request]);
    else list.push(request);
    this.wake();
  }

  get count(): number {
    let count = 0;
    for (const lane of this.#lanes.values()) for (const list of lane.values()) count += list.length;
    return count;
  }

  has(connection: Connection, key: string): boolean {
    return this.#listOf(connection).some((request) => request.key === key);
  }

  countOf(connection: Connection): number {
    return this.#listOf(connection).length;
  }

  /** No effect if no such replay waits. */
  withdraw(connection: Connection, key: string): void {
    const withdrawn = this.#listOf(connection).find((request) => request.key === key);
    if (withdrawn === undefined) return;
    this.#remove(withdrawn);
    withdrawn.end('withdrawn');
  }

  dropAll(connection: Connection): void {
    for (const request of [...this.#listOf(connection)]) this.#remove(request);
  }

  /** Checks whether a replay can continue: a send queue may have drained. */
  wake(): void {
    if (this.#lanes.size > 0) this.#turn ??= this.#parts.timers.setImmediate(() => this.#takeTurn());
  }

  stop(): void {
    this.#turn?.cancel();
    this.#waking?.cancel();
    this.#lanes.clear();
    this.#running = undefined;
  }

  /** After an exception it waits before the next try, so that it cannot fail in a loop. */
  #takeTurn(): void {
    this.#turn = undefined;
    try {
      this.#continue();
    } catch (error) {
      this.#wakeLater();
      this.#parts.onInternalError(error);
    }
  }

  #continue(): void {
    const { steadyClock, sliceMs } = this.#parts;
    const untilMs = steadyClock.elapsedMs() + sliceMs;
    do if (!this.#advance(untilMs)) return;
    while (steadyClock.elapsedMs() < untilMs);
    this.wake();
  }

  /** False if no replay can continue. */
  #advance(untilMs: number): boolean {
    const request = this.#running?.request ?? this.#next();
    if (request === undefined) return false;
    try {
      this.#advanceOne(request, untilMs);
    } catch (error) {
      request.fail(error);
    }
    return true;
  }

  #advanceOne(request: ReplayRequest, untilMs: number): void {
    this.#running ??= { request, replay: request.create() };
    const { replay } = this.#running;
    const readBefore = replay.readBytes;
    const progress = replay.advance(untilMs);
    request.connection.network.replayBytes.borrow(replay.readBytes - readBefore);
    if (progress === 'under_way') return;
    this.#remove(request);
    request.end(progress);
  }

  #wakeLater(): void {
    this.#waking ??= this.#parts.timers.setTimeout(() => {
      this.#waking = undefined;
      this.wake();
    }, YIELD_MS);
  }

  /** A connection that gets a turn goes behind the others, as does its network. */
  #next(): ReplayRequest | undefined {
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

  #listOf(connection: Connection): readonly ReplayRequest[] {
    return this.#lanes.get(connection.network)?.get(connection) ?? [];
  }

  #remove(request: ReplayRequest): void {
    const { connection } = request;
    const { network } = connection;
    const lane = this.#lanes.get(network)!;
    const left = lane.get(connection)!.filter((it) => it !== request);
    if (left.length > 0) lane.set(connection, left);
    else lane.delete(connection);
    if (lane.size === 0) this.#lanes.delete(network);
    if (this.#running?.request === request) this.#running = undefined;
  }
}
