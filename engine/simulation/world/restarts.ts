/**
 * How lives of the venue begin and end. A start finds what the last life left, with what has happened to it since; it may
 * lose its power again, or be refused for damage, which then is mended.
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
  /** What has turned over and was not mended yet. */
  #flips: BitFlip[] = [];
  /** A start that did not come to where it tells of it may have cut the journal's end off. */
  #mayHaveCutTail = false;
  starts = 0;

  constructor(parts: RestartsParts) {
    this.#parts = parts;
  }

  /** The venue cannot go on: its power is gone, or it has stopped itself, for which there is a reason. */
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

  /** Something failed because the disk did. */
  #isOfDisk(cause: unknown): boolean {
    const { code } = (cause ?? {}) as { code?: unknown };
    return this.#parts.disk.refusals > 0 && (code === 'EIO' || code === 'ENOSPC');
  }

  /** What may happen to a running venue beside what its disk does. */
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

  /** Ends a life, however it can end, and begins the next one. */
  async again(life: VenueLife): Promise<VenueLife> {
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

  /** Starts the venue on what is there, as often as it takes. */
  async start(): Promise<VenueLife> {
    const { disk, faults, random, audit } = this.#parts;
    if (random.chance(0.5)) disk.makeRoom();
    const { contents } = this.#parts.life.plant;
    contents?.((name, position, bit) => disk.files.flipBit(name, position, bit), disk.files.contents());
    const firstSegment = await this.#firstSegment();
    this.#mendWhatWasPutAway(firstSegment);
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

  /** The first segment that every start reads: those before it were put away, or are about to be. */
  async #firstSegment(): Promise<number> {
    return (await readAnchor(this.#parts.disk.files))?.segment ?? 1;
  }

  /** A segment that turned bad and was put away since need not be read: that it is bad need not be seen. */
  #mendWhatWasPutAway(firstSegment: number): void {
    const { files } = this.#parts.disk;
    const contents = files.contents();
    const isUnavailable = ({ kind, name }: BitFlip): boolean => kind === 'durable' && segmentOf(name) < firstSegment;
    for (const { name, position, bit } of this.#flips.filter(isUnavailable))
      files.flipBit(contents.has(name) ? name : `archive/${name}`, position, bit);
    this.#flips = this.#flips.filter((flip) => !isUnavailable(flip));
  }

  /** The venue ends in order; its disk may fail it even then. */
  async stop(life: VenueLife): Promise<void> {
    const { log } = this.#parts;
    log.note('the venue is stopped');
    await this.#pump(life.close()).catch((cause: unknown) => {
      log.note(`it does not end in order: ${String(cause)}`);
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
      if (!files.hasPower) throw new Error('the power went as the venue had started');
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
    demand(damaged === undefined, `the venue started on a journal in which a bit has turned over: ${JSON.stringify(damaged)}`);
    for (const { kind, name } of this.#flips) {
      if (kind === 'tail')
        demand(
          recovered.tornTail !== undefined || this.#mayHaveCutTail,
          `a bit turned over at the end of ${name}, and nobody was told`,
        );
      // The venue may have taken a snapshot away that it does not need.
      else if (disk.files.contents().has(name))
        demand(recovered.damagedSnapshots.includes(name), `a bit turned over in ${name}, and nobody was told`);
    }
    this.#flips = [];
    this.#mayHaveCutTail = false;
    log.note(`the venue has started after record ${recovered.sequence}`);
    audit.recovered(recovered, life.state, disk.files.contents(), clock.now(), clock.elapsedMs());
  }

  /** Sees to it that the next try finds something better; what has no reason is the venue's fault. */
  async #afterRefusal(cause: unknown): Promise<void> {
    const { disk, clock, random, log } = this.#parts;
    const mended = this.#flips.filter(({ kind }) => kind !== 'snapshot');
    if (!(cause instanceof JournalDamaged)) this.#mayHaveCutTail = true;
    if (cause instanceof AuditFailed) throw cause;
    if (!disk.files.hasPower) {
      await settle();
      disk.losePower();
      clock.reboot();
    } else if (cause instanceof JournalDamaged && mended.length > 0) {
      const named = mended.find(({ name }) => name.endsWith(cause.place.segment)) ?? mended[0]!;
      if (mended.length === 1) demandNamed(named, cause);
      for (const { name, position, bit } of mended) disk.files.flipBit(name, position, bit);
      this.#flips = this.#flips.filter((flip) => !mended.includes(flip));
      log.note('somebody mends the damage');
    } else {
      if (!this.#isOfDisk(cause)) throw cause;
      disk.makeRoom();
      disk.kill();
    }
    if (random.chance(0.3)) disk.makeRoom();
    await settle();
  }

  /** Those who follow know everything, nothing yet, or what they were told up to some group. */
  #followFrom(): FollowerPosition {
    const { audit, random } = this.#parts;
    const ends = audit.durability.groupEnds;
    const sequence = ends.length === 0 || random.chance(0.4) ? 0 : random.chance(0.5) ? ends.at(-1)! : random.pick(ends);
    return { sequence: sequence as Sequence, chainDigest: audit.durability.digestAt(sequence) ?? '' };
  }

  #flip(flip: BitFlip | undefined): void {
    if (flip === undefined || this.#flips.some(({ kind }) => kind === flip.kind)) return;
    this.#parts.log.note(`bit ${flip.bit} of byte ${flip.position} of ${flip.name} turns over`);
    this.#parts.disk.files.flipBit(flip.name, flip.position, flip.bit);
    this.#flips.push(flip);
  }

  /** Lets the disk work until something has come to its end. */
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

/** Whatever the last life still has under way comes to its end. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
