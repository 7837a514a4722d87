/**
 * The whole state of the venue, with the counters for new ordinals. Only commits change it. Only the core and its checkers
 * read it.
 */
import type {
  AccountOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  PositionOrdinal,
  TradeOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { Account } from './account/account.ts';
import { Affiliates } from './affiliate/affiliates.ts';
import { Agents } from './agent/agents.ts';
import { AgentAccounts } from './agent-account/agent-accounts.ts';
import { AgentFundings } from './agent-account/agent-fundings.ts';
import type { VenueLedger } from './event.ts';
import type { Market } from './market/market.ts';
import { CancelTimers } from './order/cancel-timers.ts';
import { ClientOrderIds } from './order/client-order-ids.ts';
import { Deadlines } from './order/deadlines.ts';
import { OrderTable } from './order/order-table.ts';
import { Owners } from './owner/owners.ts';
import { Switches } from './switches/switches.ts';
import type { PendingWithdrawal } from './transfer/pending-withdrawal.ts';
import { SettlementState } from './transfer/settlement-state.ts';
import { Triggers } from './trigger/triggers.ts';

export class VenueState {
  readonly switches = new Switches();
  readonly owners = new Owners();
  readonly affiliates = new Affiliates();
  readonly settlement = new SettlementState();
  readonly agentAccounts = new AgentAccounts();
  readonly agents = new Agents();
  readonly agentFundings = new AgentFundings();
  readonly orders = new OrderTable();
  /** When open orders expire. */
  readonly expiries = new Deadlines<OrderOrdinal>();
  readonly cancelTimers = new CancelTimers();
  readonly clientOrderIds = new ClientOrderIds();
  readonly triggers = new Triggers();
  /** By ordinal; index 0 is unused. */
  readonly accounts: (Account | undefined)[] = [undefined];
  readonly markets: (Market | undefined)[] = [undefined];
  /** The parties of all accounts, and those that the external ledger allocated for one. */
  readonly partyIds = new Set<string>();
  /** Key id → account, for every key that is not revoked. */
  readonly apiKeyAccounts = new Map<string, AccountOrdinal>();
  /** Key id → expiry time, for keys that expire. */
  readonly apiKeyExpiries = new Map<string, EpochMs>();
  readonly ledgers: Record<VenueLedger, QuoteAtoms> = {
    fees: ZERO_QUOTE,
    deficit: ZERO_QUOTE,
    insurance: ZERO_QUOTE,
    funding: ZERO_QUOTE,
    withdrawals: ZERO_QUOTE,
  };
  /** The sum of all deposits less the sum of all settled withdrawals. */
  netDepositsAtoms: QuoteAtoms = ZERO_QUOTE;
  lastOrder = 0 as OrderOrdinal;
  lastTrade = 0 as TradeOrdinal;
  lastPosition = 0 as PositionOrdinal;
  lastWithdrawal = 0 as WithdrawalOrdinal;
  /** Withdrawals that are neither settled nor released, oldest first. */
  readonly withdrawals = new Map<WithdrawalOrdinal, PendingWithdrawal>();

  account(ordinal: AccountOrdinal): Account | undefined {
    return this.accounts[ordinal];
  }

  market(ordinal: MarketOrdinal): Market | undefined {
    return this.markets[ordinal];
  }

  nextOrder(): OrderOrdinal {
    this.lastOrder = (this.lastOrder + 1) as OrderOrdinal;
    return this.lastOrder;
  }

  nextTrade(): TradeOrdinal {
    this.lastTrade = (this.lastTrade + 1) as TradeOrdinal;
    return this.lastTrade;
  }

  nextWithdrawal(): WithdrawalOrdinal {
    this.lastWithdrawal = (this.lastWithdrawal + 1) as WithdrawalOrdinal;
    return this.lastWithdrawal;
  }

  nextPosition(): PositionOrdinal {
    this.lastPosition = (this.lastPosition + 1) as PositionOrdinal;
    return this.lastPosition;
  }
}
