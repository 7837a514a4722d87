/** Orders and cancels of a random world. They read the oracle's world to be near its prices and positions. */
import type { Command, InForce, OrderRequest, Side, Terms } from '#oracle/command.ts';
import type { Market, Position, World } from '#oracle/world.ts';
import type { Dice } from './dice.ts';

/** What every move draws from. */
export interface Stage {
  readonly dice: Dice;
  readonly world: World;
  readonly market: Market;
  readonly accounts: number;
  readonly maxLots: number;
  readonly nextId: () => string;
}

/** A command, perhaps at a fixed time after the one before it. */
export interface Step {
  readonly command: Command;
  readonly afterMs?: number;
}

export type Move = (stage: Stage) => readonly (Command | Step)[];

/** In hundredths, at most the highest leverage of the worlds. */
const LEVERAGES = [0, 0, 0, 2_000, 1_000, 300, 100];

export function place(
  stage: Stage,
  account: number,
  order: Partial<OrderRequest> & Pick<OrderRequest, 'side' | 'terms'>,
): Command {
  return { type: 'PlaceOrder', account, ...requestOf(stage, order), idempotencyKey: '' };
}

function requestOf(
  { dice, market, nextId }: Stage,
  order: Partial<OrderRequest> & Pick<OrderRequest, 'side' | 'terms'>,
): OrderRequest {
  return { market: market.ordinal, clientOrderId: nextId(), reduceOnly: false, leverageHundredths: leverageIn(dice), ...order };
}

/** Half of those that are set have a fraction. */
function leverageIn(dice: Dice): number {
  const leverage = dice.one(LEVERAGES);
  return leverage === 0 || dice.chance(50) ? leverage : dice.integer(100, 2_000);
}

function accountIn({ dice, accounts }: Stage): number {
  return dice.integer(1, accounts);
}

function sideIn({ dice }: Stage): Side {
  return dice.one<Side>(['buy', 'sell']);
}

export function lotsIn({ dice, maxLots }: Stage): number {
  return dice.integer(1, dice.one([30, Math.ceil(maxLots / 20), maxLots]));
}

/** A price so many basis points from the mark, to the passive side if positive. */
export function priceBeside({ market }: Stage, side: Side, passiveBps: number): number {
  const mark = Number(market.mark);
  const price = Math.round(mark + ((side === 'buy' ? -1 : 1) * mark * passiveBps) / 10_000);
  return Math.max(1, Math.min(market.specification.maxPriceAtoms, price));
}

function limitOf(stage: Stage, side: Side, passiveBps: number, lots = lotsIn(stage)): Terms {
  const { dice } = stage;
  const priceAtoms = priceBeside(stage, side, passiveBps);
  return { kind: 'limit', priceAtoms, quantityAtoms: lots, postOnly: dice.chance(5), ...inForceOf(stage) };
}

/** How long an order waits: mostly until it is cancelled. An expiry may be out of bounds. */
function inForceOf({ dice, world }: Stage): InForce {
  if (dice.chance(85)) return {};
  const timeInForce = dice.one(['IOC', 'FOK', 'GTD'] as const);
  if (timeInForce !== 'GTD') return { timeInForce };
  return { timeInForce, expiresAtEpochMs: Number(world.now) + dice.one([900, 3_000, 20_000, 90_000, 91 * 86_400_000]) };
}

/** A limit order near the mark, mostly passive. */
export const quote: Move = (stage) => {
  const side = sideIn(stage);
  const distance = stage.dice.chance(60) ? stage.dice.integer(-10, 60) : stage.dice.integer(-1_100, 950);
  return [place(stage, accountIn(stage), { side, terms: limitOf(stage, side, distance) })];
};

/** Quotes of one account on several levels, in one batch. */
export const ladder: Move = (stage) => {
  const side = sideIn(stage);
  const entries = Array.from({ length: stage.dice.integer(1, 5) }, (_, level) =>
    requestOf(stage, { side, terms: limitOf(stage, side, 5 + level * 25), reduceOnly: stage.dice.chance(10) }),
  );
  return [{ type: 'PlaceOrders', account: accountIn(stage), entries, idempotencyKey: '' }];
};

export const take: Move = (stage) => {
  const { dice, maxLots } = stage;
  const lots = lotsIn(stage);
  const notional = dice.integer(1, maxLots * 1_500);
  const terms = dice.one<Terms>([
    { kind: 'market', quantityAtoms: lots },
    { kind: 'market', quantityAtoms: lots },
    { kind: 'band_limit', quantityAtoms: lots, ...inForceOf(stage) },
    { kind: 'market_notional', notionalAtoms: notional },
    { kind: 'band_notional', notionalAtoms: notional, ...inForceOf(stage) },
  ]);
  return [place(stage, accountIn(stage), { side: sideIn(stage), terms, reduceOnly: dice.chance(10) })];
};

/** A reduce-only order of an account with a position, perhaps larger than the position. */
export const reduce: Move = (stage) => {
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const size = Math.abs(Number(position.base));
  const side: Side = position.base > 0n ? 'sell' : 'buy';
  const lots = Math.min(
    stage.market.specification.maxQuantityAtoms,
    Math.max(1, Math.ceil((size * stage.dice.integer(10, 120)) / 100)),
  );
  const terms = stage.dice.chance(70) ? limitOf(stage, side, stage.dice.integer(-5, 80), lots) : marketOf(lots);
  return [place(stage, position.account, { side, terms, reduceOnly: true })];
};

/** Closes a position, or turns it around. */
export const exit: Move = (stage) => {
  const position = drawPosition(stage);
  if (position === undefined) return [];
  const lots = Math.ceil((Math.abs(Number(position.base)) * stage.dice.integer(50, 200)) / 100);
  const side: Side = position.base > 0n ? 'sell' : 'buy';
  return [place(stage, position.account, { side, terms: marketOf(Math.min(lots, stage.market.specification.maxQuantityAtoms)) })];
};

export const cancel: Move = ({ dice, world, accounts }) => {
  const open = [...world.orders, ...world.waiting];
  const order = open.length > 0 ? dice.one(open) : undefined;
  const account = order !== undefined && dice.chance(85) ? order.account : dice.integer(1, accounts);
  const named = order !== undefined && dice.chance(90) ? order.order : dice.integer(0, world.lastOrder + 2);
  if (dice.chance(70)) return [{ type: 'CancelOrder', account, order: named }];
  const own = open.filter((it) => it.account === account).map((it) => it.order);
  return [{ type: 'CancelOrders', account, orders: [...own.slice(0, dice.integer(0, 6)), named] }];
};

/** A change of an open order: of its price, of its quantity, or of neither. */
export const amend: Move = (stage) => {
  const { dice, world, accounts } = stage;
  if (world.orders.length === 0) return [];
  const entries = Array.from({ length: dice.integer(1, 3) }, () => {
    const order = dice.one(world.orders);
    const waiting = world.waiting.length > 0 && dice.chance(5) ? dice.one(world.waiting) : order;
    const quantity = Number(order.filled + order.remaining);
    const priceAtoms = dice.chance(50) ? 0 : priceBeside(stage, order.side, dice.integer(-20, 80));
    const quantityAtoms = dice.chance(40) ? 0 : Math.ceil((quantity * dice.integer(10, 150)) / 100);
    return { market: dice.chance(95) ? order.market : 9, order: waiting.order, priceAtoms, quantityAtoms };
  });
  const first = [...world.orders, ...world.waiting].find(({ order }) => order === entries[0]!.order)!;
  const account = dice.chance(90) ? first.account : dice.integer(1, accounts);
  return dice.chance(70) ? [{ type: 'AmendOrder', account, ...entries[0]! }] : [{ type: 'AmendOrders', account, entries }];
};

export const chooseLeverage: Move = (stage) => {
  const { dice, market } = stage;
  return [
    {
      type: 'SetLeverage',
      account: accountIn(stage),
      market: dice.chance(90) ? market.ordinal : 7,
      leverageHundredths: dice.chance(50) ? dice.one([0, 100, 300, 1_500, 2_000, 2_001, 2_500]) : dice.integer(100, 2_000),
    },
  ];
};

/** Orders that break a rule of their form. */
export const blunder: Move = (stage) => {
  const { dice, market, world } = stage;
  const side = sideIn(stage);
  const terms = limitOf(stage, side, 10);
  const { maxPriceAtoms, maxQuantityAtoms } = market.specification;
  const limit = (priceAtoms: number, quantityAtoms = 10): Terms => ({
    kind: 'limit',
    priceAtoms,
    quantityAtoms,
    postOnly: false,
  });
  const used = world.clientOrderIds.at(-1);
  const wrong: Partial<OrderRequest> = dice.one<Partial<OrderRequest>>([
    { terms: limit(0) },
    { terms: limit(maxPriceAtoms + 1) },
    { terms: limit(Number(market.mark), 0) },
    { terms: limit(Number(market.mark), maxQuantityAtoms + 1) },
    { terms: { kind: 'market', quantityAtoms: maxQuantityAtoms + 1 } },
    { terms: { kind: 'market_notional', notionalAtoms: 0 } },
    { terms: { kind: 'band_notional', notionalAtoms: 2 ** 48 } },
    { leverageHundredths: 2_001 },
    { market: 9 },
    ...(used === undefined ? [] : [{ clientOrderId: used.id }]),
  ]);
  const account = used !== undefined && wrong.clientOrderId !== undefined ? used.account : accountIn(stage);
  return [place(stage, dice.chance(90) ? account : dice.integer(0, 99), { side, terms, ...wrong })];
};

export function marketOf(quantityAtoms: number): Terms {
  return { kind: 'market', quantityAtoms };
}

export function drawPosition({ dice, market }: Stage): Position | undefined {
  return market.positions.length === 0 ? undefined : dice.one(market.positions);
}

export function drawDistinct({ dice, accounts }: Stage, count: number): number[] {
  const drawn: number[] = [];
  while (drawn.length < count) {
    const account = dice.integer(1, accounts);
    if (!drawn.includes(account)) drawn.push(account);
  }
  return drawn;
}
