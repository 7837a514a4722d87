/**
 * The journal alone: commands with known events become records with check sums and groups with digests, and are made durable.
 * Compared with the bare disk, which writes the same bytes in the same pieces.
 */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Sequence } from '#units/ids.ts';
import { ByteWriter } from '#venue/record/cursor.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { SequencedCommand } from '#venue/venue.ts';
import { RULES_VERSION, Venue } from '#venue/venue.ts';
import { CHAIN_START_POSITION } from '#writer/journal/chain-walk.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { GroupBuilder } from '#writer/journal/group.ts';
import { Journal } from '#writer/journal/journal.ts';
import { borrowedNodeFiles, nodeFiles } from '#writer/journal/node-files.ts';
import { WRITER_LIMITS } from '#writer/writer.ts';
import { inBenchDirectory } from './bench-directory.ts';
import { BYTES_PER_COMMAND, JOURNAL_FOLDER, submissionOf } from './bench-journal.ts';
import type { BenchOptions } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import type { Part, Report } from './part.ts';
import { inRange, percent, thousands } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';
import { turnCommands } from './turn-commands.ts';

/** The commands are written this often in a round, so that the journal fills more than one segment. */
const PASSES = 4;
const ROUNDS = 5;
const QUICK_ROUNDS = 2;

/** A record to write, with the bytes of its events. */
interface PreparedRecord {
  readonly sequenced: SequencedCommand;
  readonly idempotency: ReturnType<typeof submissionOf>['idempotency'];
  readonly eventBytes: Uint8Array;
}

/** Seconds of each round, and the bytes of its groups. */
interface Round {
  readonly sealing: number;
  readonly journal: number;
  readonly disk: number;
  readonly bytes: number;
}

export const journal: Part = {
  name: 'journal',
  run({ isQuick, seed }: BenchOptions): Promise<Report> {
    const profile = isQuick ? inSmall(TURNS_PROFILE) : TURNS_PROFILE;
    const records = prepare(turnCommands(orderFlow(profile, seed)).commands);
    const commands = records.length * PASSES;
    return inBenchDirectory(2 * commands * BYTES_PER_COMMAND, async (directory) => {
      const rounds: Round[] = [];
      for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round += 1) {
        const { seconds: sealing, lengths } = sealAll(records);
        const written = await writeJournal(join(directory, 'venue'), records);
        const disk = await writeBare(join(directory, 'bare'), lengths);
        rounds.push({ sealing, journal: written, disk, bytes: lengths.reduce((sum, length) => sum + length, 0) });
      }
      return report(commands, rounds);
    });
  },
};

function prepare(commands: readonly SequencedCommand[]): PreparedRecord[] {
  const venue = new Venue();
  const bytes = new ByteWriter();
  const events = new EventWriter(bytes);
  return commands.map((sequenced, index) => {
    bytes.reset();
    events.restart();
    venue.turn(sequenced, events);
    return { sequenced, idempotency: submissionOf(sequenced.command, index).idempotency, eventBytes: bytes.copy() };
  });
}

/** Groups of the writer's maximum size, one after the other, chained. */
class Groups {
  readonly #records: readonly PreparedRecord[];
  readonly #builders = [new GroupBuilder(), new GroupBuilder()] as const;
  #next = 0;
  #number = 0;
  #digest = CHAIN_START_POSITION.digest;

  constructor(records: readonly PreparedRecord[]) {
    this.#records = records;
  }

  /** The next sealed group: a view that is valid until the call after the next. `undefined` after the last one. */
  seal(): Uint8Array | undefined {
    const count = this.#records.length * PASSES;
    if (this.#next === count) return undefined;
    this.#number += 1;
    const group = this.#builders[this.#number % 2 === 0 ? 0 : 1];
    group.begin(this.#number, (this.#next + 1) as Sequence, this.#digest);
    const { maxGroupBytes, maxGroupRecords } = WRITER_LIMITS;
    while (this.#next < count && group.recordCount < maxGroupRecords && group.byteLength < maxGroupBytes) {
      this.#add(group, this.#records[this.#next % this.#records.length]!);
      this.#next += 1;
    }
    const sealed = group.seal();
    this.#digest = group.digest;
    return sealed;
  }

  #add(group: GroupBuilder, { sequenced, idempotency, eventBytes }: PreparedRecord): void {
    const { sequence, epochMs, command } = sequenced;
    const account = 'account' in command ? command.account : 0;
    const key = idempotency && { ...idempotency, account };
    group.openRecord({ sequence, epochMs, rulesVersion: RULES_VERSION, key }, command);
    // The event bytes exist and are added unchanged.
    group.note(eventBytes);
    group.closeRecord();
  }
}

/** Everything except the disk. */
function sealAll(records: readonly PreparedRecord[]): { readonly seconds: number; readonly lengths: readonly number[] } {
  const groups = new Groups(records);
  const lengths: number[] = [];
  const startedAt = performance.now();
  for (let group = groups.seal(); group !== undefined; group = groups.seal()) lengths.push(group.length);
  return { seconds: (performance.now() - startedAt) / 1000, lengths };
}

/** Builds the next group while one is being written, like the writer. */
async function writeJournal(directory: string, records: readonly PreparedRecord[]): Promise<number> {
  const lock = lockDirectory(directory);
  const files = await nodeFiles(lock, JOURNAL_FOLDER);
  const end = { ...CHAIN_START_POSITION, segment: 1, offset: 0, tornTail: undefined };
  const opened = await Journal.open(files, WRITER_LIMITS.segmentBytes, end);
  const groups = new Groups(records);
  const startedAt = performance.now();
  for (let group = groups.seal(); group !== undefined; ) {
    const appended = opened.append(group);
    group = groups.seal();
    await appended;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await opened.close();
  lock.release();
  rmSync(directory, { recursive: true });
  return seconds;
}

/** A preallocated file, written like the journal's segments. */
async function writeBare(path: string, lengths: readonly number[]): Promise<number> {
  const bytes = Buffer.alloc(Math.max(...lengths), 1);
  const filled = await open(path, 'w');
  for (const length of lengths) await filled.write(bytes, 0, length);
  await filled.sync();
  await filled.close();
  const file = await borrowedNodeFiles(dirname(path)).open(basename(path));
  let position = 0;
  const startedAt = performance.now();
  for (const length of lengths) {
    await file.write(bytes.subarray(0, length), position);
    await file.datasync();
    position += length;
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await file.close();
  rmSync(path);
  return seconds;
}

function report(commands: number, rounds: readonly Round[]): Report {
  const rate = (secondsOf: (round: Round) => number) => ({
    commandsPerSecond: spreadOf(rounds.map((round) => commands / secondsOf(round))),
    bytesPerSecond: spreadOf(rounds.map((round) => round.bytes / secondsOf(round))),
    ofDisk: spreadOf(rounds.map((round) => round.disk / secondsOf(round))),
  });
  const [alone, disk, sealing] = [rate((it) => it.journal), rate((it) => it.disk), rate((it) => it.sealing)];
  const row = (name: string, { commandsPerSecond, bytesPerSecond, ofDisk }: typeof alone) => [
    name,
    inRange(commandsPerSecond, (value) => thousands(Math.round(value))),
    megabytes(bytesPerSecond),
    inRange(ofDisk, percent),
  ];
  const { bytes } = rounds[0]!;
  const table = {
    title: 'Journal: records, check sums, digests, writes and syncs, without the turns',
    notes: [
      `${thousands(commands)} commands with their events, ${thousands(Math.round(bytes / commands))} bytes each, in full groups`,
    ],
    columns: ['', 'commands per second', 'MB per second', 'of the bare disk'],
    rows: [
      row('the journal', alone),
      row('the bare disk, same bytes, same syncs', disk),
      row('the journal without a disk', sealing),
    ],
  };
  return { tables: [table], figures: { journal: { commands, bytes, journal: alone, bareDisk: disk, withoutDisk: sealing } } };
}

function megabytes(bytesPerSecond: Spread): string {
  return inRange(bytesPerSecond, (value) => thousands(Math.round(value / 1e6)));
}
