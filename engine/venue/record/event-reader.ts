/** Bytes as events again: the other half of `event-writer.ts`, field by field in the same order. */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms } from '#units/money.ts';
import type { ApiKeyIssued, MarketListed, VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, LIQUIDITIES, ORDER_ORIGINS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { REFUSAL_CODES, type RefusalCode } from '#venue/refusal.ts';
import type { ByteReader } from './cursor.ts';
import { BLANK, MalformedRecord } from './cursor.ts';
import { EVENT_TAGS, EXPIRING_API_KEY_TAG, MARKET_WITH_HISTORY_TAG } from './event-writer.ts';
import {
  historyLayout,
  INDEX_STATUSES,
  MARKET_STATUSES,
  NEVER,
  readAcceptedTerms,
  SIDES,
  scopeLayout,
  specificationLayout,
} from './parts.ts';

type Readers = { readonly [Type in VenueEvent['type']]: (io: ByteReader) => Extract<VenueEvent, { type: Type }> };

const readers: Readers = {
  CommandRefused: (io) => ({
    type: 'CommandRefused',
    code: io.oneOf(REFUSAL_CODES),
    order: io.int(),
    bound: io.int(),
  }),
  MarketListed: (io) => marketListed(io),
  MarketStatusChanged: (io) => ({
    type: 'MarketStatusChanged',
    market: io.u32() as MarketOrdinal,
    status: io.oneOf(MARKET_STATUSES),
  }),
  MarketPriced: (io) => ({
    type: 'MarketPriced',
    market: io.u32() as MarketOrdinal,
    indexPriceAtoms: io.u32() as PriceAtoms,
    markPriceAtoms: io.u32() as PriceAtoms,
    observedAtEpochMs: io.int(),
    indexStatus: io.oneOf(INDEX_STATUSES),
    fundingEstimatePpb: io.int(),
    nextFundingAtEpochMs: io.int(),
  }),
  AccountOpened: (io) => ({
    type: 'AccountOpened',
    account: io.u32() as AccountOrdinal,
    label: io.text(),
    partyId: io.text(),
  }),
  AccountRetired: (io) => ({
    type: 'AccountRetired',
    account: io.u32() as AccountOrdinal,
  }),
  ApiKeyIssued: (io) => apiKeyIssued(io, false),
  ApiKeyRevoked: (io) => ({
    type: 'ApiKeyRevoked',
    account: io.u32() as AccountOrdinal,
    keyId: io.text(),
  }),
  CashPosted: (io) => ({
    type: 'CashPosted',
    account: io.u32() as AccountOrdinal,
    kind: io.oneOf(POSTING_KINDS),
    amountAtoms: io.int(),
    cashAtoms: io.int(),
  }),
  LedgerPosted: (io) => ({
    type: 'LedgerPosted',
    ledger: io.oneOf(VENUE_LEDGERS),
    amountAtoms: io.int(),
    balanceAtoms: io.int(),
  }),
  OrderAccepted: (io) => ({
    type: 'OrderAccepted',
    order: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    clientOrderId: io.text(),
    idempotencyKey: io.text(),
    side: io.oneOf(SIDES),
    terms: readAcceptedTerms(io),
    reduceOnly: io.flag(),
    leverageX: io.u32(),
    initialMarginBps: io.u32() as Bps,
    origin: io.oneOf(ORDER_ORIGINS),
    markPriceAtoms: io.u32() as PriceAtoms,
  }),
  OrderRested: (io) => ({
    type: 'OrderRested',
    order: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    side: io.oneOf(SIDES),
    priceAtoms: io.u32() as PriceAtoms,
    remainingAtoms: io.u32() as BaseAtoms,
    accountReservedAtoms: io.int(),
  }),
  TradeExecuted: (io) => ({
    type: 'TradeExecuted',
    trade: io.int(),
    market: io.u32() as MarketOrdinal,
    origin: io.oneOf(ORDER_ORIGINS),
    priceAtoms: io.u32() as PriceAtoms,
    quantityAtoms: io.u32() as BaseAtoms,
    notionalAtoms: io.int(),
    takerSide: io.oneOf(SIDES),
  }),
  OrderFilled: (io) => ({
    type: 'OrderFilled',
    order: io.int(),
    trade: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    position: io.int(),
    side: io.oneOf(SIDES),
    liquidity: io.oneOf(LIQUIDITIES),
    priceAtoms: io.u32() as PriceAtoms,
    quantityAtoms: io.u32() as BaseAtoms,
    notionalAtoms: io.int(),
    feeAtoms: io.int(),
    realizedPnlAtoms: io.int(),
    remainingAtoms: io.u32() as BaseAtoms,
    isComplete: io.flag(),
    accountReservedAtoms: io.int(),
  }),
  PositionChanged: (io) => ({
    type: 'PositionChanged',
    position: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    trade: io.int(),
    cause: io.oneOf(ORDER_ORIGINS),
    signedBaseAtoms: io.int(),
    entryNotionalAtoms: io.int(),
    marginAtoms: io.int(),
    changedBaseAtoms: io.int(),
    changedNotionalAtoms: io.int(),
    realizedPnlAtoms: io.int(),
    feeAtoms: io.int(),
  }),
  OrderCancelled: (io) => ({
    type: 'OrderCancelled',
    order: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    side: io.oneOf(SIDES),
    reason: io.oneOf(CANCEL_REASONS),
    wasResting: io.flag(),
    priceAtoms: io.u32() as PriceAtoms,
    remainingAtoms: io.u32() as BaseAtoms,
    accountReservedAtoms: io.int(),
  }),
  EntryRefused: (io) => ({
    type: 'EntryRefused',
    index: io.u8(),
    code: io.oneOf(REFUSAL_CODES),
    order: io.int(),
    bound: io.int(),
  }),
  MarketWorkPending: (io) => ({
    type: 'MarketWorkPending',
    market: io.u32() as MarketOrdinal,
  }),
  FundingSettled: (io) => ({
    type: 'FundingSettled',
    market: io.u32() as MarketOrdinal,
    period: io.u32(),
    ratePpb: io.int(),
    indexPriceAtoms: io.u32() as PriceAtoms,
    perLotMicroAtoms: io.int(),
    settledAtEpochMs: io.int(),
  }),
  FundingPaid: (io) => ({
    type: 'FundingPaid',
    position: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    period: io.u32(),
    paidAtoms: io.int(),
    marginAtoms: io.int(),
    entryNotionalAtoms: io.int(),
  }),
  WithdrawalReserved: (io) => ({
    type: 'WithdrawalReserved',
    withdrawal: io.int(),
    account: io.u32() as AccountOrdinal,
    amountAtoms: io.int(),
    destination: io.text(),
  }),
  WithdrawalReleased: (io) => ({
    type: 'WithdrawalReleased',
    withdrawal: io.int(),
    account: io.u32() as AccountOrdinal,
    amountAtoms: io.int(),
  }),
  WithdrawalSettled: (io) => ({
    type: 'WithdrawalSettled',
    withdrawal: io.int(),
    account: io.u32() as AccountOrdinal,
    amountAtoms: io.int(),
  }),
  CashTransferred: (io) => ({
    type: 'CashTransferred',
    from: io.u32() as AccountOrdinal,
    to: io.u32() as AccountOrdinal,
    amountAtoms: io.int(),
    reference: io.text(),
  }),
  FavoriteSet: (io) => ({
    type: 'FavoriteSet',
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    favorite: io.flag(),
  }),
  LeaderboardListingSet: (io) => ({
    type: 'LeaderboardListingSet',
    account: io.u32() as AccountOrdinal,
    shown: io.flag(),
    displayName: io.text(),
    handle: io.text(),
  }),
  LiquidationStarted: (io) => ({
    type: 'LiquidationStarted',
    position: io.int(),
    account: io.u32() as AccountOrdinal,
    market: io.u32() as MarketOrdinal,
    markPriceAtoms: io.u32() as PriceAtoms,
    equityAtoms: io.int(),
    maintenanceRequirementAtoms: io.int(),
    bankruptcyPriceAtoms: io.u32() as PriceAtoms,
  }),
};

const readersByTag: ((io: ByteReader) => VenueEvent)[] = [];
for (const [type, tag] of Object.entries(EVENT_TAGS)) readersByTag[tag] = readers[type as VenueEvent['type']];
readersByTag[EXPIRING_API_KEY_TAG] = (io) => apiKeyIssued(io, true);
readersByTag[MARKET_WITH_HISTORY_TAG] = (io) => ({ ...marketListed(io), history: historyLayout(io, BLANK as MarketHistory) });

function marketListed(io: ByteReader): MarketListed {
  return {
    type: 'MarketListed',
    market: io.u32() as MarketOrdinal,
    specification: specificationLayout(io, BLANK as MarketSpecification),
    status: io.oneOf(MARKET_STATUSES),
  };
}

function apiKeyIssued(io: ByteReader, expires: boolean): ApiKeyIssued {
  return {
    type: 'ApiKeyIssued',
    account: io.u32() as AccountOrdinal,
    keyId: io.text(),
    digest: io.text(),
    scopes: io.list([], scopeLayout),
    label: io.text(),
    expiresAtEpochMs: expires ? io.int() : NEVER,
  };
}

/** The event that the reader stands at. Throws `MalformedRecord` for bytes that are no event. */
export function readEvent(bytes: ByteReader): VenueEvent {
  const tag = bytes.u8();
  const read = readersByTag[tag];
  if (read === undefined) throw new MalformedRecord(`no event has tag ${tag}`);
  return read(bytes);
}

/** Why the command was refused whose events begin at `offset`; `undefined` where it was carried out. */
export function refusalAt(bytes: Uint8Array, offset: number): RefusalCode | undefined {
  return bytes[offset] === EVENT_TAGS.CommandRefused ? REFUSAL_CODES[bytes[offset + 1]!] : undefined;
}
