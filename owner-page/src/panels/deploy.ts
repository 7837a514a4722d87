/** Deploys a draft whose review is confirmed, on paper: the owner chooses agent account, market, timeframe, size and inputs. */
import type { AgentMoneyOperations } from '../venue/agent-money-operations.ts';
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { AgentAccount, Draft, Market } from '../venue/agent-resources.ts';
import { type Faults, type Fields, termsOf } from './deploy-form.ts';
import { type PageServices, Panel } from './panel.ts';
import { RequestKey } from './request-key.ts';

const NO_FAULTS: Faults = new Map();

export class DeployPanel extends Panel {
  readonly #operations: AgentOperations;
  readonly #money: AgentMoneyOperations;
  readonly #key = new RequestKey();
  /** Those in which scripts can run; `undefined` until they were read. */
  markets: readonly Market[] | undefined;
  /** Those that are identity-ready. */
  accounts: readonly AgentAccount[] = [];
  /** The chosen market. */
  market: Market | undefined;
  faults: Faults = NO_FAULTS;
  /** Called with the id of a new deployment. */
  onDeployed: (deploymentId: string) => void = () => {};

  constructor(page: PageServices, operations: AgentOperations, money: AgentMoneyOperations) {
    super(page);
    this.#operations = operations;
    this.#money = money;
  }

  load(): Promise<void> {
    this.faults = NO_FAULTS;
    return this.read('Reading markets and agent accounts…', async () => {
      const [markets, accounts] = await Promise.all([this.#operations.markets(), this.#money.accounts()]);
      this.markets = markets.filter(({ status }) => status !== 'draft');
      this.accounts = accounts.filter(({ status }) => status === 'identity_ready');
      this.market = this.markets.find(({ marketId }) => marketId === this.market?.marketId) ?? this.markets[0];
    });
  }

  chooseMarket(marketId: string): void {
    this.market = this.markets?.find((market) => market.marketId === marketId);
    this.page.changed();
  }

  deploy(draft: Draft, fields: Fields): Promise<void> {
    const { terms, faults } = termsOf(fields, draft, this.market);
    this.faults = faults;
    const [first] = faults.keys();
    if (first !== undefined) {
      this.page.moveFocus(`deploy-${first}`);
      this.page.changed();
      return Promise.resolve();
    }
    return this.run('Deploying on paper…', async () => {
      const { deploymentId } = await this.#key.send(terms, (key) => this.#operations.deploy(terms, key));
      this.onDeployed(deploymentId);
    });
  }
}
