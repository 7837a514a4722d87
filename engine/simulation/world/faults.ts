/**
 * The faults of a test world. Every seed has its own mix: some faults never occur, others often. Occurrences are counted, so that
 * a run of many seeds can show that it covered all faults.
 */
import type { RandomSource } from './random-source.ts';

/** The usual chance of each fault per occasion, in a seed that has the fault. */
const CHANCES = {
  /** At an operation of the disk: the machine loses power. Some of the unsynced data survives. */
  power_cut: 0.008,
  /** The same, while the venue is starting. */
  power_cut_in_recovery: 0.06,
  /** At a cut: only some sectors of a write survive, or only its first bytes. */
  torn_write: 0.8,
  /** At a sync: it fails, and its data is lost for good. */
  lost_sync: 0.01,
  /** At a write: the disk is full until the operator makes room. */
  disk_full: 0.006,
  /** At a step: the disk does nothing for a while. */
  slow_disk: 0.02,
  /** At a step: the process is killed. The machine keeps running. */
  process_kill: 0.006,
  /** At a start: a bit of a durable group is flipped. */
  bit_flip_at_rest: 0.3,
  /** At a start: a bit behind the last durable group is flipped. */
  bit_flip_in_tail: 0.2,
  /** At a start: a bit of the newest snapshot is flipped. */
  bit_flip_in_snapshot: 0.25,
  /** At a step: a bit of a durable group is flipped while the venue runs. */
  bit_flip_while_running: 0.003,
  /** At a step: the wall clock is set. The steady clock is not affected. */
  clock_forward: 0.008,
  clock_backward: 0.008,
  /** At a price: the feed pauses; the price is far from the one before. */
  feed_gap: 0.02,
  feed_jump: 0.04,
  /** At a delivery: it is delivered twice. */
  duplicate_delivery: 0.1,
  /** At a response: it never reaches the sender. */
  lost_reply: 0.08,
  /** At a retry: it is sent much later. */
  late_retry: 0.3,
} as const;

export type FaultName = keyof typeof CHANCES;
export const FAULT_NAMES = Object.keys(CHANCES) as FaultName[];

/** How often each fault happened. */
export type FaultTally = Record<FaultName, number>;

export function emptyTally(): FaultTally {
  return Object.fromEntries(FAULT_NAMES.map((name) => [name, 0])) as FaultTally;
}

export class Faults {
  readonly #random: RandomSource;
  readonly #chances: Readonly<Record<FaultName, number>>;
  readonly tally = emptyTally();
  /** Disables all faults, for the end of a world. */
  areOver = false;

  /** A seed has about two thirds of the faults, each at up to three times its usual chance. */
  constructor(random: RandomSource) {
    this.#random = random;
    const drawn = FAULT_NAMES.map((name) => [name, random.chance(0.65) ? Math.min(1, CHANCES[name] * 3 * random.fraction()) : 0]);
    this.#chances = Object.fromEntries(drawn);
  }

  /** Draws whether a fault occurs, and counts it if so. */
  strikes(name: FaultName): boolean {
    if (this.areOver || !this.#random.chance(this.#chances[name])) return false;
    this.tally[name] += 1;
    return true;
  }
}
