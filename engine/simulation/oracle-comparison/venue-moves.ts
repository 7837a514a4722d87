/** Prices, status changes and money of a random world. */
import type { Command } from '#oracle/command.ts';
import type { Move, Stage } from './order-moves.ts';

/** An index price; `observedAtEpochMs` is filled in when it is published. */
const NOW = -1;
const LOWEST = 300;

export function price({ market }: Stage, priceAtoms: number, observedAtEpochMs = NOW): Command {
  const bounded = Math.max(LOWEST, Math.min(market.specification.maxPriceAtoms - 1_000, Math.round(priceAtoms)));
  return { type: 'PublishIndexPrice', market: market.ordinal, priceAtoms: bounded, observedAtEpochMs };
}

/** A price that is observed at the time of its command. */
export function observed(command: Command, epochMs: number): Command {
  return command.type === 'PublishIndexPrice' && command.observedAtEpochMs === NOW
    ? { ...command, observedAtEpochMs: epochMs }
    : command;
}

export const walk: Move = (stage) => {
  const bps = stage.dice.one([20, 60, 60, 300]);
  return [price(stage, (Number(stage.market.index.price) * (10_000 + stage.dice.integer(-bps, bps))) / 10_000)];
};

/** A jump, which the market confirms; a price of the way back may interrupt it. */
export const jump: Move = (stage) => {
  const { dice, market } = stage;
  const from = Number(market.index.price);
  const to = (from * dice.one([dice.integer(70, 97), dice.integer(103, 135), dice.integer(40, 220)])) / 100;
  const confirmations = market.specification.indexConfirmations + 1;
  const prices = Array.from({ length: confirmations }, () => price(stage, to));
  return dice.chance(10) ? [prices[0]!, price(stage, from), ...prices] : prices;
};

/** Small steps in one direction: what is due is liquidated before it is bankrupt. */
export const slide: Move = (stage) => {
  const step = stage.dice.one([-80, -40, 40, 80]);
  const from = Number(stage.market.index.price);
  return Array.from({ length: stage.dice.integer(2, 5) }, (_, index) => price(stage, from * (1 + (step * (index + 1)) / 10_000)));
};

/** Observations that move nothing: old, out of order, out of bounds. */
export const stray: Move = (stage) => {
  const { dice, market, world } = stage;
  const at = Number(market.index.observedAt);
  return [
    dice.one<Command>([
      price(stage, Number(market.index.price), at),
      price(stage, Number(market.index.price), at - 1),
      price(stage, Number(market.index.price), Number(world.now) + 100_000),
      { type: 'PublishIndexPrice', market: market.ordinal, priceAtoms: 0, observedAtEpochMs: NOW },
      { type: 'PublishIndexPrice', market: 7, priceAtoms: 1, observedAtEpochMs: NOW },
    ]),
  ];
};

export const advance: Move = ({ dice, market }) => [{ type: 'AdvanceMarket', market: dice.chance(95) ? market.ordinal : 5 }];

export const endDueOrders: Move = () => [{ type: 'EndDueOrders' }];

/** The market stops for a few commands. The caller opens it again, see `reopen`. */
export const stop: Move = ({ dice, market }) => [
  {
    type: 'SetMarketStatus',
    market: dice.chance(95) ? market.ordinal : 8,
    status: dice.one(['reduce_only', 'cancel_only', 'closed']),
  },
];

export const reopen: Move = ({ market }) => [{ type: 'SetMarketStatus', market: market.ordinal, status: 'open' }];

/** Cash into a position, or margin out of it. */
export const adjustMargin: Move = ({ dice, market, world, accounts }) => {
  const position = market.positions.length > 0 && dice.chance(90) ? dice.one(market.positions) : undefined;
  const account = position?.account ?? dice.integer(1, accounts);
  const amountAtoms = Math.floor((Number(position?.margin ?? world.now) * dice.integer(-2, 60)) / 100);
  return [{ type: 'AdjustPositionMargin', account, market: market.ordinal, direction: dice.one(['add', 'remove']), amountAtoms }];
};

export const moveMoney: Move = ({ dice, world, accounts, maxLots }) => {
  const account = dice.integer(1, accounts);
  const amountAtoms = dice.integer(dice.chance(5) ? -1 : 1, maxLots * dice.one([10, 500, 4_000]));
  const withdrawal = dice.integer(1, world.lastWithdrawal + 1);
  return [
    dice.one<Command>([
      { type: 'CreditCash', account, amountAtoms, reference: 'test' },
      { type: 'CreditInsurance', amountAtoms, reference: 'test' },
      { type: 'TransferCash', account, to: dice.integer(1, accounts), amountAtoms, reference: 'test' },
      { type: 'DebitCash', account, amountAtoms, reference: 'test' },
      { type: 'ReserveWithdrawal', account, amountAtoms, destination: 'test' },
      { type: 'ReleaseWithdrawal', withdrawal },
      { type: 'SettleWithdrawal', withdrawal },
    ]),
  ];
};
