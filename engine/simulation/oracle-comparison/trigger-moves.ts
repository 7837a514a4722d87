/** Orders of a random world that wait for a price, and prices that reach them. */
import type { LegTerms, OrderRequest, Side, Terms, TriggerKind, TriggerSource, TriggerTerms } from '#oracle/command.ts';
import { directionOf, priceOf } from '#oracle/trigger-price.ts';
import type { WaitingOrder } from '#oracle/world.ts';
import { drawDistinct, drawPosition, lotsIn, type Move, marketOf, place, priceBeside, type Stage } from './order-moves.ts';
import { price } from './venue-moves.ts';

const SOURCES: readonly TriggerSource[] = ['mark', 'mark', 'index', 'last'];

function against(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** A price so many basis points from the one of a source, on the side where an order waits for it if positive. */
function awaitedPrice({ market }: Stage, source: TriggerSource, direction: 'below' | 'above', bps: number): number {
  const now = Number(priceOf(market, source));
  const awaited = Math.round(now * (1 + ((direction === 'below' ? -1 : 1) * bps) / 10_000));
  return Math.max(1, Math.min(market.specification.maxPriceAtoms, awaited));
}

function distanceIn({ dice }: Stage): number {
  return dice.one([dice.integer(1, 20), dice.integer(1, 150), dice.integer(-20, 800)]);
}

/** Terms that wait for a price; several orders often wait for the same one. */
function triggerOf(stage: Stage, kind: TriggerKind, side: Side, closePosition: boolean): TriggerTerms {
  const { dice, world, market } = stage;
  const source = kind === 'trailing_stop' ? dice.one(['mark', 'index'] as const) : dice.one(SOURCES);
  const isTrailing = kind === 'trailing_stop';
  const isByShare = dice.chance(50);
  const direction = kind === 'trigger' ? dice.one(['below', 'above'] as const) : directionOf(kind, side);
  const others = world.waiting.filter((it) => it.market === market.ordinal && it.source === source && it.triggerPrice > 0n);
  const sameAs = others.length > 0 && dice.chance(30) ? Number(dice.one(others).triggerPrice) : undefined;
  const apart = Math.ceil((Number(market.mark) * dice.integer(1, 200)) / 10_000);
  return {
    kind,
    source,
    direction: kind === 'trigger' && dice.chance(40) ? direction : 'derived',
    priceAtoms: isTrailing ? 0 : (sameAs ?? awaitedPrice(stage, source, direction, distanceIn(stage))),
    trailingAtoms: isTrailing && !isByShare ? apart : 0,
    trailingBps: isTrailing && isByShare ? dice.one([1, dice.integer(1, 300)]) : 0,
    closePosition,
    linkedClientOrderId: dice.chance(20) ? linkIn(stage) : '',
  };
}

/** The client order id of some waiting order, or one of an order that does not wait. */
function linkIn({ dice, world }: Stage): string {
  const named = world.clientOrderIds.filter(({ order }) => world.waiting.some((it) => it.order === order));
  return named.length > 0 && dice.chance(90) ? dice.one(named).id : (world.clientOrderIds.at(-1)?.id ?? 'none');
}

/** A stop, a take-profit or a trailing stop of a position, perhaps for the whole of it. */
export const protect: Move = (stage) => {
  const { dice, market } = stage;
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const size = Math.abs(Number(position.base));
  const side: Side = dice.chance(95) === position.base > 0n ? 'sell' : 'buy';
  const kind = dice.one(['stop_loss', 'stop_loss', 'take_profit', 'trailing_stop', 'trailing_stop'] as const);
  const closePosition = dice.chance(25);
  const lots = Math.min(market.specification.maxQuantityAtoms, Math.ceil((size * dice.integer(20, 120)) / 100));
  const trigger = triggerOf(stage, kind, side, closePosition);
  const terms = closePosition ? marketOf(0) : termsAt(stage, side, lots, trigger.priceAtoms);
  return [place(stage, position.account, { side, terms, reduceOnly: true, trigger })];
};

/** A market order, or a limit order near the price that it waits for. */
function termsAt(stage: Stage, side: Side, quantityAtoms: number, triggerPrice: number): Terms {
  const { dice, market } = stage;
  if (dice.chance(60)) return marketOf(quantityAtoms);
  const near = triggerPrice > 0 ? triggerPrice : Number(market.mark);
  const priceAtoms = Math.round(near * (1 + dice.integer(-60, 60) / 10_000));
  return {
    kind: 'limit',
    priceAtoms: dice.chance(95) ? priceAtoms : priceBeside(stage, side, -1_500),
    quantityAtoms,
    postOnly: false,
  };
}

/** An order that opens when its price is reached. */
export const breakout: Move = (stage) => {
  const { dice } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [account] = drawDistinct(stage, 1) as [number];
  const kind = dice.one(['trigger', 'trigger', 'stop_loss', 'take_profit', 'trailing_stop'] as const);
  const trigger = triggerOf(stage, kind, side, false);
  return [place(stage, account, { side, terms: termsAt(stage, side, lotsIn(stage), trigger.priceAtoms), trigger })];
};

/** Orders of one account that end each other, and perhaps a third one that finds its partner taken. */
export const linked: Move = (stage) => {
  const { dice } = stage;
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const side: Side = position.base > 0n ? 'sell' : 'buy';
  const id = stage.nextId();
  const order = (kind: TriggerKind, linkedClientOrderId: string, clientOrderId = stage.nextId()) => {
    const trigger = { ...triggerOf(stage, kind, side, true), linkedClientOrderId };
    return place(stage, position.account, { side, terms: marketOf(0), reduceOnly: true, trigger, clientOrderId });
  };
  const pair = [order('stop_loss', '', id), order('take_profit', id)];
  return dice.chance(20) ? [...pair, order('trailing_stop', id)] : pair;
};

/** An order with a stop-loss, a take-profit, or both. It may rest, fill at once, or in parts. */
export const protectedEntry: Move = (stage) => {
  const { dice } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [account] = drawDistinct(stage, 1) as [number];
  const quantityAtoms = lotsIn(stage);
  const priceAtoms = priceBeside(stage, side, dice.integer(-15, 30));
  const terms = dice.one<Terms>([
    marketOf(quantityAtoms),
    { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false },
    { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false },
    { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false, timeInForce: dice.one(['IOC', 'FOK'] as const) },
    { kind: 'band_limit', quantityAtoms },
  ]);
  return [place(stage, account, { side, terms, attached: legsOf(stage, side), reduceOnly: dice.chance(3) })];
};

function legsOf(stage: Stage, side: Side): NonNullable<OrderRequest['attached']> {
  const { dice } = stage;
  const leg = (kind: 'stop_loss' | 'take_profit'): LegTerms => {
    const source = dice.one(SOURCES);
    const direction = directionOf(kind, against(side));
    const triggerPriceAtoms = awaitedPrice(stage, source, direction, distanceIn(stage));
    return { source, triggerPriceAtoms, priceAtoms: dice.chance(70) ? 0 : triggerPriceAtoms + dice.integer(-20, 20) };
  };
  const both = { stopLoss: leg('stop_loss'), takeProfit: leg('take_profit') };
  if (dice.chance(65)) return both;
  return dice.one([{ stopLoss: both.stopLoss }, { takeProfit: both.takeProfit }, {}]);
}

/** A resting entry order of which a part fills, and a price that reaches one of its legs. The position may end in between. */
export const legsInParts: Move = (stage) => {
  const { dice } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [account, taker, other] = drawDistinct(stage, 3) as [number, number, number];
  const lots = Math.min(400, Math.max(20, lotsIn(stage)));
  const entry: Terms = { kind: 'limit', priceAtoms: priceBeside(stage, side, -1), quantityAtoms: lots, postOnly: false };
  const apart = (kind: 'stop_loss' | 'take_profit', bps: number): LegTerms => ({
    source: 'mark',
    triggerPriceAtoms: awaitedPrice(stage, 'mark', directionOf(kind, against(side)), bps),
    priceAtoms: 0,
  });
  const attached = { stopLoss: apart('stop_loss', dice.integer(20, 60)), takeProfit: apart('take_profit', dice.integer(20, 60)) };
  const part = () => place(stage, taker, { side: against(side), terms: marketOf(dice.integer(1, lots)), leverageHundredths: 0 });
  const exit = { side: against(side), terms: marketOf(lots), reduceOnly: true, leverageHundredths: 0 };
  // Its bid is better than the entry's own rest, which the exit would otherwise meet.
  const counter: Terms = { kind: 'limit', priceAtoms: priceBeside(stage, side, -20), quantityAtoms: lots, postOnly: false };
  const ends = dice.chance(40) ? [place(stage, other, { side, terms: counter }), place(stage, account, exit), part()] : [];
  const moved = (Number(stage.market.index.price) * (10_000 + dice.one([-1, 1]) * dice.integer(20, 70))) / 10_000;
  return [place(stage, account, { side, terms: entry, attached, leverageHundredths: 0 }), part(), ...ends, price(stage, moved)];
};

/** Prices that reach a waiting order exactly, or miss it by a tick. */
export const reach: Move = (stage) => {
  const { dice, market, world } = stage;
  const live = world.waiting.filter((it) => it.market === market.ordinal && it.waitsSince > 0);
  if (live.length === 0) return [];
  const to = dice.one(live).triggerPrice + BigInt(dice.one([-1, 0, 0, 1]));
  const confirmations = market.specification.indexConfirmations + 1;
  const prices = Array.from({ length: dice.chance(70) ? 1 : confirmations }, () => price(stage, Number(to)));
  return dice.chance(20) ? [...prices, price(stage, Number(market.index.price))] : prices;
};

/** A quote at the price of an order that waits for the last trade, and a trade there; then the market goes on. */
export const tradeThrough: Move = (stage) => {
  const { dice, market, world } = stage;
  const awaited = world.waiting.filter((it) => it.market === market.ordinal && it.source === 'last' && it.waitsSince > 0);
  if (awaited.length === 0) return [];
  const { triggerPrice, direction } = dice.one<WaitingOrder>(awaited);
  const side: Side = direction === 'below' ? 'buy' : 'sell';
  const [maker, taker] = drawDistinct(stage, 2) as [number, number];
  const beyond = Number(triggerPrice) + (direction === 'below' ? -1 : 1) * dice.integer(-1, 3);
  const terms: Terms = { kind: 'limit', priceAtoms: beyond, quantityAtoms: 5, postOnly: false };
  return [
    place(stage, maker, { side, terms, leverageHundredths: 0 }),
    place(stage, taker, { side: against(side), terms: { ...terms, timeInForce: 'IOC' }, leverageHundredths: 0 }),
    dice.chance(50) ? { type: 'AdvanceMarket', market: market.ordinal } : price(stage, Number(market.index.price)),
  ];
};

/** Two positions of different sides close against each other while the index is stale: no order becomes due by that trade. */
export const staleTrade: Move = (stage) => {
  const { dice, market } = stage;
  const long = market.positions.find(({ base }) => base > 0n);
  const short = market.positions.find(({ base }) => base < 0n);
  if (long === undefined || short === undefined) return [];
  const [waiter] = drawDistinct(stage, 1) as [number];
  const now = Number(priceOf(market, 'last'));
  const [awaited, traded] = [Math.ceil(now * 1.001), Math.ceil(now * 1.004)];
  const trigger = {
    ...triggerOf(stage, 'trigger', 'buy', false),
    source: 'last',
    priceAtoms: awaited,
    direction: 'derived',
  } as const;
  const terms: Terms = { kind: 'limit', priceAtoms: traded, quantityAtoms: dice.integer(5, 20), postOnly: false };
  return [
    place(stage, waiter, { side: 'buy', terms: marketOf(5), trigger: { ...trigger, linkedClientOrderId: '' } }),
    {
      command: place(stage, long.account, { side: 'sell', terms, reduceOnly: true, leverageHundredths: 0 }),
      afterMs: market.specification.maxIndexAgeMs + 1,
    },
    { command: place(stage, short.account, { side: 'buy', terms, reduceOnly: true, leverageHundredths: 0 }), afterMs: 1 },
  ];
};

/** An order that triggers rests behind a later one at its price. */
export const restsBehind: Move = (stage) => {
  const { dice } = stage;
  const side = dice.one<Side>(['buy', 'sell']);
  const [early, late] = drawDistinct(stage, 2) as [number, number];
  const direction = side === 'buy' ? 'below' : 'above';
  const terms: Terms = { kind: 'limit', priceAtoms: priceBeside(stage, side, 60), quantityAtoms: 5, postOnly: false };
  const priceAtoms = awaitedPrice(stage, 'index', direction, 10);
  const trigger = { ...triggerOf(stage, 'trigger', side, false), source: 'index', direction, priceAtoms } as const;
  return [
    place(stage, early, { side, terms, leverageHundredths: 0, trigger: { ...trigger, linkedClientOrderId: '' } }),
    place(stage, late, { side, terms, leverageHundredths: 0 }),
    price(stage, priceAtoms),
  ];
};

/** Triggers of a wrong form, or at prices that no order may have. */
export const wrongTrigger: Move = (stage) => {
  const { dice, market } = stage;
  const position = drawPosition(stage);
  const [drawn] = drawDistinct(stage, 1) as [number];
  const side: Side = position !== undefined && position.base < 0n ? 'buy' : 'sell';
  const kind = dice.one(['stop_loss', 'trailing_stop'] as const);
  const trigger = { ...triggerOf(stage, kind, side, false), linkedClientOrderId: '' };
  const limit: Terms = { kind: 'limit', priceAtoms: Number(market.mark), quantityAtoms: 10, postOnly: true };
  const order = { side, terms: marketOf(10), reduceOnly: true, trigger };
  const now = Number(priceOf(market, trigger.source));
  const wrong = dice.one<Partial<OrderRequest>>([
    { trigger: { ...trigger, direction: 'below' } },
    { trigger: { ...trigger, trailingAtoms: 5, trailingBps: 5 } },
    { trigger: { ...trigger, trailingBps: 10_000 } },
    { trigger: { ...trigger, closePosition: true } },
    { trigger: { ...trigger, kind: 'trailing_stop', priceAtoms: 0, source: 'last', trailingAtoms: 5, trailingBps: 0 } },
    { trigger: { ...trigger, kind: 'trailing_stop', priceAtoms: 0, trailingAtoms: now + dice.integer(-1, 1), trailingBps: 0 } },
    { trigger: { ...trigger, kind: 'stop_loss', priceAtoms: now, trailingAtoms: 0, trailingBps: 0 } },
    { trigger: { ...trigger, kind: 'stop_loss', priceAtoms: 0, trailingAtoms: 0, trailingBps: 0 } },
    { trigger: { ...trigger, linkedClientOrderId: 'none' } },
    { terms: limit },
    { terms: { kind: 'band_limit', quantityAtoms: 10 } },
    { terms: marketOf(0) },
    { attached: {} },
    { leverageHundredths: 2_001 },
    {
      trigger: {
        ...trigger,
        kind: 'trigger',
        priceAtoms: market.specification.maxPriceAtoms + 1,
        trailingAtoms: 0,
        trailingBps: 0,
      },
    },
  ]);
  return [place(stage, position?.account ?? drawn, { ...order, ...wrong })];
};

/** More waiting orders of one account than a market permits, by an exit that many of them share. */
export const manyStops: Move = (stage) => {
  const { dice, market } = stage;
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const side: Side = position.base > 0n ? 'sell' : 'buy';
  const direction = directionOf('stop_loss', side);
  const levels = [30, 60].map((bps) => awaitedPrice(stage, 'mark', direction, bps));
  const entries = Array.from({ length: 24 }, () => ({
    market: market.ordinal,
    clientOrderId: stage.nextId(),
    side,
    terms: marketOf(1),
    reduceOnly: true,
    leverageHundredths: 0,
    trigger: { ...triggerOf(stage, 'stop_loss', side, false), source: 'mark' as const, priceAtoms: dice.one(levels) },
  }));
  return [{ type: 'PlaceOrders', account: position.account, entries, idempotencyKey: '' }];
};
