/**
 * All audits of a world: the auditor of the venue's decisions, and the checks that need a world: the journal, responses after
 * restarts, the clock, and that the same commands result in the same events.
 */

import { Auditor } from '#simulation/auditor/auditor.ts';
import { mapJournal } from '#simulation/world/journal-map.ts';
import type { Request } from '#simulation/world/request.ts';
import type { EpochMs } from '#units/money.ts';
import { UNSTORED_REFUSALS } from '#venue/refusal.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedGroup, CommittedRecord, UnrecordedRefusal } from '#writer/port/submit.ts';
import { auditChain } from './chain.ts';
import { demand } from './demand.ts';
import type { KeyExpectation } from './durability.ts';
import { DurabilityAudit } from './durability.ts';
import { RerunAudit } from './rerun.ts';
import { TimeAudit } from './time.ts';

export class WorldAudit {
  readonly durability: DurabilityAudit;
  readonly #auditor = new Auditor();
  readonly #time = new TimeAudit();
  readonly #rerun: RerunAudit;
  #lastEpochMs = 0;
  #isStarting = false;

  constructor(rules: StateMachineRules, promise: KeyExpectation) {
    this.durability = new DurabilityAudit(promise);
    this.#rerun = new RerunAudit(rules);
  }

  /** A life of the venue begins; it publishes the records after `sequence` again. */
  begin(sequence: number, wallEpochMs: EpochMs, steadyMs: number): void {
    this.durability.begin(sequence);
    this.#time.begin(this.#lastEpochMs, wallEpochMs, steadyMs);
    this.#isStarting = true;
  }

  /** Takes a published group. Returns the records that are new. */
  published(group: CommittedGroup, steadyMs: number): readonly CommittedRecord[] {
    const fresh = this.durability.published(group);
    for (const record of fresh) {
      // A start publishes records of the life before, which have times of that life's clock.
      if (!this.#isStarting) this.#time.check(record.sequence, record.epochMs, steadyMs);
      this.#lastEpochMs = record.epochMs;
      checkIsStored(record);
      this.#auditor.take(record);
      this.#rerun.take(record);
    }
    return fresh;
  }

  /** A delivery was refused, and has no record in the journal. */
  refused(request: Request, refusal: UnrecordedRefusal): void {
    this.durability.refused(request, refusal);
    this.#rerun.refused(refusal);
  }

  /** The venue has started: checks its state and the journal on its disk against its records. */
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

/** Checks that a refusal that is not stored is not in the journal. */
function checkIsStored({ sequence, events }: CommittedRecord): void {
  const isUnstored = events.every(
    (event) => (event.type === 'CommandRefused' || event.type === 'EntryRefused') && UNSTORED_REFUSALS.has(event.code),
  );
  demand(!isUnstored, `record ${sequence} is in the journal, and is a refusal that is not stored`);
}
