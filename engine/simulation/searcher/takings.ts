/**
 * What colluders take from others, read from the events of an episode. ADR 0104 defines it. Every change of the colluders' wealth, valued at the center
 * of the makers' quotes, belongs to one flow (`wealthChange`); only some flows count as taken (`score`).
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { OrderFilled, OrderOrigin, VenueEvent } from '#venue/event.ts';

export type Role = 'colluder' | 'maker' | 'stranger';

/** What an episode knows about its accounts. */
export interface Parties {
  /** What the makers of the stage value the underlying at, given the index; in ticks. */
  valueOf(index: number): number;
  roleOf(account: AccountOrdinal): Role;
  /** Whether the liquidation of a stranger that just started is due without the colluders. */
  isDue(stranger: AccountOrdinal): boolean;
}

/** Amounts of money atoms; positive is what the colluders receive. */
export interface Flows {
  /** What the insurance fund and the deficit pay for closes of the colluders' positions, less what they repay. */
  covered: number;
  /** Of it, what the fund pays of their funding, as far as another colluder receives it. */
  fundedByFund: number;
  /** What fills against liquidated and deleveraged positions of others bring, compared with that value. */
  liquidated: number;
  deleveraged: number;
  /** Liquidation fees that were due and not paid. */
  unpaidFees: number;
  /** Funding that the rate of the whole book would have cost more than the rate of the venue. */
  misratedFunding: number;
  tradeFees: number;
  liquidationFees: number;
  /** What closing the positions that are open at the end costs at least. */
  exitFees: number;
  /** What closing them would repay to the fund. */
  owed: number;
  /** Fills against makers, and against strangers whose liquidation is due, compared with that value: all of them, and those at a loss. */
  market: number;
  marketLosses: number;
  /** What moves of the index bring to the colluders' net position: all of them, and those at a loss. */
  index: number;
  indexLosses: number;
  funding: number;
}

const NO_FLOWS: Flows = {
  covered: 0,
  fundedByFund: 0,
  liquidated: 0,
  deleveraged: 0,
  unpaidFees: 0,
  misratedFunding: 0,
  tradeFees: 0,
  liquidationFees: 0,
  exitFees: 0,
  owed: 0,
  market: 0,
  marketLosses: 0,
  index: 0,
  indexLosses: 0,
  funding: 0,
};

/** What the colluders took from the fund and from strangers, before what it cost them. */
export function takenOf({ covered, fundedByFund, liquidated, deleveraged, unpaidFees, misratedFunding }: Flows): number {
  return covered + fundedByFund + liquidated + deleveraged + unpaidFees + misratedFunding;
}

/** What the colluders took, less what it cost them. Gains from makers, from the index and from funding do not count; losses do. */
export function scoreOf(flows: Flows): number {
  const { tradeFees, liquidationFees, exitFees, owed, marketLosses, indexLosses } = flows;
  return takenOf(flows) + tradeFees + liquidationFees + exitFees + owed + marketLosses + indexLosses;
}

/** The change of the colluders' wealth by these flows. An unpaid fee and funding at a wrong rate move no money by themselves. */
export function wealthChangeOf({
  covered,
  liquidated,
  deleveraged,
  tradeFees,
  liquidationFees,
  market,
  index,
  funding,
}: Flows): number {
  return covered + liquidated + deleveraged + tradeFees + liquidationFees + market + index + funding;
}

export class Takings {
  readonly flows: Flows = { ...NO_FLOWS };
  readonly #parties: Parties;
  readonly #tickLotAtoms: number;
  readonly #liquidationFeeBps: number;
  readonly #bases = new Map<AccountOrdinal, number>();
  /** The value of the underlying, in ticks. */
  #value: number;
  #net = 0;
  #first: OrderFilled | undefined;
  #origin: OrderOrigin = 'client';
  /** Whether the liquidation that runs is due without the colluders. */
  #isDue = false;
  /** The position of a colluder that the venue closes: its bankruptcy price, and the fees due less those paid. */
  #bankruptcyPrice = 0;
  #due = 0;
  /** The last funding payment is of a colluder, and a payment of the fund that follows is for it. */
  #pays = false;
  #fundPaid = 0;
  #periodFunding = 0;

  constructor(parties: Parties, value: number, tickLotAtoms: number, liquidationFeeBps: number) {
    this.#parties = parties;
    this.#value = value;
    this.#tickLotAtoms = tickLotAtoms;
    this.#liquidationFeeBps = liquidationFeeBps;
  }

  /** The colluders' net position, in lots. */
  get net(): number {
    return this.#net;
  }

  get score(): number {
    return scoreOf(this.flows);
  }

  /** Reads the events of one turn. */
  read(events: readonly VenueEvent[]): void {
    for (const event of events) this.#event(event);
    this.#endLiquidation();
  }

  /** A period ended at a rate that differs from that of the whole book by so many millionths of an atom a lot. */
  misrated(perLotMicroAtoms: number): void {
    this.flows.misratedFunding += Math.trunc((perLotMicroAtoms * this.#net) / 1_000_000);
  }

  /** Ends the episode. Each open position costs at least the fee of a maker; `owedAtoms` is what they owe to the fund and can repay. */
  end(makerFeeBps: number, owedAtoms: number): void {
    this.endPeriod();
    this.flows.owed -= owedAtoms;
    for (const base of this.#bases.values())
      this.flows.exitFees -= Math.ceil((Math.abs(base) * this.#value * this.#tickLotAtoms * makerFeeBps) / 10_000);
  }

  /** Ends the account of a funding period: the fund's payments count as far as the group received more funding than it paid. */
  endPeriod(): void {
    this.flows.fundedByFund += Math.min(this.#fundPaid, Math.max(0, this.#periodFunding));
    this.#fundPaid = 0;
    this.#periodFunding = 0;
  }

  #event(event: VenueEvent): void {
    const { flows } = this;
    switch (event.type) {
      case 'MarketPriced': {
        const value = this.#parties.valueOf(event.indexPriceAtoms);
        const gain = (value - this.#value) * this.#net * this.#tickLotAtoms;
        this.#value = value;
        flows.index += gain;
        flows.indexLosses += Math.min(0, gain);
        return;
      }
      case 'TradeExecuted':
        this.#first = undefined;
        this.#origin = event.origin;
        return;
      case 'OrderFilled':
        if (this.#first === undefined) this.#first = event;
        else this.#trade(this.#first, event);
        return;
      case 'PositionChanged':
        if (this.#parties.roleOf(event.account) === 'colluder') this.#rebase(event.account, event.signedBaseAtoms);
        return;
      case 'LiquidationStarted':
        this.#endLiquidation();
        this.#bankruptcyPrice = event.bankruptcyPriceAtoms;
        this.#isDue = this.#parties.roleOf(event.account) === 'stranger' && this.#parties.isDue(event.account);
        return;
      case 'FundingSettled':
        this.endPeriod();
        return;
      case 'FundingPaid':
        this.#pays = this.#parties.roleOf(event.account) === 'colluder';
        if (!this.#pays) return;
        flows.funding -= event.paidAtoms;
        this.#periodFunding -= event.paidAtoms;
        return;
      case 'LedgerPosted':
        if (event.ledger === 'funding') this.#pays = false;
        else if (this.#pays) this.#fundPaid -= event.amountAtoms;
        return;
      case 'CashPosted':
        if (this.#parties.roleOf(event.account) === 'colluder') this.#cash(event.kind, event.amountAtoms);
    }
  }

  #cash(kind: string, amount: number): void {
    const { flows } = this;
    if (kind === 'trade_fee') flows.tradeFees += amount;
    else if (kind === 'insurance_cover' || kind === 'deficit_cover') {
      flows.covered += amount;
      this.#due += Math.min(0, amount);
    } else if (kind === 'liquidation_fee') {
      flows.liquidationFees += amount;
      this.#due += amount;
    }
  }

  #trade(one: OrderFilled, other: OrderFilled): void {
    for (const [fill, against] of [
      [one, other],
      [other, one],
    ] as const) {
      if (this.#parties.roleOf(fill.account) !== 'colluder') continue;
      if (this.#origin === 'liquidation' && fill.liquidity === 'taker') this.#liquidationFill(fill);
      const role = this.#parties.roleOf(against.account);
      if (role !== 'colluder') this.#external(fill, role);
    }
  }

  /** A fill against another party: what it brings at the index. */
  #external({ side, priceAtoms, quantityAtoms }: OrderFilled, role: Role): void {
    const { flows } = this;
    const better = side === 'buy' ? this.#value - priceAtoms : priceAtoms - this.#value;
    const gain = better * quantityAtoms * this.#tickLotAtoms;
    if (this.#origin === 'auto_deleveraging') flows.deleveraged += gain;
    else if (role === 'stranger' && !this.#isDue) flows.liquidated += gain;
    else {
      flows.market += gain;
      flows.marketLosses += Math.min(0, gain);
    }
  }

  /** The fee that is due for a fill: a share of its notional, at most what it gains above the bankruptcy price after its fee. */
  #liquidationFill({ side, priceAtoms, quantityAtoms, notionalAtoms, feeAtoms }: OrderFilled): void {
    const better = side === 'sell' ? priceAtoms - this.#bankruptcyPrice : this.#bankruptcyPrice - priceAtoms;
    const gain = better * quantityAtoms * this.#tickLotAtoms - feeAtoms;
    this.#due += Math.max(0, Math.min(gain, Math.floor((notionalAtoms * this.#liquidationFeeBps) / 10_000)));
  }

  #endLiquidation(): void {
    this.flows.unpaidFees += Math.max(0, this.#due);
    this.#due = 0;
  }

  #rebase(account: AccountOrdinal, base: number): void {
    this.#net += base - (this.#bases.get(account) ?? 0);
    this.#bases.set(account, base);
  }
}
