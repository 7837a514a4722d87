/**
 * What goes wrong in a test world. Every seed has its own mix: some faults not at all, others often. What really happened
 * is counted, so that a run of many seeds can show that it saw all of them.
 */
import type { RandomSource } from './random-source.ts';

/** Each fault and how often it happens, of the chances that it has, where a seed has it at all. */
const CHANCES = {
  /** At an operation of the disk: the machine goes off. What was not synced is partly there. */
  power_cut: 0.008,
  /** The same, while the venue is starting. */
  power_cut_in_recovery: 0.06,
  /** At a cut: some sectors of a write are there and others are not, or only its beginning is. */
  torn_write: 0.8,
  /** At a sync: it reports that it failed, and what it was to store is gone for good. */
  lost_sync: 0.01,
  /** At a write: no space is left, until somebody sees to it. */
  disk_full: 0.006,
  /** At a step: the disk does nothing for a while, or finishes what came last first. */
  slow_disk: 0.02,
  /** At a step: the process is gone, the machine goes on. */
  process_kill: 0.006,
  /** At a start: a bit of a durable group has turned over. */
  bit_flip_at_rest: 0.3,
  /** At a start: a bit behind the last durable group has turned over. */
  bit_flip_in_tail: 0.2,
  /** At a start: a bit of the newest snapshot has turned over. */
  bit_flip_in_snapshot: 0.25,
  /** At a step: a bit of a durable group turns over under the running venue. */
  bit_flip_while_running: 0.003,
  /** At a step: the wall clock is set. The steady one goes on. */
  clock_forward: 0.008,
  clock_backward: 0.008,
  /** At a price: none comes for a while; it is far from the one before. */
  feed_gap: 0.02,
  feed_jump: 0.04,
  /** At a delivery: it is delivered twice. */
  duplicate_delivery: 0.1,
  /** At an answer: it never reaches who asked. */
  lost_reply: 0.08,
  /** At a retry: it comes long after. */
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
  /** While the end of a world is looked at, nothing goes wrong any more. */
  areOver = false;

  /** A seed has about two thirds of the faults, each at up to three times its usual chance. */
  constructor(random: RandomSource) {
    this.#random = random;
    const drawn = FAULT_NAMES.map((name) => [name, random.chance(0.65) ? Math.min(1, CHANCES[name] * 3 * random.fraction()) : 0]);
    this.#chances = Object.fromEntries(drawn);
  }

  /** Throws the dice for a fault, and counts it where it happens. */
  strikes(name: FaultName): boolean {
    if (this.areOver || !this.#random.chance(this.#chances[name])) return false;
    this.tally[name] += 1;
    return true;
  }
}
