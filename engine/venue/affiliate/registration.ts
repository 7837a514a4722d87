/** Registers affiliates, and refers new accounts to them. The core moves no money for it: earnings are projected from fills. */
import type { AccountOrdinal, AffiliateOrdinal } from '#units/ids.ts';
import { bps } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { AffiliateEvent } from '#venue/event/affiliate-events.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';

/** Makes the account an affiliate. */
export interface RegisterAffiliate {
  readonly type: 'RegisterAffiliate';
  readonly account: AccountOrdinal;
  /** Random, so that it does not identify the account. */
  readonly referralCode: string;
}

export type AffiliateCommand = RegisterAffiliate;

export const AFFILIATE_COMMANDS: CommandRules<AffiliateCommand> = {
  RegisterAffiliate: {
    plan: planAffiliate,
    commit: commitAffiliate,
    layout: {
      tag: 65,
      fields: (io, it) => ({
        type: 'RegisterAffiliate',
        account: io.int(it.account),
        referralCode: io.text(it.referralCode),
      }),
    },
  },
};

/** The share of the fees of referred accounts that an affiliate earns from now on: a fifth. Affiliates keep the share of their registration. */
export const AFFILIATE_SHARE_BPS = bps(2_000);

/** The characters that a registration accepts as a referral code. A short code could be guessed. */
const REFERRAL_CODE = /^[A-Za-z0-9_-]{8,64}$/;

export function planAffiliate(turn: Turn, { account, referralCode }: RegisterAffiliate): Refusal | undefined {
  const { affiliates, switches } = turn.state;
  const refusal = checkIntake(switches, 'register', 'affiliate') ?? checkAccount(turn, account);
  if (refusal !== undefined) return refusal;
  if (affiliates.byAccount.has(account)) return { code: 'affiliate_registered' };
  const isFree = REFERRAL_CODE.test(referralCode) && !affiliates.byCode.has(referralCode);
  return isFree ? undefined : { code: 'referral_code_invalid' };
}

export function commitAffiliate(turn: Turn, { account, referralCode }: RegisterAffiliate): void {
  const affiliate = (turn.state.affiliates.byAccount.size + 1) as AffiliateOrdinal;
  emit(turn, { type: 'AffiliateRegistered', account, affiliate, referralCode, shareBps: AFFILIATE_SHARE_BPS });
}

/**
 * Refers a new account to the affiliate that has the code now. A code without an affiliate, or of a retired account, refers to no one. The
 * new account is no affiliate yet, so it cannot be its own referrer.
 */
export function referAccount(turn: Turn, account: AccountOrdinal, referralCode: string): void {
  const referrer = turn.state.affiliates.byCode.get(referralCode)?.account;
  if (referrer === undefined || turn.state.account(referrer)!.isRetired) return;
  emit(turn, { type: 'AccountReferred', account, referrer });
}

function emit(turn: Turn, event: AffiliateEvent): void {
  turn.state.affiliates.take(event, turn.now);
  turn.events.emit(event);
}
