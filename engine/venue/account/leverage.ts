/**
 * The leverage that an account has chosen in a market. Orders without a leverage of their own use it. A change applies to later orders:
 * open orders and positions keep their margin.
 */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { ONE_X } from '#units/leverage.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Market } from '#venue/market/market.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { Account } from './account.ts';
import { checkAccount } from './administration.ts';

/** Chooses an account's leverage in a market. 0 returns to the default. */
export interface SetLeverage {
  readonly type: 'SetLeverage';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly leverageHundredths: number;
}

export type LeverageCommand = SetLeverage;

export const LEVERAGE_COMMANDS: CommandRules<LeverageCommand> = {
  SetLeverage: {
    plan: planLeverage,
    commit: commitLeverage,
    layout: {
      tag: 37,
      fields: (io, it) => ({
        type: 'SetLeverage',
        account: io.int(it.account),
        market: io.int(it.market),
        leverageHundredths: io.leverage(it.leverageHundredths),
      }),
    },
  },
};

export function planLeverage(turn: Turn, { account, market: ordinal, leverageHundredths }: SetLeverage): Refusal | undefined {
  const refusal = checkAccount(turn, account);
  if (refusal !== undefined) return refusal;
  const market = turn.state.market(ordinal);
  if (market === undefined) return { code: 'market_not_found' };
  const { maxLeverageX } = market.specification;
  return leverageHundredths > maxLeverageX * ONE_X ? { code: 'leverage_too_high', bound: maxLeverageX } : undefined;
}

export function commitLeverage({ state, events }: Turn, { account, market, leverageHundredths }: SetLeverage): void {
  choose(state.account(account)!, market, leverageHundredths);
  events.emit({ type: 'LeverageSet', account, market, leverageHundredths });
}

function choose(account: Account, market: MarketOrdinal, leverageHundredths: number): void {
  if (leverageHundredths === 0) {
    account.leverages?.delete(market);
    if (account.leverages?.size === 0) account.leverages = undefined;
    return;
  }
  account.leverages ??= new Map();
  account.leverages.set(market, leverageHundredths);
}

/**
 * The leverage of an order that sets none: what its account has chosen in the market, otherwise the default, at most the market's
 * maximum. 0, the initial margin of the exposure, if the exposure permits less.
 */
export function leverageFor(
  { leverages }: Account,
  { ordinal, specification }: Market,
  maxLeverageX: number,
  { defaultLeverageHundredths }: RiskRules,
): number {
  const chosen = leverages?.get(ordinal) ?? defaultLeverageHundredths;
  const leverage = Math.min(chosen, specification.maxLeverageX * ONE_X);
  return leverage <= maxLeverageX * ONE_X ? leverage : 0;
}

interface ChosenLeverage {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly leverageHundredths: number;
}

/** By account, then by market. */
export function chosenLeverages({ accounts }: VenueState): ChosenLeverage[] {
  const chosen: ChosenLeverage[] = [];
  for (const it of accounts) {
    if (it?.leverages === undefined) continue;
    const byMarket = [...it.leverages].sort(([one], [other]) => one - other);
    for (const [market, leverageHundredths] of byMarket) chosen.push({ account: it.ordinal, market, leverageHundredths });
  }
  return chosen;
}

export function hasChosenLeverage({ accounts }: VenueState): boolean {
  return accounts.some((it) => it?.leverages !== undefined);
}

/** The layout in a snapshot. */
export function leveragesLayout(io: Cursor, state: VenueState): void {
  for (const { account, market, leverageHundredths } of longList(io, chosenLeverages(state), chosenLayout))
    choose(state.account(account)!, market, leverageHundredths);
}

function chosenLayout(io: Cursor, it: ChosenLeverage): ChosenLeverage {
  return { account: io.int(it.account), market: io.int(it.market), leverageHundredths: io.leverage(it.leverageHundredths) };
}
