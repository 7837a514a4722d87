/**
 * Folds registrations, referrals and fees into the rows of affiliates. Earnings are a projection: no cash moves, and they do not depend on
 * whether the operator has the program on.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import { bpsOfTowardZero, type EpochMs, type QuoteAtoms, widePlus, ZERO_WIDE } from '#units/money.ts';
import type { AccountReferred, AffiliateRegistered, OrderFilled } from '#venue/event.ts';
import type { AccountRow, AffiliateDayRow, AffiliateRow } from './account-rows.ts';
import { dayOf } from './result-fold.ts';
import type { Moment } from './rows.ts';
import type { Rows } from './table.ts';

/** The tables that earnings are folded into. */
interface EarningRows {
  readonly accounts: Rows<AccountRow>;
  readonly affiliates: Rows<AffiliateRow>;
  readonly affiliateDays: Rows<AffiliateDayRow>;
}

export function newAffiliate(event: AffiliateRegistered, at: Moment): AffiliateRow {
  const { account, affiliate, referralCode, shareBps } = event;
  return {
    account,
    affiliate,
    referralCode,
    shareBps,
    registeredAtEpochMs: at.epochMs,
    referredAccounts: 0,
    payingAccounts: 0,
    fills: 0,
    feesAtoms: ZERO_WIDE,
    earnedAtoms: ZERO_WIDE,
    ...newDay(dayOf(at.epochMs)),
    lastSequence: at.sequence,
  };
}

export function foldReferral({ accounts, affiliates }: EarningRows, { account, referrer }: AccountReferred, at: Moment): void {
  accounts.put({ ...required(accounts.find(account), account), referrer, lastSequence: at.sequence });
  const row = required(affiliates.find(referrer), referrer);
  affiliates.put({ ...row, referredAccounts: row.referredAccounts + 1, lastSequence: at.sequence });
}

/** The referrer of a fill's account earns a share of the fee, unless it is retired. A rebate earns nothing and takes nothing. */
export function foldEarning(model: EarningRows, { account, feeAtoms }: OrderFilled, at: Moment): void {
  const payer = required(model.accounts.find(account), account);
  const { referrer } = payer;
  if (referrer === null || feeAtoms <= 0 || required(model.accounts.find(referrer), referrer).isRetired === 1) return;
  const isFirst = payer.isPayingReferral === 0;
  const row = withFee(required(model.affiliates.find(referrer), referrer), feeAtoms, at);
  model.affiliates.put({ ...row, payingAccounts: row.payingAccounts + (isFirst ? 1 : 0) });
  model.affiliateDays.put(dayRowOf(row));
  if (isFirst) model.accounts.put({ ...payer, isPayingReferral: 1 });
}

/** What an affiliate earned on the day of its last fee. */
export function dayRowOf({ account, dayEpochMs, dayFills, dayFeesAtoms, dayEarnedAtoms }: AffiliateRow): AffiliateDayRow {
  return { account, dayEpochMs, fills: dayFills, feesAtoms: dayFeesAtoms, earnedAtoms: dayEarnedAtoms };
}

function withFee(before: AffiliateRow, feeAtoms: QuoteAtoms, at: Moment): AffiliateRow {
  // The venue keeps the remainder of each fill.
  const earnedAtoms = bpsOfTowardZero(feeAtoms, before.shareBps);
  const dayEpochMs = dayOf(at.epochMs);
  const row = dayEpochMs === before.dayEpochMs ? before : { ...before, ...newDay(dayEpochMs) };
  return {
    ...row,
    fills: row.fills + 1,
    feesAtoms: widePlus(row.feesAtoms, feeAtoms),
    earnedAtoms: widePlus(row.earnedAtoms, earnedAtoms),
    dayFills: row.dayFills + 1,
    dayFeesAtoms: widePlus(row.dayFeesAtoms, feeAtoms),
    dayEarnedAtoms: widePlus(row.dayEarnedAtoms, earnedAtoms),
    lastSequence: at.sequence,
  };
}

function newDay(dayEpochMs: EpochMs) {
  return { dayEpochMs, dayFills: 0, dayFeesAtoms: ZERO_WIDE, dayEarnedAtoms: ZERO_WIDE } as const;
}

function required<Row>(row: Row | undefined, account: AccountOrdinal): Row {
  if (row === undefined) throw new Error(`an event names account ${account}, whose row was never made`);
  return row;
}
