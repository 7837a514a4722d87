/**
 * The read side: folds the journal's committed groups into SQLite and serves reads as of the last group. The file is always complete up to a
 * checkpoint. Folding a group again changes nothing.
 */
import type { Reads } from '#reads/reads.ts';
import type { Clock } from '#time/clock.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { StateAudit } from '#venue/audit/state-audit.ts';
import type { CommittedGroup, CommittedRecord } from '#writer/port/submit.ts';
import { foldCashMovements } from './cash-movements.ts';
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

export { VenueAgentDirectory } from './agent-directory.ts';
export { inspectProjection } from './checkpoint.ts';
export { AGENT_COMMANDS, DIRECTORY_COMMANDS, OWNER_COMMANDS, SETTLEMENT_COMMANDS } from './command-effects.ts';
export { discardProjection, ProjectionUnusable, quarantineProjection, replaceProjection } from './database-file.ts';
export { type DirectoryState, VenueDirectory } from './directory.ts';
export { isDamage, isDiskFault } from './disk-fault.ts';
export { LiveModel } from './live-model.ts';
export { gathered, type LivePiece, type LivePieces, type LiveRows, type LiveRowsHead } from './live-rows.ts';
export { VenueOwnerDirectory } from './owner-directory.ts';

export interface Projection {
  /** The newest folded sequence; 0 for an empty projection. A reopened file has the state of the last {@link save}. */
  readonly sequence: Sequence;
  /** The journal's chain digest at `sequence`. If the journal's differs, call `discardProjection` and fold from the start. */
  readonly chainDigest: string;
  /**
   * Folds the part of the groups that is not folded yet, all or nothing. Reads see it at once. Throws {@link ProjectionGap} if records before
   * it are missing, {@link ProjectionForked} if a group ends at the checkpoint with another digest, and an error if an event does not fit.
   */
  follow(...groups: readonly CommittedGroup[]): void;
  /** False if SQLite has rolled back folded groups, as it may do in a read on a full disk. Nothing more can be folded then. */
  readonly isWhole: boolean;
  /** Returns to the state of the last {@link save}. Later groups must be folded again. */
  rollBack(): void;
  /** Commits the folded groups to the file. Call it now and then: uncommitted groups are folded again from the journal after a restart. */
  save(): void;
  /**
   * Call when the past of the journal is folded and groups arrive as they are committed. From then on staleness is judged by the journal's
   * time, before by that of the newest record. `lagMs` returns the age of the folded state if groups and reads are queued.
   */
  live(journalTime: Clock, lagMs?: () => number): void;
  /** Call when the venue halts. Reads continue and report it. */
  halted(): void;
  readonly reads: Reads;
  /** The audit of the folded state, for comparison with the venue's after the same record. */
  audit(): StateAudit;
  /** The initial state of a {@link VenueDirectory}. */
  directory(): DirectoryState;
  /** The initial state of a {@link LiveModel}, in pieces of at most `rowsInPiece` rows. */
  livePieces(rowsInPiece?: number): LivePieces;
  /** Verifies the next pages of the file. Throws if one is damaged. */
  verifySome(pageCount: number): void;
  /** Commits the folded groups and closes the file. */
  close(): void;
  /** Closes the file in the state of the last {@link save}. */
  abandon(): void;
}

/** Records are missing between the folded state and a group. */
export class ProjectionGap extends Error {
  override readonly name = 'ProjectionGap';
}

/** The projection has the events of another journal. */
export class ProjectionForked extends Error {
  override readonly name = 'ProjectionForked';
}

/**
 * Opens the projection at a path. A damaged file or one of another schema is replaced by an empty one (sequence 0), and `report` gets a line.
 * If `mayReplace` is false, throws {@link ProjectionUnusable} instead.
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
    save: () => store.save(),
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

/** Throws {@link ProjectionForked} for a group that ends at the checkpoint with another digest. */
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
  foldCashMovements(store.cashMovements, record);
  return { sequence, epochMs, chainDigest: before.chainDigest, registryDigest };
}
