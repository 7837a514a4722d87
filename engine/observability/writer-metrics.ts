/** Metrics of the writer: commands by outcome, groups by their size and the duration of their write. */
import type { Command } from '#venue/command.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { visitOutcomes } from '#writer/port/group-outcomes.ts';
import type { GroupListener, UnrecordedRefusal } from '#writer/port/submit.ts';
import type { Counter, Histogram, MetricRegistry } from './metric-registry.ts';

const SECONDS = [0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
const RECORDS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024];

export class WriterMetrics {
  readonly #commands;
  readonly #byType = new Map<Command['type'], Map<RefusalCode | undefined, Counter>>();
  readonly #seconds: Histogram;
  readonly #records: Histogram;

  constructor(registry: MetricRegistry) {
    this.#commands = registry.counter(
      'openperp_commands_total',
      'Commands that took their turn, by type and outcome: accepted, or the code of the refusal. Refusals that are not stored count too.',
    );
    this.#seconds = registry
      .histogram('openperp_commit_duration_seconds', 'From the write of a group until it is durable.', SECONDS)
      .child();
    this.#records = registry.histogram('openperp_commit_records', 'Commands that became durable together.', RECORDS).child();
  }

  readonly onCommitted = (records: number, elapsedMs: number): void => {
    this.#seconds.observe(elapsedMs / 1_000);
    this.#records.observe(records);
  };

  /** Reads only the type of each record's command and, if refused, the code. */
  readonly follow: GroupListener = ({ stored }) => {
    if (stored === undefined) throw new TypeError('a group of the journal has its bytes');
    visitOutcomes(stored, this.#count);
  };

  /** A batch counts by the code of its first entry. */
  readonly onUnrecorded = ({ command, code }: UnrecordedRefusal): void => this.#count(command.type, code);

  readonly #count = (type: Command['type'], refusal: RefusalCode | undefined): void => {
    let byOutcome = this.#byType.get(type);
    if (byOutcome === undefined) {
      byOutcome = new Map();
      this.#byType.set(type, byOutcome);
    }
    let counter = byOutcome.get(refusal);
    if (counter === undefined) {
      counter = this.#commands.child({ command: type, outcome: refusal ?? 'accepted' });
      byOutcome.set(refusal, counter);
    }
    counter.add();
  };
}
