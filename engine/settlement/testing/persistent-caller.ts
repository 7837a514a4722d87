/**
 * A caller that does what a venue does: it submits a command again under the same id until it has the receipt. Checks conservation
 * after every receipt.
 */
import { expect } from 'vitest';
import type { LedgerCommand } from '#settlement/port/command.ts';
import { type Ledger, LedgerUnavailable } from '#settlement/port/ledger.ts';
import type { AcceptedReceipt, Receipt } from '#settlement/port/receipt.ts';
import type { ManualTime } from '#time/testing/manual-time.ts';

/** More than any fault here needs. */
const MAX_ATTEMPTS = 1_000;
const STEP_MS = 50;

export class PersistentCaller {
  readonly #ledger: Ledger;
  readonly #time: ManualTime;

  constructor(ledger: Ledger, time: ManualTime) {
    this.#ledger = ledger;
    this.#time = time;
  }

  /** Submits the command until it is sequenced. */
  async carryOut(command: LedgerCommand): Promise<Receipt> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const submitted = await this.read((ledger) => ledger.submit(command));
      const found = submitted.status === 'sequenced' ? submitted : await this.read((ledger) => ledger.lookUp(command.commandId));
      if (found.status === 'sequenced') {
        await this.checkConservation();
        return found.receipt;
      }
      await this.#time.advance(STEP_MS);
    }
    throw new Error(`${command.commandId} is not sequenced after ${MAX_ATTEMPTS} attempts`);
  }

  async accepted(command: LedgerCommand): Promise<AcceptedReceipt> {
    const receipt = await this.carryOut(command);
    expect(receipt).toMatchObject({ outcome: 'sequenced_accepted' });
    return receipt as AcceptedReceipt;
  }

  /** The id of what the command creates. */
  async created(command: LedgerCommand): Promise<string> {
    return (await this.accepted(command)).createdId!;
  }

  async rejected(command: LedgerCommand): Promise<string> {
    const receipt = await this.carryOut(command);
    return receipt.outcome === 'sequenced_rejected' ? receipt.reason : receipt.outcome;
  }

  /** Calls until the ledger responds, while time passes. */
  async read<T>(call: (ledger: Ledger) => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      try {
        return await this.#whileTimePasses(call(this.#ledger));
      } catch (cause) {
        if (!(cause instanceof LedgerUnavailable)) throw cause;
      }
    }
    throw new Error(`the ledger is unavailable after ${MAX_ATTEMPTS} attempts`);
  }

  async checkConservation(): Promise<void> {
    const { issuedAtoms, heldAtoms, offeredAtoms } = await this.read((ledger) => ledger.supply());
    expect(heldAtoms + offeredAtoms).toBe(issuedAtoms);
  }

  async #whileTimePasses<T>(response: Promise<T>): Promise<T> {
    let isSettled = false;
    const settled = response.then(
      () => {
        isSettled = true;
      },
      () => {
        isSettled = true;
      },
    );
    while (!isSettled) await this.#time.advance(STEP_MS);
    await settled;
    return response;
  }
}
