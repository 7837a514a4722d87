/** The layouts that commands and events share: order terms, market specifications, scopes. */
import type { OrderTerms, Scope, Side } from '#venue/command.ts';
import { SCOPES } from '#venue/command.ts';
import type { MaintenanceTier, MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import type { Cursor } from './cursor.ts';

export const SIDES: readonly Side[] = ['buy', 'sell'];
export const MARKET_STATUSES: readonly MarketStatus[] = ['draft', 'open', 'cancel_only', 'closed'];
const TERM_KINDS: readonly OrderTerms['kind'][] = ['limit', 'market', 'market_notional'];

export function termsLayout(io: Cursor, terms: OrderTerms): OrderTerms {
  const kind = io.oneOf(TERM_KINDS, terms.kind);
  if (kind === 'limit') {
    const limit = terms as Extract<OrderTerms, { kind: 'limit' }>;
    return {
      kind,
      priceAtoms: io.int(limit.priceAtoms),
      quantityAtoms: io.int(limit.quantityAtoms),
      postOnly: io.flag(limit.postOnly),
    };
  }
  if (kind === 'market') return { kind, quantityAtoms: io.int((terms as Extract<OrderTerms, { kind: 'market' }>).quantityAtoms) };
  return { kind, notionalAtoms: io.int((terms as Extract<OrderTerms, { kind: 'market_notional' }>).notionalAtoms) };
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
  };
}
