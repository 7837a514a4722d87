/** Journals as a venue writes them, made at full speed: by the real writer, on a real disk. */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { Clock } from '#writer/clock.ts';
import { lockDirectory } from '#writer/directory-lock.ts';
import type { Files } from '#writer/files.ts';
import { nodeFiles } from '#writer/node-files.ts';
import type { RecordKey } from '#writer/record.ts';
import type { Followed } from '#writer/recovery.ts';
import type { MakeSnapshot } from '#writer/snapshot-making.ts';
import { listSnapshots } from '#writer/snapshot-store.ts';
import type { StateMachineRules } from '#writer/state-machine.ts';
import type { Submission } from '#writer/submit.ts';
import { venueRules } from '#writer/venue-rules.ts';
import { openWriter, type Writer, type WriterLimits } from '#writer/writer.ts';
import { FLOW_BEGINS_AT_EPOCH_MS } from './turn-commands.ts';

export const JOURNAL_FOLDER = 'journal';
/** What a command of the flows takes up in a journal, with its events: for asking whether the disk has room. */
export const BYTES_PER_COMMAND = 700;
/** So many are submitted before anybody waits for an answer. */
const SUBMITTED_AT_ONCE = 2_000;

/** Time begins with the flow's first command, and goes on as time does. */
export const FLOW_CLOCK: Clock = { now: () => (FLOW_BEGINS_AT_EPOCH_MS + Math.floor(performance.now())) as EpochMs };

export interface JournalWishes {
  readonly rules?: StateMachineRules;
  /** No snapshot is taken unless one is asked for. */
  readonly limits?: Partial<WriterLimits>;
  /** Hears of the records that are durable, now and then. */
  readonly onProgress?: (commands: number) => void;
}

/**
 * Writes a journal into a folder of that directory; the snapshot that a venue takes when it stops is not kept. Answers where
 * the journal ends.
 */
export async function writeJournal(
  directory: string,
  commands: Iterable<Command>,
  { rules = venueRules, limits = {}, onProgress = () => {} }: JournalWishes = {},
): Promise<Followed> {
  const lock = lockDirectory(directory);
  try {
    const files = await nodeFiles(lock, JOURNAL_FOLDER);
    const writer = await openBareWriter(files, rules, { recordsPerSnapshot: Number.MAX_SAFE_INTEGER, ...limits });
    await submitAll(writer, commands, onProgress);
    const { sequence, chainDigest } = writer.status();
    await writer.close();
    for (const { name, sequence: taken } of await listSnapshots(files)) if (taken === sequence) await files.remove(name);
    return { sequence, chainDigest };
  } finally {
    lock.release();
  }
}

/** A writer that nobody follows. */
export function openBareWriter(
  files: Files,
  rules: StateMachineRules,
  limits: Partial<WriterLimits>,
  makeSnapshot?: MakeSnapshot,
): Promise<Writer> {
  return openWriter({
    files,
    clock: FLOW_CLOCK,
    rules,
    follow: () => {},
    followFrom: { sequence: 0 as Sequence, chainDigest: '' },
    onHalt: (halt) => {
      throw halt.cause ?? new Error(halt.reason);
    },
    makeSnapshot,
    limits,
  });
}

/** Submits one load after the other. Answers how many commands there were. */
export async function submitAll(
  writer: Writer,
  commands: Iterable<Command>,
  onProgress: (commands: number) => void = () => {},
): Promise<number> {
  let load: Promise<unknown>[] = [];
  let count = 0;
  for (const command of commands) {
    load.push(writer.submit(submissionOf(command, count)));
    count += 1;
    if (load.length < SUBMITTED_AT_ONCE) continue;
    await Promise.all(load);
    load = [];
    onProgress(count);
  }
  await Promise.all(load);
  return count;
}

/** Orders come with an idempotency key, as a client's do. */
export function submissionOf(command: Command, index: number): Submission {
  if (command.type !== 'PlaceOrder') return { command };
  const keyDigest = new Uint8Array(32);
  const words = new DataView(keyDigest.buffer);
  words.setUint32(0, Math.imul(index + 1, 0x9e3779b1));
  words.setUint32(4, index);
  const idempotency: Omit<RecordKey, 'account'> = { keyDigest, bodyDigest: keyDigest };
  return { command, idempotency };
}
