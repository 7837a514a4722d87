/**
 * The affiliates by account and by referral code, and who referred which account. Nothing is ever removed: a code stays with its affiliate
 * and a referral with its account for good.
 */
import type { AccountOrdinal, AffiliateOrdinal } from '#units/ids.ts';
import type { Bps, EpochMs } from '#units/money.ts';
import type { AffiliateEvent } from '#venue/event/affiliate-events.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';

export interface Affiliate {
  readonly account: AccountOrdinal;
  readonly affiliate: AffiliateOrdinal;
  readonly referralCode: string;
  readonly shareBps: Bps;
  readonly registeredAtEpochMs: EpochMs;
}

export class Affiliates {
  /** In the order of registration. */
  readonly byAccount = new Map<AccountOrdinal, Affiliate>();
  readonly byCode = new Map<string, Affiliate>();
  /** Referred account → the account of its affiliate. */
  readonly referrers = new Map<AccountOrdinal, AccountOrdinal>();

  /** `at` is the time of the event's record. */
  take(event: AffiliateEvent, at: EpochMs): void {
    if (event.type === 'AccountReferred') {
      this.referrers.set(event.account, event.referrer);
      return;
    }
    const { account, affiliate, referralCode, shareBps } = event;
    this.add({ account, affiliate, referralCode, shareBps, registeredAtEpochMs: at });
  }

  add(affiliate: Affiliate): void {
    this.byAccount.set(affiliate.account, affiliate);
    this.byCode.set(affiliate.referralCode, affiliate);
  }
}

interface Referral {
  readonly account: AccountOrdinal;
  readonly referrer: AccountOrdinal;
}

/** The layout in a snapshot. Reading adds to `it`. */
export function affiliatesLayout(io: Cursor, it: Affiliates): void {
  for (const affiliate of longList(io, [...it.byAccount.values()], affiliateLayout)) it.add(affiliate);
  const referrals = [...it.referrers].map(([account, referrer]) => ({ account, referrer }));
  for (const { account, referrer } of longList(io, referrals, referralLayout)) it.referrers.set(account, referrer);
}

function affiliateLayout(io: Cursor, it: Affiliate): Affiliate {
  return {
    account: io.int(it.account),
    affiliate: io.int(it.affiliate),
    referralCode: io.text(it.referralCode),
    shareBps: io.int(it.shareBps),
    registeredAtEpochMs: io.int(it.registeredAtEpochMs),
  };
}

function referralLayout(io: Cursor, it: Referral): Referral {
  return { account: io.int(it.account), referrer: io.int(it.referrer) };
}
