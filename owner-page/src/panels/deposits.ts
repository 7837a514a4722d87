/** Money in: the faucet, funding intents, and one deposit at a time with its approvals. */
import type { Signer } from '../ceremonies/signer.ts';
import { dueOfDeposit } from '../flows/deposit.ts';
import type { Due } from '../flows/due.ts';
import { shownAmount } from '../money.ts';
import type { MoneyOperations } from '../venue/money-operations.ts';
import type { Approval, FundingIntent } from '../venue/resources.ts';
import { FlowPanel } from './flow-panel.ts';
import type { PageServices } from './panel.ts';

export class DepositsPanel extends FlowPanel {
  readonly #operations: MoneyOperations;
  readonly hasFaucet: boolean;
  /** `undefined` until they were read. */
  intents: readonly FundingIntent[] | undefined;
  /** The deposit that is shown. */
  deposit: { readonly depositId: string; readonly amountAtoms: string } | undefined;
  /** Called when the balance may have changed. */
  onMoved: () => void = () => {};

  constructor(page: PageServices, signer: Signer, operations: MoneyOperations, hasFaucet: boolean) {
    super(page, signer, 'deposit-due');
    this.#operations = operations;
    this.hasFaucet = hasFaucet;
  }

  /** Resumes an unfinished deposit, and no longer shows a finished one. */
  load(): Promise<void> {
    return this.read('Reading your deposits…', async () => {
      if (this.due?.by === 'none') this.deposit = undefined;
      await this.#readIntents();
      const bound = this.intents?.find(({ status }) => status === 'deposit_bound');
      if (bound?.depositId == null) return;
      this.deposit = { depositId: bound.depositId, amountAtoms: bound.amountAtoms };
      await this.follow();
    });
  }

  requestFaucet(): Promise<void> {
    return this.run('Requesting test funds…', async () => {
      const { amountAtoms, replayed } = await this.#operations.requestFaucet();
      this.page.announce(
        replayed ? 'You got your test funds before.' : `You got ${shownAmount(amountAtoms)}. Deposit them next.`,
      );
      await this.#readIntents();
      this.page.moveFocus('funding-intents');
    });
  }

  start({ fundingIntentId }: FundingIntent): Promise<void> {
    return this.run('Starting the deposit…', async () => {
      this.due = undefined;
      this.step = undefined;
      this.deposit = await this.#operations.bindDeposit(fundingIntentId);
      await this.follow();
    });
  }

  protected async poll(): Promise<Due> {
    return dueOfDeposit(await this.#operations.confirmDeposit(this.deposit!.depositId));
  }

  protected complete(signingStep: string, approval: Approval): Promise<unknown> {
    return this.#operations.confirmDeposit(this.deposit!.depositId, { signingStep, approval });
  }

  protected async settled(): Promise<void> {
    this.onMoved();
    await this.#readIntents();
  }

  async #readIntents(): Promise<void> {
    this.intents = await this.#operations.fundingIntents();
  }
}
