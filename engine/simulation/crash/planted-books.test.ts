/** The books that are kept a second time find the faults that are theirs, each alone, in the turns of a small crash. */
import { describe, expect, test } from 'vitest';
import { Bookkeeper, BooksDiffer } from './bookkeeper.ts';
import { FundingDiffers, FundingKeeper } from './funding-keeper.ts';
import { OrderKeeper, OrdersDiffer } from './order-keeper.ts';
import { BANKRUPT, BIDDER, LIQUIDATED, type RecordedTurn, SMALL_MARKETS, WINNER } from './testing/small-crash.ts';
import { both, edit, type Fault, isOf, type Of, off, TURNS, tampered, twice, without } from './testing/tampering.ts';

/** A tick of a lot is an atom in this market. */
function atNextTick<Event extends Of<'TradeExecuted'> | Of<'OrderFilled'>>(event: Event): object {
  return { ...event, priceAtoms: event.priceAtoms + 1, notionalAtoms: event.notionalAtoms + event.quantityAtoms };
}

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
      without('LedgerPosted', ({ amountAtoms }) => amountAtoms === -5_470_884),
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
    [
      'a withdrawal that nothing is kept for',
      without('LedgerPosted', ({ ledger }) => ledger === 'withdrawals'),
      /but .* came in/,
    ],
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
    const orders = new OrderKeeper(SMALL_MARKETS);
    for (const { events } of turns) orders.turn(events);
  };

  test('finds nothing in orders that are right', () => keep(TURNS));

  const faults: Fault[] = [
    ['a reservation one atom off', off('OrderRested', 'accountReservedAtoms', -1), /reserves/],
    ['a crossed book', off('OrderRested', 'priceAtoms', 20_000, ({ side }) => side === 'buy'), /crossed/],
    ['an order that stays after its cancel', without('OrderCancelled', ({ wasResting }) => wasResting), /crossed: 399900 is bid/],
    [
      'an order of the venue that never ends',
      without('OrderCancelled', ({ wasResting }) => !wasResting),
      /neither rests nor ends/,
    ],
    [
      'a fill at another price than its order has',
      both(
        edit('TradeExecuted', (event) => [atNextTick(event)]),
        edit('OrderFilled', (event) => [atNextTick(event)]),
      ),
      /rests at 400100, filled at 400101/,
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
    [
      'a trade far from the mark',
      off('OrderAccepted', 'markPriceAtoms', 50_000, ({ order }) => order === 5),
      /took 399900 where the mark was 450000/,
    ],
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
