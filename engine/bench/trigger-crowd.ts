/** Accounts with as many waiting trigger orders as they may have, all due at one price; and orders that others place meanwhile. */
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Command, PlaceOrder } from '#venue/command.ts';
import { MAX_WAITING_TRIGGERS } from '#venue/trigger/triggers.ts';

const MARKET = 1 as MarketOrdinal;
const PRICE = 10_000;
const TRIGGER_PRICE = 9_900;
/** Accounts without trigger orders, which place orders meanwhile. */
const PLACING_ACCOUNTS = 10;

export class TriggerCrowd {
  readonly #now: () => EpochMs;
  #orders = 0;

  constructor(now: () => EpochMs) {
    this.#now = now;
  }

  /** A market, and accounts with `count` waiting orders, which rest in the book once they are triggered. */
  *population(count: number): Generator<Command> {
    yield { type: 'ListMarket', specification: { ...SCENARIO_MARKET, markBandBps: 1 as Bps }, status: 'open' };
    yield this.#priceAt(PRICE);
    for (let account = 1; account <= PLACING_ACCOUNTS + count / MAX_WAITING_TRIGGERS; account += 1) {
      yield { type: 'OpenAccount', label: 'bench', partyId: `party-${account}`, digestSeed: 7 };
      const amountAtoms = 1_000_000_000_000 as QuoteAtoms;
      yield { type: 'CreditCash', account: account as AccountOrdinal, amountAtoms, reference: 'bench' };
      // The table of orders grows before the measured turns.
      for (let order = 0; order < 3; order += 1) yield this.#order(account, 'buy', 9_700);
      for (let order = 0; order < (account <= PLACING_ACCOUNTS ? 0 : MAX_WAITING_TRIGGERS); order += 1)
        yield { ...this.#order(account, 'sell', 10_400), trigger: TRIGGER };
    }
  }

  /** Makes all orders due. */
  fall(): Command {
    return this.#priceAt(TRIGGER_PRICE);
  }

  /** Triggers more of them. */
  advance(): Command {
    return { type: 'AdvanceMarket', market: MARKET };
  }

  /** A small order of an account that has no trigger orders. */
  placement(): PlaceOrder {
    return this.#order(1 + (this.#orders % PLACING_ACCOUNTS), 'buy', 9_800);
  }

  #priceAt(price: number): Command {
    return { type: 'PublishIndexPrice', market: MARKET, priceAtoms: price as PriceAtoms, observedAtEpochMs: this.#now() };
  }

  #order(account: number, side: 'buy' | 'sell', price: number): PlaceOrder {
    this.#orders += 1;
    const name = `order-${this.#orders}`;
    return {
      type: 'PlaceOrder',
      account: account as AccountOrdinal,
      market: MARKET,
      clientOrderId: name,
      side,
      terms: { kind: 'limit', priceAtoms: price as PriceAtoms, quantityAtoms: 1 as BaseAtoms, postOnly: false },
      reduceOnly: false,
      leverageHundredths: 0,
      idempotencyKey: name,
    };
  }
}

const TRIGGER = {
  kind: 'trigger',
  source: 'mark',
  direction: 'below',
  priceAtoms: TRIGGER_PRICE as PriceAtoms,
  trailingAtoms: 0 as PriceAtoms,
  trailingBps: 0 as Bps,
  closePosition: false,
  linkedClientOrderId: '',
} as const;
