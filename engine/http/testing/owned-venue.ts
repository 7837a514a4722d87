/** A test venue whose time and stores the test controls, with one owner: brings deposits and withdrawals to where a test starts. */
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import { OwnedStores } from './owned-stores.ts';
import { UNLIMITED } from './stage.ts';
import { TestOwner } from './test-owner.ts';
import { startVenue, type VenueUnderTest } from './venue-under-test.ts';

/** More than the ledger needs for a step and its receipt. */
const STEP_MS = 10_000;
/** More than the longest call of the ledger and the longest pause before a retry. */
const RECOVERY_MS = 120_000;

export class OwnedVenue {
  #stores = new OwnedStores();
  #venue!: VenueUnderTest;
  #owner!: TestOwner;

  /** With an owner that has signed nothing yet. */
  static async open(): Promise<OwnedVenue> {
    const owned = new OwnedVenue();
    await owned.#start();
    owned.#owner = await TestOwner.register(owned.#client);
    return owned;
  }

  get venue(): VenueUnderTest {
    return this.#venue;
  }

  get owner(): TestOwner {
    return this.#owner;
  }

  /** Resolves when the ledger has finished what the request starts. */
  async settled<Value>(response: Promise<Value>): Promise<Value> {
    const value = await response;
    await this.#stores.time.advance(STEP_MS);
    return value;
  }

  /** Activates the account, and prepares a deposit whose offer the owner can accept. */
  async offerDeposit(): Promise<string> {
    await this.settled(this.#owner.body('startParty'));
    await this.settled(this.#owner.activate());
    return (await this.settled(this.#owner.prepareDeposit())).depositId;
  }

  async creditDeposit(): Promise<void> {
    const depositId = await this.offerDeposit();
    for (let step = 0; step < 2; step += 1) {
      const { signingStep, challenge } = await this.#owner.initiateDeposit(depositId);
      const approved = { action: 'complete', depositId, signingStep, ...this.#owner.approval(challenge) };
      await this.settled(this.#owner.body('confirmDeposit', approved));
    }
  }

  /** Requests a withdrawal and authorizes it. */
  async authorizeWithdrawal(amount: string): Promise<string> {
    const { withdrawalId } = (await this.settled(this.#owner.requestWithdrawal(amount))).body;
    await this.#owner.authorize(withdrawalId);
    return withdrawalId;
  }

  /** Lets the time pass, in a jump if it is long, and signs the owner in again, because sessions do not last for days. */
  async pass(ms: number): Promise<void> {
    if (ms > RECOVERY_MS) this.#stores.time.pass(ms - STEP_MS);
    await this.#stores.time.advance(ms > RECOVERY_MS ? STEP_MS : ms);
    this.#owner = await this.#owner.on(this.#client);
  }

  /** The steps that the ledger has, in order. */
  async entries(): Promise<readonly string[]> {
    const all = await this.#venue.settlement!.local.entries({ afterOffset: 0, limit: MAX_PAGE });
    return all.map(({ command }) => command.step);
  }

  async restart(): Promise<void> {
    await this.close();
    this.#stores = new OwnedStores(this.#stores.time, this.#stores.copies());
    await this.#start();
    await this.pass(STEP_MS);
  }

  /** Throws the first internal error. */
  async close(): Promise<void> {
    const { internalErrors } = this.#venue;
    await this.#stores.whileTimePasses(this.#venue.close());
    if (internalErrors.length > 0) throw internalErrors[0];
  }

  async #start(): Promise<void> {
    this.#venue = await startVenue({ ...UNLIMITED, environment: 'local', owned: this.#stores });
  }

  get #client(): VenueUnderTest {
    const stores = this.#stores;
    const venue = this.#venue;
    return { ...venue, call: (id, request) => stores.whileWaiting(venue.call(id, request)) };
  }
}
