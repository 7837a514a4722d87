/** Events of accounts: their API keys and preferences. */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Scope } from '#venue/account/scope.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { NEVER, scopeLayout } from '#venue/record/parts.ts';

export interface AccountOpened {
  readonly type: 'AccountOpened';
  readonly account: AccountOrdinal;
  readonly label: string;
  readonly partyId: string;
}

export interface AccountRetired {
  readonly type: 'AccountRetired';
  readonly account: AccountOrdinal;
  /** Present if the account is excluded as legacy. */
  readonly isLegacy?: true;
}

export interface ApiKeyIssued {
  readonly type: 'ApiKeyIssued';
  readonly account: AccountOrdinal;
  readonly keyId: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** 0 if the key never expires. */
  readonly expiresAtEpochMs: EpochMs;
}

export interface ApiKeyRevoked {
  readonly type: 'ApiKeyRevoked';
  readonly account: AccountOrdinal;
  readonly keyId: string;
}

/** A market was added to the account's favorites, or removed. */
export interface FavoriteSet {
  readonly type: 'FavoriteSet';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly favorite: boolean;
}

/** The account is now shown on the public leaderboard, or hidden. */
export interface LeaderboardListingSet {
  readonly type: 'LeaderboardListingSet';
  readonly account: AccountOrdinal;
  readonly shown: boolean;
  readonly displayName: string;
  readonly handle: string;
}

/** The leverage of the account's later orders in a market that set none; 0 for the default. */
export interface LeverageSet {
  readonly type: 'LeverageSet';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly leverageHundredths: number;
}

/** The owner skipped the optional verification of their identity. */
export interface KycSkipped {
  readonly type: 'KycSkipped';
  readonly account: AccountOrdinal;
}

export type AccountEvent =
  | AccountOpened
  | AccountRetired
  | ApiKeyIssued
  | ApiKeyRevoked
  | FavoriteSet
  | LeaderboardListingSet
  | LeverageSet
  | KycSkipped;

export const ACCOUNT_EVENTS: EventLayouts<AccountEvent> = {
  AccountOpened: {
    tag: 4,
    fields: (io, it) => ({
      type: 'AccountOpened',
      account: io.u32(it.account),
      label: io.text(it.label),
      partyId: io.text(it.partyId),
    }),
  },
  AccountRetired: {
    tag: 5,
    fields: retiredLayout,
    extended: [
      {
        tag: 32,
        applies: ({ isLegacy }) => isLegacy === true,
        fields: (io, it) => ({ ...retiredLayout(io, it), isLegacy: true }),
      },
    ],
  },
  ApiKeyIssued: {
    tag: 6,
    fields: keyLayout,
    extended: [
      {
        tag: 27,
        applies: ({ expiresAtEpochMs }) => expiresAtEpochMs !== NEVER,
        fields: (io, it) => ({ ...keyLayout(io, it), expiresAtEpochMs: io.int(it.expiresAtEpochMs) }),
      },
    ],
  },
  ApiKeyRevoked: {
    tag: 7,
    fields: (io, it) => ({
      type: 'ApiKeyRevoked',
      account: io.u32(it.account),
      keyId: io.text(it.keyId),
    }),
  },
  FavoriteSet: {
    tag: 25,
    fields: (io, it) => ({
      type: 'FavoriteSet',
      account: io.u32(it.account),
      market: io.u32(it.market),
      favorite: io.flag(it.favorite),
    }),
  },
  LeaderboardListingSet: {
    tag: 26,
    fields: (io, it) => ({
      type: 'LeaderboardListingSet',
      account: io.u32(it.account),
      shown: io.flag(it.shown),
      displayName: io.text(it.displayName),
      handle: io.text(it.handle),
    }),
  },
  LeverageSet: {
    tag: 87,
    fields: (io, it) => ({
      type: 'LeverageSet',
      account: io.u32(it.account),
      market: io.u32(it.market),
      leverageHundredths: io.leverage(it.leverageHundredths),
    }),
  },
  KycSkipped: {
    tag: 71,
    fields: (io, it) => ({ type: 'KycSkipped', account: io.u32(it.account) }),
  },
};

function retiredLayout(io: Cursor, it: AccountRetired): AccountRetired {
  return { type: 'AccountRetired', account: io.u32(it.account) };
}

function keyLayout(io: Cursor, it: ApiKeyIssued): ApiKeyIssued {
  return {
    type: 'ApiKeyIssued',
    account: io.u32(it.account),
    keyId: io.text(it.keyId),
    digest: io.text(it.digest),
    scopes: io.list(it.scopes, scopeLayout),
    label: io.text(it.label),
    expiresAtEpochMs: NEVER,
  };
}
