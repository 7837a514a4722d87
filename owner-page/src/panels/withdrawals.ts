/** Money out: one withdrawal at a time. The owner checks it before it is requested, then signs it twice. */
import type { Signer } from '../ceremonies/signer.ts';
import type { Due } from '../flows/due.ts';
import { dueOfWithdrawal, dueOfWithdrawalSigning } from '../flows/withdrawal.ts';
import { atomsOfInput, decimalOf, shownAmount } from '../money.ts';
import type { MoneyOperations, WithdrawalRequest } from '../venue/money-operations.ts';
import type { Approval, Withdrawal } from '../venue/resources.ts';
import { isPassing } from '../venue/venue-error.ts';
import { FlowPanel } from './flow-panel.ts';
import type { PageServices } from './panel.ts';

/** The minimum of the venue, which decides. */
export const MIN_ATOMS = 1_000_000n;

export class WithdrawalsPanel extends FlowPanel {
  readonly #operations: MoneyOperations;
  /** What the owner checks before it is sent. */
  review: WithdrawalRequest | undefined;
  inputFailure: string | undefined;
  withdrawal: Withdrawal | undefined;
  payoutOfferExpiresAtEpochMs: number | null = null;
  /** Called when the balance may have changed. */
  onMoved: () => void = () => {};

  constructor(page: PageServices, signer: Signer, operations: MoneyOperations) {
    super(page, signer, 'withdrawal-due');
    this.#operations = operations;
  }

  /** Checks the amount and shows the request for review. */
  prepare(typed: string, availableAtoms: string, destination: string): void {
    const atoms = atomsOfInput(typed);
    this.failure = undefined;
    this.inputFailure = checkAmount(atoms, availableAtoms);
    if (atoms !== undefined && this.inputFailure === undefined)
      this.review = { amount: decimalOf(atoms), destination, idempotencyKey: crypto.randomUUID() };
    this.page.moveFocus(this.review === undefined ? 'withdrawal-amount' : 'withdrawal-review');
    this.page.changed();
  }

  cancelReview(): void {
    this.review = undefined;
    this.page.moveFocus('withdrawal-amount');
    this.page.changed();
  }

  request(): Promise<void> {
    const { review } = this;
    if (review === undefined) return Promise.resolve();
    return this.run('Requesting the withdrawal…', async () => {
      try {
        this.#begin(await this.#operations.requestWithdrawal(review));
      } catch (error) {
        // A request whose response is lost is sent again under its key.
        if (!isPassing(error)) this.review = undefined;
        throw error;
      }
      this.review = undefined;
      this.onMoved();
      await this.follow();
    });
  }

  /** No longer shows one that has ended. */
  clearEnded(): void {
    if (this.due?.by === 'none') this.withdrawal = undefined;
  }

  /** Continues one from the list of transfers. */
  resume(withdrawalId: string): Promise<void> {
    return this.read('Reading the withdrawal…', async () => {
      this.#begin(await this.#operations.withdrawal(withdrawalId));
      await this.follow();
    });
  }

  protected async poll(): Promise<Due> {
    const { withdrawalId } = this.withdrawal!;
    this.withdrawal = await this.#operations.withdrawal(withdrawalId);
    const due = dueOfWithdrawal(this.withdrawal);
    if (due.by === 'authorization') this.withdrawal = await this.#operations.authorizeWithdrawal(withdrawalId);
    if (due.by !== 'authorization' && due.by !== 'signing') return due;
    const signing = await this.#operations.confirmWithdrawal(withdrawalId);
    this.payoutOfferExpiresAtEpochMs = signing.withdrawal.payoutOfferExpiresAtEpochMs;
    return dueOfWithdrawalSigning(signing);
  }

  protected async complete(signingStep: string, approval: Approval): Promise<void> {
    await this.#operations.confirmWithdrawal(this.withdrawal!.withdrawalId, { signingStep, approval });
    this.onMoved();
  }

  protected async settled(): Promise<void> {
    this.onMoved();
  }

  #begin(withdrawal: Withdrawal): void {
    this.withdrawal = withdrawal;
    this.due = undefined;
    this.step = undefined;
    this.payoutOfferExpiresAtEpochMs = null;
  }
}

function checkAmount(atoms: bigint | undefined, availableAtoms: string): string | undefined {
  if (atoms === undefined) return 'Enter an amount such as 12.5, with at most 6 decimals.';
  if (atoms > BigInt(availableAtoms)) return `At most ${shownAmount(availableAtoms)} can be withdrawn now.`;
  if (atoms < MIN_ATOMS && atoms !== BigInt(availableAtoms))
    return `Withdraw at least ${shownAmount(String(MIN_ATOMS))}, or all of ${shownAmount(availableAtoms)}.`;
  return undefined;
}
