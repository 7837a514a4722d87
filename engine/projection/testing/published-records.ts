/** A projection that folds hand-made events without a venue, for states that are hard to reach by trading. */
import { onTestFinished } from 'vitest';
import type { Projection } from '#projection/projection.ts';
import { openProjection } from '#projection/projection.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

export class EventFeed {
  readonly projection: Projection;
  sequence = 0 as Sequence;
  /** The time of the newest record. The journal's time is `timeEpochMs` if that is later. */
  now = 1_700_000_000_000 as EpochMs;
  timeEpochMs = 0 as EpochMs;
  /** The time between two records. */
  stepMs = 1;

  constructor(path = ':memory:') {
    this.projection = openProjection(path);
    this.projection.live({ now: () => this.timeEpochMs });
    onTestFinished(() => this.projection.close());
  }

  get reads() {
    return this.projection.reads;
  }

  /** Folds the events of one record. */
  emit(...events: VenueEvent[]): CommittedRecord {
    this.sequence = (this.sequence + 1) as Sequence;
    this.now = (this.now + this.stepMs) as EpochMs;
    const { sequence, now: epochMs } = this;
    const record = { sequence, epochMs, command: {} as CommittedRecord['command'], events };
    this.projection.follow({ records: [record], chainDigest: `chain ${sequence}` });
    return record;
  }
}
