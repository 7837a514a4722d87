/** Counts which rules have decided something, so that worlds in which a rule never matters are noticed. */
import { liquidationPriceOf, STEPS } from '#oracle/equity.ts';
import { fundBudgetOf } from '#oracle/fund-budget.ts';
import { isCrowded, openInterestOf } from '#oracle/open-interest.ts';
import type { Fact, World } from '#oracle/world.ts';
import { TRIGGER_RULES } from './trigger-occurrences.ts';
import { some, type Test, type Turn } from './turn-tests.ts';

function posted(kind: string, sign: 1 | -1): Test {
  return ({ after }) =>
    Object.entries(after.postings).some(([name, amount]) => name.endsWith(kind) && amount * BigInt(sign) > 0n);
}

const CANCEL_REASONS = [
  'user',
  'self_trade',
  'reduce_only',
  'no_liquidity',
  'price_band',
  'margin_unbacked',
  'bankruptcy_price',
  'liquidation',
  'immediate_or_cancel',
  'fill_or_kill',
  'expired',
  'cancel_all_after',
  'trigger_refused',
  'position_ended',
  'entry_ended',
  'linked_order',
];

const REFUSALS = [
  'account_not_found',
  'account_not_enabled',
  'duplicate_client_order_id',
  'index_not_current',
  'insufficient_cash',
  'expiry_out_of_bounds',
  'margin_required',
  'position_not_found',
  'quantity_already_filled',
  'insufficient_margin',
  'leverage_too_high',
  'market_not_found',
  'market_not_open',
  'market_reduce_only',
  'market_transition_invalid',
  'notional_too_small',
  'nothing_to_advance',
  'order_not_found',
  'order_not_open',
  'post_only_would_cross',
  'price_out_of_band',
  'price_out_of_bounds',
  'quantity_out_of_bounds',
  'reduce_only_would_increase',
  'linked_order_not_waiting',
  'market_busy',
  'market_invalid',
  'timeout_out_of_bounds',
  'too_many_open_orders',
  'trigger_invalid',
  'trigger_reached',
  'transfer_to_itself',
  'withdrawal_not_found',
];

const isPositive = (value: unknown) => typeof value === 'bigint' && value > 0n;
const isNegative = (value: unknown) => typeof value === 'bigint' && value < 0n;

const RULES: Readonly<Record<string, Test>> = {
  ...Object.fromEntries(
    CANCEL_REASONS.map((reason) => [`cancel: ${reason}`, some('OrderCancelled', (it) => it.reason === reason)]),
  ),
  ...Object.fromEntries(
    REFUSALS.map((code) => [
      `refusal: ${code}`,
      ({ facts }: Turn) => facts.some((it) => it.type.endsWith('Refused') && it.code === code),
    ]),
  ),
  'an amended order that keeps its place': some('OrderAmended', (it) => it.keepsPlace === true),
  'an amended order that is placed again': some('OrderAmended', (it) => it.keepsPlace === false),
  ...TRIGGER_RULES,
  'a leverage that an account chooses': some('LeverageSet'),
  'a margin that is added': some('PositionMarginAdjusted', (it) => isPositive(it.addedAtoms)),
  'a margin that is removed': some('PositionMarginAdjusted', (it) => isNegative(it.addedAtoms)),
  'money that the fund receives': some('FundMoved', (it) => isPositive(it.amountAtoms)),
  'a fee': some('OrderFilled', (it) => isPositive(it.feeAtoms)),
  'a rebate': some('OrderFilled', (it) => isNegative(it.feeAtoms)),
  'a flip': ({ facts }) =>
    facts.some((it, index) => {
      const next = facts[index + 1];
      return (
        next?.type === 'PositionChanged' &&
        it.type === 'PositionChanged' &&
        next.account === it.account &&
        next.trade === it.trade
      );
    }),
  'a partial close': some('PositionChanged', (it) => it.signedBaseAtoms !== 0n && it.realizedPnlAtoms !== 0n),
  'a reduce-only order that is cut before it rests': some('OrderReduced', (it) => it.wasResting === false),
  'a resting reduce-only order that is cut': some('OrderReduced', (it) => it.wasResting === true),
  'an initial margin that a tier raises': some('OrderAccepted', (it) => it.initialMarginBps !== 500n && it.origin === 'client'),
  'an initial margin of 100 %': some('OrderAccepted', (it) => it.initialMarginBps === 10_000n),
  'an order by notional that rests': some(
    'OrderAccepted',
    (it) => Object.hasOwn(it.terms as object, 'postOnly') && Object.hasOwn(it.terms as object, 'notionalAtoms'),
  ),
  'a jump that waits for confirmations': some('MarketPriced', (it) => it.indexStatus === 'unconfirmed'),
  'a mark beside the index': some('MarketPriced', (it) => it.markPriceAtoms !== it.indexPriceAtoms),
  'a rate that longs pay': some('FundingSettled', (it) => isPositive(it.perLotMicroAtoms)),
  'a rate that shorts pay': some('FundingSettled', (it) => isNegative(it.perLotMicroAtoms)),
  'funding that is paid': some('FundingPaid', (it) => isPositive(it.paidAtoms)),
  'funding that is received': some('FundingPaid', (it) => isNegative(it.paidAtoms)),
  'a liquidation in the book': some('TradeExecuted', (it) => it.origin === 'liquidation'),
  'a deleveraging': some('TradeExecuted', (it) => it.origin === 'auto_deleveraging'),
  'a deleveraging before bankruptcy': ({ facts }) =>
    facts.some(
      (it, index) => it.origin === 'auto_deleveraging' && it.type === 'TradeExecuted' && !isNegative(equityBefore(facts, index)),
    ),
  'a liquidation fee': posted('liquidation_fee', -1),
  'a loss that the fund pays': posted('insurance_cover', 1),
  'a claw-back': posted('insurance_cover', -1),
  'a loss that nothing covers': posted('deficit_cover', 1),
  'a liquidation fee that is carried': ({ after }) => anyPosition(after, (it) => it.unpaidLiquidation > 0n),
  'a position that waits for another price': ({ after }) => after.markets.some(({ parked }) => parked.length > 0),
  'a position that waits for an earlier step than its deleveraging': ({ after }) =>
    after.markets.some(({ parked }) => parked.some(({ nextStep }) => nextStep > 0n && nextStep < STEPS)),
  'a position that waits no longer': ({ before, after }) =>
    before.markets.some(({ parked }, index) => parked.length > after.markets[index]!.parked.length),
  'work for the next turn': some('MarketWorkPending'),
  'a second day of the budget': ({ before, after }) =>
    before.markets.some(({ fundUse }, index) => fundUse.day !== 0n && fundUse.day !== after.markets[index]!.fundUse.day),
  'a budget that is nearly used up': ({ after }) =>
    after.markets.some((market) => fundBudgetOf(after, market) * 5n < market.fundUse.spent),
  'a timer that is set again': ({ before, facts }) =>
    facts.some((it) => it.type === 'CancelAllAfterSet' && it.deadlineEpochMs !== 0n && before.timers.some(isTimerOf(it))),
  'a timer that is turned off': ({ before, facts }) =>
    facts.some((it) => it.type === 'CancelAllAfterSet' && it.deadlineEpochMs === 0n && before.timers.some(isTimerOf(it))),
  'a timer that fires although it is set again': ({ facts }) =>
    facts.some(({ type }) => type === 'CancelAllAfterFired') && facts.some(({ type }) => type === 'CancelAllAfterSet'),
  'a timer of all markets that cancels': ({ facts }) =>
    facts.some((it) => it.type === 'CancelAllAfterFired' && it.market === 0) &&
    facts.some((it) => it.type === 'OrderCancelled' && it.reason === 'cancel_all_after'),
  'an update with open positions': ({ before, facts }) =>
    facts.some((it) => it.type === 'MarketUpdated' && before.markets[(it.market as number) - 1]!.positions.length > 0),
  'an update of the tiers that changes a liquidation price': ({ before, after, facts }) =>
    facts.some((it) => it.type === 'MarketUpdated' && changesLiquidation(before, after, (it.market as number) - 1)),
  'an update that positions refuse': some('CommandRefused', (it) => it.code === 'market_busy' && it.bound !== 0n),
  'an update of the taker fee that orders refuse': ({ before, facts }) =>
    facts.some((it) => it.type === 'CommandRefused' && it.code === 'market_busy' && it.bound === 0n) && before.orders.length > 0,
  'an initial margin that the open interest raises': ({ before, facts }) =>
    facts.some((it) => it.type === 'OrderAccepted' && it.origin === 'client' && isRaised(before, it)),
  'an initial margin at the upper bound of the open interest': ({ before, facts }) =>
    facts.some(
      (it) => it.type === 'OrderAccepted' && it.initialMarginBps === 10_000n && it.reduceOnly === false && isRaised(before, it),
    ),
  'a withdrawal that is released': some('WithdrawalReleased'),
  'a withdrawal that is settled': some('WithdrawalSettled'),
};

function isTimerOf(fact: Fact): (timer: World['timers'][number]) => boolean {
  return ({ account, market }) => account === fact.account && market === fact.market;
}

function isRaised({ markets }: World, { market: ordinal }: Fact): boolean {
  const market = markets[(ordinal as number) - 1]!;
  return isCrowded(market.specification, openInterestOf(market));
}

function changesLiquidation(before: World, after: World, index: number): boolean {
  const [was, is] = [before.markets[index]!, after.markets[index]!];
  return was.positions.some((it, at) => liquidationPriceOf(was, it) !== liquidationPriceOf(is, is.positions[at]!));
}

/** The equity of the position whose liquidation a fact belongs to. */
function equityBefore(facts: readonly Fact[], index: number): unknown {
  return facts.slice(0, index).findLast(({ type }) => type === 'LiquidationStarted')?.equityAtoms;
}

function anyPosition(world: World, matches: (position: World['markets'][number]['positions'][number]) => boolean): boolean {
  return world.markets.some(({ positions }) => positions.some(matches));
}

export class Occurrences {
  readonly counts = new Map(Object.keys(RULES).map((rule) => [rule, 0]));

  note(turn: Turn): void {
    for (const [rule, occurs] of Object.entries(RULES)) if (occurs(turn)) this.counts.set(rule, this.counts.get(rule)! + 1);
  }

  /** The rules that have decided nothing. */
  get missing(): string[] {
    return [...this.counts].filter(([, count]) => count === 0).map(([rule]) => rule);
  }
}
