/** A place for attacks: one market, accounts with deep pockets, an insurance fund, an index that moves once a second. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { positionEquityOf } from '#venue/risk/position-risk.ts';
import { RISK_RULES, type RiskRules } from '#venue/risk/risk-rules.ts';
import { AuditedScenario } from './audited-scenario.ts';
import { BTC as MARKET, Scenario } from './scenario.ts';

export const USD = 1_000_000;
/** What the insurance fund holds at first, in dollars. */
export const FUND = 1_000_000;

/** A market and its first index price in dollars. */
export interface ArenaMarket {
  readonly specification: MarketSpecification;
  readonly basePrice: number;
}

export class Arena {
  readonly scenario: Scenario;
  readonly specification: MarketSpecification;
  readonly basePrice: number;

  /** @param off the rules that are off. With all rules on, every turn is audited. */
  constructor({ specification, basePrice }: ArenaMarket, accounts: number, depositUsd: number, off: Partial<RiskRules> = {}) {
    this.specification = specification;
    this.basePrice = Math.round(basePrice * 10 ** specification.priceScale);
    this.scenario = Object.keys(off).length === 0 ? new AuditedScenario() : new Scenario({ ...RISK_RULES, ...off });
    // A snapshot is checked every 50 commands: the books of these markets take long to create.
    this.scenario.snapshotEvery = 50;
    this.scenario.run({ type: 'ListMarket', specification, status: 'open' });
    this.scenario.price(this.basePrice);
    for (let ordinal = 1; ordinal <= accounts; ordinal += 1) {
      this.scenario.run({ type: 'OpenAccount', label: `trader ${ordinal}`, partyId: `party-${ordinal}`, digestSeed: 7 });
      this.scenario.run({
        type: 'CreditCash',
        account: ordinal as AccountOrdinal,
        amountAtoms: (depositUsd * USD) as QuoteAtoms,
        reference: 'test',
      });
    }
    this.scenario.run({ type: 'CreditInsurance', amountAtoms: (FUND * USD) as QuoteAtoms, reference: 'test' });
  }

  get market(): Market {
    return this.scenario.venue.state.market(MARKET)!;
  }

  /** Gives the market the band of version 3, which can no longer be listed. Only without an audit. */
  widenBand(): void {
    this.market.specification = { ...this.specification, markBandBps: 50 as Bps };
  }

  /** Dollars. */
  get fund(): number {
    return this.scenario.venue.state.ledgers.insurance / USD;
  }

  /** The quantity worth at most an amount of dollars at the base price. */
  lotsOf(usd: number): number {
    return Math.floor((usd * USD) / (this.basePrice * this.market.tickLotAtoms));
  }

  /** The signed quantity of an account's position. */
  baseOf(account: number): number {
    return this.scenario.venue.state.account(account as AccountOrdinal)!.holdingIn(MARKET).signedBaseAtoms;
  }

  liquidationPriceOf(account: number): number {
    return this.scenario.venue.state.account(account as AccountOrdinal)!.positionIn(MARKET).liquidationPriceAtoms;
  }

  /** Dollars of an account's equity in the market, at the mark price. */
  equityOf(account: number): number {
    const holding = this.scenario.venue.state.account(account as AccountOrdinal)!.holdingIn(MARKET);
    if (holding.signedBaseAtoms === 0) return 0;
    return positionEquityOf(holding, this.market.markPriceAtoms, this.market.tickLotAtoms) / USD;
  }

  /** Dollars of accounts in all, at the mark price. */
  wealthOf(...accounts: readonly number[]): number {
    return accounts.reduce((sum, account) => {
      const { cashAtoms } = this.scenario.venue.state.account(account as AccountOrdinal)!;
      return sum + cashAtoms / USD + this.equityOf(account);
    }, 0);
  }

  /** One second later the index is at a price, and the venue finishes its work. */
  tick(price: number): VenueEvent[] {
    this.scenario.wait(999);
    const events = this.scenario.price(price as PriceAtoms);
    while (events.at(-1)!.type === 'MarketWorkPending')
      events.push(...this.scenario.run({ type: 'AdvanceMarket', market: MARKET }));
    return events;
  }

  /** Moves the index in equal steps. */
  drift(from: number, to: number, steps: number): void {
    for (let step = 1; step <= steps; step += 1) this.tick(Math.round(from + ((to - from) * step) / steps));
  }
}
