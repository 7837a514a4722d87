/** Every command there is, with any numbers and texts in it: what a journal may be asked to hold. */
import fc from 'fast-check';
import type { Command } from '#venue/command.ts';
import { SCOPES } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { MARKET_STATUSES, SIDES } from '#venue/record/parts.ts';

/** Where numbers break: around nothing, around the widths of bytes and words, and at the ends of what is exact. */
const EDGES = [
  0,
  1,
  2,
  255,
  256,
  257,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 32 + 1,
  2 ** 49,
  2 ** 52,
  Number.MAX_SAFE_INTEGER,
];

/** Any exact integer, often one of the edges, or one as ids, amounts and the prices of a scenario are. */
export const anyInteger: fc.Arbitrary<number> = fc
  .oneof(
    fc.constantFrom(...EDGES, ...EDGES.map((edge) => 0 - edge - 1)),
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 9_900, max: 10_100 }),
    fc.maxSafeInteger(),
  )
  .map((value) => Math.max(-Number.MAX_SAFE_INTEGER, value));

/** Texts that UTF-8 can hold. */
export const anyText: fc.Arbitrary<string> = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'binary', maxLength: 12 }));

/** The fields of a record, each by its own arbitrary. */
type FieldsOf<Shape> = { readonly [Key in keyof Required<Shape>]: fc.Arbitrary<Shape[Key]> };

/** `int` stands for every number with a unit: the brand says nothing about its range. */
const int = anyInteger as fc.Arbitrary<never>;
const status = fc.constantFrom(...MARKET_STATUSES);

/** The terms of a market's synthetic past, or none. */
export const anyHistory = fc.option(
  fc.record({ seed: anyInteger, startedAtEpochMs: int, lengthMs: anyInteger, startPriceAtoms: int, volatilityPpb: int }),
  { nil: undefined },
);

export function termsOf(number: fc.Arbitrary<number>) {
  const int = number as fc.Arbitrary<never>;
  return fc.oneof(
    acceptedTermsOf(number),
    fc.record({ kind: fc.constant('band_limit' as const), quantityAtoms: int }),
    fc.record({ kind: fc.constant('band_notional' as const), notionalAtoms: int }),
  );
}

export function acceptedTermsOf(number: fc.Arbitrary<number>) {
  const int = number as fc.Arbitrary<never>;
  const limit = { kind: fc.constant('limit' as const), priceAtoms: int, quantityAtoms: int, postOnly: fc.boolean() };
  return fc.oneof(
    fc.record(limit),
    fc.record({ ...limit, notionalAtoms: int }),
    fc.record({ kind: fc.constant('market' as const), quantityAtoms: int }),
    fc.record({ kind: fc.constant('market_notional' as const), notionalAtoms: int }),
  );
}

export const scopes = fc.array(fc.constantFrom(...SCOPES), { maxLength: 5 });

export function specificationOf(number: fc.Arbitrary<number>, small: fc.Arbitrary<number>): fc.Arbitrary<MarketSpecification> {
  const int = number as fc.Arbitrary<never>;
  const fields: FieldsOf<MarketSpecification> = {
    marketId: anyText,
    underlyingSymbol: anyText,
    priceScale: small,
    quantityScale: small,
    minPriceAtoms: int,
    maxPriceAtoms: int,
    minQuantityAtoms: int,
    maxQuantityAtoms: int,
    initialMarginBps: int,
    maxLeverageX: int,
    maintenanceMarginTiers: fc.array(fc.record({ notionalThresholdAtoms: int, maintenanceMarginBps: int }), { maxLength: 3 }),
    makerFeeBps: int,
    takerFeeBps: int,
    priceBandBps: int,
    markBandBps: int,
    liquidationFeeBps: int,
    autoDeleveraging: fc.boolean(),
    maxIndexAgeMs: int,
    maxIndexJumpBps: int,
    indexConfirmations: int,
    fundingPeriodMs: int,
    fundingInterestPpb: int,
    fundingCapPpb: int,
    premiumSampleMs: int,
    impactNotionalAtoms: int,
  };
  return fc.record(fields);
}

const entry = {
  market: fc.oneof(fc.constantFrom(1, 2), anyInteger) as fc.Arbitrary<never>,
  clientOrderId: anyText,
  side: fc.constantFrom(...SIDES),
  terms: termsOf(anyInteger),
  reduceOnly: fc.boolean(),
  leverageX: fc.oneof(fc.constantFrom(0, 20), anyInteger),
};

/** By type, so that a command which is added and forgotten here does not compile. */
type Commands = {
  readonly [Type in Command['type']]: Omit<FieldsOf<Extract<Command, { type: Type }>>, 'type'>;
};

const COMMANDS: Commands = {
  ListMarket: { specification: specificationOf(anyInteger, anyInteger), status, history: anyHistory },
  SetMarketStatus: { market: int, status },
  PublishIndexPrice: { market: int, priceAtoms: int, observedAtEpochMs: int },
  OpenAccount: { label: anyText, partyId: anyText, digestSeed: int },
  RetireAccount: { account: int },
  CreditCash: { account: int, amountAtoms: int, reference: anyText },
  IssueApiKey: { account: int, keyId: anyText, digest: anyText, scopes, label: anyText, expiresAtEpochMs: int },
  RevokeApiKey: { account: int, keyId: anyText },
  PlaceOrder: { account: int, ...entry, idempotencyKey: anyText },
  CancelOrder: { account: int, order: int },
  PlaceOrders: { account: int, entries: fc.array(fc.record(entry), { maxLength: 40 }), idempotencyKey: anyText },
  CancelOrders: { account: int, orders: fc.array(int, { maxLength: 60 }) },
  AdvanceMarket: { market: int },
  CreditInsurance: { amountAtoms: int, reference: anyText },
  ReserveWithdrawal: { account: int, amountAtoms: int, destination: anyText },
  ReleaseWithdrawal: { withdrawal: int },
  SettleWithdrawal: { withdrawal: int },
  DebitCash: { account: int, amountAtoms: int, reference: anyText },
  TransferCash: { account: int, to: int, amountAtoms: int, reference: anyText },
  SetFavorite: { account: int, market: int, favorite: fc.boolean() },
  SetLeaderboardListing: { account: int, shown: fc.boolean(), displayName: anyText, handle: anyText },
};

/** Any command, of each type as often as of any other. */
export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries<Record<string, fc.Arbitrary<unknown>>>(COMMANDS).map(
    ([type, fields]) => fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<Command>,
  ),
);
