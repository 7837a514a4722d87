/** Events as the core emits them, with valid defaults for fields that a test does not set. */
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { quoteAtomsPerTickLot } from '#venue/market/specification.ts';

type EventOf<Type extends VenueEvent['type']> = Extract<VenueEvent, { type: Type }>;

/** The fields of an event as plain numbers and strings. */
type Plain<Event> = {
  readonly [Key in keyof Event]?: Event[Key] extends number ? number : Event[Key];
};

export const TICK_LOT = quoteAtomsPerTickLot(SCENARIO_MARKET);

const ACCOUNT = 1 as AccountOrdinal;
const MARKET = 1 as MarketOrdinal;
const ORDER = 1 as OrderOrdinal;
const POSITION = 1 as PositionOrdinal;
const PRICE = 10_000 as PriceAtoms;
const NO_MONEY = 0 as QuoteAtoms;

export function listed(fields: Plain<EventOf<'MarketListed'>> = {}): EventOf<'MarketListed'> {
  return { type: 'MarketListed', market: MARKET, specification: SCENARIO_MARKET, status: 'open', ...fields } as never;
}

export function opened(fields: Plain<EventOf<'AccountOpened'>> = {}): EventOf<'AccountOpened'> {
  return { type: 'AccountOpened', account: ACCOUNT, label: 'trader', partyId: 'party', ...fields } as never;
}

export function priced(fields: Plain<EventOf<'MarketPriced'>> = {}): EventOf<'MarketPriced'> {
  const valid: EventOf<'MarketPriced'> = {
    type: 'MarketPriced',
    market: MARKET,
    indexPriceAtoms: PRICE,
    markPriceAtoms: (fields.indexPriceAtoms ?? PRICE) as PriceAtoms,
    observedAtEpochMs: 1_700_000_000_000 as EpochMs,
    indexStatus: 'current',
    fundingEstimatePpb: 0 as Ppb,
    nextFundingAtEpochMs: 0 as EpochMs,
  };
  return { ...valid, ...fields } as never;
}

export function accepted(fields: Plain<EventOf<'OrderAccepted'>> = {}): EventOf<'OrderAccepted'> {
  const valid: EventOf<'OrderAccepted'> = {
    type: 'OrderAccepted',
    order: ORDER,
    account: ACCOUNT,
    market: MARKET,
    clientOrderId: 'mine',
    idempotencyKey: 'key',
    side: 'buy',
    terms: { kind: 'market', quantityAtoms: 100 as BaseAtoms },
    reduceOnly: false,
    leverageHundredths: 0,
    initialMarginBps: 500 as Bps,
    origin: 'client',
    markPriceAtoms: PRICE,
  };
  return { ...valid, ...fields } as never;
}

export function rested(fields: Plain<EventOf<'OrderRested'>> = {}): EventOf<'OrderRested'> {
  const valid: EventOf<'OrderRested'> = {
    type: 'OrderRested',
    order: ORDER,
    account: ACCOUNT,
    market: MARKET,
    side: 'buy',
    priceAtoms: PRICE,
    remainingAtoms: 100 as BaseAtoms,
    accountReservedAtoms: NO_MONEY,
  };
  return { ...valid, ...fields } as never;
}

export function traded(fields: Plain<EventOf<'TradeExecuted'>> = {}): EventOf<'TradeExecuted'> {
  const { priceAtoms = PRICE, quantityAtoms = 100 } = fields;
  const valid: EventOf<'TradeExecuted'> = {
    type: 'TradeExecuted',
    trade: 1 as TradeOrdinal,
    market: MARKET,
    origin: 'client',
    priceAtoms: priceAtoms as PriceAtoms,
    quantityAtoms: quantityAtoms as BaseAtoms,
    notionalAtoms: (priceAtoms * quantityAtoms * TICK_LOT) as QuoteAtoms,
    takerSide: 'buy',
  };
  return { ...valid, ...fields } as never;
}

export function filled(fields: Plain<EventOf<'OrderFilled'>> = {}): EventOf<'OrderFilled'> {
  const { priceAtoms = PRICE, quantityAtoms = 100 } = fields;
  const valid: EventOf<'OrderFilled'> = {
    type: 'OrderFilled',
    order: ORDER,
    trade: 1 as TradeOrdinal,
    account: ACCOUNT,
    market: MARKET,
    position: POSITION,
    side: 'buy',
    liquidity: 'taker',
    priceAtoms: priceAtoms as PriceAtoms,
    quantityAtoms: quantityAtoms as BaseAtoms,
    notionalAtoms: (priceAtoms * quantityAtoms * TICK_LOT) as QuoteAtoms,
    feeAtoms: NO_MONEY,
    realizedPnlAtoms: NO_MONEY,
    remainingAtoms: 0 as BaseAtoms,
    isComplete: true,
    accountReservedAtoms: NO_MONEY,
  };
  return { ...valid, ...fields } as never;
}

/** By default opens a long of 0.1 at 1,000 with 5 % margin; other fields follow from the given change. */
export function changed(fields: Plain<EventOf<'PositionChanged'>> = {}): EventOf<'PositionChanged'> {
  const { changedBaseAtoms = 100 } = fields;
  const { signedBaseAtoms = changedBaseAtoms } = fields;
  const notional = (base: number) => (Math.abs(base) * PRICE * TICK_LOT) as QuoteAtoms;
  const valid: EventOf<'PositionChanged'> = {
    type: 'PositionChanged',
    position: POSITION,
    account: ACCOUNT,
    market: MARKET,
    trade: 1 as TradeOrdinal,
    cause: 'client',
    signedBaseAtoms: signedBaseAtoms as BaseAtoms,
    entryNotionalAtoms: notional(signedBaseAtoms),
    marginAtoms: (notional(signedBaseAtoms) / 20) as QuoteAtoms,
    changedBaseAtoms: changedBaseAtoms as BaseAtoms,
    changedNotionalAtoms: notional(changedBaseAtoms),
    realizedPnlAtoms: NO_MONEY,
    feeAtoms: NO_MONEY,
  };
  return { ...valid, ...fields } as never;
}
