/** All audits of a world together: it hears what is sent and answered, and every record when it is told of first. */
import type { EpochMs } from '#units/money.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedGroup, CommittedRecord, UnrecordedRefusal } from '#writer/port/submit.ts';
import { Books } from './audit/books.ts';
import { auditChain } from './audit/chain.ts';
import type { KeyPromise } from './audit/durability.ts';
import { DurabilityAudit } from './audit/durability.ts';
import { RerunAudit } from './audit/rerun.ts';
import { TimeAudit } from './audit/time.ts';
import { mapJournal } from './journal-map.ts';
import type { Request } from './request.ts';

export class Auditor {
  readonly durability: DurabilityAudit;
  readonly #books = new Books();
  readonly #time = new TimeAudit();
  readonly #rerun: RerunAudit;
  #lastEpochMs = 0;
  #isStarting = false;

  constructor(rules: StateMachineRules, promise: KeyPromise) {
    this.durability = new DurabilityAudit(promise);
    this.#rerun = new RerunAudit(rules);
  }

  /** A life of the venue begins; it tells of the records after `sequence` again. */
  begin(sequence: number, wallEpochMs: EpochMs, steadyMs: number): void {
    this.durability.begin(sequence);
    this.#time.begin(this.#lastEpochMs, wallEpochMs, steadyMs);
    this.#isStarting = true;
  }

  /** Those who follow hear of a group. Answers the records that are new. */
  told(group: CommittedGroup, steadyMs: number): readonly CommittedRecord[] {
    const fresh = this.durability.told(group);
    for (const record of fresh) {
      // What a start finds was made by the life before it, on that life's clock.
      if (!this.#isStarting) this.#time.check(record.sequence, record.epochMs, steadyMs);
      this.#lastEpochMs = record.epochMs;
      this.#books.take(record);
      this.#rerun.take(record);
    }
    return fresh;
  }

  /** A delivery was refused, and nothing of it is in the journal. */
  refused(request: Request, refusal: UnrecordedRefusal): void {
    this.durability.refused(request, refusal);
    this.#rerun.refused(refusal);
  }

  /** The venue has started: its state is what its records come to, and so is the journal on its disk. */
  recovered(
    place: { readonly sequence: number; readonly chainDigest: string },
    state: StateMachine,
    contents: ReadonlyMap<string, Uint8Array>,
    wallEpochMs: EpochMs,
    steadyMs: number,
  ): void {
    this.#isStarting = false;
    this.#time.begin(this.#lastEpochMs, wallEpochMs, steadyMs);
    this.durability.recovered(place.sequence, place.chainDigest);
    this.#rerun.compare(state);
    auditChain(mapJournal(contents), place.sequence, (sequence) => this.durability.digestAt(sequence));
  }
}
