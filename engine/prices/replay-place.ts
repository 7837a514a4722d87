/**
 * Remembers how far a replay has come, so that a venue that starts again goes on there and its index does not jump.
 * The place is kept in a small file beside the journal; it is about convenience, and without it a replay begins anew.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface ReplayPlace {
  /** Which replay it is the place of: another choice of files begins at its own beginning. */
  readonly prices: string;
  readonly placeEpochMs: number;
}

/** The place kept for this choice of prices, if there is one. */
export function readReplayPlace(path: string, prices: string): number | undefined {
  try {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Partial<ReplayPlace> | null;
    return kept?.prices === prices && Number.isSafeInteger(kept.placeEpochMs) ? kept.placeEpochMs : undefined;
  } catch {
    // No file, or one that was cut short: the replay begins anew, as the banner says.
    return undefined;
  }
}

export function writeReplayPlace(path: string, place: ReplayPlace): void {
  writeFileSync(`${path}.new`, `${JSON.stringify(place)}\n`);
  renameSync(`${path}.new`, path);
}
