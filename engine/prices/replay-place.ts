/**
 * Saves the position of a replay, so that it continues after a restart and the index does not jump. Stored in a small file beside
 * the journal; without it a replay only starts over.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { setAsideUnlessFile } from '#writer/journal/set-aside.ts';
import { unfinishedName } from '#writer/journal/whole-file.ts';

export interface ReplayPlace {
  /** Identifies the replay: another choice of files starts at its own start. */
  readonly prices: string;
  readonly placeEpochMs: number;
}

/** The saved position for this choice of prices, or why an existing file has none. */
export type KeptPlace = { readonly placeEpochMs: number | undefined } | { readonly problem: string };

const MISSING = { placeEpochMs: undefined };

/** Reads the saved position for this choice of prices, if any. Sets aside an unreadable entry that is not a file. */
export function readReplayPlace(path: string, prices: string): KeptPlace {
  try {
    const { sum, ...kept } = JSON.parse(readFileSync(path, 'utf8')) as ReplayPlace & { sum?: number };
    if (sum !== sumOf(kept)) return { problem: 'is damaged' };
    return kept.prices === prices ? { placeEpochMs: kept.placeEpochMs } : MISSING;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return MISSING;
    return { problem: setAsideUnlessFile(path) ?? (code === undefined ? 'is damaged' : `cannot be read (${code})`) };
  }
}

/** Sets aside an entry in the file's place that is not a file, and logs that. */
export function writeReplayPlace(path: string, place: ReplayPlace, log: (line: string) => void): void {
  const unfinished = unfinishedName(path);
  writeFileSync(unfinished, `${JSON.stringify({ ...place, sum: sumOf(place) })}\n`);
  const aside = setAsideUnlessFile(path);
  if (aside !== undefined) log(`${basename(path)} ${aside}`);
  renameSync(unfinished, path);
}

/** The argument may be anything if it comes from the file. */
function sumOf({ prices, placeEpochMs }: ReplayPlace): number {
  return crc32(`${placeEpochMs} ${prices}`);
}
