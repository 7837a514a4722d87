/** Writes journals at full speed with the real writer on a real disk. */

import type { Clock } from '#time/clock.ts';
import { systemTime } from '#time/system-time.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import type { Files } from '#writer/journal/files.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { DIGEST_BYTES } from '#writer/journal/record.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { Submission } from '#writer/port/submit.ts';
import type { FollowerPosition } from '#writer/recovery/recovery.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { listSnapshots } from '#writer/snapshot/snapshot-store.ts';
import { openWriter, type Writer, type WriterLimits, type WriterOptions } from '#writer/writer.ts';
import { FLOW_START_EPOCH_MS } from './turn-commands.ts';

export const JOURNAL_FOLDER = 'journal';
/** Journal space of a command of the flows with its events, to check the disk space. */
export const BYTES_PER_COMMAND = 700;
/** The number of commands submitted before waiting for responses. */
const BATCH_SUBMISSIONS = 2_000;

/** Time starts with the flow's first command and runs in real time. */
export const FLOW_CLOCK: Clock = { now: () => (FLOW_START_EPOCH_MS + Math.floor(performance.now())) as EpochMs };

export interface JournalOptions {
  readonly rules?: StateMachineRules;
  /** No snapshot is taken by default. */
  readonly limits?: Partial<WriterLimits>;
  /** Called occasionally with the number of durable records. */
  readonly onProgress?: (commands: number) => void;
}

/**
 * Writes a journal into a folder of that directory, without the snapshot that a venue takes at its stop. Resolves with the end of
 * the journal.
 */
export async function writeJournal(
  directory: string,
  commands: Iterable<Command>,
  { rules = venueRules, limits = {}, onProgress = () => {} }: JournalOptions = {},
): Promise<FollowerPosition> {
  const lock = lockDirectory(directory);
  try {
    const files = await nodeFiles(lock, JOURNAL_FOLDER);
    const writer = await openBareWriter(files, { rules, limits: { recordsPerSnapshot: Number.MAX_SAFE_INTEGER, ...limits } });
    await submitAll(writer, submissionsOf(commands), onProgress);
    const { sequence, chainDigest } = writer.status();
    await writer.close();
    for (const { name, sequence: taken } of await listSnapshots(files)) if (taken === sequence) await files.remove(name);
    return { sequence, chainDigest };
  } finally {
    lock.release();
  }
}

/** A writer without followers, except those in the options. */
export function openBareWriter(files: Files, options: Partial<WriterOptions> = {}): Promise<Writer> {
  return openWriter({
    ...systemTime,
    clock: FLOW_CLOCK,
    rules: venueRules,
    follow: () => {},
    followFrom: { sequence: 0 as Sequence, chainDigest: '' },
    onHalt: (halt) => {
      throw halt.cause ?? new Error(halt.reason);
    },
    ...options,
    files,
  });
}

/** Submits one load after the other. */
export async function submitAll(
  writer: Writer,
  submissions: Iterable<Submission>,
  onProgress: (submitted: number) => void = () => {},
): Promise<void> {
  let load: Promise<unknown>[] = [];
  let count = 0;
  for (const submission of submissions) {
    load.push(writer.submit(submission));
    count += 1;
    if (load.length < BATCH_SUBMISSIONS) continue;
    await Promise.all(load);
    load = [];
    onProgress(count);
  }
  await Promise.all(load);
}

/** Built one by one as they are taken, since some commands depend on the results of earlier ones. */
export function* submissionsOf(commands: Iterable<Command>): Generator<Submission> {
  let index = 0;
  for (const command of commands) {
    yield submissionOf(command, index);
    index += 1;
  }
}

/** Orders have an idempotency key, like a client's. */
export function submissionOf(command: Command, index: number): Submission {
  if (command.type !== 'PlaceOrder') return { command };
  const keyDigest = keyDigestOf(index);
  return { command, idempotency: { keyDigest, bodyDigest: keyDigest } };
}

/** Distributed as evenly as a SHA-256, and different for every number. */
export function keyDigestOf(index: number): Uint8Array {
  const digest = new Uint8Array(DIGEST_BYTES);
  const words = new DataView(digest.buffer);
  words.setUint32(0, Math.imul(index + 1, 0x9e3779b1));
  words.setUint32(4, index);
  return digest;
}
