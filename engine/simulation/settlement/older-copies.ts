/**
 * Backups of both stores, and what follows when one of the stores is restored from an older one: transfers halt, trading goes on, no
 * money moves, and nothing new reaches the ledger. Then the operator restores the newer store and switches transfers on again.
 */
import { demand } from '#simulation/world/audit/demand.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { StepLog } from '#simulation/world/step-log.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';
import { runAcceptedLoss } from './accepted-loss.ts';
import { unprovenId } from './books/flow.ts';
import { JournalBooks } from './books/journal-books.ts';
import type { SettlementAudit } from './books/settlement-audit.ts';
import type { SettlementFaults } from './faults.ts';
import type { LedgerSite } from './ledger-site.ts';
import type { Store } from './store.ts';
import type { VenueLife } from './venue-life.ts';

export interface OlderCopiesParts {
  readonly venueStore: Store;
  readonly ledgerStore: Store;
  readonly site: LedgerSite;
  readonly audit: SettlementAudit;
  readonly faults: SettlementFaults;
  readonly random: RandomSource;
  readonly time: ManualTime;
  readonly log: StepLog;
  /** Starts the venue on its store. Its records go into the books. */
  readonly start: (books: JournalBooks) => Promise<VenueLife>;
  /** Owners request and sign as ever. */
  readonly actAsEver: (life: VenueLife) => void;
  readonly throwFailure: () => void;
}

interface Backup {
  readonly journal: ReadonlyMap<string, Uint8Array>;
  readonly ledger: ReadonlyMap<string, Uint8Array>;
  /** The commands that this journal has submitted. */
  readonly submitted: ReadonlySet<string>;
  /** The number of entries that the books have of this ledger: it may have one more. */
  readonly entries: number;
}

const BACKUP_CHANCE = 0.06;
/** Longer than any request of a venue that was killed is on its way. */
const LAST_REQUESTS_MS = 60_000;
const STEP_MS = 1_000;
const HALTED_STEPS = 20;
const MAX_WAIT_STEPS = 300;
/** Only the venue can submit them. */
const VENUES_STEPS: ReadonlySet<string> = new Set([
  'party_allocation',
  'development_issue',
  'treasury_offer',
  'payout_offer',
  'offer_withdrawal',
]);

export class OlderCopies {
  readonly #parts: OlderCopiesParts;
  #backup: Backup | undefined;

  constructor(parts: OlderCopiesParts) {
    this.#parts = parts;
  }

  /** Now and then, while the books have all that is in the files. Both stores must be running, and compared. */
  backUp(): void {
    const { random, venueStore, ledgerStore, audit } = this.#parts;
    if (!random.chance(BACKUP_CHANCE) || venueStore.files.unsyncedWrites > 0 || ledgerStore.files.unsyncedWrites > 0) return;
    this.#backup = {
      journal: venueStore.files.contents(),
      ledger: ledgerStore.files.contents(),
      submitted: new Set(audit.journal.submitted),
      entries: audit.ledger.entries.length,
    };
  }

  /** Returns the venue on the newer stores, or undefined if no store was restored. */
  async disturb(life: VenueLife): Promise<VenueLife | undefined> {
    const backup = this.#backup;
    const { faults } = this.#parts;
    if (backup === undefined) return undefined;
    const isOlderLedger = this.#losesReceipts(backup) && faults.strikes('older_ledger');
    const isOlderJournal = !isOlderLedger && this.#losesCommands(backup) && faults.strikes('older_journal');
    if (!isOlderLedger && !isOlderJournal) return undefined;
    faults.areOver = true;
    await this.#stop(life);
    const restored = await (isOlderLedger ? this.#onOlderLedger(backup) : this.#onOlderJournal(backup));
    await this.#resume(restored);
    faults.areOver = false;
    return restored;
  }

  /** The journal has a receipt that the ledger of the backup has not. */
  #losesReceipts({ entries }: Backup): boolean {
    return this.#parts.audit.journal.recorded.some(({ receipt }) => receipt.ledgerOffset > entries + 1);
  }

  /** The ledger has carried out a command that the journal of the backup has not. */
  #losesCommands({ submitted }: Backup): boolean {
    return this.#parts.audit.ledger.accepted.some(
      ({ command: { commandId, step } }) => !submitted.has(unprovenId(commandId)) && isVenues(commandId, step),
    );
  }

  /** Stops the venue, and the ledger when the last requests have reached it. */
  async #stop(life: VenueLife): Promise<void> {
    const { site, time, venueStore } = this.#parts;
    life.kill();
    venueStore.kill();
    if (!site.isRunning) await site.restart();
    await time.advance(LAST_REQUESTS_MS);
    site.repair();
  }

  async #onOlderLedger({ ledger }: Backup): Promise<VenueLife> {
    const { ledgerStore, venueStore, site, audit, log, start } = this.#parts;
    const newer = ledgerStore.files.contents();
    log.note('the ledger is restored from an older copy');
    ledgerStore.replace(ledger);
    await site.restart();
    const life = await start(audit.journal);
    await this.#expectHalted(life, audit.journal);
    life.kill();
    venueStore.kill();
    log.note('the newer ledger is restored');
    ledgerStore.replace(newer);
    await site.restart();
    audit.journal.see('transfers halted: older ledger');
    return start(audit.journal);
  }

  /** The records of this life are lost again. */
  async #onOlderJournal({ journal }: Backup): Promise<VenueLife> {
    const { venueStore, audit, random, log, start } = this.#parts;
    const newer = venueStore.files.contents();
    log.note('the journal is restored from an older copy');
    venueStore.replace(journal);
    const books = new JournalBooks(audit.journal.approved);
    const life = await start(books);
    await this.#expectHalted(life, books);
    // A journal that was never bound to a ledger has no entries to accept.
    if (life.owners.ledger() !== undefined && random.chance(0.7)) await this.#acceptLoss(life, books);
    else life.kill();
    log.note('the newer journal is restored');
    venueStore.replace(newer);
    audit.journal.see('transfers halted: older journal');
    return start(audit.journal);
  }

  /** Then the ledger is restored too, as if that had not happened. */
  async #acceptLoss(halted: VenueLife, books: JournalBooks): Promise<void> {
    const { venueStore, site, audit, log, random, time, start } = this.#parts;
    const restore = site.branch();
    log.note('the operator accepts the entries that the older journal has lost');
    const restart = async (life: VenueLife) => {
      life.kill();
      venueStore.kill();
      return start(books);
    };
    const pass = async (life: VenueLife, steps: number) => {
      for (let step = 0; step < steps; step += 1) await this.#pass(life, books);
    };
    const until = this.#until.bind(this);
    const passTime = (ms: number) => time.pass(ms);
    const last = await runAcceptedLoss({ site, random, passTime, pass, until, restart }, books, halted);
    last.kill();
    await restore();
    audit.journal.see('entries accepted: older journal');
  }

  async #expectHalted(life: VenueLife, books: JournalBooks): Promise<void> {
    const { audit, site, actAsEver } = this.#parts;
    const { offset } = await site.local.head();
    const { creditedAtoms, settledAtoms } = books.cash;
    await this.#until(life, 'transfers are halted', () => !life.isOn('transfers') && life.coordinator.status.difference !== null);
    for (let step = 0; step < HALTED_STEPS; step += 1) {
      if (books === audit.journal) actAsEver(life);
      await this.#pass(life, books);
    }
    demand(life.isOn('trading'), 'trading is halted, although only transfers differ');
    const after = await site.local.head();
    demand(after.offset === offset, `the ledger has ${after.offset - offset} more entries, although it differs from the journal`);
    const moved = books.cash.creditedAtoms - creditedAtoms + books.cash.settledAtoms - settledAtoms;
    demand(moved === 0, `${moved} atoms were credited or settled while the stores differ`);
  }

  /** As the operator does who has restored the newer store. */
  async #resume(life: VenueLife): Promise<void> {
    const { audit, site } = this.#parts;
    await this.#until(life, 'the stores are compared', () => life.coordinator.status.isCompared);
    const { difference } = life.coordinator.status;
    demand(difference === null, `the newer stores differ: ${difference?.text}`);
    await audit.ledger.reread(site.local);
    const isOn = life.submit({ command: { type: 'SetCapability', capability: 'transfers', isOn: true } });
    await this.#pass(life, audit.journal);
    await isOn;
  }

  async #until(life: VenueLife, what: string, isReached: () => boolean): Promise<void> {
    for (let step = 0; !isReached(); step += 1) {
      demand(step < MAX_WAIT_STEPS, `it never happens that ${what}`);
      await this.#pass(life);
    }
  }

  async #pass(life: VenueLife, books?: JournalBooks): Promise<void> {
    const { time, log, audit, throwFailure } = this.#parts;
    log.begin();
    await time.advance(STEP_MS);
    throwFailure();
    if (books !== undefined) audit.compareDirectory(life.owners, books);
  }
}

/** An owner's command has the proof of the venue, unless its item is one of an earlier version. */
function isVenues(commandId: string, step: string): boolean {
  return VENUES_STEPS.has(step) || commandId !== unprovenId(commandId);
}
