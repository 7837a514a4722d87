/** Affiliate resources of the contract: the profile, the total and the days of earnings. Also the KYC status of an account. */
import type { AffiliateDay, AffiliateProfile, AffiliateTotal } from '#contract/affiliates.ts';
import type { KycStatus } from '#contract/kyc.ts';
import { type AccountOrdinal, renderAccountId, renderAffiliateId } from '#units/ids.ts';
import { type WideAtoms, ZERO_WIDE } from '#units/money.ts';
import type { AccountRow, AffiliateDayRow, AffiliateRow } from './account-rows.ts';
import { renderMoney } from './market-scales.ts';

/** `row` is `undefined` for an account that has not registered, here and below. */
export function affiliateProfile(account: AccountOrdinal, row: AffiliateRow | undefined): AffiliateProfile {
  return {
    version: 'external-affiliate-profile/v1',
    accountId: renderAccountId(account),
    registered: row !== undefined,
    affiliateId: row === undefined ? null : renderAffiliateId(row.affiliate),
    referralCode: row?.referralCode ?? null,
    registeredAtEpochMs: row?.registeredAtEpochMs ?? null,
    shareBps: row?.shareBps ?? null,
  };
}

export function affiliateTotal(row: AffiliateRow | undefined): AffiliateTotal {
  const { referredAccounts, payingAccounts } = row ?? { referredAccounts: 0, payingAccounts: 0 };
  return { referredAccounts, payingAccounts, ...earnedOf(row ?? NOTHING) };
}

export function affiliateDay(row: AffiliateDayRow): AffiliateDay {
  return { dayEpochMs: row.dayEpochMs, ...earnedOf(row) };
}

export function kycStatus({ kycSkippedAtEpochMs }: AccountRow): KycStatus {
  const changedAtEpochMs = kycSkippedAtEpochMs === 0 ? null : kycSkippedAtEpochMs;
  return {
    version: 'external-kyc-status/v1',
    required: false,
    providerAvailability: 'unavailable',
    state: {
      status: changedAtEpochMs === null ? 'not_started' : 'skipped',
      createdAtEpochMs: changedAtEpochMs,
      updatedAtEpochMs: changedAtEpochMs,
    },
  };
}

interface Earnings {
  readonly fills: number;
  readonly feesAtoms: WideAtoms;
  readonly earnedAtoms: WideAtoms;
}

const NOTHING: Earnings = { fills: 0, feesAtoms: ZERO_WIDE, earnedAtoms: ZERO_WIDE };

function earnedOf({ fills, feesAtoms, earnedAtoms }: Earnings) {
  return {
    fills,
    feesAtoms,
    fees: renderMoney(BigInt(feesAtoms)),
    earnedAtoms,
    earned: renderMoney(BigInt(earnedAtoms)),
  };
}
