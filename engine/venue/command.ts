/**
 * Commands: requests to change the venue. A command carries all that the core may know, because a replay has only the journal:
 * ids and digests are made before the command is sequenced, and the writer adds time and sequence (`venue.ts`).
 */

import type { AccountCommand } from './account/administration.ts';
import type { KycCommand } from './account/kyc.ts';
import type { LeverageCommand } from './account/leverage.ts';
import type { PreferenceCommand } from './account/preferences.ts';
import type { RetirementCommand } from './account/retirement.ts';
import type { AffiliateCommand } from './affiliate/registration.ts';
import type { DeployingCommand } from './agent/deploying.ts';
import type { DraftingCommand } from './agent/drafting.ts';
import type { PaperTradingCommand } from './agent/paper-trading.ts';
import type { AgentFundingCommand } from './agent-account/funding.ts';
import type { AgentAccountOpeningCommand } from './agent-account/opening.ts';
import type { MarketAdministrationCommand } from './market/administration.ts';
import type { PriceCommand } from './market/prices.ts';
import type { UpdateMarket } from './market/update.ts';
import type { AmendmentCommand } from './order/amendment.ts';
import type { BatchCommand } from './order/batch.ts';
import type { CancelAllAfterCommand } from './order/cancel-all-after.ts';
import type { CancellationCommand } from './order/cancellation.ts';
import type { DueOrdersCommand } from './order/due-orders.ts';
import type { PlacementCommand } from './order/placement.ts';
import type { ConsentCommand } from './owner/consents.ts';
import type { PartyCommand } from './owner/parties.ts';
import type { PasskeyCommand } from './owner/passkeys.ts';
import type { MarginCommand } from './position/margin-adjustment.ts';
import type { SwitchCommand } from './switches/administration.ts';
import type { DepositCommand } from './transfer/deposit.ts';
import type { FaucetCommand } from './transfer/faucet.ts';
import type { LedgerAcceptanceCommand } from './transfer/ledger-acceptance.ts';
import type { LedgerBindingCommand } from './transfer/ledger-binding.ts';
import type { LedgerGuardCommand } from './transfer/ledger-guard.ts';
import type { OwnerWithdrawalCommand } from './transfer/owner-withdrawal.ts';
import type { TransferCommand } from './transfer/transfer.ts';
import type { WithdrawalCommand } from './transfer/withdrawal.ts';
import type { WithdrawalStepCommand } from './transfer/withdrawal-step.ts';

export type {
  CreditCash,
  CreditInsurance,
  IssueApiKey,
  OpenAccount,
  RevokeApiKey,
} from './account/administration.ts';
export type { SkipKyc } from './account/kyc.ts';
export type { SetLeverage } from './account/leverage.ts';
export type { SetFavorite, SetLeaderboardListing } from './account/preferences.ts';
export type { RetireAccount } from './account/retirement.ts';
export { SCOPES, type Scope } from './account/scope.ts';
export { AFFILIATE_SHARE_BPS, type RegisterAffiliate } from './affiliate/registration.ts';
export type { ChangeAgentDeployment, CreateAgentDeployment } from './agent/deploying.ts';
export type { DraftAgentScript, RemoveAgentDraft, ReviewAgentScript } from './agent/drafting.ts';
export type { PlacePaperOrder } from './agent/paper-trading.ts';
export type {
  ApproveAgentFunding,
  CreateAgentFunding,
  MoveAgentFunding,
} from './agent-account/funding.ts';
export type { OpenAgentAccount } from './agent-account/opening.ts';
export type { ListMarket, SetMarketStatus } from './market/administration.ts';
export type { AdvanceMarket, PublishIndexPrice } from './market/prices.ts';
export type { UpdateMarket } from './market/update.ts';
export type { AmendOrder } from './order/amendment.ts';
export type { Amendment, AmendOrders, CancelOrders, PlaceOrders } from './order/batch.ts';
export type { SetCancelAllAfter } from './order/cancel-all-after.ts';
export type { CancelOrder } from './order/cancellation.ts';
export type { EndDueOrders } from './order/due-orders.ts';
export * from './order/order-terms.ts';
export type { RecordPartyConsent, SubmitPartyConsent } from './owner/consents.ts';
export type { ActivateParty, AllocateParty, CreateSigningWallet, StartParty } from './owner/parties.ts';
export type { PasskeyRecord } from './owner/passkey.ts';
export type { AddPasskey, RecordPasskeyUse, RegisterOwner, RemovePasskey } from './owner/passkeys.ts';
export { type AdjustPositionMargin, MARGIN_DIRECTIONS } from './position/margin-adjustment.ts';
export type { BindEnvironment, SetCapability, SetVenueStatus } from './switches/administration.ts';
export * from './switches/capabilities.ts';
export { VENUE_STATUSES, type VenueStatus } from './switches/venue-status.ts';
export type { BindDeposit, RecordDepositStep, RenewDeposit, SubmitDepositStep } from './transfer/deposit.ts';
export type { GrantFaucet } from './transfer/faucet.ts';
export type { AcceptLedgerEntries } from './transfer/ledger-acceptance.ts';
export type { BindLedger } from './transfer/ledger-binding.ts';
export type { GuardLedger } from './transfer/ledger-guard.ts';
export { ACCEPTED_OFFER, type LedgerEvent, NO_OFFER } from './transfer/ledger-steps.ts';
export type { AuthorizeWithdrawal, BlockWithdrawal, RequestWithdrawal, ReserveOnLedger } from './transfer/owner-withdrawal.ts';
export type { TransferCash } from './transfer/transfer.ts';
export type { DebitCash, ReleaseWithdrawal, ReserveWithdrawal, SettleWithdrawal } from './transfer/withdrawal.ts';
export type { RecordWithdrawalStep, RenewWithdrawal, SubmitWithdrawalStep } from './transfer/withdrawal-step.ts';
export * from './trigger/trigger-terms.ts';

export type Command =
  | AccountCommand
  | RetirementCommand
  | PreferenceCommand
  | LeverageCommand
  | KycCommand
  | AffiliateCommand
  | MarketAdministrationCommand
  | UpdateMarket
  | PriceCommand
  | BatchCommand
  | AmendmentCommand
  | CancellationCommand
  | DueOrdersCommand
  | CancelAllAfterCommand
  | PlacementCommand
  | MarginCommand
  | PasskeyCommand
  | PartyCommand
  | ConsentCommand
  | SwitchCommand
  | DepositCommand
  | FaucetCommand
  | LedgerBindingCommand
  | LedgerAcceptanceCommand
  | LedgerGuardCommand
  | OwnerWithdrawalCommand
  | TransferCommand
  | WithdrawalCommand
  | WithdrawalStepCommand
  | AgentAccountOpeningCommand
  | DraftingCommand
  | DeployingCommand
  | PaperTradingCommand
  | AgentFundingCommand;
