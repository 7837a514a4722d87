/**
 * Reads the ledger's entries in order. All of them are reviewed before the journal records a receipt at or after them, so that the
 * offset that the journal knows never passes an entry that was not judged.
 */
import type { OwnerDirectory } from '#reads/owner-directory.ts';
import { MAX_PAGE } from '#settlement/port/ledger.ts';
import type { LedgerEntry, Receipt } from '#settlement/port/receipt.ts';
import { type LedgerDifference, lostEntries } from './difference.ts';
import { detailsOf, elsewhereText } from './entry-details.ts';
import { type EntryOrigin, openItems, originOf } from './entry-origin.ts';
import type { LedgerCalls } from './ledger-calls.ts';
import { SerialQueue } from './serial-queue.ts';

export interface ReviewPorts {
  readonly calls: LedgerCalls;
  readonly owners: OwnerDirectory;
  /** An owner revoked the consent of a party. Resolves when the journal has it. */
  readonly onRevoked: (partyId: string, receipt: Receipt) => Promise<void>;
  /** Takes what owners did without the venue, in words for the operator. May be repeated after a restart. */
  readonly report: (text: string) => void;
}

export class LedgerReview {
  readonly #ports: ReviewPorts;
  #reviewedOffset = 0;
  readonly #reviews = new SerialQueue();

  constructor(ports: ReviewPorts) {
    this.#ports = ports;
  }

  /** All entries up to it are reviewed. */
  get reviewedOffset(): number {
    return this.#reviewedOffset;
  }

  /** Starts again with the entries that the journal does not know. Returns the first difference. */
  restart(): Promise<LedgerDifference | undefined> {
    return this.#reviews.run(() => {
      this.#reviewedOffset = this.#ports.owners.ledger()?.offset ?? 0;
      return this.#readOn();
    });
  }

  /** Reviews the entries up to the offset, or all that the ledger shows now. */
  upTo(offset = Number.POSITIVE_INFINITY): Promise<LedgerDifference | undefined> {
    return this.#reviews.run(() => (offset <= this.#reviewedOffset ? Promise.resolve(undefined) : this.#readOn()));
  }

  async #readOn(): Promise<LedgerDifference | undefined> {
    const { calls } = this.#ports;
    for (;;) {
      const afterOffset = this.#reviewedOffset;
      const page = await calls.read((ledger) => ledger.entries({ afterOffset, limit: MAX_PAGE }));
      const difference = await this.#reviewPage(page);
      if (difference !== undefined || page.length < MAX_PAGE) return difference;
    }
  }

  async #reviewPage(page: readonly LedgerEntry[]): Promise<LedgerDifference | undefined> {
    for (const [entry, origin] of this.#withOrigins(page)) {
      if (origin === 'lost') return lostEntries(entry);
      if (origin === 'elsewhere') await this.#takeElsewhere(entry);
      this.#reviewedOffset = entry.receipt.offset;
    }
    return undefined;
  }

  /** All at once, because items may end while the first entries are reviewed. */
  #withOrigins(page: readonly LedgerEntry[]): readonly (readonly [LedgerEntry, EntryOrigin])[] {
    if (page.length === 0) return [];
    const { owners } = this.#ports;
    const items = openItems(owners);
    // A record that was on its way during a time without the ledger; its entries were reviewed before it.
    const knownOffset = owners.ledger()?.offset ?? 0;
    return page.map((entry) => [entry, entry.receipt.offset <= knownOffset ? 'journal' : originOf(owners, items, entry.command)]);
  }

  /** A rejected command changed nothing. */
  async #takeElsewhere(entry: LedgerEntry): Promise<void> {
    const { command, receipt } = entry;
    const { calls, owners, onRevoked, report } = this.#ports;
    if (receipt.outcome === 'sequenced_rejected') return;
    if (command.step === 'party_consent_revocation') return onRevoked(command.partyId, receipt);
    const text = elsewhereText(entry, await detailsOf(calls, owners, entry));
    if (text !== undefined) report(text);
  }
}
