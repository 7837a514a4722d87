/**
 * The disk of the venue or of the ledger, in memory. Operations take time of the world, may fail, and may cut the power of their
 * machine. The next life finds what the last one left.
 */
import { type Fault, type Operation, PowerCutFiles, TEARS } from '#simulation/power-cut-files.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { StepLog } from '#simulation/world/step-log.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { SettlementFaults } from './faults.ts';

const MAX_OPERATION_MS = 40;

export interface StoreParts {
  readonly name: 'venue' | 'ledger';
  readonly faults: SettlementFaults;
  readonly random: RandomSource;
  readonly time: ManualTime;
  readonly log: StepLog;
}

export class Store {
  readonly #parts: StoreParts;
  #files: PowerCutFiles;
  /** It is being opened: a power cut then counts as another fault. */
  isStarting = false;
  /** An operation of this life failed. Only then may its user halt. */
  hasFailed = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    this.#files = new PowerCutFiles(this.#fault, new Map(), this.#pace);
  }

  get files(): PowerCutFiles {
    return this.#files;
  }

  /** The process is killed. Its writes stay in the machine's cache. */
  kill(): void {
    this.#files.cutPower();
    this.#begin(this.#files.afterKill(this.#fault, this.#pace));
  }

  /** Cuts the power, unless it is off already, and restores it. */
  losePower(): void {
    const { name, random, log } = this.#parts;
    this.#files.cutPower();
    const tear = random.pick(TEARS);
    log.note(`the power of the ${name} comes back; of what was not synced: ${tear}`);
    this.#begin(new PowerCutFiles(this.#fault, this.#files.afterPowerCut(tear, random.fraction), this.#pace));
  }

  /** The process is killed, and its files are replaced by a copy. */
  replace(contents: ReadonlyMap<string, Uint8Array>): void {
    this.#files.cutPower();
    this.#begin(new PowerCutFiles(this.#fault, contents, this.#pace));
  }

  #begin(files: PowerCutFiles): void {
    this.#files = files;
    this.hasFailed = false;
  }

  readonly #pace = (kind: Operation['kind']): Promise<void> | undefined => {
    const { random, time } = this.#parts;
    if (kind === 'write' && random.chance(0.7)) return undefined;
    return new Promise((resolve) => void time.setTimeout(resolve, random.between(1, MAX_OPERATION_MS)));
  };

  readonly #fault = ({ kind, name: file }: Operation): Fault => {
    const { name, faults, log } = this.#parts;
    if (faults.strikes(this.isStarting ? 'power_cut_in_start' : `${name}_power_cut`)) {
      log.note(`the power of the ${name} is cut at ${kind} of ${file}`);
      return 'power_cut';
    }
    const mayFail = kind === 'datasync' || kind === 'write';
    if (!mayFail || !faults.strikes(`${name}_disk_error`)) return undefined;
    log.note(`${kind} of ${file} of the ${name} fails`);
    this.hasFailed = true;
    return 'EIO';
  };
}

/** Advances the time until the work has ended. */
export async function whileTimePasses<Value>(time: ManualTime, work: Promise<Value>): Promise<Value> {
  let isSettled = false;
  const settled = () => {
    isSettled = true;
  };
  work.then(settled, settled);
  for (let round = 0; !isSettled; round += 1) {
    if (round > MAX_ROUNDS) throw new Error('the work never ends');
    await time.advance(MAX_OPERATION_MS);
  }
  return work;
}

const MAX_ROUNDS = 5_000;
