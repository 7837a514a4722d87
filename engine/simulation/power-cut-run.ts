/**
 * Cuts the venue's power at a chosen operation, restarts it, possibly with another cut during recovery, and audits it. Every
 * acknowledged record is in the journal, once and unchanged. Every record comes from one submission. The state follows from the
 * journal.
 */
import { isDeepStrictEqual } from 'node:util';
import { systemTime } from '#time/system-time.ts';
import type { EpochMs } from '#units/money.ts';
import type { StateMachine, StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedGroup, CommittedRecord, Outcome, Submission } from '#writer/port/submit.ts';
import type { Writer, WriterLimits } from '#writer/writer.ts';
import { openWriter } from '#writer/writer.ts';
import type { Faults, Random } from './power-cut-files.ts';
import { PowerCutFiles, TEARS } from './power-cut-files.ts';
import { seededRandom } from './seeded-random.ts';
import { eventsOfTurn } from './turn-events.ts';

export interface PowerCutPlan {
  readonly rules: StateMachineRules;
  /** All commands differ, so that a record identifies its submission. */
  readonly submissions: readonly Submission[];
  readonly seed: number;
  /** The operation that the power is cut at. */
  readonly cutAt: number;
  /** In the first life, syncs of segments report success and do nothing. The audit must find this planted fault. */
  readonly syncsLie?: boolean;
}

/** The venue broke a guarantee. */
export class AuditFailed extends Error {
  override readonly name = 'AuditFailed';
}

const SMALL: Partial<WriterLimits> = {
  segmentBytes: 4_096,
  maxGroupRecords: 4,
  recordsPerSnapshot: 8,
  msPerSnapshot: 0,
  maxKeys: 1_000,
  maxKeysPerAccount: 1_000,
};

export interface PowerCutOutcome {
  /** The run was long enough for its cut. */
  readonly wasTruncated: boolean;
  /** Starts that found a torn group and cut it off. */
  readonly tornTails: number;
}

/** Runs the plan through up to three lives of the venue and a final start. Throws {@link AuditFailed}. */
export async function runPowerCut(plan: PowerCutPlan): Promise<PowerCutOutcome> {
  const run = new PowerCutRun(plan);
  const random = seededRandom(plan.seed * 1_000_003 + plan.cutAt);
  const tear = () => TEARS[Math.floor(random() * TEARS.length)]!;

  const first = new PowerCutFiles(run.faultsAt(plan.cutAt, plan.syncsLie));
  await run.live(first, plan.submissions.length * 0.8, random);
  if (first.hasPower) return { wasTruncated: false, tornTails: 0 };
  const second = new PowerCutFiles(run.faultsAt(1 + Math.floor(random() * 60)), first.afterPowerCut(tear(), random));
  await run.live(second, plan.submissions.length, random);
  const third = new PowerCutFiles(undefined, second.hasPower ? second.contents() : second.afterPowerCut(tear(), random));
  await run.live(third, plan.submissions.length, random);
  await run.live(new PowerCutFiles(undefined, third.contents()), 0, random);
  return { wasTruncated: true, tornTails: run.tornTails };
}

class PowerCutRun {
  readonly #plan: PowerCutPlan;
  readonly #submitted = new Set<number>();
  readonly #responses = new Map<number, CommittedRecord>();
  /** The groups that the last life published. */
  #publishedGroups: readonly CommittedGroup[] = [];
  tornTails = 0;
  #now = 1_700_000_000_000;

  constructor(plan: PowerCutPlan) {
    this.#plan = plan;
  }

  faultsAt(cutAt: number, lies = false): Faults {
    return ({ ordinal, kind, name }) => {
      if (ordinal === cutAt) return 'power_cut';
      return lies && kind === 'datasync' && name.endsWith('.journal') ? 'lie' : undefined;
    };
  }

  /** One life: start, audit, submit up to the given number, close. It may end at any point by losing its power. */
  async live(files: PowerCutFiles, upTo: number, random: Random): Promise<void> {
    const groups: CommittedGroup[] = [];
    let state: StateMachine | undefined;
    const remember = (created: StateMachine): StateMachine => {
      state = created;
      return created;
    };
    const { rules } = this.#plan;
    try {
      const writer = await openWriter({
        files,
        clock: { now: () => this.#tick(random) },
        steadyClock: { elapsedMs: () => this.#now },
        timers: systemTime.timers,
        rules: { ...rules, fresh: () => remember(rules.fresh()), restore: (snapshot) => remember(rules.restore(snapshot)) },
        follow: (group) => groups.push(group),
        followFrom: { sequence: 0 as never, chainDigest: '' },
        onHalt: ({ reason }) => demand(!files.hasPower, `halted under power: ${reason}`),
        limits: SMALL,
      });
      if (writer.recovered.tornTail !== undefined) this.tornTails += 1;
      this.#audit(groups, state!);
      await this.#submitAll(writer, upTo, files, random);
      await writer.close();
    } catch (cause) {
      if (files.hasPower)
        throw cause instanceof AuditFailed ? cause : new AuditFailed(`start failed: ${String(cause)}`, { cause });
    }
    this.#publishedGroups = groups;
  }

  /** Advances a clock that sometimes steps back. */
  #tick(random: Random): EpochMs {
    this.#now += Math.floor(random() * 100) - 20;
    return this.#now as EpochMs;
  }

  /** Submits new commands. Repeats a command with a key if it has no response, and sometimes if it has one. */
  async #submitAll(writer: Writer, upTo: number, files: PowerCutFiles, random: Random): Promise<void> {
    const outstanding: Promise<void>[] = [];
    for (const [index, submission] of this.#plan.submissions.slice(0, upTo).entries()) {
      const isKeyed = submission.idempotency !== undefined;
      const isWanted = !this.#submitted.has(index) || (isKeyed && (!this.#responses.has(index) || random() < 0.2));
      if (!isWanted) continue;
      this.#submitted.add(index);
      outstanding.push(
        writer.submit(submission).then(
          (response) => this.#takeResponse(index, response),
          (cause: unknown) => demand(!files.hasPower, `rejected under power: ${String(cause)}`),
        ),
      );
      if (random() < 0.5) await new Promise((resolve) => setImmediate(resolve));
      if (random() < 0.2) await Promise.all(outstanding);
    }
    await Promise.all(outstanding);
  }

  #takeResponse(index: number, outcome: Outcome): void {
    const before = this.#responses.get(index);
    demand(isDeepStrictEqual(outcome.command, this.#plan.submissions[index]!.command), `a response to another command: ${index}`);
    if (outcome.isUnrecorded) {
      demand(before === undefined, `record ${before?.sequence} was answered, and then refused`);
      return;
    }
    const { replayed, ...record } = outcome;
    if (before !== undefined) {
      demand(replayed, `record ${before.sequence} was answered, but executed again`);
      demand(isDeepStrictEqual(before, record), `record ${before.sequence} was answered in two ways`);
    }
    this.#responses.set(index, record);
  }

  #audit(groups: readonly CommittedGroup[], state: StateMachine): void {
    const records = groups.flatMap((group) => group.records);
    for (const [index, record] of records.entries()) {
      demand(record.sequence === index + 1, `record ${index + 1} has sequence ${record.sequence}`);
      demand(record.epochMs >= (records[index - 1]?.epochMs ?? 0), `time goes back at record ${record.sequence}`);
    }
    for (const response of this.#responses.values()) {
      demand(
        isDeepStrictEqual(response, records[response.sequence - 1]),
        `record ${response.sequence} was answered, and is gone or changed`,
      );
    }
    for (const [index, group] of this.#publishedGroups.entries()) {
      demand(isDeepStrictEqual({ ...group }, { ...groups[index] }), `group ${index + 1} was published, and is gone or changed`);
    }
    this.#auditOrigins(records);
    auditState(records, this.#plan.rules.fresh(), state);
  }

  /** Every record came from one submission, and no two from the same. */
  #auditOrigins(records: readonly CommittedRecord[]): void {
    const origins = new Set([...this.#submitted].map((index) => JSON.stringify(this.#plan.submissions[index]!.command)));
    for (const { sequence, command } of records) {
      demand(origins.delete(JSON.stringify(command)), `record ${sequence} has no submission, or is a duplicate`);
    }
  }
}

/** Running the records from the start results in the same events and the same state. */
function auditState(records: readonly CommittedRecord[], fresh: StateMachine, state: StateMachine): void {
  for (const record of records) {
    demand(isDeepStrictEqual(eventsOfTurn(fresh, record), record.events), `record ${record.sequence} results in other events`);
  }
  demand(Buffer.compare(fresh.snapshot(), state.snapshot()) === 0, 'the recovered state is not what the journal results in');
}

function demand(condition: boolean, what: string): asserts condition {
  if (!condition) throw new AuditFailed(what);
}
