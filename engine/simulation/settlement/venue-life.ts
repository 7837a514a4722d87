/**
 * One life of a venue that settles: writer, directory of owners and coordinator, from a start until it is closed, killed or cut from
 * power. What a dead process still had in hand reaches no one.
 */
import { SETTLEMENT_COMMANDS, VenueOwnerDirectory } from '#projection/projection.ts';
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { Coordinator } from '#settlement/coordinator/coordinator.ts';
import type { Ledger, ReceiptListener } from '#settlement/port/ledger.ts';
import { moneySwitches } from '#settlement/testing/money-switches.ts';
import type { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { Sequence } from '#units/ids.ts';
import type { Capability } from '#venue/command.ts';
import type { Venue } from '#venue/venue.ts';
import { lastSequenceOf, recordsOfCommands } from '#writer/port/group-records.ts';
import type { StateMachineRules } from '#writer/port/state-machine.ts';
import type { CommittedRecord, Submit } from '#writer/port/submit.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter, type Writer, type WriterLimits } from '#writer/writer.ts';

/** What the coordinator reaches the world by. */
export interface CoordinatorSide {
  readonly submit: Submit;
  readonly ledger: Ledger;
  readonly owners: OwnerDirectory;
}

/** Hooks to plant faults of the venue. */
export interface Plant {
  readonly rules?: (rules: StateMachineRules<Venue>) => StateMachineRules<Venue>;
  readonly side?: (side: CoordinatorSide) => CoordinatorSide;
}

export interface LifeParts {
  readonly files: PowerCutFiles;
  readonly time: ManualTime;
  readonly ledger: Ledger;
  readonly limits: Partial<WriterLimits>;
  /** Takes every durable record, from the journal's first one on. */
  readonly onRecords: (records: readonly CommittedRecord[]) => void;
  /** Takes lines of the coordinator's log. */
  readonly onLine: (line: string) => void;
  readonly onError: (error: unknown) => void;
  readonly plant: Plant;
}

interface RunningVenue {
  readonly writer: Writer<Venue>;
  readonly owners: VenueOwnerDirectory;
}

export class VenueLife {
  readonly #parts: LifeParts;
  readonly #writer: Writer<Venue>;
  readonly owners: VenueOwnerDirectory;
  #coordinator: Coordinator;
  /** Cuts the running coordinator off. */
  #sever: () => void = () => undefined;
  #isOver = false;

  private constructor(parts: LifeParts, { writer, owners }: RunningVenue) {
    this.#parts = parts;
    this.#writer = writer;
    this.owners = owners;
    this.#coordinator = this.#startCoordinator();
  }

  /** Rejects with the reason why the start failed. */
  static async start(parts: LifeParts): Promise<VenueLife> {
    const { files, time, limits, onRecords, plant } = parts;
    let life: VenueLife | undefined;
    const writer = await openWriter<Venue>({
      files,
      rules: plant.rules?.(venueRules) ?? venueRules,
      clock: time,
      steadyClock: time,
      timers: time,
      follow: ({ records, stored }) => {
        if (life?.isOver === true) return;
        onRecords(records);
        const settlementRecords = recordsOfCommands(stored!, SETTLEMENT_COMMANDS);
        life?.owners.follow(lastSequenceOf(stored!), settlementRecords);
        life?.coordinator.follow(settlementRecords);
      },
      followFrom: { sequence: 0 as Sequence, chainDigest: '' },
      onHalt: () => undefined,
      limits,
    });
    const owners = writer.peek(({ state }) => new VenueOwnerDirectory(state, writer.recovered.sequence));
    life = new VenueLife(parts, { writer, owners });
    return life;
  }

  /** The process has ended. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get coordinator(): Coordinator {
    return this.#coordinator;
  }

  /** The journal's time. */
  get nowEpochMs(): number {
    return this.#writer.time.now();
  }

  get halt() {
    return this.#writer.status().halt;
  }

  isOn(capability: Capability): boolean {
    return this.#writer.peek(({ state }) => state.switches.isOn(capability));
  }

  get isOpen(): boolean {
    return this.#writer.peek(({ state }) => state.switches.status === 'open');
  }

  /** A request of a client or of the operator. */
  readonly submit: Submit = (submission) => whileAlive(() => this.#isOver, this.#writer.submit(submission));

  /** The coordinator starts over, with nothing but what is durable. */
  restartCoordinator(): void {
    this.#sever();
    this.#coordinator = this.#startCoordinator();
  }

  kill(): void {
    this.#sever();
    this.#isOver = true;
  }

  async close(): Promise<void> {
    await this.#coordinator.close();
    await this.#writer.close();
    this.kill();
  }

  #startCoordinator(): Coordinator {
    const { ledger, time, plant, onLine, onError } = this.#parts;
    let isSevered = false;
    const endWatches: (() => void)[] = [];
    this.#sever = () => {
      isSevered = true;
      for (const end of endWatches) end();
    };
    const side: CoordinatorSide = {
      submit: (submission) => (isSevered ? NEVER : whileAlive(() => isSevered, this.#writer.submit(submission))),
      ledger: severable(ledger, () => isSevered, endWatches),
      owners: this.owners,
    };
    return new Coordinator({
      ...(plant.side?.(side) ?? side),
      switches: () => this.#writer.peek(({ state }) => moneySwitches(state.switches)),
      clock: this.#writer.time,
      timers: time,
      issuesDeposits: true,
      log: (line) => (isSevered ? undefined : onLine(line)),
      onInternalError: (error) => (isSevered ? undefined : onError(error)),
    });
  }
}

/** What a dead process waits for. */
const NEVER = new Promise<never>(() => undefined);

async function whileAlive<Value>(isDead: () => boolean, response: Promise<Value>): Promise<Value> {
  try {
    const value = await response;
    return isDead() ? NEVER : value;
  } catch (error) {
    if (isDead()) return NEVER;
    throw error;
  }
}

function severable(ledger: Ledger, isSevered: () => boolean, endWatches: (() => void)[]): Ledger {
  const watch = (listener: ReceiptListener) => {
    const end = ledger.watch(listener);
    endWatches.push(end);
    return end;
  };
  return new Proxy<Ledger>(ledger, {
    get: (_, name: keyof Ledger) => {
      if (name === 'watch') return watch;
      const call = (ledger[name] as (...args: unknown[]) => Promise<unknown>).bind(ledger);
      return (...args: unknown[]) => (isSevered() ? NEVER : whileAlive(isSevered, call(...args)));
    },
  });
}
