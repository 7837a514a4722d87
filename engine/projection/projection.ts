/**
 * The read side: follows the journal's committed groups, folds them into SQLite, and answers reads as of the last one.
 * What is kept of it in the file is always whole, up to a checkpoint; a group that was folded before changes nothing.
 */
import type { Reads } from '#reads/reads.ts';
import type { Clock } from '#time/clock.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { StateAudit } from '#venue/audit/state-audit.ts';
import type { CommittedGroup, CommittedRecord } from '#writer/port/submit.ts';
import type { Checkpoint } from './checkpoint.ts';
import { foldNetDeposits } from './conservation.ts';
import type { DirectoryState } from './directory.ts';
import { foldEvent } from './fold.ts';
import { FreshnessGauge } from './freshness.ts';
import { type LivePieces, livePiecesOf } from './live-rows.ts';
import { nextRegistryDigest } from './read-model-digest.ts';
import { directoryOf, readsOf } from './reads.ts';
import type { ProjectionStore } from './store.ts';
import { openStore } from './store.ts';
import { auditOf } from './store-audit.ts';

export { lookAtProjection } from './checkpoint.ts';
export { DIRECTORY_COMMANDS } from './command-effects.ts';
export { discardProjection, ProjectionUnusable, replaceProjection, setProjectionAside } from './database-file.ts';
export { type DirectoryState, VenueDirectory } from './directory.ts';
export { isDamage, isDiskFault } from './disk-fault.ts';
export { LiveModel } from './live-model.ts';
export { gathered, type LivePiece, type LivePieces, type LivePlace, type LiveRows } from './live-rows.ts';

export interface Projection {
  /** The newest sequence that is folded; 0 for an empty projection. A file that is opened again is as it was kept last. */
  readonly sequence: Sequence;
  /** The journal's chain digest there. Where the journal has another, `discardProjection` and begin at its start. */
  readonly chainDigest: string;
  /**
   * Folds groups, all or none, or the part of them that is not folded yet. Reads see them at once. Throws {@link ProjectionGap} where records are missing before it, and
   * {@link ProjectionForked} where it ends at the checkpoint with another digest; then, or where an event does not fit, nothing of it is folded.
   */
  follow(...groups: readonly CommittedGroup[]): void;
  /** False where SQLite has lost what was folded, as it does in a read that finds no room on the disk: nothing more can be folded. */
  readonly isWhole: boolean;
  /** Goes back to what was kept last: what was folded since is to be folded again. */
  rollBack(): void;
  /** Keeps in the file what is folded. To be called now and then: what is not kept is folded again from the journal. */
  keep(): void;
  /**
   * The journal's past has been fed: groups come as they are committed from now on. What may grow stale while none comes
   * is judged by the journal's time from then on, and by the newest record's before. `lagMs` says how old what is folded is where
   * groups and questions wait for their turn; none does where they are told and asked in place.
   */
  live(journalTime: Clock, lagMs?: () => number): void;
  /** The venue takes no commands any more; reads go on and say so. */
  halted(): void;
  readonly reads: Reads;
  /** Of what is folded, to be held against that of the venue after the same record. */
  audit(): StateAudit;
  /** Of what is folded, what a {@link VenueDirectory} goes on from. */
  directory(): DirectoryState;
  /** Of what is folded, what a {@link LiveModel} goes on from, in pieces of so many rows at most. */
  livePieces(rowsInPiece?: number): LivePieces;
  /** Holds some pages of the file against their sums, each time the next ones. Throws where one is not as it was written. */
  verifySome(pageCount: number): void;
  /** Keeps what is folded. */
  close(): void;
  /** Closes it as it was kept last. */
  abandon(): void;
}

/** Records are missing between what is folded and a group. */
export class ProjectionGap extends Error {
  override readonly name = 'ProjectionGap';
}

/** The projection holds the events of another journal. */
export class ProjectionForked extends Error {
  override readonly name = 'ProjectionForked';
}

/**
 * Opens the projection at a path. One that is damaged or of another schema begins again, at sequence 0, and `report` takes a line; where it `mayReplace`
 * none, {@link ProjectionUnusable} is thrown.
 */
export function openProjection(path: string, report?: (line: string) => void, mayReplace?: boolean): Projection {
  const store = openStore(path, report, undefined, mayReplace);
  const freshness = new FreshnessGauge();
  let time: Clock | undefined;
  const now = () => Math.max(store.checkpoint.epochMs, time?.now() ?? 0) as EpochMs;
  return {
    get sequence() {
      return store.checkpoint.sequence;
    },
    get chainDigest() {
      return store.checkpoint.chainDigest;
    },
    get isWhole() {
      return store.isWhole;
    },
    follow: (...groups) => foldGroups(store, groups),
    rollBack: () => store.rollBack(),
    keep: () => store.keep(),
    live: (journalTime, lagMs = () => 0) => {
      time = journalTime;
      freshness.live(lagMs);
    },
    halted: () => freshness.halted(),
    reads: readsOf(store, freshness, now),
    audit: () => auditOf(store),
    directory: () => directoryOf(store),
    livePieces: (rowsInPiece) => livePiecesOf(store, rowsInPiece),
    verifySome: (pageCount) => store.verifySome(pageCount),
    close: () => store.close(),
    abandon: () => store.abandon(),
  };
}

function foldGroups(store: ProjectionStore, groups: readonly CommittedGroup[]): void {
  const news = groups.filter((group) => hasNews(group, store.checkpoint));
  if (news.length > 0) store.fold(() => news.reduce((before, group) => foldGroup(store, before, group), store.checkpoint));
}

/** Throws {@link ProjectionForked} for a group that ends where the projection does, and is not the one that was folded. */
function hasNews({ records, chainDigest }: CommittedGroup, checkpoint: Checkpoint): boolean {
  const last = records.at(-1);
  if (last?.sequence === checkpoint.sequence && chainDigest !== checkpoint.chainDigest)
    throw new ProjectionForked(
      `the journal's chain digest at ${last.sequence} is ${chainDigest}, the projection's ${checkpoint.chainDigest}`,
    );
  return last !== undefined && last.sequence > checkpoint.sequence;
}

function foldGroup(store: ProjectionStore, checkpoint: Checkpoint, { records, chainDigest }: CommittedGroup): Checkpoint {
  const news = records.filter((record) => record.sequence > checkpoint.sequence);
  return { ...news.reduce((before, record) => foldRecord(store, before, record), checkpoint), chainDigest };
}

function foldRecord(store: ProjectionStore, before: Checkpoint, record: CommittedRecord): Checkpoint {
  const { sequence, epochMs } = record;
  if (sequence !== before.sequence + 1) throw new ProjectionGap(`record ${sequence} follows ${before.sequence}`);
  if (epochMs < before.epochMs) throw new Error(`the time of record ${sequence} lies before that of the one before it`);
  let { registryDigest } = before;
  for (const event of record.events) {
    foldEvent(store, event, record);
    registryDigest = nextRegistryDigest(registryDigest, event, record);
  }
  foldNetDeposits(store, record);
  return { sequence, epochMs, chainDigest: before.chainDigest, registryDigest };
}
