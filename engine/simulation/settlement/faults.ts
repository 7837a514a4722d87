/**
 * The faults of a settlement world. Every seed has its own mix: some faults never occur, others often. Occurrences are counted, so
 * that a run of many seeds can show that it covered all faults.
 */
import type { RandomSource } from '#simulation/world/random-source.ts';

/** The usual chance of each fault per occasion, in a seed that has the fault. */
const CHANCES = {
  /** At a call of the ledger: see `LedgerFault`. */
  slow: 0.06,
  answer_late: 0.06,
  request_lost: 0.06,
  answer_lost: 0.06,
  request_late: 0.06,
  request_repeated: 0.06,
  answer_repeated: 0.06,
  /** At a new command: the ledger rejects it, for a reason of its own. */
  step_rejected: 0.2,
  /** At a step: the ledger does not respond for a while. */
  ledger_down: 0.012,
  /** At a step: the ledger takes no new command for a while. */
  ledger_full: 0.012,
  /** At a step: the ledger's process is killed. */
  ledger_kill: 0.006,
  /** At an operation of a store: its machine loses power, or the operation fails. */
  ledger_power_cut: 0.006,
  ledger_disk_error: 0.003,
  venue_power_cut: 0.006,
  venue_disk_error: 0.003,
  /** The same, while the store is being opened. */
  power_cut_in_start: 0.04,
  /** At a step: the power of both stores is cut. */
  power_cut_of_both: 0.004,
  /** At a step: the venue's process is killed. */
  venue_kill: 0.008,
  /** At a step: a store is restored from an older copy, if that loses what the other store knows. Later the newer one is restored. */
  older_ledger: 0.006,
  older_journal: 0.006,
  /** At a step: the coordinator starts over on the same venue. */
  coordinator_restart: 0.012,
  /** At a step: a day passes while nothing runs, so offers and deadlines expire. */
  day_passes: 0.008,
  /** The same for an hour, so that rejected offers are made again. */
  hour_passes: 0.04,
  /** At a step: the operator acts. */
  capability_switched: 0.012,
  status_changed: 0.008,
  account_retired: 0.007,
  account_excluded: 0.002,
  cash_credited: 0.006,
  package_removed: 0.02,
  consent_revoked: 0.005,
  /** At an act of an owner: it is done twice at once. */
  owner_repeats: 0.15,
  /** At a step: an owner uses the party without the venue. Only in some seeds. */
  owner_elsewhere: 0.03,
} as const;

export type FaultName = keyof typeof CHANCES;
export const FAULT_NAMES = Object.keys(CHANCES) as FaultName[];

const LEDGER_CALL_FAULTS = [
  'slow',
  'answer_late',
  'request_lost',
  'answer_lost',
  'request_late',
  'request_repeated',
  'answer_repeated',
] as const satisfies readonly FaultName[];
export type LedgerCallFault = (typeof LEDGER_CALL_FAULTS)[number];

export class SettlementFaults {
  readonly #random: RandomSource;
  readonly #chances: ReadonlyMap<FaultName, number>;
  readonly tally = new Map<FaultName, number>();
  /** Disables all faults, for the end of a world. */
  areOver = false;

  /** A seed has about two thirds of the faults, each at up to three times its usual chance. */
  constructor(random: RandomSource) {
    this.#random = random;
    const chanceOf = (name: FaultName) => (random.chance(0.65) ? Math.min(1, CHANCES[name] * 3 * random.fraction()) : 0);
    this.#chances = new Map(FAULT_NAMES.map((name) => [name, chanceOf(name)]));
  }

  /** Draws whether a fault occurs, and counts it if so. */
  strikes(name: FaultName): boolean {
    if (this.areOver || !this.#random.chance(this.#chances.get(name)!)) return false;
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
    return true;
  }

  /** The first fault of a call of the ledger that occurs. */
  ofCall(): LedgerCallFault | undefined {
    return LEDGER_CALL_FAULTS.find((name) => this.strikes(name));
  }
}
