/**
 * Checks the outcome of a command: it places the requested orders, each entry of a batch has one outcome in the order of the
 * entries, no client order id is used twice, and a refusal changes nothing and has a verifiable reason.
 */
import type { BatchEntry, Command, OrderTerms } from '#venue/command.ts';
import type { OrderAccepted, TriggerAccepted, VenueEvent } from '#venue/event.ts';
import type { RefusalCode } from '#venue/refusal.ts';
import { isAcceptedAs } from './accepted-terms.ts';
import type { Accounts } from './accounts.ts';
import type { AuditedAffiliates } from './affiliates.ts';
import type { AgentAccounts } from './agent-accounts.ts';
import type { AgentFundings } from './agent-fundings.ts';
import { agentRefusalIsPossible } from './agent-refusals.ts';
import type { AuditedAgents } from './agents.ts';
import { checkAmendments } from './amendments.ts';
import { fail } from './audit-failed.ts';
import type { Leverages } from './leverages.ts';
import type { Markets } from './markets.ts';
import { permits } from './markets.ts';
import type { Matching } from './matching.ts';
import type { OrderBooks } from './order-books.ts';
import { isEndOfBand } from './order-rules.ts';
import type { OwnerMoney } from './owner-money.ts';
import { ownerRefusalIsPossible } from './owner-refusals.ts';
import type { AuditedOwners } from './owners.ts';
import type { AuditedSwitches } from './switches.ts';
import type { Transfers } from './transfers.ts';
import type { WaitingOrders } from './waiting-orders.ts';
import { checkLegs, checkWaitingOrder } from './waiting-outcomes.ts';

/** The books that outcomes are checked against. */
export interface OutcomeParts {
  readonly accounts: Accounts;
  readonly markets: Markets;
  readonly orders: OrderBooks;
  readonly waiting: WaitingOrders;
  readonly matching: Matching;
  readonly transfers: Transfers;
  readonly ownerMoney: OwnerMoney;
  readonly switches: AuditedSwitches;
  readonly owners: AuditedOwners;
  readonly agentAccounts: AgentAccounts;
  readonly agents: AuditedAgents;
  readonly affiliates: AuditedAffiliates;
  readonly agentFundings: AgentFundings;
  readonly leverages: Leverages;
}

const CLIENT_ORDER_ID_RETENTION_MS = 86_400_000;
const MAX_CLIENT_ORDER_IDS = 100_000;

export class Outcomes {
  readonly #parts: OutcomeParts;
  /** By account and client order id: when it was used last. */
  readonly #used = new Map<number, Map<string, number>>();
  /** How many client order ids were used. */
  #clientOrderIds = 0;

  constructor(parts: OutcomeParts) {
    this.#parts = parts;
  }

  /** Takes a refused command, before anything else of its turn. */
  checkRefusal(sequence: number, command: Command, epochMs: number, events: readonly VenueEvent[]): void {
    const [refusal] = events;
    if (refusal?.type !== 'CommandRefused' || events.length > 1)
      fail('refusal', `record ${sequence} was refused, and changed something`);
    if (!this.#isPossible(refusal.code, command, epochMs))
      fail('refusal', `${refusal.code} was the response to ${JSON.stringify(command)}`);
  }

  /** Takes a command that was not refused as a whole, before anything else of its turn. */
  checkOrders(sequence: number, command: Command, epochMs: number, events: readonly VenueEvent[]): void {
    if (command.type === 'PlaceOrder') this.#checkPlacement(sequence, command, epochMs, events);
    if (command.type === 'PlaceOrders') this.#checkPlacements(sequence, command, epochMs, events);
    if (command.type === 'CancelOrders') checkCancellations(sequence, command, events);
    if (command.type === 'AmendOrder' || command.type === 'AmendOrders') checkAmendments(sequence, command, events);
  }

  #checkPlacement(
    sequence: number,
    command: Extract<Command, { type: 'PlaceOrder' }>,
    epochMs: number,
    events: readonly VenueEvent[],
  ): void {
    let orders = 0;
    for (const event of events) {
      if (event.type === 'TriggerAccepted' && event.entry === 0) this.#checkWaiting(sequence, command, command, event, epochMs);
      else if (event.type === 'OrderAccepted') this.#checkOrder(sequence, command, command, event, epochMs);
      else continue;
      orders += 1;
    }
    if (orders !== 1) fail('command', `record ${sequence} is a PlaceOrder with ${orders} of OrderAccepted`);
    checkLegs(sequence, command, [command], events);
  }

  #checkPlacements(
    sequence: number,
    command: Extract<Command, { type: 'PlaceOrders' }>,
    epochMs: number,
    events: readonly VenueEvent[],
  ): void {
    const { entries } = command;
    let next = 0;
    for (const event of events) {
      if (event.type === 'EntryRefused') {
        if (event.index !== next) fail('batch', `record ${sequence} refuses entry ${event.index}, the next one is ${next}`);
        next += 1;
      }
      if (event.type !== 'OrderAccepted' && (event.type !== 'TriggerAccepted' || event.entry > 0)) continue;
      const entry = entries[next] ?? fail('batch', `record ${sequence} has more outcomes than entries`);
      if (event.type === 'OrderAccepted') this.#checkOrder(sequence, command, entry, event, epochMs);
      else this.#checkWaiting(sequence, command, entry, event, epochMs);
      next += 1;
    }
    if (next !== entries.length) fail('batch', `record ${sequence} has outcomes for ${next} of ${entries.length} entries`);
    checkLegs(sequence, command, entries, events);
  }

  /** Checks that an accepted order is the requested one, and that its client order id is new. */
  #checkOrder(
    sequence: number,
    { account, idempotencyKey }: Pick<OrderAccepted, 'account' | 'idempotencyKey'>,
    sent: BatchEntry,
    accepted: OrderAccepted,
    epochMs: number,
  ): void {
    const isSame =
      accepted.origin === 'client' &&
      account === accepted.account &&
      idempotencyKey === accepted.idempotencyKey &&
      sent.market === accepted.market &&
      sent.clientOrderId === accepted.clientOrderId &&
      sent.side === accepted.side &&
      sent.reduceOnly === accepted.reduceOnly &&
      this.#parts.leverages.of(sent.leverageHundredths, accepted) === accepted.leverageHundredths &&
      isAcceptedAs(sent.terms, accepted.terms);
    if (!isSame)
      fail(
        'order',
        `order ${accepted.order} of record ${sequence} is not what its place in the command requests: ${JSON.stringify(sent)}`,
      );
    if (sent.terms.kind === 'band_limit' || sent.terms.kind === 'band_notional') this.#checkBandPrice(accepted);
    this.#useClientOrderId(account, sent, epochMs);
  }

  /** Checks that a waiting order is the requested one, and that its client order id is new. */
  #checkWaiting(
    sequence: number,
    command: Pick<OrderAccepted, 'account' | 'idempotencyKey'>,
    sent: BatchEntry,
    accepted: TriggerAccepted,
    epochMs: number,
  ): void {
    checkWaitingOrder(sequence, command, sent, accepted);
    this.#useClientOrderId(command.account, sent, epochMs);
  }

  #useClientOrderId(account: number, sent: BatchEntry, epochMs: number): void {
    this.#parts.accounts.checkTrader(account);
    if (this.#isUsed(account, sent.clientOrderId, epochMs) && this.#clientOrderIds <= MAX_CLIENT_ORDER_IDS)
      fail('client order id', `account ${account} used client order id ${sent.clientOrderId} twice`);
    this.#clientOrderIds += 1;
    const used = this.#used.get(account);
    if (used === undefined) this.#used.set(account, new Map([[sent.clientOrderId, epochMs]]));
    else used.set(sent.clientOrderId, epochMs);
  }

  #checkBandPrice({ order, side, market, terms, markPriceAtoms }: OrderAccepted): void {
    const { listing } = this.#parts.markets.of(market);
    if (terms.kind !== 'limit' || !isEndOfBand(side, terms.priceAtoms, markPriceAtoms, listing))
      fail('order', `order ${order} was sent without a price, and its limit is not the end of the band`);
  }

  #isUsed(account: number, clientOrderId: string, epochMs: number): boolean {
    const used = this.#used.get(account)?.get(clientOrderId);
    return used !== undefined && used + CLIENT_ORDER_ID_RETENTION_MS > epochMs;
  }

  /** Whether the reason of a refusal is possible, as far as the events show. */
  #isPossible(code: RefusalCode, command: Command, epochMs: number): boolean {
    const {
      accounts,
      markets,
      orders,
      waiting,
      matching,
      transfers,
      ownerMoney,
      switches,
      owners,
      agentAccounts,
      agentFundings,
      agents,
      affiliates,
    } = this.#parts;
    switch (code) {
      case 'account_not_found':
        if (command.type === 'TransferCash') return !accounts.has(command.account) || !accounts.has(command.to);
        return !('account' in command) || !accounts.has(command.account);
      case 'market_not_found':
        return !('market' in command) || !markets.has(command.market);
      case 'order_not_open':
        return command.type !== 'CancelOrder' || (orders.get(command.order) === undefined && !waiting.has(command.order));
      case 'order_not_found': {
        if (command.type !== 'CancelOrder') return true;
        const isUnknown = command.order < 1 || command.order > matching.lastOrder;
        const open = orders.get(command.order) ?? waiting.get(command.order);
        return isUnknown || open?.account !== command.account;
      }
      case 'withdrawal_not_found':
        if (!('withdrawal' in command) || !transfers.isPending(command.withdrawal)) return true;
        return command.type === 'AuthorizeWithdrawal' && transfers.ownerOf(command.withdrawal) !== command.account;
      case 'faucet_granted':
        return command.type === 'GrantFaucet' && ownerMoney.hasGrant(command.account);
      case 'money_id_used':
        return 'moneyId' in command && command.moneyId !== undefined && ownerMoney.isUsed(command.moneyId);
      case 'ledger_bound':
        return command.type === 'BindLedger' && ownerMoney.isLedgerBound;
      case 'ledger_offset_known':
        return command.type === 'AcceptLedgerEntries' && command.ledgerOffset <= ownerMoney.seenLedgerEvent.ledgerOffset;
      case 'destination_not_allowed':
        return command.type === 'RequestWithdrawal' && accounts.partyOf(command.account) !== command.destination;
      case 'too_many_withdrawals':
        return command.type === 'RequestWithdrawal' && ownerMoney.openWithdrawalsOf(command.account) === 16;
      case 'too_many_agent_accounts':
        return command.type === 'OpenAgentAccount' && agentAccounts.countOf(command.account) === 20;
      case 'agent_funding_exists':
        return command.type === 'CreateAgentFunding' && agentFundings.isUsed(command.transferId);
      case 'too_many_agent_fundings':
        return command.type === 'CreateAgentFunding' && agentFundings.countOf(command.account, epochMs) === 100;
      case 'agent_funding_expired':
        return command.type === 'ApproveAgentFunding' && agentFundings.isExpired(command.transferId, epochMs);
      case 'agent_funding_not_found':
        return 'transferId' in command && !agentFundings.has(command.transferId, command.account);
      case 'duplicate_client_order_id':
        return command.type !== 'PlaceOrder' || this.#isUsed(command.account, command.clientOrderId, epochMs);
      case 'index_not_current':
        return command.type !== 'PlaceOrder' || !permits(markets.of(command.market), 'open', epochMs);
      case 'account_legacy_excluded':
        return agentFundings.isOfLegacy(command) || accountsOf(agents, command).some((account) => isLegacy(accounts, account));
      case 'affiliate_registered':
        return command.type === 'RegisterAffiliate' && affiliates.has(command.account);
      case 'referral_code_invalid':
        return (
          command.type === 'RegisterAffiliate' &&
          (affiliates.hasCode(command.referralCode) || !/^[\w-]{8,64}$/.test(command.referralCode))
        );
      case 'kyc_skipped':
        return command.type === 'SkipKyc' && accounts.kycSkippedAt(command.account) !== 0;
      case 'venue_halted':
        return switches.status === 'halted';
      case 'intake_paused':
        return switches.status === 'intake_paused';
      case 'capability_unavailable':
        return switches.isOff(command) || agentFundings.needsAgents(command);
      case 'environment_bound':
        return switches.environment !== undefined || accounts.count > 0 || markets.count > 0;
      case 'post_only_would_cross': {
        if (command.type !== 'PlaceOrder') return true;
        const best = matching.view.bestAgainst(command.side, command.market);
        return best !== undefined && crosses(command.side, command.terms, best.priceAtoms);
      }
      case 'owner_not_found':
      case 'identity_registered':
      case 'passkey_exists':
      case 'passkey_not_found':
      case 'passkey_counter_invalid':
      case 'last_passkey':
      case 'setup_key_active':
      case 'setup_complete':
      case 'party_state_conflict':
      case 'party_exists':
      case 'wallet_exists':
        return ownerRefusalIsPossible(owners, code, command);
      case 'too_many_agent_drafts':
      case 'agent_draft_not_found':
      case 'agent_draft_not_reviewed':
      case 'agent_draft_in_use':
      case 'too_many_agent_deployments':
      case 'agent_deployment_not_found':
      case 'agent_deployment_ended':
      case 'agent_order_repeated':
        return agentRefusalIsPossible(agents, code, command);
      // Not audited.
      case 'trigger_invalid':
      case 'trigger_reached':
      case 'linked_order_not_waiting':
      case 'agent_script_invalid':
      case 'agent_deployment_invalid':
      case 'agent_state_conflict':
      case 'agent_order_invalid':
      case 'registration_invalid':
      case 'passkey_invalid':
      case 'too_many_passkeys':
      case 'setup_unavailable':
      case 'ledger_reference_invalid':
      case 'consent_state_conflict':
      case 'account_not_enabled':
      case 'account_retired':
      case 'account_busy':
      case 'api_key_not_found':
      case 'api_key_exists':
      case 'api_key_invalid':
      case 'too_many_api_keys':
      case 'amount_out_of_bounds':
      case 'position_not_found':
      case 'margin_required':
      case 'market_exists':
      case 'market_invalid':
      case 'market_not_open':
      case 'mark_price_unavailable':
      case 'price_out_of_bounds':
      case 'price_out_of_band':
      case 'quantity_out_of_bounds':
      case 'notional_too_small':
      case 'expiry_out_of_bounds':
      case 'order_not_amendable':
      case 'quantity_already_filled':
      case 'timeout_out_of_bounds':
      case 'leverage_too_high':
      case 'insufficient_margin':
      case 'reduce_only_would_increase':
      case 'too_many_open_orders':
      case 'exposure_limit':
      case 'position_limit':
      case 'market_reduce_only':
      case 'market_transition_invalid':
      case 'market_busy':
      case 'nothing_to_advance':
      case 'too_many_positions':
      case 'batch_size_invalid':
      case 'insufficient_cash':
      case 'transfer_to_itself':
      case 'capability_invalid':
      case 'funding_intent_not_found':
      case 'funding_intent_bound':
      case 'deposit_not_found':
      case 'deposit_state_conflict':
      case 'withdrawal_state_conflict':
      case 'money_id_invalid':
      case 'agent_account_invalid':
      case 'agent_account_not_found':
      case 'agent_account_not_ready':
      case 'agent_funding_invalid':
      case 'agent_funding_state_conflict':
        return true;
      default:
        return code satisfies never;
    }
  }
}

/** The accounts that a command is about. */
function accountsOf(agents: AuditedAgents, command: Command): readonly number[] {
  if (command.type === 'ChangeAgentDeployment' || command.type === 'PlacePaperOrder')
    return agents.accountsOf(command.deployment) ?? [];
  const named = 'account' in command ? [command.account] : [];
  if (command.type === 'TransferCash') return [...named, command.to];
  return command.type === 'CreateAgentDeployment' ? [...named, command.agentAccount] : named;
}

function isLegacy(accounts: Accounts, account: number): boolean {
  return accounts.has(account) && accounts.isLegacy(account);
}

function checkCancellations(
  sequence: number,
  { orders }: Extract<Command, { type: 'CancelOrders' }>,
  events: readonly VenueEvent[],
): void {
  let next = 0;
  for (const event of events) {
    if (event.type === 'EntryRefused' && event.index !== next)
      fail('batch', `record ${sequence} refuses entry ${event.index}, the next one is ${next}`);
    if (event.type === 'OrderCancelled' && event.reason === 'entry_ended') continue;
    if (event.type === 'OrderCancelled' && orders[next] !== event.order)
      fail('batch', `record ${sequence} cancels order ${event.order} out of place`);
    if (event.type === 'EntryRefused' || event.type === 'OrderCancelled') next += 1;
  }
  if (next !== orders.length) fail('batch', `record ${sequence} has outcomes for ${next} of ${orders.length} entries`);
}

function crosses(side: 'buy' | 'sell', terms: OrderTerms, price: number): boolean {
  if (terms.kind !== 'limit') return false;
  return side === 'buy' ? price <= terms.priceAtoms : price >= terms.priceAtoms;
}
