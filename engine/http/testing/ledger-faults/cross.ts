/** Walks all steps with one fault of the ledger at each of them, and collects the statuses that are shown meanwhile and afterwards. */
import { OwnedStores, type StoreCopies } from '#http/testing/owned-stores.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import { TestOwner } from '#http/testing/test-owner.ts';
import { startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { LocalLedger } from '#settlement/local/local-ledger.ts';
import { PowerCutFiles } from '#simulation/power-cut-files.ts';
import { quoteAtoms } from '#units/money.ts';
import { CONNECTION_FAULTS, type ConnectionFault, type FaultName, type StoreFault } from './faults.ts';
import { type ShownStatuses, type Step, type StepPorts, WALKS } from './steps.ts';

/** What was shown at a step. */
export interface Observation {
  readonly step: string;
  /** By the response of the step, and by reads right after it, while the fault is in force. */
  readonly during: ShownStatuses;
  /** By a request some seconds later, while it is still in force. */
  readonly later: ShownStatuses;
  /** When the fault has ended and the flow has gone on. */
  readonly after: ShownStatuses;
}

/** More than the longest call and the longest pause before a retry. */
const RECOVERY_MS = 120_000;
const PASSED_STEP_MS = 10_000;
/** A slow ledger has answered by then, and has not delivered its receipt. */
const LATER_MS = 2_500;
/** More turns of the event loop than everything takes that takes no time. */
const QUIET_TURNS = 200;

export async function walkWith(fault: FaultName): Promise<readonly Observation[]> {
  const crossing = await Crossing.start(fault);
  try {
    return await crossing.walk();
  } finally {
    await crossing.close();
  }
}

class Crossing {
  readonly #fault: FaultName;
  #stores: OwnedStores;
  #venue: VenueUnderTest;
  #owner!: TestOwner;
  readonly #ids = { deposit: '', withdrawal: '' };

  private constructor(fault: FaultName, stores: OwnedStores, venue: VenueUnderTest) {
    this.#fault = fault;
    this.#stores = stores;
    this.#venue = venue;
  }

  static async start(fault: FaultName): Promise<Crossing> {
    const stores = new OwnedStores();
    return new Crossing(fault, stores, await openVenue(stores));
  }

  async walk(): Promise<readonly Observation[]> {
    const seen: Observation[] = [];
    for (const steps of WALKS) {
      this.#owner = await TestOwner.register(this.#client);
      await this.#pass(PASSED_STEP_MS);
      for (const step of steps) seen.push(await this.#take(step));
    }
    return seen;
  }

  async close(): Promise<void> {
    const { internalErrors } = this.#venue;
    await this.#stores.whileTimePasses(this.#venue.close());
    if (internalErrors.length > 0) throw internalErrors[0];
  }

  /** A fresh session for each step: some steps take days. */
  async #take(step: Step): Promise<Observation> {
    this.#owner = await this.#owner.on(this.#client);
    const prepared = await step.prepare?.(this.#ports);
    await this.#pass(PASSED_STEP_MS);
    const shown = this.#fault in CONNECTION_FAULTS ? this.#behind(step, prepared) : this.#restored(step, prepared);
    const { during, later, after } = await shown;
    return { step: step.name, during: distinct(during), later: distinct(later), after: distinct(after) };
  }

  async #behind(step: Step, prepared: unknown): Promise<Omit<Observation, 'step'>> {
    const begin = CONNECTION_FAULTS[this.#fault as ConnectionFault];
    const { strikes } = step;
    const end = begin(this.#venue.settlement!, (call) =>
      strikes === undefined
        ? call.method !== 'watch'
        : call.method === strikes.method && (strikes.step === undefined || call.step === strikes.step),
    );
    const response = await step.act(this.#ports, prepared);
    await this.#quiet();
    const during = [...response, ...(await step.read(this.#ports))];
    await this.#pass(LATER_MS);
    const later = await this.#shown(step);
    end();
    return { during, later, after: await this.#recovered(step) };
  }

  /** Takes the step, then starts on stores that differ, then on the right ones. */
  async #restored(step: Step, prepared: unknown): Promise<Omit<Observation, 'step'>> {
    const before = this.#stores.copies();
    this.#venue.settlement!.ledger.isDown = this.#fault === 'foreign_command';
    await step.act(this.#ports, prepared);
    await this.#pass(PASSED_STEP_MS);
    const right = this.#stores.copies();
    await this.#restart(await this.#different(before, right));
    const during = await this.#shown(step);
    await this.#pass(PASSED_STEP_MS);
    const later = await this.#shown(step);
    await this.#restart(right);
    await this.#venue.operate({ type: 'SetCapability', capability: 'transfers', isOn: true }, 'CapabilitySet');
    return { during, later, after: await this.#recovered(step) };
  }

  async #different(before: StoreCopies, right: StoreCopies): Promise<StoreCopies> {
    switch (this.#fault as StoreFault) {
      case 'older_ledger':
        return { ...right, ledger: before.ledger };
      case 'older_journal':
        return { ...right, journal: before.journal };
      case 'foreign_command': {
        const files = new PowerCutFiles(undefined, right.ledger);
        const ledger = await LocalLedger.open({ files, clock: this.#stores.time, allowsIssue: true });
        await ledger.submit({ step: 'development_issue', commandId: 'foreign', amountAtoms: quoteAtoms(1) });
        await ledger.close();
        return { ...right, ledger: files.contents() };
      }
    }
  }

  async #shown(step: Step): Promise<ShownStatuses> {
    const response = await step.request(this.#ports);
    await this.#quiet();
    return [...response, ...(await step.read(this.#ports))];
  }

  /** What needs no time has happened then. */
  async #quiet(): Promise<void> {
    for (let turn = 0; turn < QUIET_TURNS; turn += 1) await this.#stores.time.settle();
  }

  async #recovered(step: Step): Promise<ShownStatuses> {
    await this.#pass(RECOVERY_MS);
    this.#owner = await this.#owner.on(this.#client);
    // The first request wakes the flow, the second shows how far it is.
    await step.request(this.#ports);
    await this.#pass(PASSED_STEP_MS);
    return this.#shown(step);
  }

  async #restart(copies: StoreCopies): Promise<void> {
    await this.#stores.whileTimePasses(this.#venue.close());
    this.#stores = new OwnedStores(this.#stores.time, copies);
    this.#venue = await openVenue(this.#stores);
    this.#owner = await this.#owner.on(this.#client);
    await this.#pass(PASSED_STEP_MS);
  }

  get #client(): VenueUnderTest {
    const stores = this.#stores;
    const venue = this.#venue;
    return { ...venue, call: (id, request) => stores.whileWaiting(venue.call(id, request)) };
  }

  get #ports(): StepPorts {
    const owner = () => this.#owner;
    return {
      // Time that passes replaces its session.
      get owner() {
        return owner();
      },
      ids: this.#ids,
      onLedger: async (command) => {
        await this.#stores.whileTimePasses(this.#venue.settlement!.local.submit(command));
        await this.#pass(PASSED_STEP_MS);
      },
      retire: async (account) => {
        await this.#venue.operate({ type: 'RetireAccount', account }, 'AccountRetired');
      },
      pass: (ms) => this.#pass(ms),
    };
  }

  async #pass(ms: number): Promise<void> {
    if (ms <= RECOVERY_MS) return this.#stores.time.advance(ms);
    // Sessions have ended meanwhile.
    this.#stores.time.pass(ms);
    await this.#stores.time.advance(PASSED_STEP_MS);
    this.#owner = await this.#owner.on(this.#client);
  }
}

function openVenue(owned: OwnedStores): Promise<VenueUnderTest> {
  return startVenue({ ...UNLIMITED, environment: 'local', owned });
}

function distinct(shown: ShownStatuses): ShownStatuses {
  return [...new Set(shown)];
}
