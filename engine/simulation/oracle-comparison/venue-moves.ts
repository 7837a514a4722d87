/** Prices, status changes and money of a random world. */
import type { Command, Specification } from '#oracle/command.ts';
import type { Move, Stage, Step } from './order-moves.ts';

/** An index price; `observedAtEpochMs` is filled in when it is published. */
const NOW = -1;
const LOWEST = 300;

type Tier = Specification['maintenanceMarginTiers'][number];

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

/** A timer that is set, set again or turned off; and often the end of what is due. A timeout may be out of bounds. */
export const setTimer: Move = ({ dice, market, world, accounts }) => {
  const on = world.timers.length > 0 && dice.chance(40) ? dice.one(world.timers) : undefined;
  const timeoutMs = dice.one([0, 999, 1_000, 1_000, 3_000, 3_000, 20_000, 86_400_001]);
  const account = on?.account ?? dice.integer(1, accounts);
  const of = on?.market ?? dice.one([0, market.ordinal, market.ordinal, dice.chance(90) ? 0 : 9]);
  const set: Step = { command: { type: 'SetCancelAllAfter', account, market: of, timeoutMs } };
  const end: Step = { command: { type: 'EndDueOrders' }, afterMs: dice.one([1, 999, 1_000, 3_000, 5_000]) };
  return dice.chance(60) ? [set, end] : [set];
};

/** Rates just below the initial margin: positions at the highest leverage fall below them soon. */
function raisedTiers({ maintenanceMarginTiers }: Specification, firstBps: number): Specification['maintenanceMarginTiers'] {
  const [first, second, ...rest] = maintenanceMarginTiers as [Tier, Tier, ...Tier[]];
  return [{ ...first, maintenanceMarginBps: firstBps }, { ...second, maintenanceMarginBps: 600 }, ...rest];
}

export function raise({ dice, market }: Stage, firstBps = dice.integer(400, 499)): Command {
  const maintenanceMarginTiers = raisedTiers(market.specification, firstBps);
  return { type: 'UpdateMarket', market: market.ordinal, specification: { ...market.specification, maintenanceMarginTiers } };
}

/** Another specification: a valid one, one that changes what a listing fixes, or one that no market may have. */
export const update: Move = ({ dice, market, accounts }) => {
  const { specification: now } = market;
  const [first, second, ...rest] = now.maintenanceMarginTiers as [Tier, Tier, ...Tier[]];
  const firstBps = dice.one([first.maintenanceMarginBps, dice.integer(200, 330)]);
  const interest = accounts * Number(market.mark) * dice.integer(1, 4_000);
  const changed = dice.one<Partial<Specification>>([
    { takerFeeBps: dice.one([5, 50, 100]) },
    { makerFeeBps: dice.integer(-now.takerFeeBps, now.takerFeeBps) },
    { maintenanceMarginTiers: [{ ...first, maintenanceMarginBps: firstBps }, second, ...rest] },
    { maintenanceMarginTiers: [{ ...first, maintenanceMarginBps: dice.integer(180, 332) }, second, ...rest] },
    { maintenanceMarginTiers: [first, { ...second, notionalThresholdAtoms: second.notionalThresholdAtoms * 2 }, ...rest] },
    { maintenanceMarginTiers: raisedTiers(now, dice.integer(300, 499)) },
    { maintenanceMarginTiers: raisedTiers(now, dice.integer(400, 499)) },
    { maxLeverageX: dice.one([10, 20]) },
    { openInterest: { lowerAtoms: interest, upperAtoms: interest * dice.integer(1, 20) } },
    { openInterest: { lowerAtoms: dice.one([-1, 0, interest]), upperAtoms: interest } },
    { liquidationFeeBps: dice.integer(0, 210) },
    { maxIndexJumpBps: dice.one([500, 1_000, 5_000]), indexConfirmations: dice.integer(1, 3) },
    { maxIndexAgeMs: dice.one([30_000, 60_000]) },
    { markBandBps: dice.integer(10, 55) },
    { priceBandBps: dice.integer(990, 2_000) },
    { impactNotionalAtoms: now.impactNotionalAtoms * 2 },
    { maxQuantityAtoms: now.maxQuantityAtoms - 1 },
    { premiumSampleMs: dice.one([5_000, 10_000]) },
    { minPriceAtoms: now.minPriceAtoms + 1 },
    { maxPriceAtoms: now.maxPriceAtoms - 1 },
    { fundingPeriodMs: 120_000 },
    { autoDeleveraging: !now.autoDeleveraging },
    { quantityScale: now.quantityScale + 1 },
    { marketId: 'OTHER-USD-PERP' },
  ]);
  const { openInterest: _, ...unbounded } = now;
  const specification = { ...(dice.chance(80) ? now : unbounded), ...changed };
  return [{ type: 'UpdateMarket', market: dice.chance(97) ? market.ordinal : 9, specification }];
};

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
