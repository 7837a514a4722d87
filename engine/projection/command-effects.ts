/**
 * What a command may change besides the rows of its events: the directory of markets, API keys and switches, or the venue's net deposits. Every command
 * is listed, so that no record is skipped by mistake.
 */
import type { Command } from '#venue/command.ts';

type Effect = 'directory' | 'net_deposits' | 'rows';

const EFFECTS: Readonly<Record<Command['type'], Effect>> = {
  ListMarket: 'directory',
  IssueApiKey: 'directory',
  RevokeApiKey: 'directory',
  BindEnvironment: 'directory',
  SetVenueStatus: 'directory',
  SetCapability: 'directory',
  // The account's keys are revoked with it.
  RetireAccount: 'directory',
  CreditCash: 'net_deposits',
  CreditInsurance: 'net_deposits',
  SettleWithdrawal: 'net_deposits',
  DebitCash: 'net_deposits',
  PlaceOrder: 'rows',
  PlaceOrders: 'rows',
  CancelOrder: 'rows',
  CancelOrders: 'rows',
  PublishIndexPrice: 'rows',
  AdvanceMarket: 'rows',
  SetMarketStatus: 'rows',
  OpenAccount: 'rows',
  TransferCash: 'rows',
  ReserveWithdrawal: 'rows',
  ReleaseWithdrawal: 'rows',
  SetFavorite: 'rows',
  SetLeaderboardListing: 'rows',
};

/** Commands that may change the markets, the API keys or the switches. */
export const DIRECTORY_COMMANDS = commandsWith('directory');
/** Commands that deposit or withdraw money. */
export const NET_DEPOSIT_COMMANDS = commandsWith('net_deposits');

function commandsWith(effect: Effect): ReadonlySet<Command['type']> {
  return new Set((Object.keys(EFFECTS) as Command['type'][]).filter((type) => EFFECTS[type] === effect));
}
