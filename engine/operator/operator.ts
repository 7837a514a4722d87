/** The operator's actions, performed as commands of the writer. */
import { randomBytes, randomInt } from 'node:crypto';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { type AccountOrdinal, type MarketOrdinal, parseAccountId, parseWithdrawalId, renderAccountId } from '#units/ids.ts';
import { type EpochMs, type QuoteAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { Capability, Command } from '#venue/command.ts';
import type { CommandRefused, VenueEvent } from '#venue/event.ts';
import { IdempotencyConflict, type Outcome, type Submission, type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import {
  type ActionOf,
  type CreatedAccount,
  type CreatedApiKey,
  type OperatorAction,
  OperatorRefusal,
  type VenueReport,
} from './action.ts';
import { idempotencyOf, type KeyedAction, moneyIdOf } from './idempotency.ts';
import { acceptLedger, listLedger, type OperatedLedger, refuseDuringDifference, refuseIfPaid } from './ledger-actions.ts';
import { createMarket, listMarkets, type OperatedMarkets, updateMarket } from './market-actions.ts';

const NEVER = 0 as EpochMs;

/** Reads of accounts, in the form of the command line; `undefined` if there is no such account. */
export interface AccountReads {
  readonly list: (query: { readonly limit: number; readonly after?: AccountOrdinal }) => Promise<object>;
  readonly show: (account: AccountOrdinal) => Promise<object | undefined>;
  readonly apiKeys: (account: AccountOrdinal) => Promise<readonly object[] | undefined>;
}

export interface OperatorPorts {
  readonly submit: Submit;
  readonly createApiKey: () => { readonly keyId: string; readonly key: string; readonly digest: string };
  /** `undefined` if no market has this id. */
  readonly marketOf: (marketId: string) => MarketOrdinal | undefined;
  readonly markets: OperatedMarkets;
  readonly report: () => Promise<VenueReport>;
  readonly accounts: AccountReads;
  /** `undefined` on a venue without an external ledger. */
  readonly ledger?: OperatedLedger | undefined;
  /** The journal's time. */
  readonly now: () => EpochMs;
}

export class Operator {
  readonly #ports: OperatorPorts;

  constructor(ports: OperatorPorts) {
    this.#ports = ports;
  }

  /** Rejects with {@link OperatorRefusal} if the venue or its writer refuses. */
  async perform(action: OperatorAction): Promise<object> {
    switch (action.action) {
      case 'account.create':
        return this.createAccount(action);
      case 'account.credit':
        return { accountId: action.accountId, cash: await this.#creditAccount(action) };
      case 'account.debit':
        return this.#debitAccount(action);
      case 'account.list':
        return this.#listAccounts(action);
      case 'account.show':
        return foundOrRefuse(action.accountId, await this.#read((reads) => reads.show(accountOf(action.accountId))));
      case 'account.retire':
        return this.#retireAccount(action);
      case 'api-key.create':
        return this.#createApiKey(accountOf(action.accountId), action);
      case 'api-key.list': {
        const apiKeys = await this.#read((reads) => reads.apiKeys(accountOf(action.accountId)));
        return { accountId: action.accountId, apiKeys: foundOrRefuse(action.accountId, apiKeys) };
      }
      case 'api-key.revoke':
        await this.#revokeApiKey(accountOf(action.accountId), action.keyId);
        return { accountId: action.accountId, keyId: action.keyId };
      case 'market.create':
        return createMarket(this.#ports.markets, action, (command, explain) => this.#submit(command, {}, explain));
      case 'market.update':
        return updateMarket(this.#ports.markets, action, (command, explain) => this.#submit(command, {}, explain));
      case 'market.list':
        return listMarkets(this.#ports.markets);
      case 'market.status':
        return this.#setMarketStatus(action);
      case 'insurance.credit':
        return { insurance: await this.#creditInsurance(action) };
      case 'withdrawal.block':
        return this.#blockWithdrawal(action);
      case 'venue.status':
        return this.#ports.report();
      case 'venue.set-status':
        await this.#submit({ type: 'SetVenueStatus', status: action.status });
        return { venueStatus: action.status };
      case 'venue.capability':
        return this.#setCapability(action);
      case 'ledger.list':
        return listLedger(this.#ports.ledger, action);
      case 'ledger.accept':
        return acceptLedger(this.#ports.ledger, action, (command, explain) => this.#submit(command, {}, explain));
    }
  }

  /**
   * Three commands: the account, its initial credit, its key. An invalid key is refused before the first of them. If the money was moved
   * under the action's key on an earlier day, the new account is retired again.
   */
  async createAccount(action: ActionOf<'account.create'>): Promise<CreatedAccount> {
    const { label, credit, party } = action;
    const amount = amountOf(credit, 0);
    this.#checkFuture(action);
    const partyId = party ? `party-${randomBytes(12).toString('hex')}` : '';
    const command = { type: 'OpenAccount', label, partyId, digestSeed: randomInt(2 ** 32) } as const;
    const opened = await this.#submit(command, idempotencyOf(action, 'account'));
    const { account } = eventOf(opened.events, 'AccountOpened');
    try {
      const cash = amount === 0 ? '0' : await this.#credit(account, amount, action.key ?? 'operator', action);
      return { ...(await this.#createApiKey(account, action)), cash };
    } catch (error) {
      if (error instanceof OperatorRefusal && error.code === 'money_id_used' && !opened.replayed)
        await this.#submit({ type: 'RetireAccount', account });
      throw error;
    }
  }

  #creditAccount(action: ActionOf<'account.credit'>): Promise<string> {
    const { accountId, amount, reference, key } = action;
    return this.#credit(accountOf(accountId), amountOf(amount), reference ?? key ?? 'operator', action);
  }

  /** Returns the resulting cash. */
  async #credit(account: AccountOrdinal, amountAtoms: QuoteAtoms, reference: string, action: KeyedAction): Promise<string> {
    const command = { type: 'CreditCash', account, amountAtoms, reference, ...moneyIdOf(action) } as const;
    const { events } = await this.#submit(command, idempotencyOf(action, 'credit'), (refused) => usedKey(action, refused));
    return cashAfter(events);
  }

  /** One command: the cash leaves the account and the venue, or nothing happens. */
  async #debitAccount(action: ActionOf<'account.debit'>): Promise<object> {
    const { accountId, amount, reference, key } = action;
    const command = {
      type: 'DebitCash',
      account: accountOf(accountId),
      amountAtoms: amountOf(amount),
      reference: reference ?? key ?? 'operator',
      ...moneyIdOf(action),
    } as const;
    const explain = (refused: CommandRefused) =>
      refused.code === 'insufficient_cash' ? shortOf(action, refused.bound) : usedKey(action, refused);
    const { events } = await this.#submit(command, idempotencyOf(action, 'debit'), explain);
    const { withdrawal } = eventOf(events, 'WithdrawalSettled');
    return { accountId, cash: cashAfter(events), transferId: `withdrawal-${withdrawal}` };
  }

  /** Only before its first step on the ledger: after it, the money may be on its way. */
  async #blockWithdrawal({ withdrawalId, reason }: ActionOf<'withdrawal.block'>): Promise<object> {
    const withdrawal = parseWithdrawalId(withdrawalId);
    if (withdrawal === undefined) throw catalogued('withdrawal_not_found');
    const explain = ({ code }: CommandRefused) =>
      code === 'withdrawal_state_conflict' ? `${withdrawalId} ${CANNOT_BE_BLOCKED}` : undefined;
    await refuseIfPaid(this.#ports.ledger, withdrawal);
    const { events } = await this.#submit({ type: 'BlockWithdrawal', withdrawal, reason }, {}, explain);
    const { account } = eventOf(events, 'WithdrawalBlocked');
    return { withdrawalId, accountId: renderAccountId(account), status: 'blocked', cash: cashAfter(events) };
  }

  async #listAccounts({ limit, after }: ActionOf<'account.list'>): Promise<object> {
    return this.#read((reads) => reads.list({ limit, ...(after !== undefined && { after: accountOf(after) }) }));
  }

  #read<Result>(read: (reads: AccountReads) => Promise<Result>): Promise<Result> {
    return read(this.#ports.accounts).catch((error: unknown) => {
      throw mapToRefusal(error);
    });
  }

  /** Returns the resulting balance of the fund. */
  async #creditInsurance(action: ActionOf<'insurance.credit'>): Promise<string> {
    const { amount, reference, key } = action;
    const command = {
      type: 'CreditInsurance',
      amountAtoms: amountOf(amount),
      reference: reference ?? key ?? 'operator',
      ...moneyIdOf(action),
    } as const;
    const { events } = await this.#submit(command, idempotencyOf(action, 'credit'), (refused) => usedKey(action, refused));
    return renderDecimal(eventOf(events, 'LedgerPosted').balanceAtoms, SETTLEMENT_DECIMALS);
  }

  /** A key is returned once and not stored: a repeated action revokes the key that it made before, and returns a new one. */
  async #createApiKey(
    account: AccountOrdinal,
    action: ActionOf<'api-key.create'> | ActionOf<'account.create'>,
  ): Promise<CreatedApiKey> {
    const { label, scopes, expiresAt = NEVER } = action;
    this.#checkFuture(action);
    for (let attempt = 1; ; attempt += 1) {
      const { keyId, key, digest } = this.#ports.createApiKey();
      const command = { type: 'IssueApiKey', account, keyId, digest, scopes, label, expiresAtEpochMs: expiresAt } as const;
      const { events, replayed } = await this.#submit(command, idempotencyOf(action, `api-key ${attempt}`));
      if (!replayed) {
        const created = { accountId: renderAccountId(account), keyId, apiKey: key, scopes };
        return expiresAt === NEVER ? created : { ...created, expiresAtEpochMs: expiresAt };
      }
      await this.#revokeApiKey(account, eventOf(events, 'ApiKeyIssued').keyId).catch((error: unknown) => {
        // It was revoked already, by hand or by a concurrent action.
        if (!(error instanceof OperatorRefusal && error.code === 'api_key_not_found')) throw error;
      });
    }
  }

  #checkFuture({ expiresAt }: { readonly expiresAt?: EpochMs | undefined }): void {
    if (expiresAt !== undefined && expiresAt <= this.#ports.now())
      throw new OperatorRefusal('api_key_invalid', 'the key would have expired already: give a future time, or no time');
  }

  async #revokeApiKey(account: AccountOrdinal, keyId: string): Promise<void> {
    await this.#submit({ type: 'RevokeApiKey', account, keyId });
  }

  async #retireAccount({ accountId, legacy }: ActionOf<'account.retire'>): Promise<object> {
    await this.#submit({ type: 'RetireAccount', account: accountOf(accountId), ...(legacy && { isLegacy: true }) });
    return { accountId, status: legacy ? 'legacy' : 'retired' };
  }

  async #setCapability({ capability, state }: ActionOf<'venue.capability'>): Promise<object> {
    if (capability === 'transfers' && state === 'on') refuseDuringDifference(this.#ports.ledger);
    await this.#submit({ type: 'SetCapability', capability: capability as Capability, isOn: state === 'on' });
    return { capability, state };
  }

  async #setMarketStatus({ marketId, status }: ActionOf<'market.status'>): Promise<object> {
    const market = this.#ports.marketOf(marketId);
    if (market === undefined) throw new OperatorRefusal('market_not_found', `there is no market ${marketId}`);
    await this.#submit({ type: 'SetMarketStatus', market, status });
    return { marketId, status };
  }

  /** `explain` may return a better message for a refusal than the catalogue's. */
  async #submit(
    command: Command,
    keyed: Pick<Submission, 'idempotency'> = {},
    explain: (refused: CommandRefused) => string | undefined = () => undefined,
  ): Promise<Outcome> {
    const committed = await this.#ports.submit({ command, ...keyed }).catch((error: unknown) => {
      throw mapToRefusal(error);
    });
    const refused = committed.events.find((event) => event.type === 'CommandRefused');
    if (refused !== undefined) throw catalogued(refused.code, explain(refused));
    return committed;
  }
}

const CANNOT_BE_BLOCKED =
  'cannot be blocked: it has ended, or its owner has signed a step, so that its money may be on its way; the ledger decides how it ends';

function mapToRefusal(error: unknown): unknown {
  if (error instanceof IdempotencyConflict) return catalogued('idempotency_conflict');
  if (error instanceof VenueHalted) return catalogued('venue_halted');
  if (error instanceof WriterBusy) return catalogued('venue_busy');
  return error;
}

function catalogued(code: ErrorCode, message = `${ERRORS[code].cause} ${ERRORS[code].whatToDo}`): OperatorRefusal {
  return new OperatorRefusal(code, message);
}

function eventOf<Type extends VenueEvent['type']>(
  events: readonly VenueEvent[],
  type: Type,
): Extract<VenueEvent, { type: Type }> {
  const found = events.find((event) => event.type === type);
  if (found === undefined) throw new Error(`the venue accepted the command without ${type}`);
  return found as Extract<VenueEvent, { type: Type }>;
}

function cashAfter(events: readonly VenueEvent[]): string {
  return renderDecimal(eventOf(events, 'CashPosted').cashAtoms, SETTLEMENT_DECIMALS);
}

/** Describes a repeated movement of money; `undefined` for another refusal. */
function usedKey({ action, key }: KeyedAction, { code }: CommandRefused): string | undefined {
  if (code !== 'money_id_used') return undefined;
  return (
    `${action} has moved money under the key ${key} before, and nothing was moved again: a key is the id of one movement, for good; ` +
    'for another movement choose another --key (--reference may repeat)'
  );
}

function shortOf({ accountId, amount }: ActionOf<'account.debit'>, availableAtoms: number): string {
  const available = renderDecimal(availableAtoms, SETTLEMENT_DECIMALS);
  return (
    `${accountId} has ${available} USD.E available (cash less what its open orders reserve), less than ${amount}: ` +
    'debit at most that; positions and orders must be closed before their money can leave'
  );
}

/** Throws {@link OperatorRefusal} if the account does not exist. */
function foundOrRefuse<Found>(accountId: string, found: Found | undefined): Found {
  if (found === undefined) throw new OperatorRefusal('account_not_found', `there is no account ${accountId}`);
  return found;
}

function accountOf(accountId: string): AccountOrdinal {
  const account = parseAccountId(accountId);
  if (account === undefined) throw new OperatorRefusal('account_not_found', `there is no account ${accountId}`);
  return account;
}

function amountOf(text: string, smallest = 1): QuoteAtoms {
  const parsed = parseDecimal(text, SETTLEMENT_DECIMALS);
  if ('fault' in parsed || parsed.atoms < smallest) {
    throw new OperatorRefusal(
      'amount_out_of_bounds',
      `${text} is no amount of USD.E: write a decimal ${smallest === 0 ? 'of zero or more' : 'above zero'} with at most ${SETTLEMENT_DECIMALS} digits behind the point`,
    );
  }
  return quoteAtoms(parsed.atoms);
}
