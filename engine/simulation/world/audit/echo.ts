/** Events that repeat what their command asked for: the account that was opened is the one that was named, and so on. */
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { demand } from './audit-failed.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Field of the event → field of the command that it repeats, by what was asked for and what is told of it. */
const ECHOES: Readonly<Record<string, readonly [event: VenueEvent['type'], fields: Readonly<Record<string, string>>]>> = {
  ListMarket: ['MarketListed', { specification: 'specification', status: 'status' }],
  SetMarketStatus: ['MarketStatusChanged', { market: 'market', status: 'status' }],
  PublishIndexPrice: ['MarketPriced', { market: 'market' }],
  OpenAccount: ['AccountOpened', { label: 'label', partyId: 'partyId' }],
  RetireAccount: ['AccountRetired', { account: 'account' }],
  CreditCash: ['CashPosted', { account: 'account', amountAtoms: 'amountAtoms' }],
  CreditInsurance: ['LedgerPosted', { amountAtoms: 'amountAtoms' }],
  IssueApiKey: [
    'ApiKeyIssued',
    {
      account: 'account',
      keyId: 'keyId',
      digest: 'digest',
      scopes: 'scopes',
      label: 'label',
      expiresAtEpochMs: 'expiresAtEpochMs',
    },
  ],
  RevokeApiKey: ['ApiKeyRevoked', { account: 'account', keyId: 'keyId' }],
  ReserveWithdrawal: ['WithdrawalReserved', { account: 'account', amountAtoms: 'amountAtoms', destination: 'destination' }],
  ReleaseWithdrawal: ['WithdrawalReleased', { withdrawal: 'withdrawal' }],
  SettleWithdrawal: ['WithdrawalSettled', { withdrawal: 'withdrawal' }],
  DebitCash: ['WithdrawalReserved', { account: 'account', amountAtoms: 'amountAtoms', destination: 'reference' }],
  TransferCash: ['CashTransferred', { from: 'account', to: 'to', amountAtoms: 'amountAtoms', reference: 'reference' }],
  SetFavorite: ['FavoriteSet', { account: 'account', market: 'market', favorite: 'favorite' }],
  SetLeaderboardListing: [
    'LeaderboardListingSet',
    { account: 'account', shown: 'shown', displayName: 'displayName', handle: 'handle' },
  ],
};

/** Work can be left over only in the market that the command was about. */
const MARKET_EVENTS: readonly VenueEvent['type'][] = ['MarketWorkPending', 'FundingSettled'];

/** The command was not refused. */
export function auditEcho(sequence: number, command: Command, events: readonly VenueEvent[]): void {
  const echo = ECHOES[command.type];
  if (echo !== undefined) {
    const [type, fields] = echo;
    const all = events.filter((event) => event.type === type) as unknown as Fields[];
    const told = all[0];
    demand(told !== undefined && all.length === 1, `record ${sequence} is a ${command.type} with ${all.length} of ${type}`);
    for (const [field, asked] of Object.entries(fields)) {
      const isSame = JSON.stringify(told[field]) === JSON.stringify((command as unknown as Fields)[asked]);
      demand(isSame, `record ${sequence} is a ${command.type}, and its ${type} has another ${field}`);
    }
  }
  for (const event of events) {
    if (MARKET_EVENTS.includes(event.type))
      demand(
        'market' in command && command.market === (event as unknown as Fields).market,
        `record ${sequence} was about another market`,
      );
  }
}
