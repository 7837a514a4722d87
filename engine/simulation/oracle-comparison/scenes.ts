/** Sequences of commands that lead to rules which unrelated commands hardly ever meet. */
import { floorDiv } from '#oracle/arithmetic.ts';
import type { Command, Side, Terms } from '#oracle/command.ts';
import { bankruptcyPriceOf, closingSideOf, equityOf, liquidationPriceOf, sizeOf } from '#oracle/equity.ts';
import { notionalOf, restingOf } from '#oracle/margin.ts';
import { type Market, type Position, positionOf } from '#oracle/world.ts';
import { drawDistinct, drawPosition, type Move, marketOf, place, priceBeside, type Stage, type Step } from './order-moves.ts';
import { price, raise } from './venue-moves.ts';

const DAY_MS = 86_400_000;
/** How far from the entry a straddle is quoted: around its bankruptcy price, or also well beyond it. */
const QUOTED_BPS: readonly [number, number][] = [
  [380, 520],
  [380, 800],
];

function limit(priceAtoms: number, quantityAtoms: number): Terms {
  return { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false };
}

/** A quantity that the highest leverage permits: most of them are below the second tier. */
function leveredLots({ dice, market }: Stage): number {
  const { maintenanceMarginTiers, maxQuantityAtoms } = market.specification;
  const lots = maintenanceMarginTiers[1]!.notionalThresholdAtoms / Number(notionalOf(market, market.mark, 1n));
  return Math.max(1, Math.min(maxQuantityAtoms, Math.floor((lots * dice.integer(5, 105)) / 100)));
}

function against(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** Two accounts quote the same, and a third takes both: equal positions of different age. */
export const twins: Move = (stage) => {
  const side = stage.dice.one<Side>(['buy', 'sell']);
  const [one, other, taker] = drawDistinct(stage, 3) as [number, number, number];
  const lots = leveredLots(stage);
  const twin = (account: number) =>
    place(stage, account, { side, terms: limit(priceBeside(stage, side, -1), lots), leverageHundredths: 2_000 });
  return [twin(one), twin(other), place(stage, taker, { side: against(side), terms: marketOf(lots * 2), leverageHundredths: 0 })];
};

/**
 * One account is long and one short at the highest leverage, a third quotes around the bankruptcy price of the first, and the index jumps
 * beyond it. The quote may be for a part only.
 */
export const straddle: Move = (stage) => {
  const { dice } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [first, second, quoter] = drawDistinct(stage, 3) as [number, number, number];
  const lots = leveredLots(stage);
  const at = priceBeside(stage, side, 0);
  const depth = dice.one([1, 1, 1, 3]);
  const quotes = Array.from({ length: dice.integer(1, 3) }, () => {
    const terms = limit(
      priceBeside(stage, side, depth * dice.integer(...dice.one(QUOTED_BPS))),
      Math.ceil((lots * dice.integer(10, 120)) / 100),
    );
    return place(stage, quoter, { side, terms, leverageHundredths: dice.one([0, 300, 475]) });
  });
  return [
    ...quotes,
    place(stage, second, { side: against(side), terms: limit(at, lots), leverageHundredths: 2_000 }),
    place(stage, first, { side, terms: limit(at, lots), leverageHundredths: 2_000 }),
    ...jumpBy(stage, (side === 'buy' ? -depth : depth) * dice.integer(400, 900)),
  ];
};

/** The index moves by basis points, as often as the market demands for a jump. */
function jumpBy(stage: Stage, bps: number): Command[] {
  return pricesTo(stage, (Number(stage.market.index.price) * (10_000 + bps)) / 10_000);
}

function pricesTo(stage: Stage, to: number): Command[] {
  const confirmations = stage.market.specification.indexConfirmations + 1;
  return Array.from({ length: confirmations }, () => price(stage, to));
}

/** One account is long and one short at the highest leverage, the price moves, and an update raises the maintenance rates. */
export const tightened: Move = (stage) => {
  const { dice } = stage;
  const [first, second] = drawDistinct(stage, 2) as [number, number];
  const lots = leveredLots(stage);
  const at = priceBeside(stage, 'buy', 0);
  return [
    place(stage, second, { side: 'sell', terms: limit(at, lots), leverageHundredths: 2_000 }),
    place(stage, first, { side: 'buy', terms: limit(at, lots), leverageHundredths: 2_000 }),
    price(stage, (Number(stage.market.index.price) * (10_000 + dice.integer(-90, 90))) / 10_000),
    raise(stage),
  ];
};

/**
 * An update raises the rate to what a position has at a mark that is better for it than the index. Without such a position, the mark is
 * taken there first.
 */
export const tightenedBesideIndex: Move = (stage) => {
  const { market } = stage;
  const [tier] = market.specification.maintenanceMarginTiers;
  const rates = market.positions
    .filter((position) => equityBps(market, position, market.index.price) < equityBps(market, position, market.mark))
    .map((position) => equityBps(market, position, market.mark))
    .filter((bps) => bps > tier!.maintenanceMarginBps && bps < 500);
  return rates.length > 0 ? [raise(stage, stage.dice.one(rates))] : markBesideIndex(stage);
};

function equityBps(market: Market, position: Position, price: bigint): number {
  return Number(floorDiv(equityOf(market, position, price) * 10_000n, notionalOf(market, price, sizeOf(position))));
}

/** One account trades at the highest leverage between two deep quotes, all beside the index, for long enough to move the averages. */
const markBesideIndex: Move = (stage) => {
  const { dice, market } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [first, second, taker] = drawDistinct(stage, 3) as [number, number, number];
  const deep = Math.min(market.specification.maxQuantityAtoms, stage.maxLots);
  const beside = (bps: number) => limit(priceBeside(stage, against(side), bps), deep);
  const take = limit(priceBeside(stage, against(side), 40), leveredLots(stage));
  return [
    place(stage, first, { side, terms: beside(20), leverageHundredths: 0 }),
    place(stage, second, { side: against(side), terms: beside(40), leverageHundredths: 0 }),
    place(stage, taker, { side, terms: take, leverageHundredths: 2_000 }),
    ...Array.from({ length: 6 }, (): Step => ({ command: price(stage, Number(market.index.price)), afterMs: 4_000 })),
  ];
};

/**
 * The price goes in small steps from the liquidation price of a position toward its bankruptcy price, past few quotes on that way. A trade
 * and an order of the closing side may take the mark there first.
 */
export const thinBook: Move = (stage) => {
  const { dice, market } = stage;
  const position = drawPosition(stage);
  const due = position === undefined ? 0 : Number(liquidationPriceOf(market, position));
  const distance = Math.abs(due / Number(market.index.price) - 1);
  if (position === undefined || distance > 0.2) return twins(stage);
  const way = Number(bankruptcyPriceOf(market, position)) - due;
  const closing = closingSideOf(position);
  const [quoter, other] = drawDistinct(stage, 2) as [number, number];
  const lots = Math.max(1, Math.min(market.specification.maxQuantityAtoms, Math.abs(Number(position.base))));
  const levels = dice.one([1, 2, 12]);
  const quotes = Array.from({ length: levels }, () =>
    place(stage, quoter, {
      side: against(closing),
      terms: limit(
        Math.max(1, due + Math.round((way * dice.integer(1, 100)) / 100)),
        Math.ceil((lots * dice.integer(5, 120)) / 100 / levels),
      ),
      leverageHundredths: dice.one([0, 300]),
    }),
  );
  const pressure = [
    place(stage, other, { side: closing, terms: marketOf(Math.ceil(lots / 4)) }),
    place(stage, other, { side: closing, terms: limit(Math.max(1, due + Math.round(way * 0.1)), lots), leverageHundredths: 300 }),
  ];
  const part = dice.integer(3, 9) / 100;
  const slides = Array.from(
    { length: dice.integer(3, 9) },
    (_, index): Step => ({
      command: price(stage, due + way * part * (index - 0.5)),
      afterMs: dice.one([200, 1_000, 4_000]),
    }),
  );
  return [...pricesTo(stage, due - way * 0.05), ...quotes, ...(dice.chance(50) ? pressure : []), ...slides];
};

/** The fund pays before and after a midnight: the budgets of two days. */
export const straddlesAtMidnight: Move = (stage) => {
  const sinceMidnight = Number(stage.world.now) % DAY_MS;
  const before: Step = { command: price(stage, Number(stage.market.index.price)), afterMs: DAY_MS - sinceMidnight - 60_000 };
  const after: Step = { command: price(stage, Number(stage.market.index.price)), afterMs: 90_000 };
  return [before, ...straddle(stage), after, ...straddle(stage)];
};

/** The price returns to where a position that the fund has paid for is healthy again, and its owner closes. */
export const recovery: Move = (stage) => {
  const { dice, market } = stage;
  const insured = market.positions.find((position) => position.insured > 0n);
  if (insured === undefined) return straddle(stage);
  const side: Side = insured.base > 0n ? 'sell' : 'buy';
  const better = (side === 'sell' ? 1 : -1) * dice.integer(280, 900);
  const to = Math.round((Number(bankruptcyPriceOf(market, insured)) * (10_000 + better)) / 10_000);
  const lots = Math.min(market.specification.maxQuantityAtoms, Math.abs(Number(insured.base)));
  const [quoter] = drawDistinct(stage, 1) as [number];
  return [
    ...pricesTo(stage, to),
    place(stage, quoter, { side: against(side), terms: limit(to, lots), leverageHundredths: 0 }),
    place(stage, insured.account, { side, terms: marketOf(Math.ceil((lots * dice.integer(30, 100)) / 100)) }),
  ];
};

/** A deep book on one side of the index, a trade within it, and a price when the trade has lost some of its weight. */
export const oldTrade: Move = (stage) => {
  const { dice, market } = stage;
  const [bidder, asker, taker] = drawDistinct(stage, 3) as [number, number, number];
  const lots = Math.min(market.specification.maxQuantityAtoms, stage.maxLots);
  const ageMs = dice.one([1_000, 20_000, 50_000, 90_000]);
  return [
    place(stage, asker, { side: 'sell', terms: limit(priceBeside(stage, 'sell', 40), lots), leverageHundredths: 0 }),
    place(stage, bidder, { side: 'buy', terms: limit(priceBeside(stage, 'buy', -20), lots), leverageHundredths: 0 }),
    place(stage, taker, { side: 'sell', terms: marketOf(market.specification.minQuantityAtoms), leverageHundredths: 0 }),
    { command: price(stage, Number(market.index.price)), afterMs: ageMs },
  ];
};

/** Two reduce-only orders at one price for the whole position, of which another order closes a part. */
export const equalExits: Move = (stage) => {
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const side: Side = position.base > 0n ? 'sell' : 'buy';
  const size = Math.abs(Number(position.base));
  const exit = limit(priceBeside(stage, side, 60), Math.min(stage.market.specification.maxQuantityAtoms, Math.ceil(size / 2)));
  const place2 = () => place(stage, position.account, { side, terms: exit, reduceOnly: true });
  const part = Math.min(stage.market.specification.maxQuantityAtoms, Math.ceil((size * stage.dice.integer(10, 90)) / 100));
  const [quoter] = drawDistinct(stage, 1) as [number];
  const quote = place(stage, quoter, { side: against(side), terms: limit(priceBeside(stage, against(side), 1), part) });
  return [place2(), place2(), quote, place(stage, position.account, { side, terms: marketOf(part) })];
};

/** An order that another one meets at the moment of its expiry, or a millisecond beside it. */
export const expiry: Move = (stage) => {
  const { dice, world } = stage;
  const [maker, taker] = drawDistinct(stage, 2) as [number, number];
  const expiresAtEpochMs = Number(world.now) + 5_000;
  const terms: Terms = { ...limit(priceBeside(stage, 'buy', -1), 20), timeInForce: 'GTD', expiresAtEpochMs };
  return [
    { command: place(stage, maker, { side: 'buy', terms }), afterMs: 1 },
    { command: place(stage, taker, { side: 'sell', terms: marketOf(20) }), afterMs: 4_999 + dice.integer(-1, 1) },
  ];
};

/** An order that brings the exposure of its account to the exact threshold of a tier. */
export const atThreshold: Move = (stage) => {
  const { dice, market, world } = stage;
  const tier = dice.one(market.specification.maintenanceMarginTiers.slice(1));
  const [account] = drawDistinct(stage, 1) as [number];
  const position = positionOf(market, account);
  const side: Side = position !== undefined && position.base < 0n ? 'sell' : 'buy';
  const exposure = Number(restingOf(world, market, account).notional + (position?.entry ?? 0n));
  const notionalAtoms = tier.notionalThresholdAtoms - exposure + dice.one([-1, 0, 0, 1]);
  return notionalAtoms < 1
    ? []
    : [place(stage, account, { side, terms: { kind: 'band_notional', notionalAtoms }, leverageHundredths: 0 })];
};
