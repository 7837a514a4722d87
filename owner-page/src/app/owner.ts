/** A signed-in owner: the panels of the account, which end with the session. */
import type { SetupKeyStore } from '../ceremonies/key-store.ts';
import type { Authenticator } from '../ceremonies/passkey.ts';
import { Signer } from '../ceremonies/signer.ts';
import { AccountPanel } from '../panels/account.ts';
import { ApiKeysPanel } from '../panels/api-keys.ts';
import { ConnectPanel } from '../panels/connect.ts';
import { DepositsPanel } from '../panels/deposits.ts';
import type { PageServices, Panel } from '../panels/panel.ts';
import { PasskeysPanel } from '../panels/passkeys.ts';
import { SetupPanel } from '../panels/setup.ts';
import { WithdrawalsPanel } from '../panels/withdrawals.ts';
import type { VenueClient } from '../venue/client.ts';
import { MoneyOperations } from '../venue/money-operations.ts';
import { OwnerOperations } from '../venue/owner-operations.ts';
import type { OpenSocket } from '../venue/realtime-feed.ts';
import type { OwnerSession } from '../venue/resources.ts';
import { AgentsOfOwner } from './agents-of-owner.ts';
import type { ViewId } from './views.ts';

export interface OwnerParts {
  readonly client: VenueClient;
  readonly authenticator: Authenticator;
  readonly setupKeys: SetupKeyStore;
  readonly page: Omit<PageServices, 'signal'>;
  readonly openSocket: OpenSocket;
  readonly hasFaucet: boolean;
  readonly hasAgents: boolean;
}

type LoadedPanel = Panel & { load(): Promise<void> };

export class Owner {
  readonly session: OwnerSession;
  readonly operations: OwnerOperations;
  readonly setup: SetupPanel;
  readonly account: AccountPanel;
  readonly deposits: DepositsPanel;
  readonly withdrawals: WithdrawalsPanel;
  readonly connect: ConnectPanel;
  readonly apiKeys: ApiKeysPanel;
  readonly passkeys: PasskeysPanel;
  /** `undefined` where the venue admits no agents. */
  readonly agents: AgentsOfOwner | undefined;
  readonly #end = new AbortController();

  constructor(session: OwnerSession, parts: OwnerParts) {
    const { client, authenticator, setupKeys, page: services, openSocket, hasFaucet, hasAgents } = parts;
    const page = { ...services, signal: this.#end.signal };
    const signer = new Signer(authenticator, setupKeys, session.accountId);
    const money = new MoneyOperations(client, session.accountId);
    this.session = session;
    this.operations = new OwnerOperations(client, session.accountId);
    this.setup = new SetupPanel(page, signer, this.operations);
    this.account = new AccountPanel(page, money);
    this.deposits = new DepositsPanel(page, signer, money, hasFaucet);
    this.withdrawals = new WithdrawalsPanel(page, signer, money);
    this.connect = new ConnectPanel(page, this.operations, authenticator);
    this.apiKeys = new ApiKeysPanel(page, this.operations);
    this.passkeys = new PasskeysPanel(page, this.operations, authenticator);
    if (hasAgents) this.agents = new AgentsOfOwner(page, { client, accountId: session.accountId, signer, openSocket });
    this.deposits.onMoved = () => void this.account.load();
    this.withdrawals.onMoved = () => void this.account.load();
    this.connect.onApproved = () => void this.apiKeys.awaitNewKey();
    if (this.agents === undefined) return;
    const { accounts, fundings } = this.agents;
    fundings.onMoved = () => {
      void accounts.load();
      void this.account.load();
    };
  }

  /** Reads what a view shows. `subject`: the draft or deployment. A panel that is at work is left alone. */
  open(view: ViewId, subject: string): void {
    const { agents } = this;
    this.withdrawals.clearEnded();
    agents?.fundings.clearEnded();
    agents?.closeDeployment();
    const panels: readonly LoadedPanel[] = {
      setup: [this.setup],
      funds: [this.setup, this.account, this.deposits],
      strategies: agents === undefined ? [] : [agents.drafts, agents.strategies],
      draft: [],
      agents: agents === undefined ? [] : [this.account, agents.deployments, agents.accounts, agents.fundings],
      deployment: agents === undefined ? [] : [agents.deployments],
      connect: [this.apiKeys],
      passkeys: [this.passkeys],
    }[view];
    for (const panel of panels) if (!panel.isBusy) void panel.load();
    if (view === 'draft') agents?.openDraft(subject);
    if (view === 'deployment') agents?.openDeployment(subject);
  }

  end(): void {
    this.agents?.closeDeployment();
    this.#end.abort();
  }
}
