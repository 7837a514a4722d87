/** The operations that move an owner's money, and those that read it. */
import type { VenueClient } from './client.ts';
import type {
  AccountSnapshot,
  Approval,
  Deposit,
  DepositSigning,
  FaucetGrant,
  FundingIntent,
  TransferPage,
  Withdrawal,
  WithdrawalSigning,
} from './resources.ts';

export interface WithdrawalRequest {
  /** A decimal string. */
  readonly amount: string;
  /** A ledger party. */
  readonly destination: string;
  /** The same for each attempt to send one request. */
  readonly idempotencyKey: string;
}

export class MoneyOperations {
  readonly #client: VenueClient;
  readonly #accountId: string;

  constructor(client: VenueClient, accountId: string) {
    this.#client = client;
    this.#accountId = accountId;
  }

  account(): Promise<AccountSnapshot> {
    return this.#client.send({ method: 'GET', path: this.#path('') });
  }

  /** Those that changed at this time or later, oldest change first. */
  transfers(sinceEpochMs: number, cursor: string | null): Promise<TransferPage> {
    const page = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    return this.#client.send({ method: 'GET', path: this.#path(`/transfers?limit=100&since=${sinceEpochMs}${page}`) });
  }

  requestFaucet(): Promise<FaucetGrant> {
    return this.#client.send({ method: 'POST', path: this.#path('/faucet-grant') });
  }

  async fundingIntents(): Promise<readonly FundingIntent[]> {
    const path = this.#path('/local-signing-funding-intents');
    return (await this.#client.send<{ fundingIntents: readonly FundingIntent[] }>({ method: 'GET', path })).fundingIntents;
  }

  bindDeposit(fundingIntentId: string): Promise<Deposit> {
    return this.#client.send({ method: 'POST', path: this.#path('/deposits'), body: { fundingIntentId } });
  }

  /** What is due of a deposit; with an approval, approves it first. */
  confirmDeposit(depositId: string, approved?: StepApproval): Promise<DepositSigning> {
    const body = { ...confirmation(approved), depositId };
    return this.#client.send({ method: 'POST', path: this.#path('/deposits/confirm'), body });
  }

  requestWithdrawal({ amount, destination, idempotencyKey }: WithdrawalRequest): Promise<Withdrawal> {
    const body = { accountId: this.#accountId, asset: 'USD.E', amount, destination };
    return this.#client.send({ method: 'POST', path: '/v1/withdrawals', body, idempotencyKey });
  }

  withdrawal(withdrawalId: string): Promise<Withdrawal> {
    return this.#client.send({ method: 'GET', path: `/v1/withdrawals/${withdrawalId}` });
  }

  authorizeWithdrawal(withdrawalId: string): Promise<Withdrawal> {
    return this.#client.send({ method: 'POST', path: `/v1/withdrawals/${withdrawalId}/authorize` });
  }

  /** As {@link confirmDeposit}. */
  confirmWithdrawal(withdrawalId: string, approved?: StepApproval): Promise<WithdrawalSigning> {
    return this.#client.send({
      method: 'POST',
      path: `/v1/withdrawals/${withdrawalId}/confirm`,
      body: { ...confirmation(approved), withdrawalId },
      // The page sends no confirmation again: it initiates, and signs what is due then.
      idempotencyKey: crypto.randomUUID(),
    });
  }

  #path(path: string): string {
    return `/v1/accounts/${this.#accountId}${path}`;
  }
}

/** A signature of the step that was due. */
export interface StepApproval {
  readonly signingStep: string;
  readonly approval: Approval;
}

function confirmation(approved: StepApproval | undefined) {
  if (approved === undefined) return { action: 'initiate' };
  return { action: 'complete', signingStep: approved.signingStep, ...approved.approval };
}
