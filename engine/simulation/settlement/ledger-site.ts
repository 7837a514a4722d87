/**
 * The external ledger of a world: a local ledger that can be killed or lose its power, behind a bad connection. It outlives the
 * venue's lives, and so do requests that are late.
 */
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { type Ledger, LedgerBusy } from '#settlement/port/ledger.ts';
import { FaultyLedger, type LedgerFault } from '#settlement/testing/faulty-ledger.ts';
import type { PowerCutFiles } from '#simulation/power-cut-files.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { StepLog } from '#simulation/world/step-log.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import type { EpochMs } from '#units/money.ts';
import type { SettlementFaults } from './faults.ts';
import { type Store, whileTimePasses } from './store.ts';

/** Some below and some above the time limit of a call. */
const DELAYS_MS = [5, 400, 3_000, 20_000, 45_000];

export interface LedgerSiteParts {
  readonly store: Store;
  readonly faults: SettlementFaults;
  readonly random: RandomSource;
  readonly time: ManualTime;
  readonly log: StepLog;
  /** By how much the ledger's clock differs. */
  readonly skewMs: number;
  /** Called with each command that reaches the ledger, before the ledger stores it. */
  readonly onSubmitted: (command: LedgerCommand) => void;
}

export class LedgerSite {
  readonly #parts: LedgerSiteParts;
  readonly #faulty: FaultyLedger;
  /** Whether the ledger rejects the command, by its id. */
  #rejects = new Map<string, boolean>();
  #local: LocalLedger;
  /** Those that the running ledger has opened. */
  #openedFiles: PowerCutFiles;
  #downUntilMs = 0;
  #fullUntilMs = 0;

  private constructor(parts: LedgerSiteParts, local: LocalLedger) {
    this.#parts = parts;
    this.#local = local;
    this.#openedFiles = parts.store.files;
    this.#faulty = new FaultyLedger(this.#front(local), parts.time, () => this.#faultOfCall());
  }

  static async open(parts: LedgerSiteParts): Promise<LedgerSite> {
    return new LedgerSite(parts, await openLocal(parts));
  }

  /** As the venue reaches it. */
  get ledger(): Ledger {
    return this.#faulty;
  }

  /** Without a connection in between; it may have stopped. */
  get local(): LocalLedger {
    return this.#local;
  }

  get isRunning(): boolean {
    const { store } = this.#parts;
    return store.files.hasPower && !store.hasFailed;
  }

  /** Applies the faults of a step, and starts the ledger again if it has stopped. */
  async disturb(): Promise<void> {
    const { faults, random, time, log, store } = this.#parts;
    if (faults.strikes('ledger_down')) {
      log.note('the ledger is down');
      this.#downUntilMs = time.elapsedMs() + random.pick([2_000, 60_000, 3_600_000]);
    }
    if (faults.strikes('ledger_full')) {
      log.note('the ledger is full');
      this.#fullUntilMs = time.elapsedMs() + random.pick([2_000, 60_000, 3_600_000]);
    }
    if (faults.strikes('ledger_kill')) store.kill();
    else if (this.isRunning && store.files === this.#openedFiles) return this.#updateConnection();
    await this.restart();
  }

  /** Starts the ledger on what its last life left. */
  async restart(): Promise<void> {
    const { store, random, log } = this.#parts;
    this.#faulty.isDown = true;
    if (!store.files.hasPower) store.losePower();
    else if (store.files === this.#openedFiles) {
      if (random.chance(0.5)) store.kill();
      else store.losePower();
    }
    log.note('the ledger is started again');
    this.#local = await openLocal(this.#parts);
    this.#openedFiles = store.files;
    this.#faulty.replace(this.#front(this.#local));
    this.#updateConnection();
  }

  /** From now on the connection is down, until it is repaired. */
  disconnect(): void {
    this.#downUntilMs = Number.POSITIVE_INFINITY;
    this.#updateConnection();
  }

  /** Returns the function that restores the ledger as it is now: none of the responses since then is received again. */
  branch(): () => Promise<void> {
    const { store } = this.#parts;
    const contents = store.files.contents();
    const rejects = new Map(this.#rejects);
    return async () => {
      this.#rejects = rejects;
      this.#faulty.forgetResponses();
      store.replace(contents);
      await this.restart();
    };
  }

  /** From now on the connection is up, and the ledger has room. */
  repair(): void {
    this.#downUntilMs = 0;
    this.#fullUntilMs = 0;
    this.#updateConnection();
  }

  #updateConnection(): void {
    this.#faulty.isDown = this.#parts.time.elapsedMs() < this.#downUntilMs;
  }

  /** Sees each command, and turns some into ones that the ledger rejects. */
  #front(local: LocalLedger): Ledger {
    const submit = async (command: LedgerCommand) => {
      this.#parts.onSubmitted(command);
      await this.#requireRoom(local, command);
      return local.submit(this.#isRejected(command) ? rejectable(command) : command);
    };
    return new Proxy<Ledger>(local, {
      get: (_, name: keyof Ledger) => (name === 'submit' ? submit : (local[name] as () => unknown).bind(local)),
    });
  }

  /** A full ledger still returns the receipts of what it has. */
  async #requireRoom(local: LocalLedger, { commandId }: LedgerCommand): Promise<void> {
    if (this.#parts.time.elapsedMs() >= this.#fullUntilMs) return;
    const { status } = await local.lookUp(commandId);
    if (status === 'unknown') throw new LedgerBusy('the ledger is full');
  }

  #isRejected(command: LedgerCommand): boolean {
    const { commandId } = command;
    const known = this.#rejects.get(commandId);
    if (known !== undefined) return known;
    const isRejected = rejectable(command) !== command && this.#parts.faults.strikes('step_rejected');
    if (isRejected) this.#parts.log.note(`the ledger will reject ${commandId}`);
    this.#rejects.set(commandId, isRejected);
    return isRejected;
  }

  #faultOfCall(): LedgerFault | undefined {
    const { faults, random } = this.#parts;
    const kind = faults.ofCall();
    if (kind === undefined) return undefined;
    return kind === 'slow' || kind === 'answer_late' || kind === 'request_late' ? { kind, ms: random.pick(DELAYS_MS) } : { kind };
  }
}

/** Repeated until a start is not cut. */
async function openLocal({ store, time, skewMs }: LedgerSiteParts): Promise<LocalLedger> {
  const clock = { now: () => (time.now() + skewMs) as EpochMs };
  store.isStarting = true;
  for (;;) {
    try {
      const { files } = store;
      const opening = LocalLedger.open({ files, clock, allowsIssue: true, newLedgerId: () => 'world-ledger' });
      const local = await whileTimePasses(time, opening);
      if (files.hasPower) {
        store.isStarting = false;
        return local;
      }
    } catch (cause) {
      if (store.files.hasPower && !store.hasFailed) throw cause;
    }
    store.losePower();
  }
}

/** The same step about something that does not exist. Only steps that a ledger may reject for good; otherwise the command itself. */
function rejectable(command: LedgerCommand): LedgerCommand {
  switch (command.step) {
    case 'treasury_offer':
    case 'owner_offer_acceptance':
    case 'owner_account_acceptance':
    case 'owner_withdrawal_consent':
      return { ...command, partyId: 'unknown-party' };
    case 'party_consent':
      return { ...command, replacesConsentId: 'unknown-consent' };
    case 'payout_offer':
      return { ...command, withdrawalConsentId: 'unknown-consent' };
    default:
      return command;
  }
}
