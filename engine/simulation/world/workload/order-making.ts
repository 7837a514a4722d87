/** The orders that senders of each temperament make: at what price, how large, on which side. */

import type { Dice } from '#simulation/world/dice.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { baseAtoms, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { BatchEntry, OrderTerms, PlaceOrder, Side } from '#venue/command.ts';
import type { SeenMarket } from './public-view.ts';
import type { Scene, Sender } from './sender.ts';
import { pricedMarket } from './sender.ts';

interface OrderIdea {
  readonly market: SeenMarket;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  readonly leverageX: number;
}

/** One order as the sender would place it now; nothing where there is no price yet. */
export function makeOrder(sender: Sender, scene: Scene): PlaceOrder | undefined {
  const entry = makeEntry(sender, scene);
  if (entry === undefined) return undefined;
  const account = sender.temperament === 'stranger' ? sender.dice.between(0, 40) : sender.account;
  return { type: 'PlaceOrder', account: account as AccountOrdinal, ...entry, idempotencyKey: entry.clientOrderId };
}

/** One order of a batch. Now and then its client order id was used before. */
export function makeEntry(sender: Sender, scene: Scene): BatchEntry | undefined {
  const market = pricedMarket(scene, sender.dice);
  const idea = market && ideaOf(sender, scene, market);
  if (idea === undefined) return undefined;
  const isTaken = sender.dice.chance(0.01);
  return {
    market: (sender.temperament === 'stranger' ? sender.dice.between(0, 5) : idea.market.ordinal) as MarketOrdinal,
    clientOrderId: isTaken ? `${sender.name}-1` : sender.newText(),
    side: idea.side,
    terms: idea.terms,
    reduceOnly: idea.reduceOnly,
    leverageX: idea.leverageX,
  };
}

function ideaOf(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea | undefined {
  const { dice } = sender;
  switch (sender.temperament) {
    case 'maker':
      return quote(market, dice, 0.004, dice.chance(0.6));
    case 'canceller':
    case 'duplicator':
      return quote(market, dice, 0.01, dice.chance(0.2));
    case 'taker':
      return taking(sender, scene, market);
    case 'gambler':
      return gamble(sender, scene, market);
    case 'stranger':
      return nonsense(market, dice);
    default:
      return undefined;
  }
}

/** A limit order near the index; where it does not insist on resting, it may cross. */
function quote(market: SeenMarket, dice: Dice, reach: number, postOnly: boolean): OrderIdea {
  const side = sideOf(dice);
  const distance = (dice.fraction() - 0.1) * reach * (side === 'buy' ? -1 : 1);
  return {
    market,
    side,
    terms: limitAt(market, market.indexPrice * (1 + distance), sizeFor(market, dice), postOnly, dice.pick([1, 10, 10])),
    reduceOnly: false,
    leverageX: dice.chance(0.5) ? 0 : dice.between(1, market.specification.maxLeverageX),
  };
}

function taking(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea {
  const { dice } = sender;
  const held = scene.view.account(sender.account)?.holdings[market.ordinal] ?? 0;
  const side = held !== 0 && dice.chance(0.6) ? closing(held) : sideOf(dice);
  const reduceOnly = held !== 0 && dice.chance(0.3);
  const size = sizeFor(market, dice);
  const kind = dice.weighted([5, 2, 3, 1, 1]);
  const crossing = market.indexPrice * (side === 'buy' ? 1.01 : 0.99);
  const worth = market.indexPrice * size * tickLotOf(market);
  const terms: readonly OrderTerms[] = [
    { kind: 'market', quantityAtoms: baseAtoms(size) },
    { kind: 'market_notional', notionalAtoms: quoteAtoms(worth) },
    limitAt(market, crossing, size, false, 1),
    { kind: 'band_limit', quantityAtoms: baseAtoms(size) },
    { kind: 'band_notional', notionalAtoms: quoteAtoms(worth) },
  ];
  return { market, side, terms: terms[kind]!, reduceOnly, leverageX: dice.chance(0.7) ? 0 : dice.between(1, 20) };
}

/** Nearly all it has at the highest leverage; what it holds it keeps, and closes now and then. */
function gamble(sender: Sender, scene: Scene, market: SeenMarket): OrderIdea | undefined {
  const { dice } = sender;
  const account = scene.view.account(sender.account);
  if (account === undefined) return undefined;
  const held = account.holdings[market.ordinal] ?? 0;
  if (held !== 0 && dice.chance(0.2)) {
    const terms = { kind: 'market', quantityAtoms: clampedSize(market, Math.abs(held)) } as const;
    return { market, side: closing(held), terms, reduceOnly: dice.chance(0.5), leverageX: 0 };
  }
  const leverageX = market.specification.maxLeverageX;
  const money = account.available * leverageX * (0.5 + dice.fraction() * 0.5);
  const size = clampedSize(market, Math.floor(money / (market.indexPrice * tickLotOf(market))));
  // Most of them bet on the same side: they are liquidated together.
  const side = dice.chance(0.8) ? 'buy' : 'sell';
  return { market, side, terms: { kind: 'market', quantityAtoms: size }, reduceOnly: false, leverageX };
}

/** Prices, sizes and leverages from anywhere. */
function nonsense(market: SeenMarket, dice: Dice): OrderIdea {
  const amount = () => Math.floor(10 ** (dice.fraction() * 10)) * (dice.chance(0.1) ? 0 : 1);
  const terms: readonly OrderTerms[] = [
    { kind: 'limit', priceAtoms: priceAtoms(amount()), quantityAtoms: baseAtoms(amount()), postOnly: dice.chance(0.5) },
    { kind: 'market', quantityAtoms: baseAtoms(amount()) },
    { kind: 'market_notional', notionalAtoms: quoteAtoms(amount()) },
    { kind: 'band_limit', quantityAtoms: baseAtoms(amount()) },
    { kind: 'band_notional', notionalAtoms: quoteAtoms(amount()) },
  ];
  return {
    market,
    side: sideOf(dice),
    terms: dice.pick(terms),
    reduceOnly: dice.chance(0.4),
    leverageX: dice.between(0, 200),
  };
}

/** Of the grid's prices the nearest one: at round prices others wait too. */
function limitAt(market: SeenMarket, price: number, size: number, postOnly: boolean, grid: number): OrderTerms {
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  const ticks = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, Math.round(price / grid) * grid));
  return { kind: 'limit', priceAtoms: priceAtoms(ticks), quantityAtoms: baseAtoms(size), postOnly };
}

/** Mostly worth a few hundred, at times a few lots. */
function sizeFor(market: SeenMarket, dice: Dice): number {
  if (dice.chance(0.15)) return dice.between(1, 20);
  const worth = 10 ** (7 + dice.fraction() * 3);
  return clampedSize(market, Math.floor(worth / (market.indexPrice * tickLotOf(market))));
}

function clampedSize({ specification }: SeenMarket, size: number): ReturnType<typeof baseAtoms> {
  const { minQuantityAtoms, maxQuantityAtoms } = specification;
  return baseAtoms(Math.max(minQuantityAtoms, Math.min(maxQuantityAtoms, size)));
}

function tickLotOf({ specification }: SeenMarket): number {
  return 10 ** (6 - specification.priceScale - specification.quantityScale);
}

function sideOf(dice: Dice): Side {
  return dice.chance(0.5) ? 'buy' : 'sell';
}

function closing(held: number): Side {
  return held > 0 ? 'sell' : 'buy';
}
