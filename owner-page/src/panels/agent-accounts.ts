/** The agent accounts of the owner. They have no end of their own: the operator retires accounts. */
import type { AgentMoneyOperations } from '../venue/agent-money-operations.ts';
import type { AgentAccount } from '../venue/agent-resources.ts';
import { type PageServices, Panel } from './panel.ts';
import { RequestKey } from './request-key.ts';

export class AgentAccountsPanel extends Panel {
  readonly #operations: AgentMoneyOperations;
  readonly #key = new RequestKey();
  /** `undefined` until they were read; oldest first. */
  accounts: readonly AgentAccount[] | undefined;

  constructor(page: PageServices, operations: AgentMoneyOperations) {
    super(page);
    this.#operations = operations;
  }

  load(): Promise<void> {
    return this.read('Reading your agent accounts…', () => this.#reread());
  }

  /** Resolves to whether it was opened. */
  async open(typed: string): Promise<boolean> {
    const label = typed.trim();
    let isOpened = false;
    await this.run('Opening the agent account…', async () => {
      await this.#key.send(label, (key) => this.#operations.openAccount(label, key));
      isOpened = true;
      await this.#reread();
      this.page.announce(`The agent account “${label}” is open.`);
      this.page.moveFocus('agent-accounts');
    });
    return isOpened;
  }

  async #reread(): Promise<void> {
    this.accounts = await this.#operations.accounts();
  }
}
