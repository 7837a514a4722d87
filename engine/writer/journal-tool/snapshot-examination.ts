/** Checks whether the saved states are intact and were taken from the journal beside them. */
import type { Sequence } from '#units/ids.ts';
import type { ChainPosition, ScannedGroup } from '#writer/journal/chain-walk.ts';
import type { ReadableFiles } from '#writer/journal/files.ts';
import { sha256 } from '#writer/journal/group.ts';
import { readBoundary } from '#writer/recovery/rules-boundary.ts';
import { listSnapshots } from '#writer/snapshot/snapshot-store.ts';
import type { JournalGap } from './journal-gap.ts';
import { readSavedState } from './saved-states.ts';

export interface SnapshotFinding {
  readonly name: string;
  readonly sequence: number;
  /** The rules that made it, if readable. */
  readonly rulesVersion: number | undefined;
  /**
   * `foreign`: it was not taken from this journal. `ahead`: it contains records that the journal lacks. `not_verified`: its place
   * is in a missing part of the journal.
   */
  readonly state: 'sound' | 'damaged' | 'foreign' | 'ahead' | 'not_verified';
}

/** A snapshot without its state, which may be large. */
interface SnapshotContents {
  readonly name: string;
  readonly sequence: number;
  readonly isBoundary: boolean;
  readonly known:
    | { readonly rulesVersion: number; readonly chainDigest: Uint8Array; readonly stateDigest: Uint8Array }
    | undefined;
  isFound: boolean;
}

export class SnapshotExamination {
  readonly #examined: readonly SnapshotContents[];

  constructor(examined: readonly SnapshotContents[]) {
    this.#examined = examined;
  }

  /** The next groups follow this place: a snapshot may have been taken exactly there. */
  begin({ sequence, digest }: ChainPosition): void {
    for (const snapshot of this.#examined) {
      const { known, isBoundary } = snapshot;
      if (isBoundary || known === undefined || snapshot.sequence !== sequence) continue;
      if (Buffer.compare(known.chainDigest, digest) === 0) snapshot.isFound = true;
    }
  }

  take(group: ScannedGroup): void {
    for (const snapshot of this.#examined) if (isCreatedAfter(snapshot, group)) snapshot.isFound = true;
  }

  /** Call it after all available groups up to `upTo` were taken. */
  findings(gaps: readonly JournalGap[], upTo: Sequence): readonly SnapshotFinding[] {
    return this.#examined.map((examined) => {
      const { name, sequence, known } = examined;
      return { name, sequence, rulesVersion: known?.rulesVersion, state: stateOf(examined, gaps, upTo) };
    });
  }
}

function stateOf(examined: SnapshotContents, gaps: readonly JournalGap[], upTo: Sequence): SnapshotFinding['state'] {
  if (examined.known === undefined) return 'damaged';
  if (examined.isFound) return 'sound';
  if (gaps.some((gap) => isOf(gap, examined))) return 'not_verified';
  return examined.sequence > upTo ? 'ahead' : 'foreign';
}

/** The note of a boundary's state follows the record of that number. */
function isOf({ firstSequence, lastSequence }: JournalGap, { sequence, isBoundary }: SnapshotContents): boolean {
  return sequence >= firstSequence - (isBoundary ? 1 : 0) && sequence <= lastSequence;
}

export async function examineSnapshots(files: ReadableFiles): Promise<SnapshotExamination> {
  const examined: SnapshotContents[] = [];
  for (const file of await listSnapshots(files)) {
    const snapshot = await readSavedState(files, file);
    if (snapshot === 'dropped') continue;
    const known =
      snapshot === 'damaged'
        ? undefined
        : {
            rulesVersion: snapshot.rulesVersion,
            // A copy: the view would keep the whole file in memory.
            chainDigest: new Uint8Array(snapshot.chainDigest),
            stateDigest: sha256(snapshot.state),
          };
    examined.push({ ...file, known, isFound: false });
  }
  return new SnapshotExamination(examined);
}

function isCreatedAfter({ sequence, isBoundary, known }: SnapshotContents, group: ScannedGroup): boolean {
  if (known === undefined || sequence !== group.lastSequence) return false;
  if (Buffer.compare(known.chainDigest, group.digest) !== 0) return false;
  return (
    !isBoundary || (group.header.recordCount === 0 && Buffer.compare(readBoundary(group).newStateDigest, known.stateDigest) === 0)
  );
}
