/** The layouts that commands and events share: order terms, market specifications, scopes. */
import type { EpochMs } from '#units/money.ts';
import type { OrderTerms, Scope, Side } from '#venue/command.ts';
import { SCOPES } from '#venue/command.ts';
import type { IndexStatus, MaintenanceTier, MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import type { ByteReader, ByteWriter, Cursor } from './cursor.ts';

export const SIDES: readonly Side[] = ['buy', 'sell'];
export const MARKET_STATUSES: readonly MarketStatus[] = ['draft', 'open', 'cancel_only', 'closed', 'reduce_only'];
export const INDEX_STATUSES: readonly IndexStatus[] = ['current', 'unconfirmed', 'stale'];
/** When a key expires that does not. */
export const NEVER = 0 as EpochMs;
const TERM_KINDS: readonly OrderTerms['kind'][] = ['limit', 'market', 'market_notional'];

export function writeTerms(bytes: ByteWriter, terms: OrderTerms): void {
  bytes.oneOf(TERM_KINDS, terms.kind);
  switch (terms.kind) {
    case 'limit':
      bytes.int(terms.priceAtoms);
      bytes.int(terms.quantityAtoms);
      bytes.flag(terms.postOnly);
      break;
    case 'market':
      bytes.int(terms.quantityAtoms);
      break;
    case 'market_notional':
      bytes.int(terms.notionalAtoms);
      break;
  }
}

export function readTerms(bytes: ByteReader): OrderTerms {
  const kind = bytes.oneOf(TERM_KINDS);
  switch (kind) {
    case 'limit':
      return { kind, priceAtoms: bytes.int(), quantityAtoms: bytes.int(), postOnly: bytes.flag() };
    case 'market':
      return { kind, quantityAtoms: bytes.int() };
    case 'market_notional':
      return { kind, notionalAtoms: bytes.int() };
  }
}

export function scopeLayout(io: Cursor, scope: Scope): Scope {
  return io.oneOf(SCOPES, scope);
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
