/**
 * Converts the amounts of a placement from decimals to atoms at the market's scales. Never rounds: an amount finer than a tick or
 * a lot is refused. The venue checks bounds.
 */
import type { ErrorCode } from '#contract/errors.ts';
import type { OrderPlacement } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import type { DecimalFault } from '#units/decimal.ts';
import { parseDecimal, renderDecimal } from '#units/decimal.ts';
import { baseAtoms, type EpochMs, type PriceAtoms, priceAtoms, quoteAtoms, SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { InForce, OrderTerms } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** Throws {@link Refused} if an amount does not fit the market. The body must have passed its schema. */
export function orderTerms(body: OrderPlacement, specification: MarketSpecification): OrderTerms {
  const { priceScale, quantityScale } = specification;
  const isLimit = body.orderType === 'limit';
  const inForce = isLimit ? inForceOf(body) : {};
  if (body.notional !== undefined) {
    const notionalAtoms = quoteAtoms(atomsOf('notional', body.notional, SETTLEMENT_DECIMALS, specification));
    return isLimit ? { kind: 'band_notional', notionalAtoms, ...inForce } : { kind: 'market_notional', notionalAtoms };
  }
  if (body.trigger?.closePosition === true) return { kind: 'market', quantityAtoms: baseAtoms(0) };
  const quantityAtoms = baseAtoms(atomsOf('quantity', body.quantity ?? '', quantityScale, specification));
  if (body.price === undefined)
    return isLimit ? { kind: 'band_limit', quantityAtoms, ...inForce } : { kind: 'market', quantityAtoms };
  return {
    kind: 'limit',
    priceAtoms: priceAtoms(atomsOf('price', body.price, priceScale, specification)),
    quantityAtoms,
    postOnly: body.postOnly ?? body.timeInForce === 'PO',
    ...inForce,
  };
}

/** `GTC` is the absence of a time in force, `PO` is post-only. */
function inForceOf({ timeInForce, expiresAtEpochMs }: OrderPlacement): InForce {
  if (timeInForce === undefined || timeInForce === 'GTC' || timeInForce === 'PO') return {};
  return { timeInForce, ...(expiresAtEpochMs !== undefined && { expiresAtEpochMs: expiresAtEpochMs as EpochMs }) };
}

/** Throws {@link Refused} if a price does not fit the market. */
export function priceOf(text: string, specification: MarketSpecification): PriceAtoms {
  return priceAtoms(atomsOf('price', text, specification.priceScale, specification));
}

type Amount = 'price' | 'quantity' | 'notional';

const TOO_FINE: Record<Amount, ErrorCode> = {
  price: 'price_off_tick',
  quantity: 'quantity_off_lot',
  notional: 'notional_too_fine',
};

/** Throws {@link Refused} if the amount does not fit the scale. */
export function atomsOf(amount: Amount, text: string, scale: number, specification: MarketSpecification): number {
  const parsed = parseDecimal(text, scale);
  if ('atoms' in parsed) return parsed.atoms;
  throw amountRefused(amount, text, parsed.fault, scale, specification);
}

function amountRefused(
  amount: Amount,
  text: string,
  fault: DecimalFault,
  scale: number,
  specification: MarketSpecification,
): Refused {
  const { marketId, maxPriceAtoms, maxQuantityAtoms, priceScale, quantityScale } = specification;
  if (fault === 'malformed') return new Refused('invalid_request', `The field ${amount} must be a plain decimal string.`);
  if (fault === 'too_fine') {
    const step = renderDecimal(1, scale);
    return new Refused(
      TOO_FINE[amount],
      `The ${amount} is ${text}; it must be a multiple of ${step} on ${marketId}: round it to at most ${scale} decimals.`,
    );
  }
  if (amount === 'price') {
    return new Refused(
      'price_out_of_bounds',
      `The price is ${text}; it may be at most ${renderDecimal(maxPriceAtoms, priceScale)} on ${marketId}.`,
    );
  }
  if (amount === 'quantity') {
    return new Refused(
      'quantity_out_of_bounds',
      `The quantity is ${text}; it may be at most ${renderDecimal(maxQuantityAtoms, quantityScale)} on ${marketId}.`,
    );
  }
  return new Refused('invalid_request', `The field notional is ${text}, larger than any order can be: send a smaller notional.`);
}
