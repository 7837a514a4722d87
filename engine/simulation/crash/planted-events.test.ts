/** Every checker, alone, finds the faults that are its own: the turns of a small crash with one thing in them changed. */
import { describe, expect, test } from 'vitest';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { Bookkeeper, BooksDiffer } from './bookkeeper.ts';
import { FundingDiffers, FundingKeeper } from './funding-keeper.ts';
import { IndexIgnored, IndexWatch } from './index-watch.ts';
import { LiquidationWatch, LiquidationWrong } from './liquidation-watch.ts';
import { OrderKeeper, OrdersDiffer } from './order-keeper.ts';
import { BANKRUPT, BIDDER, LIQUIDATED, type RecordedTurn, SMALL_MARKETS, smallCrash, WINNER } from './testing/small-crash.ts';

type Type = VenueEvent['type'];
type Of<Name extends Type> = Extract<VenueEvent, { type: Name }>;
type Tamper = (turn: RecordedTurn) => RecordedTurn;
type Fault = readonly [name: string, tamper: Tamper, says: RegExp];

const TURNS = smallCrash();

/** What an edit makes of an event: others in its place, or none. */
function edit<Name extends Type>(
  type: Name,
  change: (event: Of<Name>) => readonly object[],
  which: (event: Of<Name>) => boolean = () => true,
): Tamper {
  return (turn) => ({
    ...turn,
    events: turn.events.flatMap((event) =>
      event.type === type && which(event as Of<Name>) ? (change(event as Of<Name>) as VenueEvent[]) : [event],
    ),
  });
}

/** Adds to a number of an event. */
function off<Name extends Type>(
  type: Name,
  field: keyof Of<Name> & string,
  by: number,
  which?: (event: Of<Name>) => boolean,
): Tamper {
  return edit(type, (event) => [{ ...event, [field]: (event[field] as number) + by }], which);
}

function without<Name extends Type>(type: Name, which?: (event: Of<Name>) => boolean): Tamper {
  return edit(type, () => [], which);
}

function twice<Name extends Type>(type: Name, which?: (event: Of<Name>) => boolean): Tamper {
  return edit(type, (event) => [event, event], which);
}

/** One edit after the other: a fault that contradicts nothing at first sight. */
function both(first: Tamper, second: Tamper): Tamper {
  return (turn) => second(first(turn));
}

/** Turns with one fault in them, which must really be there. */
function tampered(tamper: Tamper): RecordedTurn[] {
  const turns = TURNS.map(tamper);
  expect(turns).not.toEqual(TURNS);
  return turns;
}

const isOf = (account: number) => (event: { account: number }) => event.account === account;

describe('the bookkeeper', () => {
  const keep = (turns: readonly RecordedTurn[]) => {
    const books = new Bookkeeper();
    for (const { events } of turns) books.turn(events);
  };

  test('finds nothing in books that are right', () => keep(TURNS));

  const faults: Fault[] = [
    ['an event that it does not know', edit('MarketPriced', () => [{ type: 'BonusPaid' }]), /do not know: BonusPaid/],
    [
      'a kind of posting that it does not know',
      edit('CashPosted', (event) => [{ ...event, kind: 'bonus' }]),
      /kind that these books/,
    ],
    [
      'a ledger that it does not know',
      edit('LedgerPosted', (event) => [{ ...event, ledger: 'bonus' }]),
      /ledger that these books/,
    ],
    ['a fee that nobody received', without('LedgerPosted', ({ ledger }) => ledger === 'fees'), /but .* came in/],
    ['a posting that does not come to what it says', off('CashPosted', 'cashAtoms', 1), /has .*, told/],
    ['an atom of margin too much', off('PositionChanged', 'marginAtoms', 1), /but .* came in/],
    ['an atom of profit that is not in the prices', off('PositionChanged', 'realizedPnlAtoms', 1, isOf(LIQUIDATED)), /it won 1/],
    [
      'an entry given up without a close',
      off('PositionChanged', 'entryNotionalAtoms', 1, isOf(WINNER)),
      /opened .*, its entry rose/,
    ],
    ['a position that did not move as told', off('PositionChanged', 'signedBaseAtoms', 1), /did not move by what it says/],
    [
      'more long than short',
      both(
        off('PositionChanged', 'signedBaseAtoms', 1, isOf(BANKRUPT)),
        off('PositionChanged', 'changedBaseAtoms', 1, isOf(BANKRUPT)),
      ),
      /1 more long than short/,
    ],
    ['a trade fee on other terms than told', off('OrderFilled', 'feeAtoms', 1), /its fills cost/],
    [
      'a liquidation fee that its position does not tell',
      off('PositionChanged', 'feeAtoms', 1, isOf(LIQUIDATED)),
      /its positions cost/,
    ],
    ['funding that does not show in the position', off('FundingPaid', 'paidAtoms', 1), /of funding, told/],
    [
      'a remainder of funding that two have',
      without('LedgerPosted', ({ ledger, amountAtoms }) => ledger === 'funding' && amountAtoms === -2),
      /but .* came in/,
    ],
    [
      'a cover that nobody pays',
      without('LedgerPosted', ({ amountAtoms }) => amountAtoms === -5_480_000),
      /the insurance ledger has/,
    ],
    [
      'a cover that was posted as something else',
      edit(
        'CashPosted',
        (event) => [{ ...event, kind: 'margin_release' }],
        ({ kind }) => kind === 'insurance_cover',
      ),
      /covers of 0/,
    ],
    ['a withdrawal that is settled twice', twice('WithdrawalSettled'), /is not pending/],
    ['a withdrawal of more than was reserved', off('WithdrawalSettled', 'amountAtoms', 1), /is 1000000000 of account 4, told/],
    [
      'a withdrawal that comes back to somebody else',
      edit('WithdrawalReleased', (event) => [{ ...event, account: BIDDER }]),
      /told 500000000 of 5/,
    ],
    ['a withdrawal that nothing is kept for', without('LedgerPosted', ({ ledger }) => ledger === 'withdrawals'), /./],
    ['a transfer of which a part is lost', off('CashTransferred', 'amountAtoms', 1), /was transferred/],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => keep(turns)).toThrow(BooksDiffer);
    expect(() => keep(turns)).toThrow(says);
  });
});

describe('the keeper of orders', () => {
  const keep = (turns: readonly RecordedTurn[]) => {
    const orders = new OrderKeeper();
    for (const { events } of turns) orders.turn(events);
  };

  test('finds nothing in orders that are right', () => keep(TURNS));

  const faults: Fault[] = [
    ['a reservation one atom off', off('OrderRested', 'accountReservedAtoms', -1), /reserves/],
    ['a crossed book', off('OrderRested', 'priceAtoms', 20_000, ({ side }) => side === 'buy'), /crossed/],
    ['an order that stays after its cancel', without('OrderCancelled', ({ wasResting }) => wasResting), /reserves/],
    [
      'an order of the venue that never ends',
      without('OrderCancelled', ({ wasResting }) => !wasResting),
      /neither rests nor ends/,
    ],
    [
      'a fill at another price than its order has',
      both(off('TradeExecuted', 'priceAtoms', 1), off('OrderFilled', 'priceAtoms', 1)),
      /./,
    ],
    ['a fee beyond the rate', off('OrderFilled', 'feeAtoms', 1), /paid a fee/],
    [
      'a fee for being deleveraged',
      off('OrderFilled', 'feeAtoms', 1, ({ order }) => order === 10),
      /auto_deleveraging\) paid a fee/,
    ],
    ['a trade that only one side has', without('OrderFilled', ({ liquidity }) => liquidity === 'maker'), /has 1 sides/],
    ['a trade that is worth something else', off('TradeExecuted', 'notionalAtoms', 1), /is worth/],
    ['a side that fills for more than its trade', off('OrderFilled', 'quantityAtoms', 1), /otherwise than its trade/],
    ['a remainder that is not one', off('OrderFilled', 'remainingAtoms', 1, ({ order }) => order === 1), /left, told/],
    ['more leverage than the market gives', off('OrderAccepted', 'leverageX', 49), /has a leverage of/],
    ['an order that reserves at less than the market asks', off('OrderAccepted', 'initialMarginBps', -1), /reserves at 199 bps/],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => keep(turns)).toThrow(OrdersDiffer);
    expect(() => keep(turns)).toThrow(says);
  });
});

describe('the keeper of funding', () => {
  const keep = (turns: readonly RecordedTurn[]) => {
    const funding = new FundingKeeper(SMALL_MARKETS);
    for (const { events } of turns) funding.turn(events);
  };

  test('finds nothing in funding that is right', () => keep(TURNS));

  const faults: Fault[] = [
    ['a receiver of an atom too much', off('FundingPaid', 'marginAtoms', 1, isOf(WINNER)), /after -750005 of funding/],
    ['a payer of an atom too little', off('FundingPaid', 'marginAtoms', 1, isOf(BANKRUPT)), /after 1000008 of funding/],
    [
      'a payment on the entry that the margin had',
      edit(
        'FundingPaid',
        (event) => [{ ...event, marginAtoms: event.marginAtoms + 8, entryNotionalAtoms: event.entryNotionalAtoms + 8 }],
        isOf(BANKRUPT),
      ),
      /of funding/,
    ],
    ['somebody who was forgotten', without('FundingPaid', isOf(LIQUIDATED)), /never settled/],
    ['somebody who paid twice', twice('FundingPaid', isOf(LIQUIDATED)), /does not owe/],
    ['an amount that is not index times rate', off('FundingSettled', 'perLotMicroAtoms', 1), /a lot costs/],
    ['a rate beyond the cap', edit('FundingSettled', (event) => [{ ...event, ratePpb: 7_500_001 }]), /beyond the cap/],
    ['a period that is counted twice', twice('FundingSettled'), /ended before 4 settled/],
    ['a period that was left out', off('FundingSettled', 'period', 1), /period 2 came after 0/],
    [
      'a remainder that nobody got',
      without('LedgerPosted', ({ ledger, amountAtoms }) => ledger === 'funding' && amountAtoms === -2),
      /paid to nobody/,
    ],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => keep(turns)).toThrow(FundingDiffers);
    expect(() => keep(turns)).toThrow(says);
  });
});

describe('the watch over liquidations', () => {
  const watch = (turns: readonly RecordedTurn[], markets: readonly MarketSpecification[] = SMALL_MARKETS) => {
    const liquidations = new LiquidationWatch(markets);
    for (const { events } of turns) liquidations.turn(events);
  };
  const withSpecification = (change: Partial<MarketSpecification>) =>
    watch(
      TURNS,
      SMALL_MARKETS.map((market) => ({ ...market, ...change })),
    );

  test('finds nothing in liquidations that are right', () => watch(TURNS));

  /** Everything that a turn does after its price. */
  const noLiquidation: Tamper = (turn) => ({
    ...turn,
    events: turn.events.slice(0, turn.events.findIndex(({ type }) => type === 'LiquidationStarted') >>> 0),
  });
  const hasCover = ({ kind }: Of<'CashPosted'>) => kind === 'insurance_cover';
  const takesFee = ({ account, kind }: Of<'CashPosted'>) => account === LIQUIDATED && kind === 'liquidation_fee';
  /** A fee out of cash, in the fill that its position could not pay it from. */
  const feeFromCash = off('CashPosted', 'amountAtoms', -1, (event) => hasCover(event));

  const faults: Fault[] = [
    ['somebody who is left alone below maintenance', noLiquidation, /is left alone/],
    ['a liquidation at a mark that is not the market’s', off('LiquidationStarted', 'markPriceAtoms', -1), /goes by a mark/],
    ['a liquidation that tells another equity', off('LiquidationStarted', 'equityAtoms', -1), /tells an equity/],
    [
      'a liquidation that tells another requirement',
      off('LiquidationStarted', 'maintenanceRequirementAtoms', 1),
      /tells a requirement/,
    ],
    [
      'a liquidation that is not due',
      off('MarketPriced', 'markPriceAtoms', 5_000, ({ markPriceAtoms }) => markPriceAtoms === 393_000),
      /goes by a mark|is not due/,
    ],
    ['a liquidation of another episode', off('LiquidationStarted', 'position', 1), /is of/],
    ['a bankruptcy at another price', off('LiquidationStarted', 'bankruptcyPriceAtoms', 1), /tells a bankruptcy/],
    [
      'a cover of an atom more than needed',
      off('CashPosted', 'amountAtoms', 1, hasCover),
      /was covered with 5480001, it needed 5480000/,
    ],
    ['a cover that falls short, and cash that pays for it', feeFromCash, /lost 1 of its cash/],
    [
      'a liquidation fee beyond its rate',
      off('CashPosted', 'amountAtoms', -1, takesFee),
      /paid a fee of 194250001 instead of 194250000/,
    ],
    ['a liquidation fee that was let off', without('CashPosted', takesFee), /paid a fee of 0 instead of/],
    [
      'a deleveraging at another price',
      off('OrderFilled', 'priceAtoms', 1, ({ order }) => order === 9),
      /is at 391775, its bankruptcy at 391774/,
    ],
    ['a deleveraging that costs a fee', off('OrderFilled', 'feeAtoms', 1, ({ order }) => order === 10), /cost a fee of 1/],
    [
      'somebody who pays cash to be deleveraged',
      off('CashPosted', 'amountAtoms', -8_000_000_000, ({ account, kind }) => account === WINNER && kind === 'realized_pnl'),
      /lost .* of its cash/,
    ],
    [
      'somebody closed at a price that makes him bankrupt',
      off('OrderFilled', 'priceAtoms', 50_000, ({ order }) => order === 10),
      /leaves it with/,
    ],
    ['a position closed though nothing is liquidated', without('LiquidationStarted'), /nothing is liquidated|is left alone/],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => watch(turns)).toThrow(LiquidationWrong);
    expect(() => watch(turns)).toThrow(says);
  });

  test('finds deleveraging where there is none', () => {
    expect(() => withSpecification({ autoDeleveraging: false })).toThrow(/in a market that has none/);
  });
});

describe('the watch over the index', () => {
  const watch = (turns: readonly RecordedTurn[]) => {
    const index = new IndexWatch(SMALL_MARKETS);
    for (const { events, epochMs, sent } of turns) {
      if (sent !== undefined) index.published(1, sent);
      index.turn(events, epochMs);
    }
  };

  test('finds nothing in an index that is heeded', () => watch(TURNS));

  /** Lets a turn happen later than it did, and so with an older price. */
  const later =
    (type: Type, ms: number): Tamper =>
    (turn) =>
      turn.events.some((event) => event.type === type) ? { ...turn, epochMs: turn.epochMs + ms } : turn;
  const lastTurn = TURNS.at(-1)!;
  const opening = TURNS.flatMap(({ events }) => events).find((event) => event.type === 'OrderAccepted')!;

  const faults: Fault[] = [
    ['a price that nobody published', off('MarketPriced', 'indexPriceAtoms', 1), /which nobody published/],
    ['a price under another date', off('MarketPriced', 'observedAtEpochMs', 50), /which nobody published/],
    ['a price that is too old', later('MarketPriced', 31_000), /ms old/],
    [
      'a jump that holds at once',
      edit(
        'MarketPriced',
        (event) => [
          { ...event, indexPriceAtoms: 360_000, observedAtEpochMs: event.observedAtEpochMs + 10_000, indexStatus: 'current' },
        ],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      /jumped from 387000 to 360000 at once/,
    ],
    [
      'an index that stays with what others have followed',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'current' }],
        ({ indexStatus }) => indexStatus === 'unconfirmed',
      ),
      /that others have followed/,
    ],
    [
      'a liquidation without an index',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'stale' }],
        ({ markPriceAtoms }) => markPriceAtoms === 393_000,
      ),
      /the liquidation of account 2 goes on/,
    ],
    [
      'funding without an index',
      edit(
        'MarketPriced',
        (event) => [{ ...event, indexStatus: 'unconfirmed' }],
        ({ indexPriceAtoms }) => indexPriceAtoms === 400_003,
      ),
      /funding period 1 goes on/,
    ],
    [
      'an order that opens in the silence',
      (turn) => (turn === lastTurn ? { ...turn, events: [{ ...opening, order: 15 as typeof opening.order }] } : turn),
      /order 15, which opens, goes on/,
    ],
  ];
  test.each(faults)('finds %s', (_, tamper, says) => {
    const turns = tampered(tamper);
    expect(() => watch(turns)).toThrow(IndexIgnored);
    expect(() => watch(turns)).toThrow(says);
  });
});
