/** Plans an order: what it meets, the terms with which it is accepted, and what happens to the rest. Nothing changes. */
import { floorDiv, larger, smaller } from './arithmetic.ts';
import { bestAgainst } from './book.ts';
import type { OrderRequest } from './command.ts';
import { closableBy, worstClosingPrice } from './equity.ts';
import { fundedHolding } from './funding-payment.ts';
import { leverageOf, notionalOf } from './margin.ts';
import { bandPriceOf } from './mark.ts';
import { filledBaseOf, filledNotionalOf, type Incoming, type Matches, matchesOf } from './matching.ts';
import { initialMarginOf } from './order-checks.ts';
import { Refused, refuseIf } from './refused.ts';
import { reducibleBeside } from './resting.ts';
import { permits } from './status.ts';
import type { Market, World } from './world.ts';
import { accountOf, positionOf } from './world.ts';

/** The terms with which an order is accepted: a limit order has a price and a quantity then. */
export interface Accepted {
  readonly kind: 'limit' | 'market' | 'market_notional';
  readonly price: bigint;
  readonly quantity: bigint;
}

export interface Placement {
  readonly account: number;
  readonly request: OrderRequest;
  /** What the order closes at most. */
  readonly closable: bigint;
  /** What it may fill. */
  readonly quantity: bigint;
  readonly isBoundByBankruptcy: boolean;
  readonly matches: Matches;
  readonly accepted: Accepted;
  readonly leverageHundredths: bigint;
  readonly initialMarginBps: bigint;
  readonly rest: Rest;
}

/** What happens to the quantity that does not fill. */
export type Rest =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'cancelled'; readonly reason: string }
  | { readonly kind: 'rests'; readonly quantity: bigint };

/** An amended order keeps its `leverageHundredths`, also if that is the initial margin of its exposure (0). */
export function planOf(world: World, market: Market, account: number, request: OrderRequest, keptLeverage?: bigint): Placement {
  const { side, terms, reduceOnly } = request;
  const { minQuantityAtoms, maxQuantityAtoms } = market.specification;
  const position = positionOf(market, account);
  const closable = closableBy(side, position);
  const requested = 'quantityAtoms' in terms ? BigInt(terms.quantityAtoms) : BigInt(maxQuantityAtoms);
  const quantity = reduceOnly ? smaller(requested, closable) : requested;
  const limit = terms.kind === 'limit' ? BigInt(terms.priceAtoms) : bandPriceOf(market, side);
  // What closes a position fills at no price at which the position cannot pay loss and fee.
  const bound = closable > 0n ? worstClosingPrice(market, fundedHolding(market, position!)) : limit;
  const worst = side === 'buy' ? smaller(limit, bound) : larger(limit, bound);
  const incoming: Incoming = {
    account,
    side,
    limit: worst,
    quantity,
    ...('notionalAtoms' in terms && { notional: BigInt(terms.notionalAtoms) }),
    restingMayOpen: permits(world, market, 'open_risk'),
  };
  const matches = matchesOf(world, market, incoming);
  const crosses = matches.leavesCrossing || matches.steps.some(({ kind }) => kind === 'fill' || kind === 'self_trade');
  refuseIf(terms.kind === 'limit' && terms.postOnly && crosses, 'post_only_would_cross', bestAgainst(world, market, side));
  const accepted = acceptedOf(market, request, quantity, matches);
  if ('notionalAtoms' in terms) checkNotional(world, market, request, matches, accepted, quantity, BigInt(minQuantityAtoms));
  const isKilled = terms.timeInForce === 'FOK' && filledBaseOf(matches) < accepted.quantity;
  const initialMarginBps = initialMarginOf(world, market, account, request);
  const chosen = accountOf(world, account)!.leverages.find((it) => it.market === market.ordinal)?.leverageHundredths;
  const own = keptLeverage ?? (request.leverageHundredths > 0 ? BigInt(request.leverageHundredths) : undefined);
  const leverageHundredths = own ?? leverageOf(chosen, initialMarginBps, market.specification);
  const isBoundByBankruptcy = worst !== limit;
  const plan = {
    account,
    request,
    closable,
    quantity,
    isBoundByBankruptcy,
    matches,
    accepted,
    leverageHundredths,
    initialMarginBps,
  };
  // An order that must fill whole changes nothing else if it cannot.
  if (isKilled) return { ...plan, matches: { ...matches, steps: [] }, rest: { kind: 'cancelled', reason: 'fill_or_kill' } };
  return { ...plan, rest: restOf(world, plan) };
}

/** An order without a price gets the end of the band. By notional, it gets what fills and what the rest of the money buys there. */
function acceptedOf(market: Market, { side, terms, reduceOnly }: OrderRequest, quantity: bigint, matches: Matches): Accepted {
  if (terms.kind === 'limit') return { kind: 'limit', price: BigInt(terms.priceAtoms), quantity: BigInt(terms.quantityAtoms) };
  if (terms.kind === 'market') return { kind: 'market', price: 0n, quantity: BigInt(terms.quantityAtoms) };
  if (terms.kind === 'market_notional') return { kind: 'market_notional', price: 0n, quantity: 0n };
  const price = bandPriceOf(market, side);
  if (!('notionalAtoms' in terms)) return { kind: 'limit', price, quantity: BigInt(terms.quantityAtoms) };
  const filled = filledBaseOf(matches);
  const hasReducedAll = reduceOnly && filled === quantity;
  const unspent = BigInt(terms.notionalAtoms) - filledNotionalOf(market, matches);
  const buys = matches.end === 'filled' && !hasReducedAll ? 0n : floorDiv(unspent, notionalOf(market, price, 1n));
  return { kind: 'limit', price, quantity: smaller(filled + buys, BigInt(market.specification.maxQuantityAtoms)) };
}

/** An order by notional must buy at least the smallest quantity, unless there is less to reduce or to fill. */
function checkNotional(
  world: World,
  market: Market,
  { side }: OrderRequest,
  matches: Matches,
  accepted: Accepted,
  quantity: bigint,
  least: bigint,
): void {
  const isLimit = accepted.kind === 'limit';
  const buys = isLimit ? accepted.quantity : filledBaseOf(matches);
  if (buys >= least || buys >= quantity || !(isLimit || matches.end === 'filled')) return;
  const best = bestAgainst(world, market, side);
  const band = bandPriceOf(market, side);
  const price = !isLimit ? best : side === 'buy' ? band : larger(best, band);
  throw new Refused('notional_too_small', notionalOf(market, price, least));
}

function restOf(
  world: World,
  { account, request, closable, quantity, isBoundByBankruptcy, matches, accepted }: Omit<Placement, 'rest'>,
): Rest {
  const filled = filledBaseOf(matches);
  const hasReducedAll = request.reduceOnly && filled === quantity;
  if (accepted.kind === 'market_notional') {
    if (matches.end !== 'filled') return { kind: 'cancelled', reason: reasonOf(matches, isBoundByBankruptcy) };
    return hasReducedAll ? { kind: 'cancelled', reason: 'reduce_only' } : { kind: 'nothing' };
  }
  const left = accepted.quantity - filled;
  if (left === 0n) return { kind: 'nothing' };
  if (hasReducedAll) return { kind: 'cancelled', reason: 'reduce_only' };
  const isStopped = matches.end === 'met' || matches.leavesCrossing || (matches.end === 'price' && isBoundByBankruptcy);
  if (accepted.kind === 'market' || isStopped) return { kind: 'cancelled', reason: reasonOf(matches, isBoundByBankruptcy) };
  if (request.terms.timeInForce === 'IOC') return { kind: 'cancelled', reason: 'immediate_or_cancel' };
  if (!request.reduceOnly) return { kind: 'rests', quantity: left };
  const place = { account, market: request.market, side: request.side, price: accepted.price };
  const reducible = reducibleBeside(world, place, closable - filled);
  return reducible === 0n ? { kind: 'cancelled', reason: 'reduce_only' } : { kind: 'rests', quantity: smaller(left, reducible) };
}

function reasonOf({ end, leavesCrossing }: Matches, isBoundByBankruptcy: boolean): string {
  if (end === 'met') return 'fill_limit';
  if (end !== 'price' || leavesCrossing) return 'no_liquidity';
  return isBoundByBankruptcy ? 'bankruptcy_price' : 'price_band';
}
