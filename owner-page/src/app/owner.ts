/** A signed-in owner: the panels of the account, which end with the session. */
import type { SetupKeyStore } from '../ceremonies/key-store.ts';
import type { Authenticator } from '../ceremonies/passkey.ts';
import { Signer } from '../ceremonies/signer.ts';
import { AccountPanel } from '../panels/account.ts';
import { ApiKeysPanel } from '../panels/api-keys.ts';
import { ConnectPanel } from '../panels/connect.ts';
import { DepositsPanel } from '../panels/deposits.ts';
import type { PageServices } from '../panels/panel.ts';
import { PasskeysPanel } from '../panels/passkeys.ts';
import { SetupPanel } from '../panels/setup.ts';
import { WithdrawalsPanel } from '../panels/withdrawals.ts';
import type { VenueClient } from '../venue/client.ts';
import { MoneyOperations } from '../venue/money-operations.ts';
import { OwnerOperations } from '../venue/owner-operations.ts';
import type { OwnerSession } from '../venue/resources.ts';
import type { ViewId } from './views.ts';

export interface OwnerParts {
  readonly client: VenueClient;
  readonly authenticator: Authenticator;
  readonly setupKeys: SetupKeyStore;
  readonly page: Omit<PageServices, 'signal'>;
  readonly hasFaucet: boolean;
}

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
  readonly #end = new AbortController();

  constructor(session: OwnerSession, { client, authenticator, setupKeys, page: services, hasFaucet }: OwnerParts) {
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
    this.deposits.onMoved = () => void this.account.load();
    this.withdrawals.onMoved = () => void this.account.load();
    this.connect.onApproved = () => void this.apiKeys.awaitNewKey();
  }

  /** Reads what a view shows. A panel that is at work is left alone. */
  open(view: ViewId): void {
    const panels = {
      setup: [this.setup],
      funds: [this.setup, this.account, this.deposits],
      connect: [this.apiKeys],
      passkeys: [this.passkeys],
    }[view];
    this.withdrawals.clearEnded();
    for (const panel of panels) if (!panel.isBusy) void panel.load();
  }

  end(): void {
    this.#end.abort();
  }
}
