/** Many settlement worlds in sequence: what was seen in them, their progress, and how to repeat a failed one. */
import { performance } from 'node:perf_hooks';
import { addCounts, repeatable } from '#simulation/failed-world.ts';
import type { Plant } from './venue-life.ts';
import { runSettlementWorld, type SettlementOutcome } from './world.ts';

const REPORT_INTERVAL_MS = 5_000;

export class SettlementRuns {
  readonly #print: (line: string) => void;
  readonly faults = new Map<string, number>();
  readonly seen = new Map<string, number>();
  readonly #startedAt = performance.now();
  #printedAt = performance.now();
  #seeds = 0;
  #records = 0;
  #entries = 0;
  #starts = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs the world of a seed. The error of a failed world contains the command that repeats it and its last steps. */
  async add(seed: number, plant: Plant = {}): Promise<void> {
    const command = `OPENPERP_SETTLEMENT_SEED=${seed} npm test -- engine/simulation/settlement/settlement.test.ts`;
    const outcome = await repeatable(runSettlementWorld({ seed, plant }), command);
    this.#add(outcome);
    if (performance.now() - this.#printedAt > REPORT_INTERVAL_MS) this.printProgress();
  }

  /** One line of progress. */
  printProgress(): void {
    this.#printedAt = performance.now();
    const seconds = ((this.#printedAt - this.#startedAt) / 1_000).toFixed(0);
    const count = (what: string) => this.seen.get(what) ?? 0;
    this.#print(
      `${this.#seeds} worlds in ${seconds} s: ${this.#records} records, ${this.#entries} ledger entries, ${this.#starts} starts, ` +
        `${sumOf(this.faults)} faults, ${count('deposit confirmed')} deposits confirmed, ` +
        `${count('withdrawal settled')} withdrawals settled, ${count('withdrawal blocked')} blocked`,
    );
  }

  /** How often each status and each fault was seen. */
  printTables(): void {
    for (const [title, counts] of Object.entries({ seen: this.seen, faults: this.faults })) {
      const rows = [...counts].sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, count]) => `${count} ${name}`);
      this.#print(`${title}: ${rows.join(', ')}`);
    }
  }

  #add({ records, entries, starts, faults, seen }: SettlementOutcome): void {
    this.#seeds += 1;
    this.#records += records;
    this.#entries += entries;
    this.#starts += starts;
    addCounts(this.faults, faults);
    addCounts(this.seen, seen);
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
