/** The layouts that commands and events share: order terms, market specifications, scopes. */
import type { EpochMs } from '#units/money.ts';
import type { AcceptedTerms, LimitTerms, OrderTerms, Scope, Side } from '#venue/command.ts';
import { SCOPES } from '#venue/command.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import type { IndexStatus, MaintenanceTier, MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { type ByteReader, type ByteWriter, type Cursor, MalformedRecord } from './cursor.ts';

export const SIDES: readonly Side[] = ['buy', 'sell'];
export const MARKET_STATUSES: readonly MarketStatus[] = ['draft', 'open', 'cancel_only', 'closed', 'reduce_only'];
export const INDEX_STATUSES: readonly IndexStatus[] = ['current', 'unconfirmed', 'stale'];
/** When a key expires that does not. */
export const NEVER = 0 as EpochMs;
/**
 * Append only: a place is part of every journal ever written. `limit_notional` is a limit with the notional that it was sent
 * with: others are written as they were before there were such.
 */
const TERM_TAGS = ['limit', 'market', 'market_notional', 'band_limit', 'band_notional', 'limit_notional'] as const;

export function writeTerms(bytes: ByteWriter, terms: OrderTerms): void {
  switch (terms.kind) {
    case 'limit':
      bytes.oneOf(TERM_TAGS, terms.notionalAtoms === undefined ? 'limit' : 'limit_notional');
      bytes.int(terms.priceAtoms);
      bytes.int(terms.quantityAtoms);
      bytes.flag(terms.postOnly);
      if (terms.notionalAtoms !== undefined) bytes.int(terms.notionalAtoms);
      break;
    case 'market':
    case 'band_limit':
      bytes.oneOf(TERM_TAGS, terms.kind);
      bytes.int(terms.quantityAtoms);
      break;
    case 'market_notional':
    case 'band_notional':
      bytes.oneOf(TERM_TAGS, terms.kind);
      bytes.int(terms.notionalAtoms);
      break;
  }
}

export function readTerms(bytes: ByteReader): OrderTerms {
  const tag = bytes.oneOf(TERM_TAGS);
  switch (tag) {
    case 'market':
    case 'band_limit':
      return { kind: tag, quantityAtoms: bytes.int() };
    case 'market_notional':
    case 'band_notional':
      return { kind: tag, notionalAtoms: bytes.int() };
    default:
      return readLimit(bytes, tag === 'limit_notional');
  }
}

/** Throws `MalformedRecord` for terms that no order is accepted with. */
export function readAcceptedTerms(bytes: ByteReader): AcceptedTerms {
  const terms = readTerms(bytes);
  if (terms.kind === 'band_limit' || terms.kind === 'band_notional')
    throw new MalformedRecord(`no order is accepted as ${terms.kind}`);
  return terms;
}

function readLimit(bytes: ByteReader, hasNotional: boolean): LimitTerms {
  const limit: LimitTerms = { kind: 'limit', priceAtoms: bytes.int(), quantityAtoms: bytes.int(), postOnly: bytes.flag() };
  return hasNotional ? { ...limit, notionalAtoms: bytes.int() } : limit;
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
