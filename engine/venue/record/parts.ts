/** Layouts that commands and events share: order terms, market specifications and histories, scopes. */
import type { EpochMs } from '#units/money.ts';
import { SCOPES, type Scope } from '#venue/account/scope.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type {
  IndexStatus,
  MaintenanceTier,
  MarketSpecification,
  MarketStatus,
  OpenInterestBounds,
} from '#venue/market/specification.ts';
import {
  type AcceptedTerms,
  type BandTerms,
  type InForce,
  type LimitTerms,
  type OrderTerms,
  type Side,
  TIMES_IN_FORCE,
} from '#venue/order/order-terms.ts';
import { type ByteWriter, type Cursor, MalformedRecord } from './cursor.ts';

export const SIDES: readonly Side[] = ['buy', 'sell'];
export const MARKET_STATUSES: readonly MarketStatus[] = ['draft', 'open', 'cancel_only', 'closed', 'reduce_only'];
export const INDEX_STATUSES: readonly IndexStatus[] = ['current', 'unconfirmed', 'stale'];
/** The expiry time of a key that never expires. */
export const NEVER = 0 as EpochMs;
/**
 * Append only: existing journals contain the indexes. `limit_notional` is a limit order that was sent with a notional. Limit orders
 * without a notional keep their earlier bytes. `in_force` precedes the time in force of an order that has one, and then its other terms.
 */
const TERM_TAGS = ['limit', 'market', 'market_notional', 'band_limit', 'band_notional', 'limit_notional', 'in_force'] as const;

export function termsLayout(io: Cursor, it: OrderTerms): OrderTerms {
  const all = it as LimitTerms;
  const isInForce = all.timeInForce !== undefined;
  const kind = io.oneOf(TERM_TAGS, isInForce ? 'in_force' : untimedTag(it));
  switch (kind) {
    case 'in_force':
      return inForceLayout(io, all);
    case 'limit':
      return limitLayout(io, all);
    case 'limit_notional':
      return { ...limitLayout(io, all), notionalAtoms: io.int(all.notionalAtoms!) };
    case 'market':
    case 'band_limit':
      return { kind, quantityAtoms: io.int(all.quantityAtoms) };
    case 'market_notional':
    case 'band_notional':
      return { kind, notionalAtoms: io.int(all.notionalAtoms!) };
    default:
      return kind satisfies never;
  }
}

function untimedTag(it: OrderTerms): (typeof TERM_TAGS)[number] {
  return it.kind === 'limit' && it.notionalAtoms !== undefined ? 'limit_notional' : it.kind;
}

function inForceLayout(io: Cursor, it: LimitTerms | BandTerms): OrderTerms {
  const inForce = timeInForceLayout(io, it);
  const { timeInForce, expiresAtEpochMs, ...untimed } = it;
  const terms = io.part(untimed as OrderTerms, termsLayout);
  if (terms.kind === 'market' || terms.kind === 'market_notional')
    throw new MalformedRecord(`a ${terms.kind} order has no time in force`);
  return { ...terms, ...inForce };
}

function timeInForceLayout(io: Cursor, it: InForce): InForce {
  const timeInForce = io.oneOf(TIMES_IN_FORCE, it.timeInForce!);
  return timeInForce === 'GTD' ? { timeInForce, expiresAtEpochMs: io.int(it.expiresAtEpochMs ?? NEVER) } : { timeInForce };
}

/** Writes the same bytes as {@link termsLayout} without allocations. */
export function writeTerms(bytes: ByteWriter, terms: OrderTerms): void {
  if ('timeInForce' in terms && terms.timeInForce !== undefined) {
    termsLayout(bytes, terms);
    return;
  }
  switch (terms.kind) {
    case 'limit':
      bytes.oneOf(TERM_TAGS, untimedTag(terms));
      bytes.int(terms.priceAtoms);
      bytes.int(terms.quantityAtoms);
      bytes.flag(terms.postOnly);
      if (terms.notionalAtoms !== undefined) bytes.int(terms.notionalAtoms);
      return;
    case 'market':
    case 'band_limit':
      bytes.oneOf(TERM_TAGS, terms.kind);
      bytes.int(terms.quantityAtoms);
      return;
    case 'market_notional':
    case 'band_notional':
      bytes.oneOf(TERM_TAGS, terms.kind);
      bytes.int(terms.notionalAtoms);
      return;
    default:
      terms satisfies never;
  }
}

function limitLayout(io: Cursor, it: LimitTerms): LimitTerms {
  return {
    kind: 'limit',
    priceAtoms: io.int(it.priceAtoms),
    quantityAtoms: io.int(it.quantityAtoms),
    postOnly: io.flag(it.postOnly),
  };
}

/** Throws `MalformedRecord` for terms that an accepted order cannot have. */
export function acceptedTermsLayout(io: Cursor, it: AcceptedTerms): AcceptedTerms {
  const terms = termsLayout(io, it);
  if (terms.kind === 'band_limit' || terms.kind === 'band_notional')
    throw new MalformedRecord(`an accepted order cannot have ${terms.kind} terms`);
  return terms;
}

export function scopeLayout(io: Cursor, scope: Scope): Scope {
  return io.oneOf(SCOPES, scope);
}

export function historyLayout(io: Cursor, it: MarketHistory): MarketHistory {
  return {
    seed: io.int(it.seed),
    startedAtEpochMs: io.int(it.startedAtEpochMs),
    lengthMs: io.int(it.lengthMs),
    startPriceAtoms: io.int(it.startPriceAtoms),
    volatilityPpb: io.int(it.volatilityPpb),
  };
}

function tierLayout(io: Cursor, tier: MaintenanceTier): MaintenanceTier {
  return { notionalThresholdAtoms: io.int(tier.notionalThresholdAtoms), maintenanceMarginBps: io.int(tier.maintenanceMarginBps) };
}

export function openInterestLayout(io: Cursor, it: OpenInterestBounds): OpenInterestBounds {
  return { lowerAtoms: io.int(it.lowerAtoms), upperAtoms: io.int(it.upperAtoms) };
}

/** Of a market whose initial margin depends on its open interest. */
export function boundedSpecificationLayout(io: Cursor, it: MarketSpecification): MarketSpecification {
  return { ...specificationLayout(io, it), openInterest: io.part(it.openInterest!, openInterestLayout) };
}

export function specificationLayout(io: Cursor, it: MarketSpecification): MarketSpecification {
  return {
    marketId: io.text(it.marketId),
    underlyingSymbol: io.text(it.underlyingSymbol),
    priceScale: io.u8(it.priceScale),
    quantityScale: io.u8(it.quantityScale),
    minPriceAtoms: io.int(it.minPriceAtoms),
    maxPriceAtoms: io.int(it.maxPriceAtoms),
    minQuantityAtoms: io.int(it.minQuantityAtoms),
    maxQuantityAtoms: io.int(it.maxQuantityAtoms),
    initialMarginBps: io.int(it.initialMarginBps),
    maxLeverageX: io.int(it.maxLeverageX),
    maintenanceMarginTiers: io.list(it.maintenanceMarginTiers, tierLayout),
    makerFeeBps: io.int(it.makerFeeBps),
    takerFeeBps: io.int(it.takerFeeBps),
    priceBandBps: io.int(it.priceBandBps),
    markBandBps: io.int(it.markBandBps),
    liquidationFeeBps: io.int(it.liquidationFeeBps),
    autoDeleveraging: io.flag(it.autoDeleveraging),
    maxIndexAgeMs: io.int(it.maxIndexAgeMs),
    maxIndexJumpBps: io.int(it.maxIndexJumpBps),
    indexConfirmations: io.int(it.indexConfirmations),
    fundingPeriodMs: io.int(it.fundingPeriodMs),
    fundingInterestPpb: io.int(it.fundingInterestPpb),
    fundingCapPpb: io.int(it.fundingCapPpb),
    premiumSampleMs: io.int(it.premiumSampleMs),
    impactNotionalAtoms: io.int(it.impactNotionalAtoms),
  };
}
