/** The operator's actions, performed as commands of the one writer. */
import { randomBytes } from 'node:crypto';
import { ERRORS } from '#contract/errors.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { type AccountOrdinal, type MarketOrdinal, parseAccountId, renderAccountId } from '#units/ids.ts';
import { type QuoteAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/submit.ts';
import {
  type ActionOf,
  type CreatedAccount,
  type CreatedApiKey,
  type OperatorAction,
  OperatorRefusal,
  type VenueReport,
} from './action.ts';

export interface OperatorPorts {
  readonly submit: Submit;
  readonly makeApiKey: () => { readonly keyId: string; readonly key: string; readonly digest: string };
  /** `undefined` where no market has this id. */
  readonly marketOf: (marketId: string) => MarketOrdinal | undefined;
  readonly report: () => VenueReport;
}

export class Operator {
  readonly #ports: OperatorPorts;

  constructor(ports: OperatorPorts) {
    this.#ports = ports;
  }

  /** Rejects with {@link OperatorRefusal} where the venue or its writer says no. */
  async perform(action: OperatorAction): Promise<object> {
    switch (action.action) {
      case 'account.create':
        return this.createAccount(action);
      case 'account.credit':
        return { accountId: action.accountId, cash: await this.#credit(accountOf(action.accountId), amountOf(action.amount)) };
      case 'account.retire':
        await this.#submit({ type: 'RetireAccount', account: accountOf(action.accountId) });
        return { accountId: action.accountId };
      case 'api-key.create':
        return this.#createApiKey(accountOf(action.accountId), action);
      case 'api-key.revoke':
        await this.#submit({ type: 'RevokeApiKey', account: accountOf(action.accountId), keyId: action.keyId });
        return { accountId: action.accountId, keyId: action.keyId };
      case 'market.status':
        return this.#setMarketStatus(action);
      case 'venue.status':
        return this.#ports.report();
    }
  }

  /** Three commands: the account, its first money, its key. What came before a refusal stands. */
  async createAccount({ label, credit, scopes, party }: Omit<ActionOf<'account.create'>, 'action'>): Promise<CreatedAccount> {
    const amount = amountOf(credit, 0);
    const partyId = party ? `party-${randomBytes(12).toString('hex')}` : '';
    const opened = eventOf(await this.#submit({ type: 'OpenAccount', label, partyId }), 'AccountOpened');
    const cash = amount === 0 ? '0' : await this.#credit(opened.account, amount);
    return { ...(await this.#createApiKey(opened.account, { label, scopes })), cash };
  }

  async #credit(account: AccountOrdinal, amountAtoms: QuoteAtoms): Promise<string> {
    const events = await this.#submit({ type: 'CreditCash', account, amountAtoms, reference: 'operator' });
    return renderDecimal(eventOf(events, 'CashPosted').cashAtoms, SETTLEMENT_DECIMALS);
  }

  async #createApiKey(
    account: AccountOrdinal,
    { label, scopes }: Pick<ActionOf<'api-key.create'>, 'label' | 'scopes'>,
  ): Promise<CreatedApiKey> {
    const { keyId, key, digest } = this.#ports.makeApiKey();
    await this.#submit({ type: 'IssueApiKey', account, keyId, digest, scopes, label });
    return { accountId: renderAccountId(account), keyId, apiKey: key, scopes };
  }

  async #setMarketStatus({ marketId, status }: ActionOf<'market.status'>): Promise<object> {
    const market = this.#ports.marketOf(marketId);
    if (market === undefined) throw new OperatorRefusal('market_not_found', `there is no market ${marketId}`);
    await this.#submit({ type: 'SetMarketStatus', market, status });
    return { marketId, status };
  }

  async #submit(command: Command): Promise<readonly VenueEvent[]> {
    let events: readonly VenueEvent[];
    try {
      ({ events } = await this.#ports.submit({ command }));
    } catch (error) {
      if (error instanceof VenueHalted) throw new OperatorRefusal('venue_halted', ERRORS.venue_halted.cause);
      if (error instanceof WriterBusy) throw new OperatorRefusal('venue_busy', ERRORS.venue_busy.cause);
      throw error;
    }
    const refused = events.find((event) => event.type === 'CommandRefused');
    if (refused !== undefined)
      throw new OperatorRefusal(refused.code, `${ERRORS[refused.code].cause} ${ERRORS[refused.code].whatToDo}`);
    return events;
  }
}

function eventOf<Type extends VenueEvent['type']>(
  events: readonly VenueEvent[],
  type: Type,
): Extract<VenueEvent, { type: Type }> {
  const found = events.find((event) => event.type === type);
  if (found === undefined) throw new Error(`the venue took the command without ${type}`);
  return found as Extract<VenueEvent, { type: Type }>;
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
      `${text} is no amount of USD.E: write a decimal above zero with at most 6 digits behind the point`,
    );
  }
  return quoteAtoms(parsed.atoms);
}
