/** The orders of each trading style: price, size and side. */

import type { RandomSource } from '#simulation/world/random-source.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { baseAtoms, epochMs, priceAtoms, quoteAtoms } from '#units/money.ts';
import { type BatchEntry, type OrderTerms, type PlaceOrder, type Side, TIMES_IN_FORCE } from '#venue/command.ts';
import type { SeenMarket } from './public-view.ts';
import type { Scene, Sender } from './sender.ts';
import { pricedMarket } from './sender.ts';
import { conditional } from './waiting-orders.ts';

interface OrderIdea {
  readonly market: SeenMarket;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  readonly leverageHundredths: number;
}

/** One order of the sender; `undefined` if there is no price yet. */
export function createOrder(sender: Sender, scene: Scene): PlaceOrder | undefined {
  const entry = createEntry(sender, scene);
  if (entry === undefined) return undefined;
  const account = sender.tradingStyle === 'stranger' ? sender.random.between(0, 40) : sender.account;
  // In the order of the record, which is compared as text.
  const { trigger, attached, ...common } = entry;
  const rest = { ...(trigger !== undefined && { trigger }), ...(attached !== undefined && { attached }) };
  return { type: 'PlaceOrder', account: account as AccountOrdinal, ...common, idempotencyKey: entry.clientOrderId, ...rest };
}

/** One order of a batch. Now and then its client order id was used before. */
export function createEntry(sender: Sender, scene: Scene): BatchEntry | undefined {
  const market = pricedMarket(scene, sender.random);
  const idea = market && ideaOf(sender, scene, market);
  if (idea === undefined) return undefined;
  const clientOrderId = sender.random.chance(0.01) ? `${sender.name}-1` : sender.newText();
  const { side, terms, reduceOnly, leverageHundredths } = idea;
  const position = scene.view.account(sender.account)?.holdings[market!.ordinal] ?? 0;
  return {
    market: (sender.tradingStyle === 'stranger' ? sender.random.between(0, 5) : idea.market.ordinal) as MarketOrdinal,
    clientOrderId,
    ...conditional(sender, scene.nowEpochMs(), idea.market, position, clientOrderId, {
      side,
      terms: inForce(terms, sender, scene),
      reduceOnly,
      leverageHundredths,
    }),
  };
}

/** A seventh of the limit orders that may take gets a time in force; the expiry is now and then out of bounds. */
function inForce(terms: OrderTerms, { random }: Sender, { nowEpochMs }: Scene): OrderTerms {
  if (terms.kind === 'market' || terms.kind === 'market_notional' || !random.chance(1 / 7)) return terms;
  const timeInForce = terms.kind === 'limit' && terms.postOnly ? 'GTD' : random.pick(TIMES_IN_FORCE);
  if (timeInForce !== 'GTD') return { ...terms, timeInForce };
  const ahead = random.chance(0.1) ? random.between(-2_000, 1_500) : random.between(1_100, 60_000);
  return { ...terms, timeInForce, expiresAtEpochMs: epochMs(nowEpochMs() + ahead) };
}

function ideaOf(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea | undefined {
  const { random } = sender;
  const position = scene.view.account(sender.account)?.holdings[market.ordinal] ?? 0;
  switch (sender.tradingStyle) {
    case 'maker':
      if (position !== 0 && random.chance(0.15)) return exit(market, position, random);
      return quote(market, random, 0.004, random.chance(0.6));
    case 'canceller':
    case 'duplicator':
      return quote(market, random, 0.01, random.chance(0.2));
    case 'taker':
      if (position !== 0 && random.chance(0.3)) return exit(market, position, random);
      return taking(sender, scene, market);
    case 'gambler':
      return gamble(sender, scene, market);
    case 'stranger':
      return nonsense(market, random);
    default:
      return undefined;
  }
}

/** A limit order near the index. It may cross unless it is post-only. */
function quote(market: SeenMarket, random: RandomSource, reach: number, postOnly: boolean): OrderIdea {
  const side = sideOf(random);
  const distance = (random.fraction() - 0.1) * reach * (side === 'buy' ? -1 : 1);
  return {
    market,
    side,
    terms: limitAt(market, market.indexPrice * (1 + distance), sizeFor(market, random), postOnly, random.pick([1, 10, 10])),
    reduceOnly: false,
    leverageHundredths: random.chance(0.5) ? 0 : random.between(1, market.specification.maxLeverageX) * 100,
  };
}

function taking(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea {
  const { random } = sender;
  const position = scene.view.account(sender.account)?.holdings[market.ordinal] ?? 0;
  const side = position !== 0 && random.chance(0.6) ? closing(position) : sideOf(random);
  const reduceOnly = position !== 0 && random.chance(0.3);
  const size = sizeFor(market, random);
  const kind = random.weighted([5, 2, 3, 1, 1]);
  const crossing = market.indexPrice * (side === 'buy' ? 1.01 : 0.99);
  const notional = market.indexPrice * size * tickLotOf(market);
  const terms: readonly OrderTerms[] = [
    { kind: 'market', quantityAtoms: baseAtoms(size) },
    { kind: 'market_notional', notionalAtoms: quoteAtoms(notional) },
    limitAt(market, crossing, size, false, 1),
    { kind: 'band_limit', quantityAtoms: baseAtoms(size) },
    { kind: 'band_notional', notionalAtoms: quoteAtoms(notional) },
  ];
  return {
    market,
    side,
    terms: terms[kind]!,
    reduceOnly,
    leverageHundredths: random.chance(0.7) ? 0 : random.between(1, 20) * 100,
  };
}

/** Nearly all of its cash at the highest leverage. It closes its position now and then, or rests an order that would. */
function gamble(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea | undefined {
  const { random } = sender;
  const account = scene.view.account(sender.account);
  if (account === undefined) return undefined;
  const position = account.holdings[market.ordinal] ?? 0;
  if (position !== 0 && random.chance(0.2)) {
    const terms = { kind: 'market', quantityAtoms: clampedSize(market, Math.abs(position)) } as const;
    return { market, side: closing(position), terms, reduceOnly: random.chance(0.5), leverageHundredths: 0 };
  }
  if (position !== 0 && random.chance(0.4)) return exit(market, position, random);
  const { maxLeverageX } = market.specification;
  const money = account.available * maxLeverageX * (0.5 + random.fraction() * 0.5);
  const size = clampedSize(market, Math.floor(money / (market.indexPrice * tickLotOf(market))));
  // Most of them bet on the same side: they are liquidated together.
  const side = random.chance(0.8) ? 'buy' : 'sell';
  return {
    market,
    side,
    terms: { kind: 'market', quantityAtoms: size },
    reduceOnly: false,
    leverageHundredths: maxLeverageX * 100,
  };
}

/** A resting order that takes profit on about the position: several of them exceed it. */
function exit(market: SeenMarket, position: number, random: RandomSource): OrderIdea {
  const side = closing(position);
  const price = market.indexPrice * (1 + random.fraction() * 0.02 * (side === 'sell' ? 1 : -1));
  const size = clampedSize(market, Math.floor(Math.abs(position) * (0.5 + random.fraction())));
  return { market, side, terms: limitAt(market, price, size, false, 1), reduceOnly: true, leverageHundredths: 0 };
}

/** Prices, sizes and leverages from anywhere. */
function nonsense(market: SeenMarket, random: RandomSource): OrderIdea {
  const amount = () => Math.floor(10 ** (random.fraction() * 10)) * (random.chance(0.1) ? 0 : 1);
  const terms: readonly OrderTerms[] = [
    { kind: 'limit', priceAtoms: priceAtoms(amount()), quantityAtoms: baseAtoms(amount()), postOnly: random.chance(0.5) },
    { kind: 'market', quantityAtoms: baseAtoms(amount()) },
    { kind: 'market_notional', notionalAtoms: quoteAtoms(amount()) },
    { kind: 'band_limit', quantityAtoms: baseAtoms(amount()) },
    { kind: 'band_notional', notionalAtoms: quoteAtoms(amount()) },
  ];
  return {
    market,
    side: sideOf(random),
    terms: random.pick(terms),
    reduceOnly: random.chance(0.4),
    leverageHundredths: random.between(0, 200) * 101,
  };
}

/** Rounds the price to the grid, so that several orders rest at the same price. */
function limitAt(market: SeenMarket, price: number, size: number, postOnly: boolean, grid: number): OrderTerms {
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  const ticks = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, Math.round(price / grid) * grid));
  return { kind: 'limit', priceAtoms: priceAtoms(ticks), quantityAtoms: baseAtoms(size), postOnly };
}

/** Usually worth a few hundred, sometimes a few lots. */
function sizeFor(market: SeenMarket, random: RandomSource): number {
  if (random.chance(0.15)) return random.between(1, 20);
  const notional = 10 ** (7 + random.fraction() * 3);
  return clampedSize(market, Math.floor(notional / (market.indexPrice * tickLotOf(market))));
}

function clampedSize({ specification }: SeenMarket, size: number): ReturnType<typeof baseAtoms> {
  const { minQuantityAtoms, maxQuantityAtoms } = specification;
  return baseAtoms(Math.max(minQuantityAtoms, Math.min(maxQuantityAtoms, size)));
}

function tickLotOf({ specification }: SeenMarket): number {
  return 10 ** (6 - specification.priceScale - specification.quantityScale);
}

function sideOf(random: RandomSource): Side {
  return random.chance(0.5) ? 'buy' : 'sell';
}

function closing(position: number): Side {
  return position > 0 ? 'sell' : 'buy';
}
