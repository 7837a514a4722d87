/**
 * Remembers how far a replay has come, so that a venue that starts again goes on there and its index does not jump.
 * The place is kept in a small file beside the journal; it is about convenience, and without it a replay begins anew.
 */
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { setAside } from '#writer/set-aside.ts';

export interface ReplayPlace {
  /** Which replay it is the place of: another choice of files begins at its own beginning. */
  readonly prices: string;
  readonly placeEpochMs: number;
}

/** The place that the file holds for this choice of prices, or why there is none although there is a file. */
export type KeptPlace = { readonly placeEpochMs: number | undefined } | { readonly problem: string };

const MISSING = { placeEpochMs: undefined };

/** The place kept for this choice of prices, if there is one. */
export function readReplayPlace(path: string, prices: string): KeptPlace {
  try {
    const { sum, ...kept } = JSON.parse(readFileSync(path, 'utf8')) as ReplayPlace & { sum?: number };
    if (sum !== sumOf(kept)) return { problem: 'is damaged' };
    return kept.prices === prices ? { placeEpochMs: kept.placeEpochMs } : MISSING;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') return MISSING;
    return { problem: code === undefined ? 'is damaged' : `cannot be read (${code})` };
  }
}

/** A directory in the file's place is moved to a free name beside it. */
export function writeReplayPlace(path: string, place: ReplayPlace): void {
  writeFileSync(`${path}.new`, `${JSON.stringify({ ...place, sum: sumOf(place) })}\n`);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) setAside(path);
  renameSync(`${path}.new`, path);
}

/** Of an object that may be anything, where it comes from the file. */
function sumOf({ prices, placeEpochMs }: ReplayPlace): number {
  return crc32(`${placeEpochMs} ${prices}`);
}
