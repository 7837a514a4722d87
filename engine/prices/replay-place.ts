/**
 * Remembers how far a replay has come, so that a venue that starts again goes on there and its index does not jump.
 * The place is kept in a small file beside the journal; it is about convenience, and without it a replay begins anew.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { crc32 } from 'node:zlib';
import { setAsideUnlessFile } from '#writer/journal/set-aside.ts';
import { unfinishedName } from '#writer/journal/whole-file.ts';

export interface ReplayPlace {
  /** Which replay it is the place of: another choice of files begins at its own beginning. */
  readonly prices: string;
  readonly placeEpochMs: number;
}

/** The place that the file holds for this choice of prices, or why there is none although there is a file. */
export type KeptPlace = { readonly placeEpochMs: number | undefined } | { readonly problem: string };

const MISSING = { placeEpochMs: undefined };

/** The place kept for this choice of prices, if there is one. What cannot be read and is no file is set aside. */
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

/** What stands in the file's place and is no file is set aside, of which `log` takes a line. */
export function writeReplayPlace(path: string, place: ReplayPlace, log: (line: string) => void): void {
  const unfinished = unfinishedName(path);
  writeFileSync(unfinished, `${JSON.stringify({ ...place, sum: sumOf(place) })}\n`);
  const aside = setAsideUnlessFile(path);
  if (aside !== undefined) log(`${basename(path)} ${aside}`);
  renameSync(unfinished, path);
}

/** Of an object that may be anything, where it comes from the file. */
function sumOf({ prices, placeEpochMs }: ReplayPlace): number {
  return crc32(`${placeEpochMs} ${prices}`);
}
