/** Many worlds in sequence: their total figures, their progress, and how to repeat a failed one. */
import { performance } from 'node:perf_hooks';
import { addCounts, repeatable } from '#simulation/failed-world.ts';
import { emptyTally, FAULT_NAMES } from './faults.ts';
import type { Plant } from './venue-life.ts';
import type { WorldOutcome } from './world.ts';
import { runWorld } from './world.ts';

const REPORT_INTERVAL_MS = 5_000;

export class WorldRuns {
  readonly #print: (line: string) => void;
  readonly faults = emptyTally();
  readonly commands = new Map<string, number>();
  readonly events = new Map<string, number>();
  readonly refusals = new Map<string, number>();
  readonly unrecorded = new Map<string, number>();
  readonly #startedAt = performance.now();
  #printedAt = performance.now();
  #seeds = 0;
  records = 0;
  #starts = 0;

  constructor(print: (line: string) => void) {
    this.#print = print;
  }

  /** Runs the world of a seed. The error of a failed world contains the command that repeats it and its last steps. */
  async add(seed: number, plant: Plant = {}): Promise<void> {
    const command = `OPENPERP_WORLD_SEED=${seed} npm test -- engine/simulation/world/world.test.ts`;
    const outcome = await repeatable(runWorld({ seed, plant }), command);
    this.#add(outcome);
    if (performance.now() - this.#printedAt > REPORT_INTERVAL_MS) this.printProgress();
  }

  /** One line of progress. */
  printProgress(): void {
    this.#printedAt = performance.now();
    const seconds = ((this.#printedAt - this.#startedAt) / 1_000).toFixed(0);
    const faults = FAULT_NAMES.reduce((sum, name) => sum + this.faults[name], 0);
    this.#print(
      `${this.#seeds} worlds in ${seconds} s: ${this.records} records, ${this.#starts} starts, ${faults} faults, ` +
        `${this.events.get('TradeExecuted') ?? 0} trades, ${this.events.get('LiquidationStarted') ?? 0} liquidations, ` +
        `${this.events.get('TradeExecuted by auto_deleveraging') ?? 0} deleveragings`,
    );
  }

  #add({ records, starts, faults, commands, events, refusals, unrecorded }: WorldOutcome): void {
    this.#seeds += 1;
    this.records += records;
    this.#starts += starts;
    for (const name of FAULT_NAMES) this.faults[name] += faults[name];
    addCounts(this.commands, commands);
    addCounts(this.events, events);
    addCounts(this.refusals, refusals);
    addCounts(this.unrecorded, unrecorded);
  }
}
