/**
 * Many trigger orders due at one price: how long the turns are that make them due and trigger them, and those of orders that are placed
 * meanwhile. First in the core alone, then with the journal on a real disk, where an order waits for the turns before it.
 */

import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import { Venue } from '#venue/venue.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { TriggerCrowd } from './trigger-crowd.ts';
import { type DiskTimes, triggersOnDisk } from './triggers-on-disk.ts';

const COUNT = 10_000;
const QUICK_COUNT = 400;
/** Runs before the measured one, until everything is compiled. */
const WARM_UP = 3;

export const triggers: Part = { name: 'triggers', run };

async function run({ isQuick }: BenchOptions): Promise<Report> {
  const count = isQuick ? QUICK_COUNT : COUNT;
  for (let warmUp = 0; warmUp < (isQuick ? 0 : WARM_UP); warmUp += 1) measure(count);
  const { price, work, placements } = measure(count);
  const turns = [...work, ...placements];
  const disk = await triggersOnDisk(count, isQuick);
  return {
    tables: [
      {
        title: `${count} trigger orders due at one price`,
        notes: ['the time of each turn in the core, with the bytes of its events and without the disk'],
        columns: COLUMNS,
        rows: [
          row('the price that makes them due, and triggers the first', [price]),
          row('turns that trigger the others', work),
          row('orders that are placed in between', placements),
        ],
      },
      {
        title: 'The same with the writer and the disk',
        notes: ['milliseconds from the submission of a command until it is durable, without followers'],
        columns: COLUMNS,
        rows: [
          row('turns that trigger orders', disk.work),
          row('orders that others place meanwhile, one a millisecond', disk.placements),
          row('the same orders while nothing is due', disk.calm),
        ],
      },
    ],
    figures: { triggers: { count, turns: work.length + 1, priceMs: price, p99Ms: quantile(turns, 0.99), disk: figuresOf(disk) } },
  };
}

const COLUMNS = ['', 'turns', 'p50 ms', 'p99 ms', 'max ms'];

function row(name: string, times: readonly number[]): string[] {
  return [name, String(times.length), ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(3))];
}

function figuresOf({ work, placements, calm }: DiskTimes) {
  const p99Ms = { work: quantile(work, 0.99), placements: quantile(placements, 0.99), calm: quantile(calm, 0.99) };
  return { turns: work.length, placements: placements.length, p99Ms };
}

interface Times {
  readonly price: number;
  readonly work: readonly number[];
  readonly placements: readonly number[];
}

function measure(count: number): Times {
  const core = new TimedCore();
  const crowd = new TriggerCrowd(() => core.now);
  for (const command of crowd.population(count)) core.time(command);
  const price = core.time(crowd.fall());
  const work: number[] = [];
  const placements: number[] = [];
  while (core.hasDue) {
    work.push(core.time(crowd.advance()));
    placements.push(core.time(crowd.placement()));
  }
  return { price, work, placements };
}

class TimedCore {
  readonly #venue = new Venue();
  now = 1_700_000_000_000 as EpochMs;
  #sequence = 0 as Sequence;
  readonly #bytes = new ByteWriter();
  readonly #events = new EventWriter(this.#bytes);

  get hasDue(): boolean {
    return this.#venue.state.markets[1]!.triggers.hasDue;
  }

  /** Runs a command and returns its time in milliseconds. */
  time(command: Command): number {
    this.#sequence = (this.#sequence + 1) as Sequence;
    this.now = (this.now + 1) as EpochMs;
    this.#bytes.reset();
    this.#events.restart();
    const startedAt = performance.now();
    this.#venue.turn({ sequence: this.#sequence, epochMs: this.now, command }, this.#events);
    return performance.now() - startedAt;
  }
}

function quantile(times: readonly number[], share: number): number {
  const sorted = [...times].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
