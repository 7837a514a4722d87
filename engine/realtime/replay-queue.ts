/**
 * Subscriptions that wait for their replay. What is live goes first: replays go on for some milliseconds at a time, one after the other,
 * network by network and socket by socket. A socket's next one begins when its line is free, a network's when it has not had too much.
 */
import type { SteadyClock } from '#time/clock.ts';
import type { Timer, Timers } from '#time/timers.ts';
import type { Connection } from './connection.ts';
import type { Network } from './networks.ts';
import type { Progress, Replay } from './replay.ts';

/** How often networks are looked at that have had too much. */
const HELD_BACK_MS = 50;

export interface AskedReplay {
  readonly connection: Connection;
  readonly key: string;
  readonly begin: () => Replay;
  /** Takes an internal error: the connection ends, and has nothing waiting here any more. */
  readonly fail: (error: unknown) => void;
  /** Hears once what became of it; nothing where the client has gone before. */
  readonly end: (outcome: ReplayOutcome) => void;
}

export type ReplayOutcome = Exclude<Progress, 'under_way'> | 'withdrawn';

type Lane = Map<Connection, AskedReplay[]>;

export interface ReplayQueueParts {
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** How long replays go on at a time. */
  readonly sliceMs: number;
  /** Takes what ends no connection, and the queue goes on. */
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

  /** There need be none. */
  withdraw(connection: Connection, key: string): void {
    const withdrawn = this.#listOf(connection).find((asked) => asked.key === key);
    if (withdrawn === undefined) return;
    this.#remove(withdrawn);
    withdrawn.end('withdrawn');
  }

  dropAll(connection: Connection): void {
    for (const asked of [...this.#listOf(connection)]) this.#remove(asked);
  }

  /** Looks whether there is one to go on with: a line may be free. */
  wake(): void {
    if (this.#lanes.size > 0) this.#turn ??= this.#parts.timers.setImmediate(() => this.#takeTurn());
  }

  stop(): void {
    this.#turn?.cancel();
    this.#waking?.cancel();
    this.#lanes.clear();
    this.#current = undefined;
  }

  /** After an exception it looks again later: at once, it might do nothing else. */
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

  /** False where there is none to go on with. */
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

  /** Who had one goes to the end of its line. */
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
