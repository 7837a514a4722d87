/**
 * Folds one event into the rows; depends only on the rows and the event. An event that does not fit the rows is a bug: the fold throws, and
 * the store rolls back its group.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_QUOTE } from '#units/money.ts';
import type { FundingPaid, MarketListed, OrderFilled, PositionChanged, TriggerAccepted, VenueEvent } from '#venue/event.ts';
import { limitedStatus } from '#venue/market/market-status.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { changedConsent, changedParty, openedAccount, retiredAccount, walletCreated } from './account-fold.ts';
import type { AccountRow, LeaderboardListingRow, WithdrawalRow } from './account-rows.ts';
import { foldEarning, foldReferral, newAffiliate } from './affiliate-fold.ts';
import { foldAgentEvent } from './agent-fold.ts';
import { createdFunding, fundingState } from './agent-funding-fold.ts';
import { adjustedEpisode, changedEpisode, fundedEpisode, fundingPayment, insuredEpisode } from './episode-fold.ts';
import { hidden, visibleListing } from './listing-fold.ts';
import { foldFundingPeriod, foldOpenInterest, foldPrice, foldTrade } from './market-events.ts';
import { insuredMarket, untradedMarket } from './market-fold.ts';
import {
  cashTransfer,
  changedWithdrawal,
  creditedDeposit,
  endedWithdrawal,
  nextTransferTime,
  reservedWithdrawal,
} from './money-fold.ts';
import { acceptedOrder, amendedOrder, cancelledOrder, changedOrder, filledOrder, fillOf, reducedOrder } from './order-fold.ts';
import type { ReadModel } from './read-model.ts';
import { changedResult, dayOf, dayOpening } from './result-fold.ts';
import type { EpisodeRow, MarketActivityRow, MarketRow, Moment, OrderRow } from './rows.ts';
import { marketLimitIn, switchRow } from './switch-fold.ts';
import { linkedOrder, storedTrigger, waitingOrder, withLeg } from './trigger-fold.ts';

export function foldEvent(model: ReadModel, event: VenueEvent, at: Moment): void {
  switch (event.type) {
    // These change no row. A liquidation has further events: orders, fills and position changes. Passkeys are in the directory of owners.
    case 'CommandRefused':
    case 'EntryRefused':
    case 'MarketWorkPending':
    case 'CancelAllAfterSet':
    case 'CancelAllAfterFired':
    case 'CancelAllAfterFinished':
    case 'LiquidationStarted':
    case 'PasskeyAdded':
    case 'PasskeyUsed':
    case 'PasskeyRemoved':
    case 'FundingIntentCreated':
    case 'DepositBound':
    case 'DepositStepSubmitted':
    case 'DepositStepRecorded':
    case 'DepositRenewed':
    case 'LedgerBound':
    case 'LedgerEventSeen':
    case 'LedgerEntriesAccepted':
    case 'LedgerGuarded':
    case 'MoneyIdUsed':
      return;
    case 'LedgerPosted':
      model.ledgers.put({ ledger: event.ledger, balanceAtoms: event.balanceAtoms });
      return;
    case 'FundMoved':
      putEpisode(model, insuredEpisode(required(openEpisodeOf(model, event.position), 'position', event.position), event, at));
      model.marketActivity.put(insuredMarket(activityOf(model, event.market), event));
      return;
    case 'MarketListed': {
      model.markets.put(listedMarket(event, marketLimitIn(model.switches)));
      model.marketActivity.put(untradedMarket(event.market));
      return;
    }
    case 'MarketStatusChanged':
      model.markets.put(
        marketOfStatus(
          required(model.markets.find(event.market), 'market', event.market),
          event.status,
          marketLimitIn(model.switches),
        ),
      );
      return;
    case 'MarketUpdated':
      model.markets.put({
        ...required(model.markets.find(event.market), 'market', event.market),
        specification: JSON.stringify(event.specification),
      });
      return;
    case 'EnvironmentBound':
    case 'VenueStatusChanged':
    case 'CapabilitySet':
      model.switches.put(switchRow(event, at));
      foldMarketLimit(model);
      return;
    case 'MarketPriced':
      foldPrice(model, event, at);
      return;
    case 'FundingSettled':
      foldFundingPeriod(model, event, at);
      return;
    case 'FundingPaid':
      foldFundingPayment(model, event, at);
      return;
    case 'PositionMarginAdjusted':
      putEpisode(model, adjustedEpisode(required(openEpisodeOf(model, event.position), 'position', event.position), event, at));
      if (event.repaidAtoms !== 0) foldResult(model, event.account, minus(ZERO_QUOTE, event.repaidAtoms), ZERO_QUOTE, at);
      return;
    case 'AccountOpened':
      model.accounts.put(openedAccount(event, at));
      return;
    case 'OwnerRegistered':
      model.accounts.put({ ...accountOf(model, event.account), isOwner: 1 });
      return;
    case 'AgentAccountOpened':
      model.accounts.put({ ...accountOf(model, event.agentAccount), agentOwner: event.account });
      return;
    case 'PartyChanged':
      model.accounts.put(changedParty(accountOf(model, event.account), event, at));
      return;
    case 'SigningWalletCreated':
      model.accounts.put(walletCreated(accountOf(model, event.account), event, at));
      return;
    case 'PartyConsentChanged':
      model.accounts.put(changedConsent(accountOf(model, event.account), event, at));
      return;
    case 'KycSkipped':
      model.accounts.put({ ...accountOf(model, event.account), kycSkippedAtEpochMs: at.epochMs, lastSequence: at.sequence });
      return;
    case 'AffiliateRegistered':
      model.affiliates.put(newAffiliate(event, at));
      return;
    case 'AccountReferred':
      foldReferral(model, event, at);
      return;
    case 'AccountRetired':
      model.accounts.put(retiredAccount(accountOf(model, event.account), event, at));
      // Hide it now: without API keys its owner could not hide it later.
      if (model.leaderboardListings.find(event.account) !== undefined) putListing(model, hidden(event.account));
      return;
    case 'ApiKeyIssued': {
      const { type: _, ...key } = event;
      model.apiKeys.put({ ...key, scopes: event.scopes.join(' '), issuedAtEpochMs: at.epochMs, isRevoked: 0 });
      return;
    }
    case 'ApiKeyRevoked':
      model.apiKeys.put({ ...required(model.apiKeys.find(event.keyId), 'api key', event.keyId), isRevoked: 1 });
      return;
    case 'CashPosted':
      model.accounts.put({ ...accountOf(model, event.account), cashAtoms: event.cashAtoms, lastSequence: at.sequence });
      // A confirmation of the external ledger has put the row before its posting.
      if (event.kind === 'deposit' && model.deposits.find(at.sequence) === undefined)
        model.deposits.put(creditedDeposit(event, undefined, transferTime(model, event.account, at), at));
      return;
    case 'DepositConfirmed':
      model.deposits.put(creditedDeposit(event, event, transferTime(model, event.account, at), at));
      return;
    case 'WithdrawalReserved':
    case 'WithdrawalRequested':
      model.withdrawals.put(reservedWithdrawal(event, transferTime(model, event.account, at), at));
      return;
    case 'WithdrawalStatusChanged':
    case 'WithdrawalStepSubmitted':
    case 'WithdrawalStepRecorded':
    case 'WithdrawalBlocked':
    case 'WithdrawalRenewed': {
      const time = transferTime(model, event.account, at);
      model.withdrawals.put(changedWithdrawal(withdrawalOf(model, event.withdrawal), event, time, at));
      return;
    }
    case 'WithdrawalReleased':
    case 'WithdrawalSettled': {
      const time = transferTime(model, event.account, at);
      model.withdrawals.put(endedWithdrawal(withdrawalOf(model, event.withdrawal), event, time, at));
      return;
    }
    case 'CashTransferred':
      model.transfers.put(cashTransfer(event, at));
      return;
    case 'AgentFundingCreated':
      model.agentFundings.put(createdFunding(event, at));
      model.agentFundingStates.put(fundingState(event, at));
      return;
    case 'AgentFundingApproved':
    case 'AgentFundingMoved':
    case 'AgentFundingRefused':
      model.agentFundingStates.put(fundingState(event, at));
      return;
    case 'AgentScriptDrafted':
    case 'AgentScriptReviewed':
    case 'AgentDraftRemoved':
    case 'AgentDeploymentCreated':
    case 'AgentDeploymentChanged':
    case 'PaperOrderPlaced':
      foldAgentEvent(model, event, at);
      return;
    case 'FavoriteSet':
      model.favorites.put({ account: event.account, market: event.market, isFavorite: event.favorite ? 1 : 0 });
      return;
    case 'LeverageSet':
      model.leverages.put({ account: event.account, market: event.market, leverageHundredths: event.leverageHundredths });
      return;
    case 'LeaderboardListingSet':
      putListing(
        model,
        event.shown ? visibleListing(model.leaderboardListings.find(event.account), event, at) : hidden(event.account),
      );
      return;
    case 'OrderAccepted':
      model.orders.put(acceptedOrder(event, at));
      return;
    case 'TriggerAccepted':
      foldWaiting(model, event, at);
      return;
    case 'LegChanged':
    case 'OrderTriggered':
      model.orders.put(changedOrder(openOrderOf(model, event.order), event, at));
      return;
    case 'OrderRested':
      model.books.change(event.market, event.side, event.priceAtoms, event.remainingAtoms);
      foldReservation(model, event.account, event.accountReservedAtoms, at);
      return;
    case 'TradeExecuted':
      foldTrade(model, event, at);
      return;
    case 'OrderFilled':
      foldFill(model, event, at);
      return;
    case 'PositionChanged':
      putEpisode(model, changedEpisode(openEpisodeOf(model, event.position), event, at));
      foldResult(model, event.account, profitOf(event), event.changedNotionalAtoms, at);
      foldOpenInterest(model, event, at);
      return;
    case 'OrderReduced':
      model.orders.put(reducedOrder(openOrderOf(model, event.order), event, at));
      if (event.wasResting) model.books.change(event.market, event.side, event.priceAtoms, -event.cutAtoms);
      return;
    case 'OrderAmended': {
      const { market, side, wasPriceAtoms, wasRemainingAtoms, remainingAtoms, keepsPlace } = event;
      const left = keepsPlace ? minus(wasRemainingAtoms, remainingAtoms) : wasRemainingAtoms;
      model.orders.put(amendedOrder(openOrderOf(model, event.order), event, at));
      if (left > 0) model.books.change(market, side, wasPriceAtoms, -left);
      foldReservation(model, event.account, event.accountReservedAtoms, at);
      return;
    }
    case 'OrderCancelled':
      model.orders.put(cancelledOrder(openOrderOf(model, event.order), event, at));
      if (event.wasResting) model.books.change(event.market, event.side, event.priceAtoms, -event.remainingAtoms);
      foldReservation(model, event.account, event.accountReservedAtoms, at);
      return;
    default:
      throwUnknown(event);
  }
}

function listedMarket({ market, specification, history, status }: MarketListed, limit: MarketStatus): MarketRow {
  const { marketId } = specification;
  const terms = history === undefined ? null : JSON.stringify(history);
  const own = { market, marketId, specification: JSON.stringify(specification), history: terms, ownStatus: status };
  return { ...own, status: limitedStatus(status, limit) };
}

function marketOfStatus(row: MarketRow, ownStatus: MarketStatus, limit: MarketStatus): MarketRow {
  return { ...row, ownStatus, status: limitedStatus(ownStatus, limit) };
}

/** Markets are numbered from 1 without gaps. Only rows whose status changes are written. */
function foldMarketLimit({ markets, switches }: ReadModel): void {
  const limit = marketLimitIn(switches);
  let ordinal = 1;
  for (let row = markets.find(ordinal); row !== undefined; row = markets.find(ordinal)) {
    if (limitedStatus(row.ownStatus, limit) !== row.status) markets.put(marketOfStatus(row, row.ownStatus, limit));
    ordinal += 1;
  }
}

function foldFundingPayment(model: ReadModel, event: FundingPaid, at: Moment): void {
  const before = required(openEpisodeOf(model, event.position), 'position', event.position);
  const after = fundedEpisode(before, event, at);
  model.fundingPayments.put(fundingPayment(before, event, at));
  putEpisode(model, after);
  foldResult(model, event.account, minus(before.fundingPaidAtoms, after.fundingPaidAtoms), ZERO_QUOTE, at);
}

/** What a change brings the account: the insurance fund bears the loss that exceeds what backs the position. */
function profitOf({ realizedPnlAtoms, feeAtoms, insuranceCoveredAtoms }: PositionChanged): QuoteAtoms {
  return plus(minus(realizedPnlAtoms, feeAtoms), insuranceCoveredAtoms ?? ZERO_QUOTE);
}

function foldResult(model: ReadModel, account: AccountOrdinal, pnl: QuoteAtoms, volume: QuoteAtoms, at: Moment): void {
  const before = model.results.find(account);
  const dayEpochMs = dayOf(at.epochMs);
  if (before?.dayEpochMs !== dayEpochMs) model.dayOpenings.put(dayOpening(before, account, dayEpochMs));
  model.results.put(changedResult(before, account, pnl, volume, dayEpochMs));
}

function putListing(model: ReadModel, listing: LeaderboardListingRow): void {
  model.leaderboardListings.put(listing);
  model.rankings.observe(listing);
}

/** Assigns the time of the next change of an account's deposits and withdrawals. */
function transferTime(model: ReadModel, account: AccountOrdinal, at: Moment): EpochMs {
  const row = accountOf(model, account);
  const transferredAtEpochMs = nextTransferTime(row, at);
  model.accounts.put({ ...row, transferredAtEpochMs });
  return transferredAtEpochMs;
}

function putEpisode(model: ReadModel, episode: EpisodeRow): void {
  model.episodes.put(episode);
  model.deleveragingQueues.observe(episode);
}

function foldFill(model: ReadModel, event: OrderFilled, at: Moment): void {
  const order = openOrderOf(model, event.order);
  model.orders.put(filledOrder(order, event, at));
  model.fills.put(fillOf(order, event, at));
  // A maker order rested in the book at its own price, except orders of the venue, which never rest.
  if (event.liquidity === 'maker' && order.origin === 'client')
    model.books.change(event.market, event.side, event.priceAtoms, -event.quantityAtoms);
  foldReservation(model, event.account, event.accountReservedAtoms, at);
  foldEarning(model, event, at);
}

/** A leg is named by its entry order. An order that is linked with an earlier one is named by it. */
function foldWaiting(model: ReadModel, event: TriggerAccepted, at: Moment): void {
  model.orders.put(waitingOrder(event, at));
  if (event.entry > 0) model.orders.put(withLeg(openOrderOf(model, event.entry), event));
  const linked = event.linked > 0 && event.linked < event.order ? openOrderOf(model, event.linked) : undefined;
  if (linked !== undefined && storedTrigger(linked)?.linked !== event.order)
    model.orders.put(linkedOrder(linked, event.order, at));
}

function foldReservation(model: ReadModel, account: AccountOrdinal, reservedAtoms: QuoteAtoms, at: Moment): void {
  model.accounts.put({ ...accountOf(model, account), reservedAtoms, lastSequence: at.sequence });
}

function accountOf(model: ReadModel, account: AccountOrdinal): AccountRow {
  return required(model.accounts.find(account), 'account', account);
}

function openOrderOf(model: ReadModel, order: OrderOrdinal): OrderRow {
  return stillOpen(required(model.orders.find(order), 'order', order), 'order', order);
}

/** `undefined` if the position is new. */
function openEpisodeOf(model: ReadModel, position: PositionOrdinal): EpisodeRow | undefined {
  const episode = model.episodes.find(position);
  return episode && stillOpen(episode, 'position', position);
}

function activityOf(model: ReadModel, market: MarketOrdinal): MarketActivityRow {
  return required(model.marketActivity.find(market), 'market', market);
}

function withdrawalOf(model: ReadModel, withdrawal: WithdrawalOrdinal): WithdrawalRow {
  return required(model.withdrawals.find(withdrawal), 'withdrawal', withdrawal);
}

/** Makes a missing case a compile error. */
function throwUnknown(event: never): never {
  throw new Error(`unhandled event: ${JSON.stringify(event)}`);
}

function required<Row>(row: Row | undefined, kind: string, key: number | string): Row {
  if (row === undefined) throw new Error(`an event names ${kind} ${key}, which was never made`);
  return row;
}

/**
 * No event changes an ended row, so the row is damaged. Folding would restore its status, but the realtime service, which starts from the open
 * rows, would lack the row.
 */
function stillOpen<Row extends { readonly status: string }>(row: Row, kind: string, key: number): Row {
  if (row.status !== 'open') throw new Error(`an event changes ${kind} ${key}, which is ${row.status}`);
  return row;
}
