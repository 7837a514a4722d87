/** The tables of affiliates: their totals, and what each of them earned by UTC day. */
import type { AffiliateDayRow, AffiliateRow } from './account-rows.ts';
import type { TableShape } from './table.ts';

export const AFFILIATE_SCHEMA = `
CREATE TABLE affiliates (
  account INTEGER PRIMARY KEY, affiliate INTEGER NOT NULL, referralCode TEXT NOT NULL, shareBps INTEGER NOT NULL,
  registeredAtEpochMs INTEGER NOT NULL, referredAccounts INTEGER NOT NULL, payingAccounts INTEGER NOT NULL,
  fills INTEGER NOT NULL, feesAtoms TEXT NOT NULL, earnedAtoms TEXT NOT NULL, dayEpochMs INTEGER NOT NULL,
  dayFills INTEGER NOT NULL, dayFeesAtoms TEXT NOT NULL, dayEarnedAtoms TEXT NOT NULL, lastSequence INTEGER NOT NULL
) STRICT;

CREATE TABLE affiliateDays (
  account INTEGER NOT NULL, dayEpochMs INTEGER NOT NULL, fills INTEGER NOT NULL, feesAtoms TEXT NOT NULL,
  earnedAtoms TEXT NOT NULL, PRIMARY KEY (account, dayEpochMs)
) STRICT, WITHOUT ROWID;
`;

export const AFFILIATES: TableShape<AffiliateRow> = {
  name: 'affiliates',
  key: ['account'],
  changing: [
    'referredAccounts',
    'payingAccounts',
    'fills',
    'feesAtoms',
    'earnedAtoms',
    'dayEpochMs',
    'dayFills',
    'dayFeesAtoms',
    'dayEarnedAtoms',
    'lastSequence',
  ],
  isLive: () => true,
};

export const AFFILIATE_DAYS: TableShape<AffiliateDayRow> = {
  name: 'affiliateDays',
  key: ['account', 'dayEpochMs'],
  changing: ['fills', 'feesAtoms', 'earnedAtoms'],
  isLive: () => false,
};
