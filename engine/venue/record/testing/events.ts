/** Every event there is, with any numbers and texts that its layout has room for. */
import fc from 'fast-check';
import type { VenueEvent } from '#venue/event.ts';
import { CANCEL_REASONS, LIQUIDITIES, ORDER_ORIGINS, POSTING_KINDS, VENUE_LEDGERS } from '#venue/event.ts';
import { INDEX_STATUSES, MARKET_STATUSES, SIDES } from '#venue/record/parts.ts';
import { REFUSAL_CODES } from '#venue/refusal.ts';
import { acceptedTermsOf, anyHistory, anyInteger, anyText, scopes, specificationOf } from './commands.ts';

/** `int` and `u32` stand for every number with a unit: the brand says nothing about its range. */
const int = anyInteger as fc.Arbitrary<never>;
const u8 = fc.nat(255);
const u32 = fc.oneof(fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1), fc.nat(12), fc.nat(2 ** 32 - 1)) as fc.Arbitrary<never>;
const flag = fc.boolean();
const text = anyText;
const side = fc.constantFrom(...SIDES);
const status = fc.constantFrom(...MARKET_STATUSES);
const code = fc.constantFrom(...REFUSAL_CODES);
const origin = fc.constantFrom(...ORDER_ORIGINS);
const specification = specificationOf(anyInteger, u8);
const terms = acceptedTermsOf(anyInteger);

/** By type, so that an event which is added and forgotten here does not compile. */
type Events = {
  readonly [Type in VenueEvent['type']]: {
    readonly [Key in Exclude<keyof Extract<VenueEvent, { type: Type }>, 'type'>]: fc.Arbitrary<
      Extract<VenueEvent, { type: Type }>[Key]
    >;
  };
};

const withdrawal = { withdrawal: int, account: u32, amountAtoms: int };

const EVENTS: Events = {
  CommandRefused: { code, order: int, bound: int },
  EntryRefused: { index: u8, code, order: int, bound: int },
  MarketListed: { market: u32, specification, status, history: anyHistory },
  MarketStatusChanged: { market: u32, status },
  MarketPriced: {
    market: u32,
    indexPriceAtoms: u32,
    markPriceAtoms: u32,
    observedAtEpochMs: int,
    indexStatus: fc.constantFrom(...INDEX_STATUSES),
    fundingEstimatePpb: int,
    nextFundingAtEpochMs: int,
  },
  MarketWorkPending: { market: u32 },
  FundingSettled: {
    market: u32,
    period: u32,
    ratePpb: int,
    indexPriceAtoms: u32,
    perLotMicroAtoms: int,
    settledAtEpochMs: int,
  },
  FundingPaid: {
    position: int,
    account: u32,
    market: u32,
    period: u32,
    paidAtoms: int,
    marginAtoms: int,
    entryNotionalAtoms: int,
  },
  AccountOpened: { account: u32, label: text, partyId: text },
  AccountRetired: { account: u32 },
  ApiKeyIssued: { account: u32, keyId: text, digest: text, scopes, label: text, expiresAtEpochMs: int },
  ApiKeyRevoked: { account: u32, keyId: text },
  CashPosted: { account: u32, kind: fc.constantFrom(...POSTING_KINDS), amountAtoms: int, cashAtoms: int },
  LedgerPosted: { ledger: fc.constantFrom(...VENUE_LEDGERS), amountAtoms: int, balanceAtoms: int },
  WithdrawalReserved: { ...withdrawal, destination: text },
  WithdrawalReleased: withdrawal,
  WithdrawalSettled: withdrawal,
  CashTransferred: { from: u32, to: u32, amountAtoms: int, reference: text },
  FavoriteSet: { account: u32, market: u32, favorite: flag },
  LeaderboardListingSet: { account: u32, shown: flag, displayName: text, handle: text },
  LiquidationStarted: {
    position: int,
    account: u32,
    market: u32,
    markPriceAtoms: u32,
    equityAtoms: int,
    maintenanceRequirementAtoms: int,
    bankruptcyPriceAtoms: u32,
  },
  OrderAccepted: {
    order: int,
    account: u32,
    market: u32,
    clientOrderId: text,
    idempotencyKey: text,
    side,
    terms,
    reduceOnly: flag,
    leverageX: u32,
    initialMarginBps: u32,
    origin,
    markPriceAtoms: u32,
  },
  OrderRested: {
    order: int,
    account: u32,
    market: u32,
    side,
    priceAtoms: u32,
    remainingAtoms: u32,
    accountReservedAtoms: int,
  },
  TradeExecuted: {
    trade: int,
    market: u32,
    origin,
    priceAtoms: u32,
    quantityAtoms: u32,
    notionalAtoms: int,
    takerSide: side,
  },
  OrderFilled: {
    order: int,
    trade: int,
    account: u32,
    market: u32,
    position: int,
    side,
    liquidity: fc.constantFrom(...LIQUIDITIES),
    priceAtoms: u32,
    quantityAtoms: u32,
    notionalAtoms: int,
    feeAtoms: int,
    realizedPnlAtoms: int,
    remainingAtoms: u32,
    isComplete: flag,
    accountReservedAtoms: int,
  },
  PositionChanged: {
    position: int,
    account: u32,
    market: u32,
    trade: int,
    cause: origin,
    signedBaseAtoms: int,
    entryNotionalAtoms: int,
    marginAtoms: int,
    changedBaseAtoms: int,
    changedNotionalAtoms: int,
    realizedPnlAtoms: int,
    feeAtoms: int,
  },
  OrderCancelled: {
    order: int,
    account: u32,
    market: u32,
    side,
    reason: fc.constantFrom(...CANCEL_REASONS),
    wasResting: flag,
    priceAtoms: u32,
    remainingAtoms: u32,
    accountReservedAtoms: int,
  },
};

/** Any event, of each type as often as of any other. */
export const anyEvent: fc.Arbitrary<VenueEvent> = fc.oneof(
  ...Object.entries<Record<string, fc.Arbitrary<unknown>>>(EVENTS).map(
    ([type, fields]) => fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<VenueEvent>,
  ),
);
