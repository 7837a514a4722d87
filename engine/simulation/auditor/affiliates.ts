/**
 * The affiliates, rebuilt from events: one code for each affiliate for good, one referrer for an account, and what fills earned. The
 * earnings are written from the documentation, to compare them with what the projection shows.
 */
import type { Command } from '#venue/command.ts';
import type { AccountReferred, AffiliateRegistered, OrderFilled } from '#venue/event.ts';
import type { Accounts } from './accounts.ts';
import { fail } from './audit-failed.ts';

const SHARE_BPS = 2_000;
const DAY_MS = 86_400_000;

interface Earnings {
  fills: number;
  fees: bigint;
  earned: bigint;
}

interface Affiliate extends Earnings {
  readonly affiliate: number;
  readonly referralCode: string;
  readonly shareBps: number;
  readonly registeredAt: number;
  readonly referred: Set<number>;
  readonly paying: Set<number>;
  /** By the start of the UTC day. */
  readonly days: Map<number, Earnings>;
}

export class AuditedAffiliates {
  readonly #accounts: Accounts;
  readonly #affiliates = new Map<number, Affiliate>();
  readonly #byCode = new Map<string, number>();
  readonly #referrers = new Map<number, number>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  register({ account, affiliate, referralCode, shareBps }: AffiliateRegistered, epochMs: number): void {
    if (this.has(account)) fail('affiliate', `account ${account} registered twice as an affiliate`);
    if (this.#accounts.isRetired(account)) fail('affiliate', `account ${account} registered after it was retired`);
    if (this.hasCode(referralCode)) fail('affiliate', `two affiliates have the code ${referralCode}`);
    if (affiliate !== this.#affiliates.size + 1) fail('affiliate', `affiliate ${affiliate} follows ${this.#affiliates.size}`);
    if (shareBps !== SHARE_BPS) fail('affiliate', `affiliate ${affiliate} has a share of ${shareBps}`);
    this.#byCode.set(referralCode, account);
    const sets = { referred: new Set<number>(), paying: new Set<number>(), days: new Map<number, Earnings>() };
    this.#affiliates.set(account, { affiliate, referralCode, shareBps, registeredAt: epochMs, ...sets, ...nothing() });
  }

  refer({ account, referrer }: AccountReferred, command: Command): void {
    if (this.#referrers.has(account)) fail('affiliate', `account ${account} was referred twice`);
    if (this.#expectedReferrer(command) !== referrer || account !== this.#accounts.count)
      fail('affiliate', `account ${account} was referred by ${referrer}, which its registration did not name`);
    this.#referrers.set(account, referrer);
    this.#affiliates.get(referrer)!.referred.add(account);
  }

  fill({ account, feeAtoms }: OrderFilled, epochMs: number): void {
    const referrer = this.#referrers.get(account);
    if (referrer === undefined || feeAtoms <= 0 || this.#accounts.isRetired(referrer)) return;
    const affiliate = this.#affiliates.get(referrer)!;
    const fee = BigInt(feeAtoms);
    const share = (fee * BigInt(affiliate.shareBps)) / 10_000n;
    const day = Math.floor(epochMs / DAY_MS) * DAY_MS;
    const ofDay = affiliate.days.get(day) ?? nothing();
    affiliate.days.set(day, ofDay);
    affiliate.paying.add(account);
    for (const sums of [affiliate, ofDay]) {
      sums.fills += 1;
      sums.fees += fee;
      sums.earned += share;
    }
  }

  /** The command was not refused. */
  checkTurn(command: Command): void {
    const expected = this.#expectedReferrer(command);
    const newest = this.#accounts.count;
    if (expected !== undefined && this.#referrers.get(newest) !== expected)
      fail('affiliate', `account ${newest} registered with the code of ${expected}, and was not referred`);
  }

  has(account: number): boolean {
    return this.#affiliates.has(account);
  }

  hasCode(referralCode: string): boolean {
    return this.#byCode.has(referralCode);
  }

  /** What an affiliate earned in total and by day, oldest first; `undefined` if the account is no affiliate. */
  earningsOf(account: number) {
    const affiliate = this.#affiliates.get(account);
    if (affiliate === undefined) return undefined;
    const total = { referredAccounts: affiliate.referred.size, payingAccounts: affiliate.paying.size, ...texts(affiliate) };
    const days = [...affiliate.days].map(([dayEpochMs, earned]) => ({ dayEpochMs, ...texts(earned) }));
    return { total, days };
  }

  /** One line for each affiliate and referral, with the fields that the core has too. */
  *lines(): Iterable<string> {
    for (const [account, { affiliate, referralCode, shareBps, registeredAt }] of this.#affiliates)
      yield affiliateLine(account, affiliate, referralCode, shareBps, registeredAt);
    for (const [account, referrer] of this.#referrers) yield referralLine(account, referrer);
  }

  /** The affiliate that a registration names: the code's, unless that account is retired. */
  #expectedReferrer(command: Command): number | undefined {
    if (command.type !== 'RegisterOwner') return undefined;
    const referrer = this.#byCode.get(command.referralCode);
    return referrer === undefined || this.#accounts.isRetired(referrer) ? undefined : referrer;
  }
}

export function affiliateLine(account: number, affiliate: number, code: string, shareBps: number, at: number): string {
  return `affiliate ${affiliate} is ${account} with ${code}, ${shareBps} since ${at}`;
}

export function referralLine(account: number, referrer: number): string {
  return `account ${account} was referred by ${referrer}`;
}

function nothing(): Earnings {
  return { fills: 0, fees: 0n, earned: 0n };
}

function texts({ fills, fees, earned }: Earnings) {
  return { fills, feesAtoms: String(fees), earnedAtoms: String(earned) };
}
