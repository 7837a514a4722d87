/**
 * Recovers the journal and the projection that follows it. An unusable projection is rebuilt from the first record, or left
 * unchanged if the journal does not reach back that far. Missing records are always an error.
 */
import { join } from 'node:path';
import {
  AGENT_COMMANDS,
  discardProjection,
  isDamage,
  OWNER_COMMANDS,
  ProjectionUnusable,
  quarantineProjection,
  VenueAgentDirectory,
  VenueOwnerDirectory,
} from '#projection/projection.ts';
import type { AgentDirectory } from '#reads/agent-directory.ts';
import type { OpenOrders, PreviewOrder } from '#reads/open-orders.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import type { Time } from '#time/time.ts';
import { auditDifferences } from '#venue/audit/state-audit.ts';
import type { Venue, VenueCounts } from '#venue/venue.ts';
import { type LockedDirectory, lockDirectory } from '#writer/journal/directory-lock.ts';
import type { Files } from '#writer/journal/files.ts';
import { nodeFiles, readableNodeFiles } from '#writer/journal/node-files.ts';
import type { OnRead } from '#writer/journal/read-progress.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import type { Halt } from '#writer/port/halt.ts';
import type { FindOutcome, GroupListener, Submit, UnrecordedRefusal } from '#writer/port/submit.ts';
import { readOlderInThread } from '#writer/recovery/older-segments-in-thread.ts';
import { FollowerJournalMismatch, refuseOtherVersions } from '#writer/recovery/recovery.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { snapshotInThread } from '#writer/snapshot/snapshot-in-thread.ts';
import { listSnapshots } from '#writer/snapshot/snapshot-store.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import { BootstrapCollector, type BootstrapSnapshot } from './bootstrap.ts';
import { refuseDamaged } from './journal-catch-up.ts';
import { openOrdersIn } from './open-orders.ts';
import { ProjectionContradiction, ProjectionInThread } from './projection-in-thread.ts';
import { quarantineOthers } from './quarantine-others.ts';
import { StartFault } from './start-fault.ts';
import { logProgress } from './start-progress.ts';
import { CollectionPace } from './v8-flags.ts';

export interface Ledger {
  readonly writer: Writer;
  /** The writer's, which refuses new commands while the projection is too far behind. */
  readonly submit: Submit;
  readonly findOutcome: FindOutcome;
  /** Previews an order without submitting a command. */
  readonly previewOrder: PreviewOrder;
  readonly openOrders: OpenOrders;
  /** As of the newest command, durable or not. */
  readonly counts: () => VenueCounts;
  readonly projection: ProjectionInThread;
  readonly owners: OwnerDirectory;
  readonly agents: AgentDirectory;
  /** A folder in the locked data directory for a store of its own. */
  readonly filesIn: (folder: string) => Promise<Files>;
  /** Adds a subscriber to all later groups, called after the projection. */
  readonly addListener: (follow: GroupListener) => void;
  /** The initial state for a subscriber with its own model, which must be added synchronously. Can be taken once. */
  readonly takeBootstrap: () => BootstrapSnapshot | undefined;
}

export interface LedgerOptions extends Time {
  readonly dataDirectory: string;
  readonly onHalt: (halt: Halt) => void;
  /** Receives log lines for people. */
  readonly log: (line: string) => void;
  /** Called for every durable group with its number of records and how long the disk took. */
  readonly onCommitted?: (records: number, elapsedMs: number) => void;
  /** Called with every refusal that is not in the journal, after its response. */
  readonly onUnrecorded?: (refusal: UnrecordedRefusal) => void;
  /** Segments of the journal older than this are archived; never if undefined. */
  readonly archiveAfterMs?: number | undefined;
  /** Wraps the journal's files, so that a test can make the disk fail. */
  readonly flushToDisk?: ((files: Files) => Files) | undefined;
  /** The length of a new segment of the journal. Tests start many venues, and a segment is written in full when it is made. */
  readonly segmentBytes?: number | undefined;
}

/** The journal's folder in the data directory. */
export const JOURNAL_FOLDER = 'journal';
/** The projection's file. */
export const PROJECTION_FILE = 'projection.sqlite';
/** The folder of the replay log. */
export const REPLAY_FOLDER = 'replay';

/** Locks the data directory and recovers its content. */
export async function openLedger(options: LedgerOptions, resources: AsyncDisposableStack): Promise<Ledger> {
  const directory = lockDirectory(options.dataDirectory, options.log);
  resources.defer(() => directory.release());
  quarantineOthers(join(directory.path, JOURNAL_FOLDER), options.log);
  try {
    return await recoverLedger(options, directory, false, resources);
  } catch (error) {
    if (!isOfProjection(error)) throw error;
    await discardIfReplaceable(directory, error, options);
  }
  try {
    return await recoverLedger(options, directory, true, resources);
  } catch (error) {
    if (!(error instanceof ProjectionContradiction)) throw error;
    throw new StartFault(
      `the projection contradicts the journal even when it is folded from the first record: ${error.message}. This is a bug of this version: ` +
        'nothing is lost, but keep the data directory, report it, and start an earlier version',
      { cause: error },
    );
  }
}

/** Whether the projection is unusable and rebuilding it from the first record helps. */
function isOfProjection(error: unknown): error is Error {
  return (
    isUnusable(error) || error instanceof FollowerJournalMismatch || error instanceof ProjectionContradiction || isDamage(error)
  );
}

/** The error as a thread reports it. */
function isUnusable(error: unknown): boolean {
  return error instanceof Error && error.name === ProjectionUnusable.name;
}

/**
 * Discards the projection's file. Throws {@link StartFault} and leaves the file unchanged if the journal cannot rebuild it. A
 * file that cannot be opened is left to the next opening.
 */
async function discardIfReplaceable(
  directory: LockedDirectory,
  error: Error,
  { log, steadyClock }: Pick<LedgerOptions, 'log' | 'steadyClock'>,
): Promise<void> {
  const contradicts = `${PROJECTION_FILE} contradicts the journal`;
  const onRead = logProgress('verified before the projection is folded again', steadyClock, log);
  const cause = await unfoldable(directory, onRead);
  if (cause !== undefined) {
    const problem = isUnusable(error) ? error.message : `${contradicts} (${error.message})`;
    throw new StartFault(`${problem}, and it cannot be folded again: ${cause.message}. The file was left as it is`, { cause });
  }
  if (isUnusable(error)) return;
  const aside = clearProjection(join(directory.path, PROJECTION_FILE), error);
  log(`projection: ${contradicts} and is folded again from it${aside}: ${error.message}`);
}

/** Sets aside a projection of another journal, which this one cannot rebuild; discards any other. Returns a note for people. */
function clearProjection(path: string, fault: Error): string {
  const asides = fault instanceof FollowerJournalMismatch ? [quarantineProjection(path)] : discardProjection(path);
  return asides.length === 0 ? '' : ` (what was there is in ${asides.join(' and ')})`;
}

/** Why a projection cannot be folded from the first record to the last; `undefined` if it can. */
async function unfoldable({ path }: LockedDirectory, onRead: OnRead): Promise<Error | undefined> {
  const journal = readableNodeFiles(join(path, JOURNAL_FOLDER));
  try {
    const hasRecord = await refuseDamaged(journal, onRead);
    const isLost = !hasRecord && (await listSnapshots(journal)).length > 0;
    return isLost ? new Error('the journal has no record') : undefined;
  } catch (cause) {
    return cause as Error;
  }
}

async function recoverLedger(
  options: LedgerOptions,
  directory: LockedDirectory,
  mayReplace: boolean,
  resources: AsyncDisposableStack,
): Promise<Ledger> {
  const { clock, steadyClock, timers, onHalt, log, onCommitted, onUnrecorded, archiveAfterMs, flushToDisk, segmentBytes } =
    options;
  const files = await nodeFiles(directory, JOURNAL_FOLDER);
  const collections = new CollectionPace();
  // Before the projection is opened: one of another version would be discarded, but is needed to return to that version.
  await refuseOtherVersions(files, venueRules);
  const projection = await ProjectionInThread.open({
    path: join(directory.path, PROJECTION_FILE),
    mayReplace,
    journal: join(directory.path, JOURNAL_FOLDER),
    clock,
    timers,
    log,
  });
  const bootstrap = new BootstrapCollector(projection);
  const followers: GroupListener[] = [(group) => projection.follow(group), (group) => bootstrap.follow(group)];
  let writer: Writer<Venue> | undefined;
  let owners: VenueOwnerDirectory;
  let agents: VenueAgentDirectory;
  try {
    writer = await openWriter({
      files: flushToDisk?.(files) ?? files,
      // The other threads do not use the wrapped files.
      ...(flushToDisk === undefined && {
        readOlder: readOlderInThread(directory.path, JOURNAL_FOLDER),
        createSnapshot: snapshotInThread(directory.path, JOURNAL_FOLDER),
      }),
      clock,
      steadyClock,
      timers,
      rules: venueRules,
      onRead: logProgress('read', steadyClock, log),
      follow: (group) => {
        for (const follow of followers) follow(group);
      },
      followFrom: projection,
      mayTakeMore: () => !projection.isBehind,
      onHalt: (halt) => {
        projection.halted();
        onHalt(halt);
      },
      onCommitted: (records, elapsedMs) => {
        collections.committed(records, steadyClock.elapsedMs());
        onCommitted?.(records, elapsedMs);
      },
      ...(onUnrecorded !== undefined && { onUnrecorded }),
      ...(segmentBytes !== undefined && { limits: { segmentBytes } }),
      archiveAfterMs,
      onArchiveFailure: (cause) => log(`journal: older segments cannot be archived and stay where they are: ${String(cause)}`),
      onSnapshotFailure: (cause) =>
        log(`journal: a snapshot cannot be saved, the next start runs more commands again: ${String(cause)}`),
    });
    const { stopFollowing, time, recovered } = writer;
    for (const name of recovered.damagedSnapshots)
      log(`journal: ${name} is damaged and skipped: ${recovered.rerunCount} commands are run again`);
    owners = writer.peek(({ state }) => new VenueOwnerDirectory(state, recovered.sequence));
    agents = writer.peek(({ state }) => new VenueAgentDirectory(state, recovered.sequence));
    followers.push(({ stored }) => agents.follow(lastSequenceOf(stored!), recordsOfCommands(stored!, AGENT_COMMANDS)));
    followers.push(({ stored }) => owners.follow(lastSequenceOf(stored!), recordsOfCommands(stored!, OWNER_COMMANDS)));
    await projection.live(time, stopFollowing);
    await refuseContradiction(writer, projection);
  } catch (error) {
    bootstrap.close();
    await writer?.close().catch((failure) => log(`journal: it could not be closed again: ${String(failure)}`));
    await projection.close().catch((failure) => log(`projection: it could not be closed again: ${String(failure)}`));
    throw error;
  }
  const { readAtCommit, peek } = writer;
  resources.defer(() => bootstrap.close());
  resources.defer(() => projection.close());
  resources.defer(() => writer.close());
  const previewOrder: PreviewOrder = (command) => readAtCommit((venue, now) => venue.preview(command, now));
  return {
    writer,
    submit: writer.submit,
    findOutcome: writer.findOutcome,
    previewOrder,
    openOrders: openOrdersIn(writer),
    counts: () => peek((venue) => venue.counts()),
    projection,
    owners,
    agents,
    filesIn: (folder) => nodeFiles(directory, folder),
    addListener: (follow) => followers.push(follow),
    takeBootstrap: () => bootstrap.collect(),
  };
}

/**
 * Compares the projection with the state that the writer restored, before the first command, when both are of the same record.
 * Throws {@link ProjectionContradiction}.
 */
async function refuseContradiction(writer: Writer<Venue>, projection: ProjectionInThread): Promise<void> {
  const shown = projection.audit();
  const venueAudit = writer.peek((venue) => venue.audit());
  const differences = auditDifferences(venueAudit, await shown);
  if (differences.length > 0) throw new ProjectionContradiction(differences.join('; '));
}
