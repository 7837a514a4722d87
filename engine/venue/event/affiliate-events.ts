/** Events of the affiliate program: an account became an affiliate, an account was referred by one. */
import type { AccountOrdinal, AffiliateOrdinal } from '#units/ids.ts';
import type { Bps } from '#units/money.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/** An account became an affiliate, for good. */
export interface AffiliateRegistered {
  readonly type: 'AffiliateRegistered';
  readonly account: AccountOrdinal;
  readonly affiliate: AffiliateOrdinal;
  /** No other affiliate ever has it. */
  readonly referralCode: string;
  /** The share of referred fees that the affiliate earns, fixed when it registered. */
  readonly shareBps: Bps;
}

/** A new account was referred by an affiliate, for good. */
export interface AccountReferred {
  readonly type: 'AccountReferred';
  readonly account: AccountOrdinal;
  /** The account of the affiliate. */
  readonly referrer: AccountOrdinal;
}

export type AffiliateEvent = AffiliateRegistered | AccountReferred;

export const AFFILIATE_EVENTS: EventLayouts<AffiliateEvent> = {
  AffiliateRegistered: {
    tag: 69,
    fields: (io, it) => ({
      type: 'AffiliateRegistered',
      account: io.u32(it.account),
      affiliate: io.u32(it.affiliate),
      referralCode: io.text(it.referralCode),
      shareBps: io.u32(it.shareBps),
    }),
  },
  AccountReferred: {
    tag: 70,
    fields: (io, it) => ({ type: 'AccountReferred', account: io.u32(it.account), referrer: io.u32(it.referrer) }),
  },
};
