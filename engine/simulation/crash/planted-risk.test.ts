/** The auditor finds faults in liquidations and in the index, each alone, in the turns of a small crash. */
import { describe, expect, test } from 'vitest';
import type { EpochMs } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import { BANKRUPT, LIQUIDATED, MAKER, WINNER } from './testing/small-crash.ts';
import {
  both,
  edit,
  type Fault,
  findingIn,
  type Of,
  off,
  offCash,
  offLedger,
  type Tamper,
  TURNS,
  tampered,
  without,
} from './testing/tampering.ts';

function findsAll(faults: readonly Fault[]): void {
  test.each(faults)('finds %s', (_, tamper, check, description) => {
    const finding = findingIn(tampered(tamper));
    expect(finding?.message).toMatch(description);
    expect(finding?.check).toBe(check);
  });
}

describe('in liquidations', () => {
  /** Removes all that a turn does after its price. */
  const noLiquidation: Tamper = (turn) => ({
    ...turn,
    events: turn.events.slice(0, turn.events.findIndex(({ type }) => type === 'LiquidationStarted') >>> 0),
  });
  const hasCover = ({ kind }: Of<'CashPosted'>) => kind === 'insurance_cover';
  const takesFee = ({ account, kind }: Of<'CashPosted'>) => account === LIQUIDATED && kind === 'liquidation_fee';
  const takesLastFee = (event: Of<'CashPosted'>) => takesFee(event) && event.amountAtoms === -189_772_538;
  /** Starts a liquidation of a healthy account, with what its event must say. */
  const healthyLiquidation: Tamper = (turn) => {
    const start = turn.events.find((event) => event.type === 'LiquidationStarted');
    if (start === undefined || start.account !== BANKRUPT) return turn;
    const healthy = {
      ...start,
      account: WINNER as typeof start.account,
      position: 4 as typeof start.position,
      equityAtoms: 7_334_990_000 as typeof start.equityAtoms,
    };
    return { ...turn, events: turn.events.map((event) => (event === start ? healthy : event)) };
  };

  findsAll([
    ['a position that is due and not liquidated', noLiquidation, 'liquidation', /which is due, and is not liquidated/],
    [
      'a liquidation at a mark price that is not the market’s',
      off('LiquidationStarted', 'markPriceAtoms', -1),
      'liquidation',
      /uses a mark price of 390999, it is 391000/,
    ],
    ['a liquidation with another equity', off('LiquidationStarted', 'equityAtoms', -1), 'liquidation', /has an equity of/],
    [
      'a liquidation with another requirement',
      off('LiquidationStarted', 'maintenanceRequirementAtoms', 1),
      'liquidation',
      /requires \d+, the event says/,
    ],
    [
      'a mark price that is not that of index, book and last trade',
      off('MarketPriced', 'markPriceAtoms', 5_000, ({ markPriceAtoms }) => markPriceAtoms === 391_000),
      'mark',
      /has a mark price of 396000, at an index of 391000 it is 391000/,
    ],
    ['a liquidation of a healthy position', healthyLiquidation, 'liquidation', /account 4 has an equity of|account 4 is not due/],
    ['a liquidation of another episode', off('LiquidationStarted', 'position', 1), 'liquidation', /is of position 3, not of 2/],
    [
      'a liquidation at another bankruptcy price',
      off('LiquidationStarted', 'bankruptcyPriceAtoms', 1),
      'liquidation',
      /has its bankruptcy price at/,
    ],
    ['a cover of an atom more than needed', offCash(1, hasCover), 'liquidation', /was covered with 8897465, it needed 8897464/],
    [
      'a cover that falls short, and cash that pays for it',
      offCash(-1, hasCover),
      'liquidation',
      /was covered with 8897463, it needed 8897464/,
    ],
    [
      'a liquidation fee beyond its rate',
      offCash(-1, takesFee),
      'liquidation',
      /paid a liquidation fee of 4512039 instead of 4512038/,
    ],
    [
      'a liquidation fee beyond its rate that its position has',
      both(
        both(
          offCash(-1, takesLastFee),
          offLedger('insurance', 1, ({ amountAtoms }) => amountAtoms === 189_772_538),
        ),
        off('PositionChanged', 'feeAtoms', 1, ({ account, signedBaseAtoms }) => account === LIQUIDATED && signedBaseAtoms === 0),
      ),
      'settlement',
      /feeAtoms of position 3 is .*, expected/,
    ],
    [
      'margin that leaves before the end',
      offCash(
        1,
        ({ account, kind, amountAtoms }) => account === BANKRUPT && kind === 'margin_release' && amountAtoms === 143_279_536,
      ),
      'margin',
      /account 2 locked .*, its margin changed by/,
    ],
    [
      'a liquidation fee that was waived',
      without('CashPosted', takesFee),
      'liquidation',
      /paid a liquidation fee of 0 instead of 4512038/,
    ],
    [
      'a deleveraging at another price',
      both(
        edit(
          'TradeExecuted',
          (event) => [{ ...event, priceAtoms: event.priceAtoms + 1, notionalAtoms: event.notionalAtoms + event.quantityAtoms }],
          ({ origin }) => origin === 'auto_deleveraging',
        ),
        edit(
          'OrderFilled',
          (event) => [{ ...event, priceAtoms: event.priceAtoms + 1, notionalAtoms: event.notionalAtoms + event.quantityAtoms }],
          ({ order }) => order === 9,
        ),
      ),
      'deleveraging',
      /is at 392004, but its bankruptcy price is 392003/,
    ],
    [
      'a bankrupt position that moves as one that is deleveraged',
      edit(
        'PositionChanged',
        (event) => [{ ...event, cause: 'auto_deleveraging' }],
        ({ account, cause }) => account === BANKRUPT && cause === 'liquidation',
      ),
      'settlement',
      /was moved by auto_deleveraging, .* is of liquidation/,
    ],
    [
      'a deleveraging that costs a fee',
      off('OrderFilled', 'feeAtoms', 1, ({ order }) => order === 10),
      'fee',
      /paid a fee of 1, not 0/,
    ],
    [
      'a deleveraging that takes cash of its account',
      offCash(-8_000_000_000, ({ account, kind }) => account === WINNER && kind === 'realized_pnl'),
      'settlement',
      /account 4 was posted a PnL of .* which won/,
    ],
    [
      'a deleveraging of one that ranks lower',
      edit(
        'OrderFilled',
        (event) => [{ ...event, account: MAKER }],
        ({ order }) => order === 10,
      ),
      'deleveraging',
      /the deleveraging of account 1 comes before that of account 4, which ranks higher/,
    ],
    [
      'a deleveraging at a price that leaves the other bankrupt',
      off('OrderFilled', 'priceAtoms', 50_000, ({ order }) => order === 10),
      'deleveraging',
      /leaves it with an equity of/,
    ],
    [
      'a position closed though nothing is liquidated',
      without('LiquidationStarted'),
      'liquidation',
      /the venue's own, and nothing is liquidated/,
    ],
    [
      'deleveraging in a market without it',
      both(
        edit('MarketListed', (event) => [{ ...event, specification: { ...event.specification, autoDeleveraging: false } }]),
        (turn) =>
          turn.command.type === 'ListMarket'
            ? { ...turn, command: { ...turn.command, specification: { ...turn.command.specification, autoDeleveraging: false } } }
            : turn,
      ),
      'deleveraging',
      /in a market without auto-deleveraging/,
    ],
  ]);
});

describe('in the index', () => {
  /** Moves turns to a later time, and so to an older price. */
  const later =
    (type: VenueEvent['type'], ms: number): Tamper =>
    (turn) =>
      turn.events.some((event) => event.type === type) ? { ...turn, epochMs: (turn.epochMs + ms) as EpochMs } : turn;
  const lastTurn = TURNS.at(-1)!;
  const priced = ({ markPriceAtoms }: Of<'MarketPriced'>) => markPriceAtoms === 391_000;
  /** The order of the last turn is accepted and cancelled instead of refused. */
  const openedWithoutIndex: Tamper = (turn) => {
    if (turn !== lastTurn || turn.command.type !== 'PlaceOrder') return turn;
    const accepted = TURNS.flatMap(({ events }) => events).findLast((event) => event.type === 'OrderAccepted')!;
    const { type: _, ...order } = turn.command;
    return { ...turn, events: [{ ...accepted, ...order, order: (accepted.order + 1) as typeof accepted.order } as VenueEvent] };
  };

  findsAll([
    [
      'a price without a publication',
      off('MarketPriced', 'indexPriceAtoms', 1),
      'index',
      /uses an index of 400001 .*, its observations give 400000/,
    ],
    [
      'a price under another date',
      off('MarketPriced', 'observedAtEpochMs', 50),
      'index',
      /uses an index of 400000 of 1621425559950 .*, its observations give 400000 of 1621425559900/,
    ],
    ['a price that is too old', later('MarketPriced', 31_000), 'index', /\(current\), its observations give 0 of 0 \(stale\)/],
    [
      'a jump that is used at once',
      edit(
        'MarketPriced',
        (event) => [
          {
            ...event,
            indexPriceAtoms: 360_000,
            markPriceAtoms: 360_000,
            observedAtEpochMs: event.observedAtEpochMs + 10_000,
            indexStatus: 'current',
          },
        ],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      'index',
      /uses an index of 360000 .*, its observations give 387000 .* \(unconfirmed\)/,
    ],
    [
      'an index that stays current after a jump',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'current' }],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      'index',
      /uses an index of 387000 .* \(current\), .* \(unconfirmed\)/,
    ],
    [
      'an index that is not current without a reason',
      edit('MarketPriced', (event) => [{ ...event, indexStatus: 'stale' }], priced),
      'index',
      /uses an index of 391000 .* \(stale\), .* \(current\)/,
    ],
    [
      'an index that is unconfirmed without a jump',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'unconfirmed' }],
        ({ indexPriceAtoms }) => indexPriceAtoms === 400_003,
      ),
      'index',
      /uses an index of 400003 .* \(unconfirmed\), .* \(current\)/,
    ],
    ['an order that opens without an index', openedWithoutIndex, 'index', /order 16 opens in market 1, .* index that is stale/],
  ]);
});

/** The turns with the liquidation moved behind the outage: everything that a turn does after its price happens without an index. */
const inOutage = (type: 'LiquidationStarted' | 'FundingSettled', command: 'AdvanceMarket' | 'PublishIndexPrice') => {
  const event = TURNS.flatMap(({ events }) => events).find((event) => event.type === type)!;
  const last = TURNS.at(-1)!;
  const sent =
    command === 'AdvanceMarket'
      ? { type: command, market: 1 }
      : { type: command, market: 1, priceAtoms: 358_000, observedAtEpochMs: last.epochMs - 60_000 };
  const turn = {
    ...last,
    command: sent,
    events: command === 'AdvanceMarket' ? [event] : [event, { ...PRICED, indexStatus: 'stale' }],
  };
  return [...TURNS.slice(0, -1), turn] as unknown as typeof TURNS;
};
const PRICED = TURNS.flatMap(({ events }) => events).findLast((event) => event.type === 'MarketPriced')!;

test('finds a liquidation without an index', () => {
  const finding = findingIn(inOutage('LiquidationStarted', 'AdvanceMarket'));
  expect(finding?.message).toMatch(/the liquidation of account 2 began in a market that is open with an index that is stale/);
});

test('finds a funding period that ends without an index', () => {
  const finding = findingIn(inOutage('FundingSettled', 'PublishIndexPrice'));
  expect(finding?.message).toMatch(/period 1 of market 1 ended though the market settles no funding now/);
});
