/** Events as bytes: one tag, then the fields of that event in a fixed order. A tag is never used for anything else. */
import type { Liquidity, VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import { REFUSAL_CODES } from '#venue/refusal.ts';
import type { ByteReader, ByteWriter, Cursor } from './cursor.ts';
import { BLANK, MalformedRecord } from './cursor.ts';
import { MARKET_STATUSES, SIDES, scopeLayout, specificationLayout, termsLayout } from './parts.ts';

type Layouts = {
  readonly [Type in VenueEvent['type']]: (
    io: Cursor,
    it: Extract<VenueEvent, { type: Type }>,
  ) => Extract<VenueEvent, { type: Type }>;
};

const LIQUIDITIES: readonly Liquidity[] = ['maker', 'taker'];

const layouts: Layouts = {
  CommandRefused: (io, it) => ({
    type: 'CommandRefused',
    code: io.oneOf(REFUSAL_CODES, it.code),
    order: io.int(it.order),
    bound: io.int(it.bound),
  }),
  MarketListed: (io, it) => ({
    type: 'MarketListed',
    market: io.int(it.market),
    specification: specificationLayout(io, it.specification ?? BLANK),
    status: io.oneOf(MARKET_STATUSES, it.status),
  }),
  MarketStatusChanged: (io, it) => ({
    type: 'MarketStatusChanged',
    market: io.int(it.market),
    status: io.oneOf(MARKET_STATUSES, it.status),
  }),
  MarketPriced: (io, it) => ({
    type: 'MarketPriced',
    market: io.int(it.market),
    indexPriceAtoms: io.int(it.indexPriceAtoms),
    markPriceAtoms: io.int(it.markPriceAtoms),
    observedAtEpochMs: io.int(it.observedAtEpochMs),
  }),
  AccountOpened: (io, it) => ({
    type: 'AccountOpened',
    account: io.int(it.account),
    label: io.text(it.label),
    partyId: io.text(it.partyId),
  }),
  AccountRetired: (io, it) => ({ type: 'AccountRetired', account: io.int(it.account) }),
  ApiKeyIssued: (io, it) => ({
    type: 'ApiKeyIssued',
    account: io.int(it.account),
    keyId: io.text(it.keyId),
    digest: io.text(it.digest),
    scopes: io.list(it.scopes, scopeLayout),
    label: io.text(it.label),
  }),
  ApiKeyRevoked: (io, it) => ({ type: 'ApiKeyRevoked', account: io.int(it.account), keyId: io.text(it.keyId) }),
  CashPosted: (io, it) => ({
    type: 'CashPosted',
    account: io.int(it.account),
    kind: io.oneOf(POSTING_KINDS, it.kind),
    amountAtoms: io.int(it.amountAtoms),
    cashAtoms: io.int(it.cashAtoms),
  }),
  LedgerPosted: (io, it) => ({
    type: 'LedgerPosted',
    ledger: io.oneOf(VENUE_LEDGERS, it.ledger),
    amountAtoms: io.int(it.amountAtoms),
    balanceAtoms: io.int(it.balanceAtoms),
  }),
  OrderAccepted: (io, it) => ({
    type: 'OrderAccepted',
    order: io.int(it.order),
    account: io.int(it.account),
    market: io.int(it.market),
    clientOrderId: io.text(it.clientOrderId),
    idempotencyKey: io.text(it.idempotencyKey),
    side: io.oneOf(SIDES, it.side),
    terms: termsLayout(io, it.terms ?? BLANK),
    reduceOnly: io.flag(it.reduceOnly),
    leverageX: io.u32(it.leverageX),
    markPriceAtoms: io.int(it.markPriceAtoms),
  }),
  OrderRested: (io, it) => ({
    type: 'OrderRested',
    order: io.int(it.order),
    account: io.int(it.account),
    market: io.int(it.market),
    side: io.oneOf(SIDES, it.side),
    priceAtoms: io.int(it.priceAtoms),
    remainingAtoms: io.int(it.remainingAtoms),
    accountReservedAtoms: io.int(it.accountReservedAtoms),
  }),
  TradeExecuted: (io, it) => ({
    type: 'TradeExecuted',
    trade: io.int(it.trade),
    market: io.int(it.market),
    priceAtoms: io.int(it.priceAtoms),
    quantityAtoms: io.int(it.quantityAtoms),
    notionalAtoms: io.int(it.notionalAtoms),
    takerSide: io.oneOf(SIDES, it.takerSide),
  }),
  OrderFilled: (io, it) => ({
    type: 'OrderFilled',
    order: io.int(it.order),
    trade: io.int(it.trade),
    account: io.int(it.account),
    market: io.int(it.market),
    position: io.int(it.position),
    side: io.oneOf(SIDES, it.side),
    liquidity: io.oneOf(LIQUIDITIES, it.liquidity),
    priceAtoms: io.int(it.priceAtoms),
    quantityAtoms: io.int(it.quantityAtoms),
    notionalAtoms: io.int(it.notionalAtoms),
    feeAtoms: io.int(it.feeAtoms),
    realizedPnlAtoms: io.int(it.realizedPnlAtoms),
    remainingAtoms: io.int(it.remainingAtoms),
    isComplete: io.flag(it.isComplete),
    accountReservedAtoms: io.int(it.accountReservedAtoms),
  }),
  PositionChanged: (io, it) => ({
    type: 'PositionChanged',
    position: io.int(it.position),
    account: io.int(it.account),
    market: io.int(it.market),
    trade: io.int(it.trade),
    signedBaseAtoms: io.int(it.signedBaseAtoms),
    entryNotionalAtoms: io.int(it.entryNotionalAtoms),
    marginAtoms: io.int(it.marginAtoms),
    changedBaseAtoms: io.int(it.changedBaseAtoms),
    changedNotionalAtoms: io.int(it.changedNotionalAtoms),
    realizedPnlAtoms: io.int(it.realizedPnlAtoms),
    feeAtoms: io.int(it.feeAtoms),
  }),
  OrderCancelled: (io, it) => ({
    type: 'OrderCancelled',
    order: io.int(it.order),
    account: io.int(it.account),
    market: io.int(it.market),
    side: io.oneOf(SIDES, it.side),
    reason: io.oneOf(CANCEL_REASONS, it.reason),
    wasResting: io.flag(it.wasResting),
    priceAtoms: io.int(it.priceAtoms),
    remainingAtoms: io.int(it.remainingAtoms),
    accountReservedAtoms: io.int(it.accountReservedAtoms),
  }),
};

/** The tags, by place. Append only: a place is part of every journal ever written. */
const TAGS: readonly VenueEvent['type'][] = [
  'CommandRefused',
  'MarketListed',
  'MarketStatusChanged',
  'MarketPriced',
  'AccountOpened',
  'AccountRetired',
  'ApiKeyIssued',
  'ApiKeyRevoked',
  'CashPosted',
  'LedgerPosted',
  'OrderAccepted',
  'OrderRested',
  'TradeExecuted',
  'OrderFilled',
  'PositionChanged',
  'OrderCancelled',
];

export function writeEvent(bytes: ByteWriter, event: VenueEvent): void {
  bytes.u8(TAGS.indexOf(event.type));
  (layouts[event.type] as (io: Cursor, it: VenueEvent) => VenueEvent)(bytes, event);
}

/** Throws `MalformedRecord` for bytes that are no event. */
export function readEvent(bytes: ByteReader): VenueEvent {
  const tag = bytes.u8();
  const type = TAGS[tag];
  if (type === undefined) throw new MalformedRecord(`no event has tag ${tag}`);
  return (layouts[type] as (io: Cursor, it: unknown) => VenueEvent)(bytes, BLANK);
}
