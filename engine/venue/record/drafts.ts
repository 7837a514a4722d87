/** Reusable objects for frequent events, so that emitting one allocates nothing. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { Bps, PriceAtoms } from '#units/money.ts';
import { ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Draft } from './event-writer.ts';

const NO_PRICE = 0 as PriceAtoms;

export class Drafts {
  readonly cashPosted: Draft<'CashPosted'> = {
    account: 0 as AccountOrdinal,
    kind: 'deposit',
    amountAtoms: ZERO_QUOTE,
    cashAtoms: ZERO_QUOTE,
  };
  readonly ledgerPosted: Draft<'LedgerPosted'> = { ledger: 'fees', amountAtoms: ZERO_QUOTE, balanceAtoms: ZERO_QUOTE };
  readonly orderAccepted: Draft<'OrderAccepted'> = {
    order: 0 as OrderOrdinal,
    account: 0 as AccountOrdinal,
    market: 0 as MarketOrdinal,
    clientOrderId: '',
    idempotencyKey: '',
    side: 'buy',
    terms: { kind: 'market', quantityAtoms: ZERO_BASE },
    reduceOnly: false,
    leverageHundredths: 0,
    initialMarginBps: 0 as Bps,
    origin: 'client',
    markPriceAtoms: NO_PRICE,
  };
  readonly orderFilled: Draft<'OrderFilled'> = {
    order: 0 as OrderOrdinal,
    trade: 0 as TradeOrdinal,
    account: 0 as AccountOrdinal,
    market: 0 as MarketOrdinal,
    position: 0 as PositionOrdinal,
    side: 'buy',
    liquidity: 'maker',
    priceAtoms: NO_PRICE,
    quantityAtoms: ZERO_BASE,
    notionalAtoms: ZERO_QUOTE,
    feeAtoms: ZERO_QUOTE,
    realizedPnlAtoms: ZERO_QUOTE,
    remainingAtoms: ZERO_BASE,
    isComplete: false,
    accountReservedAtoms: ZERO_QUOTE,
  };
  readonly positionChanged: Draft<'PositionChanged'> = {
    position: 0 as PositionOrdinal,
    account: 0 as AccountOrdinal,
    market: 0 as MarketOrdinal,
    trade: 0 as TradeOrdinal,
    cause: 'client',
    signedBaseAtoms: ZERO_BASE,
    entryNotionalAtoms: ZERO_QUOTE,
    marginAtoms: ZERO_QUOTE,
    changedBaseAtoms: ZERO_BASE,
    changedNotionalAtoms: ZERO_QUOTE,
    realizedPnlAtoms: ZERO_QUOTE,
    feeAtoms: ZERO_QUOTE,
  };
  readonly orderCancelled: Draft<'OrderCancelled'> = {
    order: 0 as OrderOrdinal,
    account: 0 as AccountOrdinal,
    market: 0 as MarketOrdinal,
    side: 'buy',
    reason: 'user',
    wasResting: true,
    priceAtoms: NO_PRICE,
    remainingAtoms: ZERO_BASE,
    accountReservedAtoms: ZERO_QUOTE,
  };
}
