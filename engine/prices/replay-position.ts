/**
 * Saves the position of a replay, so that it continues after a restart and the index does not jump. Stored in a small file beside
 * the journal; without it a replay only starts over.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { unfinishedName } from '#writer/journal/atomic-file.ts';
import { quarantineUnlessFile } from '#writer/journal/quarantine.ts';

export interface ReplayPosition {
  /** Identifies the replay: another choice of files starts at its own start. */
  readonly prices: string;
  readonly placeEpochMs: number;
}

/** The saved position for this choice of prices, or why an existing file does not contain one. */
export type SavedReplayPosition = { readonly placeEpochMs: number | undefined } | { readonly problem: string };

const MISSING = { placeEpochMs: undefined };

/** Reads the saved position for this choice of prices, if any. Sets aside an unreadable entry that is not a file. */
export function readReplayPosition(path: string, prices: string): SavedReplayPosition {
  try {
    const { sum, ...saved } = JSON.parse(readFileSync(path, 'utf8')) as ReplayPosition & { sum?: number };
    if (sum !== sumOf(saved)) return { problem: 'is damaged' };
    return saved.prices === prices ? { placeEpochMs: saved.placeEpochMs } : MISSING;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return MISSING;
    return { problem: quarantineUnlessFile(path) ?? (code === undefined ? 'is damaged' : `cannot be read (${code})`) };
  }
}

/** Sets aside an entry in the file's place that is not a file, and logs that. */
export function writeReplayPosition(path: string, position: ReplayPosition, log: (line: string) => void): void {
  const unfinished = unfinishedName(path);
  writeFileSync(unfinished, `${JSON.stringify({ ...position, sum: sumOf(position) })}\n`);
  const aside = quarantineUnlessFile(path);
  if (aside !== undefined) log(`${basename(path)} ${aside}`);
  renameSync(unfinished, path);
}

/** The argument may be anything if it comes from the file. */
function sumOf({ prices, placeEpochMs }: ReplayPosition): number {
  return crc32(`${placeEpochMs} ${prices}`);
}
