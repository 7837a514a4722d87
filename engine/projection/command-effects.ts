/**
 * What a command may change besides the rows of its events: the directory of markets, API keys, retired accounts and switches, the
 * directory of owners, the directory of agents, or the venue's net deposits. Every command is listed, so that no record is skipped by mistake.
 */
import type { Command } from '#venue/command.ts';

type Effect = 'directory' | 'switches' | 'net_deposits' | 'owners' | 'agents';

const EFFECTS: Readonly<Record<Command['type'], readonly Effect[]>> = {
  ListMarket: ['directory'],
  IssueApiKey: ['directory'],
  RevokeApiKey: ['directory'],
  BindEnvironment: ['directory'],
  SetVenueStatus: ['directory', 'switches'],
  SetCapability: ['directory', 'switches'],
  // The account's keys are revoked with it.
  RetireAccount: ['directory', 'owners', 'agents'],
  CreditCash: ['net_deposits'],
  CreditInsurance: ['net_deposits'],
  SettleWithdrawal: ['net_deposits'],
  DebitCash: ['net_deposits'],
  RecordDepositStep: ['net_deposits', 'owners'],
  RecordWithdrawalStep: ['net_deposits', 'owners'],
  PlaceOrder: [],
  PlaceOrders: [],
  CancelOrder: [],
  CancelOrders: [],
  AmendOrder: [],
  AmendOrders: [],
  EndDueOrders: [],
  SetCancelAllAfter: [],
  PublishIndexPrice: [],
  AdvanceMarket: [],
  SetMarketStatus: [],
  UpdateMarket: ['directory'],
  OpenAccount: [],
  TransferCash: [],
  ReserveWithdrawal: [],
  ReleaseWithdrawal: [],
  SetFavorite: [],
  SetLeverage: [],
  AdjustPositionMargin: [],
  SetLeaderboardListing: [],
  RegisterAffiliate: [],
  SkipKyc: [],
  RegisterOwner: ['owners'],
  AddPasskey: ['owners'],
  RecordPasskeyUse: ['owners'],
  RemovePasskey: ['owners'],
  StartParty: ['owners'],
  AllocateParty: ['owners'],
  ActivateParty: ['owners'],
  CreateSigningWallet: ['owners'],
  SubmitPartyConsent: ['owners'],
  RecordPartyConsent: ['owners'],
  GrantFaucet: ['owners'],
  BindDeposit: ['owners'],
  SubmitDepositStep: ['owners'],
  RenewDeposit: ['owners'],
  RequestWithdrawal: ['owners'],
  ReserveOnLedger: ['owners'],
  AuthorizeWithdrawal: ['owners'],
  SubmitWithdrawalStep: ['owners'],
  BlockWithdrawal: ['owners'],
  RenewWithdrawal: ['owners'],
  BindLedger: ['owners'],
  AcceptLedgerEntries: ['owners'],
  GuardLedger: ['owners'],
  OpenAgentAccount: ['owners'],
  DraftAgentScript: ['agents'],
  ReviewAgentScript: ['agents'],
  RemoveAgentDraft: ['agents'],
  CreateAgentDeployment: ['agents'],
  ChangeAgentDeployment: ['agents'],
  PlacePaperOrder: ['agents'],
  CreateAgentFunding: [],
  ApproveAgentFunding: [],
  MoveAgentFunding: [],
};

/** Commands that may change the markets, the API keys, the retired accounts or the switches. */
export const DIRECTORY_COMMANDS = commandsWith('directory');
/** Commands that may change owners, or the state of their accounts. */
export const OWNER_COMMANDS = commandsWith('owners');
/** The same, and the operator's switches: what brings deposits and withdrawals forward. */
export const SETTLEMENT_COMMANDS = commandsWith('owners', 'switches');
/** Commands of drafts and deployments. */
export const AGENT_COMMANDS = commandsWith('agents');
/** Commands that deposit or withdraw money. */
export const NET_DEPOSIT_COMMANDS = commandsWith('net_deposits');

function commandsWith(...effects: readonly Effect[]): ReadonlySet<Command['type']> {
  const types = Object.keys(EFFECTS) as Command['type'][];
  return new Set(types.filter((type) => EFFECTS[type].some((effect) => effects.includes(effect))));
}
