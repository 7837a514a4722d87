/** Renders a preview by the contract: the venue's plan at the market's scales, or its refusal. */
import type { OrderPreview } from '#contract/order-previews.ts';
import type { OrderPlacement, PlacementRefusal } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import type { ListedMarket } from '#reads/reads.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { OrderOrdinal } from '#units/ids.ts';
import { averagePriceDown, type BaseAtoms, moneyPerBaseDown, type QuoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import { quoteAtomsPerTickLot } from '#venue/market/specification.ts';
import type { Preview } from '#venue/preview.ts';
import type { StateView } from '#writer/port/submit.ts';
import { refusalMessage } from './venue-refusal.ts';

type OrderNames = Pick<OrderPlacement, 'accountId' | 'marketId' | 'clientOrderId'>;
type AsOf = Pick<StateView<unknown>, 'sequence' | 'epochMs'>;

export function orderPreview(body: OrderPlacement, listed: ListedMarket, view: StateView<Preview>): OrderPreview {
  const { view: preview } = view;
  if (preview.refusal !== undefined) {
    const facts = { order: 0 as OrderOrdinal, bound: 0, ...preview.refusal };
    return refusedPreview(
      body,
      new Refused(facts.code, refusalMessage(facts, { specification: listed.specification, body })),
      view,
    );
  }
  const { priceScale, quantityScale } = listed.specification;
  const quantity = (atoms: BaseAtoms) => renderDecimal(atoms, quantityScale);
  const { filledBaseAtoms, filledNotionalAtoms, liquidationPriceAtoms } = preview;
  return {
    ...named(body),
    accepted: true,
    status: body.trigger === undefined ? statusOf(preview) : 'open',
    ...(preview.cancelReason !== undefined && { cancelReason: preview.cancelReason }),
    price: preview.limitPriceAtoms > 0 ? renderDecimal(preview.limitPriceAtoms, priceScale) : null,
    filledQuantity: quantity(filledBaseAtoms),
    averagePrice: filledBaseAtoms > 0 ? money(moneyPerBaseDown(filledNotionalAtoms, filledBaseAtoms, quantityScale)) : null,
    filledNotional: money(filledNotionalAtoms),
    fee: money(preview.feeAtoms),
    realizedPnl: money(preview.realizedPnlAtoms),
    lockedMargin: money(preview.lockedMarginAtoms),
    restingQuantity: quantity(preview.restsBaseAtoms),
    reservedMargin: money(preview.reservedMarginAtoms),
    reservedFee: money(preview.reservedFeeAtoms),
    availableForOrdersBefore: money(preview.availableBeforeAtoms),
    availableForOrdersAfter: money(preview.availableAfterAtoms),
    position: positionOf(preview, listed, liquidationPriceAtoms > 0 ? renderDecimal(liquidationPriceAtoms, priceScale) : null),
    ...asOf(view),
  };
}

/** Also for refusals without a plan of the venue. */
export function refusedPreview(body: OrderNames, { code, message }: Refused, at: AsOf): OrderPreview {
  const refusal = code as PlacementRefusal;
  return { ...named(body), accepted: false, status: 'rejected', code: refusal, safeMessage: message, ...asOf(at) };
}

function named({ accountId, marketId, clientOrderId }: OrderNames) {
  return { version: 'external-order-preview/v1' as const, accountId, marketId, clientOrderId };
}

function statusOf({ cancelReason, restsBaseAtoms }: Preview): 'open' | 'filled' | 'cancelled' {
  if (cancelReason !== undefined) return 'cancelled';
  return restsBaseAtoms > 0 ? 'open' : 'filled';
}

function positionOf(
  { position }: Preview,
  { specification }: ListedMarket,
  liquidationPrice: string | null,
): Extract<OrderPreview, { accepted: true }>['position'] {
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = position;
  if (signedBaseAtoms === 0) return null;
  const sizeAtoms = Math.abs(signedBaseAtoms) as BaseAtoms;
  const entryPrice = averagePriceDown(entryNotionalAtoms, sizeAtoms, quoteAtomsPerTickLot(specification));
  return {
    side: signedBaseAtoms > 0 ? 'long' : 'short',
    quantity: renderDecimal(sizeAtoms, specification.quantityScale),
    avgEntryPrice: renderDecimal(entryPrice, specification.priceScale),
    entryNotional: money(entryNotionalAtoms),
    margin: money(marginAtoms),
    liquidationPrice,
  };
}

function asOf({ sequence, epochMs }: AsOf) {
  return { snapshotSequence: sequence, asOfEpochMs: epochMs };
}

function money(atoms: QuoteAtoms): string {
  return renderDecimal(atoms, SETTLEMENT_DECIMALS);
}
