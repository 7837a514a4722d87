/**
 * Starts and ends the lives of the venue. A start finds the files that the last life left, and any damage since. Its power may be
 * cut again. After a start that refuses damage, the damage is repaired.
 */

import { AuditFailed } from '#simulation/auditor/audit-failed.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { Sequence } from '#units/ids.ts';
import { readAnchor } from '#writer/journal/anchor.ts';
import { JournalDamaged } from '#writer/journal/journal-scan.ts';
import type { FollowerPosition } from '#writer/recovery/recovery.ts';
import { demand } from './audit/demand.ts';
import type { WorldAudit } from './audit/world-audit.ts';
import type { BitFlip } from './bit-flips.ts';
import { demandNamed, flipInDurable, flipInSnapshot, flipInTail } from './bit-flips.ts';
import type { WorldDisk } from './disk.ts';
import type { Faults } from './faults.ts';
import { segmentOf } from './journal-map.ts';
import type { RandomSource } from './random-source.ts';
import type { StepLog } from './step-log.ts';
import type { LifeParts } from './venue-life.ts';
import { VenueLife } from './venue-life.ts';

const MAX_ROUNDS = 20_000;

export interface RestartsParts {
  readonly disk: WorldDisk;
  readonly clock: ManualTime;
  readonly audit: WorldAudit;
  readonly faults: Faults;
  readonly random: RandomSource;
  readonly log: StepLog;
  readonly onFailure: (cause: unknown) => void;
  readonly life: Omit<LifeParts, 'files' | 'clock' | 'followFrom'>;
}

export class Restarts {
  readonly #parts: RestartsParts;
  /** The flipped bits that are not repaired yet. */
  #flips: BitFlip[] = [];
  /** A start that failed before its report may have cut the journal's tail. */
  #mayHaveCutTail = false;
  starts = 0;

  constructor(parts: RestartsParts) {
    this.#parts = parts;
  }

  /** Whether the life has ended: its power is off, or it has halted. Fails if a halt has no planted cause. */
  isOver(life: VenueLife): boolean {
    const { disk, log } = this.#parts;
    if (!disk.files.hasPower || life.isOver) return true;
    const { halt } = life;
    if (halt === undefined) return false;
    log.note(`the venue has stopped: ${halt.reason} (${halt.detail})`);
    const isReadDamaged = halt.cause instanceof JournalDamaged && this.#flips.some(({ kind }) => kind === 'durable');
    demand(
      this.#isOfDisk(halt.cause) || isReadDamaged,
      `the venue has stopped, and nothing was wrong: ${halt.reason} (${halt.detail})`,
    );
    return true;
  }

  /** Whether an error comes from a failure of the disk. */
  #isOfDisk(cause: unknown): boolean {
    const { code } = (cause ?? {}) as { code?: unknown };
    return this.#parts.disk.refusals > 0 && (code === 'EIO' || code === 'ENOSPC');
  }

  /** Applies the faults of a running venue other than those of its disk. */
  async disturb(life: VenueLife): Promise<void> {
    const { disk, faults, random, audit, log } = this.#parts;
    if (!disk.files.hasPower || life.isOver) return;
    if (faults.strikes('bit_flip_while_running'))
      this.#flip(flipInDurable(disk.files.contents(), audit.durability.lastSequence, await this.#firstSegment(), random));
    if (faults.strikes('process_kill')) {
      log.note('the process is killed');
      life.isOver = true;
      disk.kill();
    }
  }

  /** Ends a life in one of the possible ways, and starts the next one. */
  async restart(life: VenueLife): Promise<VenueLife> {
    const { disk, clock, random, log } = this.#parts;
    if (disk.files.hasPower && !life.isOver && life.halt === undefined) await this.stop(life);
    life.isOver = true;
    if (disk.files.hasPower && random.chance(0.6)) disk.kill();
    else {
      disk.losePower();
      clock.reboot();
    }
    await settle();
    log.note('the venue is started again');
    return this.start();
  }

  /** Starts the venue on the current files, with as many attempts as necessary. */
  async start(): Promise<VenueLife> {
    const { disk, faults, random, audit } = this.#parts;
    if (random.chance(0.5)) disk.makeRoom();
    const { contents } = this.#parts.life.plant;
    contents?.((name, position, bit) => disk.files.flipBit(name, position, bit), disk.files.contents());
    const firstSegment = await this.#firstSegment();
    this.#repairArchived(firstSegment);
    const { lastSequence } = audit.durability;
    if (faults.strikes('bit_flip_at_rest')) this.#flip(flipInDurable(disk.files.contents(), lastSequence, firstSegment, random));
    else if (faults.strikes('bit_flip_in_tail')) this.#flip(flipInTail(disk.files.contents(), lastSequence, random));
    if (faults.strikes('bit_flip_in_snapshot')) this.#flip(flipInSnapshot(disk.files.contents(), random));
    for (let round = 0; ; round += 1) {
      demand(round < 50, 'the venue does not start');
      const life = await this.#tryStart();
      if (life !== undefined) return life;
    }
  }

  /** The first segment that every start reads. Earlier ones are archived, or are about to be. */
  async #firstSegment(): Promise<number> {
    return (await readAnchor(this.#parts.disk.files))?.segment ?? 1;
  }

  /** Repairs archived segments: no start reads them, so a start need not report their damage. */
  #repairArchived(firstSegment: number): void {
    const { files } = this.#parts.disk;
    const contents = files.contents();
    const isArchived = ({ kind, name }: BitFlip): boolean => kind === 'durable' && segmentOf(name) < firstSegment;
    for (const { name, position, bit } of this.#flips.filter(isArchived))
      files.flipBit(contents.has(name) ? name : `archive/${name}`, position, bit);
    this.#flips = this.#flips.filter((flip) => !isArchived(flip));
  }

  /** Closes the venue. Its disk may fail even then. */
  async stop(life: VenueLife): Promise<void> {
    const { log } = this.#parts;
    log.note('the venue is stopped');
    await this.#pump(life.close()).catch((cause: unknown) => {
      log.note(`the stop fails: ${String(cause)}`);
      this.isOver(life);
    });
  }

  async #tryStart(): Promise<VenueLife | undefined> {
    const { disk, clock, audit, life, log } = this.#parts;
    const followFrom = this.#followFrom();
    audit.begin(followFrom.sequence, clock.now(), clock.elapsedMs());
    this.starts += 1;
    disk.isStarting = true;
    const { files } = disk;
    try {
      const started = await this.#pump(VenueLife.start({ ...life, files, clock, followFrom }));
      if (!files.hasPower) throw new Error('the power is cut at the end of the start');
      this.#started(started);
      return started;
    } catch (cause) {
      log.note(`the start ends with ${String(cause)}`);
      await this.#afterRefusal(cause);
      return undefined;
    } finally {
      disk.isStarting = false;
    }
  }

  #started(life: VenueLife): void {
    const { disk, clock, audit, log } = this.#parts;
    const { recovered } = life;
    const damaged = this.#flips.find(({ kind }) => kind === 'durable');
    demand(damaged === undefined, `the venue started on a journal in which a bit is flipped: ${JSON.stringify(damaged)}`);
    for (const { kind, name } of this.#flips) {
      if (kind === 'tail')
        demand(
          recovered.tornTail !== undefined || this.#mayHaveCutTail,
          `a bit behind the last group of ${name} is flipped, and the start does not report it`,
        );
      // The venue may have deleted the snapshot since.
      else if (disk.files.contents().has(name))
        demand(recovered.damagedSnapshots.includes(name), `a bit of ${name} is flipped, and the start does not report it`);
    }
    this.#flips = [];
    this.#mayHaveCutTail = false;
    log.note(`the venue has started after record ${recovered.sequence}`);
    audit.recovered(recovered, life.state, disk.files.contents(), clock.now(), clock.elapsedMs());
  }

  /** Repairs what made the start fail. Throws if the failure has no planted cause. */
  async #afterRefusal(cause: unknown): Promise<void> {
    const { disk, clock, random, log } = this.#parts;
    const repairable = this.#flips.filter(({ kind }) => kind !== 'snapshot');
    if (!(cause instanceof JournalDamaged)) this.#mayHaveCutTail = true;
    if (cause instanceof AuditFailed) throw cause;
    if (!disk.files.hasPower) {
      await settle();
      disk.losePower();
      clock.reboot();
    } else if (cause instanceof JournalDamaged && repairable.length > 0) {
      const named = repairable.find(({ name }) => name.endsWith(cause.place.segment)) ?? repairable[0]!;
      if (repairable.length === 1) demandNamed(named, cause);
      for (const { name, position, bit } of repairable) disk.files.flipBit(name, position, bit);
      this.#flips = this.#flips.filter((flip) => !repairable.includes(flip));
      log.note('the damage is repaired');
    } else {
      if (!this.#isOfDisk(cause)) throw cause;
      disk.makeRoom();
      disk.kill();
    }
    if (random.chance(0.3)) disk.makeRoom();
    await settle();
  }

  /** The position of the follower: the last group, the start, or some group. */
  #followFrom(): FollowerPosition {
    const { audit, random } = this.#parts;
    const ends = audit.durability.groupEnds;
    const sequence = ends.length === 0 || random.chance(0.4) ? 0 : random.chance(0.5) ? ends.at(-1)! : random.pick(ends);
    return { sequence: sequence as Sequence, chainDigest: audit.durability.digestAt(sequence) ?? '' };
  }

  #flip(flip: BitFlip | undefined): void {
    if (flip === undefined || this.#flips.some(({ kind }) => kind === flip.kind)) return;
    this.#parts.log.note(`bit ${flip.bit} of byte ${flip.position} of ${flip.name} is flipped`);
    this.#parts.disk.files.flipBit(flip.name, flip.position, flip.bit);
    this.#flips.push(flip);
  }

  /** Lets the disk work until `work` has ended. */
  async #pump<Result>(work: Promise<Result>): Promise<Result> {
    const { disk } = this.#parts;
    let isDone = false;
    const watched = work.finally(() => {
      isDone = true;
    });
    watched.catch(() => undefined);
    for (let round = 0; !isDone; round += 1) {
      demand(round < MAX_ROUNDS, 'the venue neither starts nor ends');
      if (!disk.files.hasPower) disk.release();
      disk.work();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return watched;
  }
}

/** Waits until the pending work of the last life has ended. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
