/**
 * The disk of a test world. The world decides when, and in which order, operations finish. The seed's faults make them fail and
 * cut the power. The next life of the venue finds the files that the last one left.
 */
import type { Fault, Operation } from '#simulation/power-cut-files.ts';
import { PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import type { Faults } from './faults.ts';
import type { RandomSource } from './random-source.ts';
import type { StepLog } from './step-log.ts';

export class WorldDisk {
  readonly #faults: Faults;
  readonly #random: RandomSource;
  readonly #log: StepLog;
  #pending: (() => void)[] = [];
  #files: PowerCutFiles;
  /** The remaining steps in which the disk does nothing. */
  #stallSteps = 0;
  #isFull = false;
  /** The venue is starting. A power cut then counts as another fault. */
  isStarting = false;
  /** The operations that failed in this life. Only they excuse a halt of the venue. */
  refusals = 0;

  constructor(faults: Faults, random: RandomSource, log: StepLog) {
    this.#faults = faults;
    this.#random = random;
    this.#log = log;
    this.#files = new PowerCutFiles(this.#fault, new Map(), this.#pace);
  }

  get files(): PowerCutFiles {
    return this.#files;
  }

  get isIdle(): boolean {
    return this.#pending.length === 0;
  }

  /** Finishes some pending operations. */
  work(): void {
    if (this.#stallSteps > 0) this.#stallSteps -= 1;
    else if (!this.isIdle && this.#faults.strikes('slow_disk')) this.#stallSteps = this.#random.between(1, 8);
    if (this.#stallSteps > 0) return;
    for (let count = this.#random.between(1, 3); count > 0 && !this.isIdle; count -= 1) {
      const [done] = this.#pending.splice(this.#random.between(0, this.#pending.length - 1), 1);
      done!();
    }
  }

  /** Kills the process. Its pending operations fail. Its writes stay in the machine's cache. */
  kill(): void {
    this.#files.cutPower();
    this.release();
    this.#begin(this.#files.afterKill(this.#fault, this.#pace));
  }

  /** Cuts the power, unless it is off already, and restores it. */
  losePower(): void {
    this.#files.cutPower();
    this.release();
    const isTorn = this.#files.unsyncedWrites > 0 && this.#faults.strikes('torn_write');
    const tear = isTorn ? this.#random.pick(['prefix', 'sectors'] as const) : this.#random.pick(TEARS.slice(0, 2));
    this.#log.note(`the power comes back; of what was not synced: ${tear}`);
    this.#begin(new PowerCutFiles(this.#fault, this.#files.afterPowerCut(tear, this.#random.fraction), this.#pace));
  }

  /** Ends a full disk. */
  makeRoom(): void {
    this.#isFull = false;
  }

  #begin(files: PowerCutFiles): void {
    this.#files = files;
    this.#stallSteps = 0;
    this.refusals = 0;
  }

  /** Ends all pending operations. Without power they fail. */
  release(): void {
    for (const done of this.#pending.splice(0)) done();
  }

  readonly #pace = (kind: Operation['kind']): Promise<void> | undefined => {
    // Most writes into the cache finish at once.
    if (kind === 'write' && this.#random.chance(0.7)) return undefined;
    return new Promise((resolve) => this.#pending.push(resolve));
  };

  readonly #fault = ({ kind, name }: Operation): Fault => {
    const cut = this.isStarting ? 'power_cut_in_recovery' : 'power_cut';
    if (this.#faults.strikes(cut)) return this.#record(cut, kind, name, 'power_cut');
    if (kind === 'datasync' && this.#faults.strikes('lost_sync')) return this.#record('lost_sync', kind, name, 'EIO');
    if (kind !== 'write' && kind !== 'create') return undefined;
    if (!this.#isFull && this.#faults.strikes('disk_full')) this.#isFull = true;
    return this.#isFull ? this.#record('disk_full', kind, name, 'ENOSPC') : undefined;
  };

  #record(what: string, kind: string, name: string, fault: Fault): Fault {
    this.#log.note(`${what} at ${kind} of ${name}`);
    this.refusals += 1;
    return fault;
  }
}
