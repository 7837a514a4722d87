/**
 * Trigger orders due at one price, with a writer on a real disk. Their turns are submitted one after the other, as the price feed does,
 * while another client places an order each millisecond.
 */
import { join } from 'node:path';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import type { Writer } from '#writer/writer.ts';
import { inBenchDirectory } from './bench-directory.ts';
import {
  BYTES_PER_COMMAND,
  FLOW_CLOCK,
  JOURNAL_FOLDER,
  openBareWriter,
  submissionOf,
  submissionsOf,
  submitAll,
} from './bench-journal.ts';
import { startMetronome } from './metronome.ts';
import { TriggerCrowd } from './trigger-crowd.ts';

/** Journals of their own, of which the first ones warm up. */
const ROUNDS = 8;
const WARM_UP_ROUNDS = 3;
const BEAT_MS = 1;
/** As many orders as are placed while nothing is due. */
const CALM_ORDERS = 300;

/** Milliseconds from the submission to the response. */
export interface DiskTimes {
  readonly work: number[];
  readonly placements: number[];
  readonly calm: number[];
}

export function triggersOnDisk(count: number, isQuick: boolean): Promise<DiskTimes> {
  const rounds = isQuick ? 1 : ROUNDS;
  return inBenchDirectory(isQuick ? 0 : rounds * count * 4 * BYTES_PER_COMMAND, async (path) => {
    const all: DiskTimes = { work: [], placements: [], calm: [] };
    for (let round = 0; round < rounds; round += 1) {
      const times = await measure(join(path, String(round)), count, isQuick);
      if (round < (isQuick ? 0 : WARM_UP_ROUNDS)) continue;
      all.work.push(...times.work);
      all.placements.push(...times.placements);
      all.calm.push(...times.calm);
    }
    return all;
  });
}

async function measure(directory: string, count: number, isQuick: boolean): Promise<DiskTimes> {
  const lock = lockDirectory(directory);
  const writer = await openBareWriter(await nodeFiles(lock, JOURNAL_FOLDER));
  const crowd = new TriggerCrowd(FLOW_CLOCK.now);
  await submitAll(writer, submissionsOf(crowd.population(count)));
  const client = new PlacingClient(writer, crowd, count * 2);
  const calm = await client.place(() => client.sent === (isQuick ? 10 : CALM_ORDERS));
  let isOver = false;
  const placing = client.place(() => isOver && client.sent > 0);
  const work = await trigger(writer, crowd);
  isOver = true;
  const placements = await placing;
  await writer.close();
  lock.release();
  return { work, placements, calm };
}

/** Submits turns until none is pending. Returns the time of each. */
async function trigger(writer: Writer, crowd: TriggerCrowd): Promise<number[]> {
  const times: number[] = [];
  for (let isPending = true; isPending; ) {
    const command: Command = times.length === 0 ? crowd.fall() : crowd.advance();
    const startedAt = performance.now();
    const { events } = await writer.submit({ command });
    times.push(performance.now() - startedAt);
    isPending = events.some((event: VenueEvent) => event.type === 'MarketWorkPending');
  }
  return times;
}

class PlacingClient {
  readonly #writer: Writer;
  readonly #crowd: TriggerCrowd;
  #index: number;
  sent = 0;

  /** `firstIndex`: idempotency keys below it are in use. */
  constructor(writer: Writer, crowd: TriggerCrowd, firstIndex: number) {
    this.#writer = writer;
    this.#crowd = crowd;
    this.#index = firstIndex;
  }

  /** Places an order with each beat until `isOver`. Resolves with the time of each. */
  async place(isOver: () => boolean): Promise<number[]> {
    const placed: Promise<number>[] = [];
    this.sent = 0;
    await new Promise<void>((resolve) => {
      let isStopping = false;
      const metronome = startMetronome(BEAT_MS, () => {
        if (isStopping) return;
        if (!isOver()) {
          placed.push(this.#placeOne());
          return;
        }
        isStopping = true;
        void metronome.stop().then(() => resolve());
      });
    });
    return Promise.all(placed);
  }

  async #placeOne(): Promise<number> {
    this.sent += 1;
    this.#index += 1;
    const startedAt = performance.now();
    const { events } = await this.#writer.submit(submissionOf(this.#crowd.placement(), this.#index));
    if (events[0]?.type === 'CommandRefused') throw new Error(`the venue refused an order: ${events[0].code}`);
    return performance.now() - startedAt;
  }
}
