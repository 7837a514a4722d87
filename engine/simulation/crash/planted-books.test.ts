/** The auditor finds faults in money, orders and funding, each alone, in the turns of a small crash. */
import { describe, expect, test } from 'vitest';
import { listingOf } from '#simulation/auditor/listing.ts';
import { reservationFor } from '#simulation/auditor/order-rules.ts';
import { BANKRUPT, BIDDER, LIQUIDATED, SMALL_MARKETS, WINNER } from './testing/small-crash.ts';
import {
  both,
  edit,
  type Fault,
  findingIn,
  isOf,
  type Of,
  off,
  offCash,
  offLedger,
  type Tamper,
  TURNS,
  tampered,
  twice,
  without,
} from './testing/tampering.ts';

/** A tick of a lot is an atom in this market. */
function atNextTick<Event extends Of<'TradeExecuted'> | Of<'OrderFilled'>>(event: Event): object {
  return { ...event, priceAtoms: event.priceAtoms + 1, notionalAtoms: event.notionalAtoms + event.quantityAtoms };
}

/** A payment of funding that is off, in an event that agrees with itself. */
function offFunding(account: number, by: number): Tamper {
  return edit(
    'FundingPaid',
    (event) => [{ ...event, marginAtoms: event.marginAtoms - by, paidAtoms: event.paidAtoms + by }],
    isOf(account),
  );
}

/** Moves the maker's bid across its own ask: the order is sent, accepted and rests so. */
const crossing: Tamper = (turn) => {
  const { command } = turn;
  if (command.type !== 'PlaceOrder' || command.side !== 'buy' || command.terms.kind !== 'limit' || command.account !== 1)
    return turn;
  const terms = { ...command.terms, priceAtoms: (command.terms.priceAtoms + 20_000) as typeof command.terms.priceAtoms };
  const listing = listingOf(1, SMALL_MARKETS[0]!);
  const events = turn.events.map((event) => {
    if (event.type === 'OrderAccepted') return { ...event, terms };
    if (event.type !== 'OrderRested') return event;
    const order = { ...command, markPriceAtoms: 400_000, initialMarginBps: 200 };
    const reserved = (priceAtoms: number) => reservationFor({ ...order, priceAtoms }, event.remainingAtoms, listing);
    const more = reserved(terms.priceAtoms) - reserved(event.priceAtoms);
    const accountReservedAtoms = (event.accountReservedAtoms + more) as typeof event.accountReservedAtoms;
    return { ...event, priceAtoms: terms.priceAtoms, accountReservedAtoms };
  });
  return { ...turn, command: { ...command, terms }, events };
};

test('finds nothing in turns without a fault', () => expect(findingIn(TURNS)).toBeUndefined());

function findsAll(faults: readonly Fault[]): void {
  test.each(faults)('finds %s', (_, tamper, check, description) => {
    const finding = findingIn(tampered(tamper));
    expect(finding?.message).toMatch(description);
    expect(finding?.check).toBe(check);
  });
}

describe('in money', () => {
  findsAll([
    ['an unknown event', edit('MarketPriced', () => [{ type: 'BonusPaid' }]), 'command', /causes no BonusPaid/],
    [
      'an unknown kind of posting',
      edit('CashPosted', (event) => [{ ...event, kind: 'bonus' }]),
      'money',
      /a posting of an unknown kind: bonus/,
    ],
    [
      'an unknown ledger',
      edit('LedgerPosted', (event) => [{ ...event, ledger: 'bonus' }]),
      'ledger',
      /a posting to an unknown ledger: bonus/,
    ],
    ['a fee without a receiver', without('LedgerPosted', ({ ledger }) => ledger === 'fees'), 'money', /of money, .* came in/],
    ['a posting whose balance is off', off('CashPosted', 'cashAtoms', 1), 'money', /has .*, the event says/],
    [
      'a posting of the wrong sign',
      edit(
        'CashPosted',
        (event) => [{ ...event, amountAtoms: -event.amountAtoms }],
        ({ kind }) => kind === 'margin_lock',
      ),
      'money',
      /was posted \d+ of margin_lock/,
    ],
    ['an atom of margin too much', off('PositionChanged', 'marginAtoms', 1), 'margin', /marginAtoms of position 1 is/],
    [
      'an atom of profit that is not in the prices',
      off('PositionChanged', 'realizedPnlAtoms', 1, isOf(LIQUIDATED)),
      'settlement',
      /realizedPnlAtoms of position 3 is 1, expected 0/,
    ],
    [
      'an entry given up without a close',
      off('PositionChanged', 'entryNotionalAtoms', 1, isOf(WINNER)),
      'settlement',
      /entryNotionalAtoms of position 4 is 59985000001, expected 59985000000/,
    ],
    [
      'a position that moved by another quantity than its event says',
      off('PositionChanged', 'signedBaseAtoms', 1),
      'settlement',
      /signedBaseAtoms of position 1 is -199999, expected -200000/,
    ],
    [
      'more long than short',
      both(
        off('PositionChanged', 'signedBaseAtoms', 1, isOf(BANKRUPT)),
        off('PositionChanged', 'changedBaseAtoms', 1, isOf(BANKRUPT)),
      ),
      'settlement',
      /changedBaseAtoms of position 2 is 200001, expected 200000/,
    ],
    [
      'a trade fee that is not posted',
      offCash(1, ({ kind }) => kind === 'trade_fee'),
      'fee',
      /account 1 paid 16003999 for the fill of order 1 in trade 1, which costs 16004000/,
    ],
    [
      'a liquidation fee that its position does not have',
      off('PositionChanged', 'feeAtoms', 1, isOf(LIQUIDATED)),
      'settlement',
      /feeAtoms of position 3 is 20005001, expected 20005000/,
    ],
    ['funding that the position does not have', off('FundingPaid', 'paidAtoms', 1), 'funding', /of funding, the event says/],
    [
      'a remainder of funding that two have',
      without('LedgerPosted', ({ ledger, amountAtoms }) => ledger === 'funding' && amountAtoms === -2),
      'money',
      /of money, .* came in: 2 too much/,
    ],
    [
      'a cover without a payer',
      without('LedgerPosted', ({ amountAtoms }) => amountAtoms === -8_897_464),
      'ledger',
      /the insurance ledger has/,
    ],
    [
      'a cover that was posted as something else',
      edit(
        'CashPosted',
        (event) => [{ ...event, kind: 'margin_release' }],
        ({ kind }) => kind === 'insurance_cover',
      ),
      'liquidation',
      /was covered with 0, it needed 8897464/,
    ],
    ['a withdrawal that is settled twice', twice('WithdrawalSettled'), 'command', /with 2 of WithdrawalSettled/],
    [
      'a withdrawal of more than was reserved',
      off('WithdrawalSettled', 'amountAtoms', 1),
      'transfer',
      /is 1000000000 of account 4, the event says/,
    ],
    [
      'a withdrawal that comes back to another account',
      edit('WithdrawalReleased', (event) => [{ ...event, account: BIDDER }]),
      'transfer',
      /is 500000000 of account 4, the event says 500000000 of 5/,
    ],
    [
      'a withdrawal without a ledger posting',
      without('LedgerPosted', ({ ledger }) => ledger === 'withdrawals'),
      'money',
      /of money, .* came in/,
    ],
    [
      'a transfer of which a part is lost',
      off('CashTransferred', 'amountAtoms', 1),
      'command',
      /its CashTransferred has another amountAtoms/,
    ],
  ]);
});

describe('in orders', () => {
  findsAll([
    ['a reservation one atom off', off('OrderRested', 'accountReservedAtoms', -1), 'reservation', /its open orders need/],
    ['a crossed book', crossing, 'matching', /market 1 is crossed: bid 419900, ask 400100/],
    [
      'an order that rests at another price',
      off('OrderRested', 'priceAtoms', 20_000, ({ side }) => side === 'buy'),
      'order',
      /order 2 rests at 419900, which is not its limit/,
    ],
    ['a cancel without an event', without('OrderCancelled', ({ wasResting }) => wasResting), 'event', /record 30 has no event/],
    [
      'an order of the venue that never ends',
      without('OrderCancelled', ({ wasResting }) => !wasResting),
      'order',
      /neither rests nor ends/,
    ],
    [
      'a fill at another price than its order has',
      both(
        edit('TradeExecuted', (event) => [atNextTick(event)]),
        edit('OrderFilled', (event) => [
          { ...atNextTick(event), feeAtoms: event.feeAtoms + (event.liquidity === 'maker' ? 40 : 100) },
        ]),
      ),
      'matching',
      /order 1 rests at 400100 and was filled at 400101/,
    ],
    ['a fee beyond the rate', off('OrderFilled', 'feeAtoms', 1), 'fee', /order 1 \(maker, client\) paid a fee of/],
    [
      'a fee for being deleveraged',
      off('OrderFilled', 'feeAtoms', 1, ({ order }) => order === 10),
      'fee',
      /auto_deleveraging\) paid a fee of 1, not 0/,
    ],
    [
      'a trade that only one side has',
      (turn) => {
        const second = turn.events.findLastIndex(({ type }) => type === 'OrderFilled');
        const isFirstTrade = turn.events.some((event) => event.type === 'TradeExecuted' && event.trade === 1);
        return isFirstTrade ? { ...turn, events: turn.events.slice(0, second) } : turn;
      },
      'money',
      /of money, .* came in/,
    ],
    ['a fill without its trade', without('TradeExecuted'), 'matching', /order 1 was filled without a trade/],
    ['a trade that is worth something else', off('TradeExecuted', 'notionalAtoms', 1), 'matching', /trade 1 is worth/],
    [
      'a side that fills for more than its trade',
      off('OrderFilled', 'quantityAtoms', 1),
      'matching',
      /a fill of order 1 is not that of trade 1/,
    ],
    [
      'a remainder that is not one',
      off('OrderFilled', 'remainingAtoms', 1, ({ order }) => order === 1),
      'order',
      /order 1 has 100000 left, the event says 100001/,
    ],
    [
      'an order at another mark price',
      off('OrderAccepted', 'markPriceAtoms', 50_000, ({ order }) => order === 5),
      'order',
      /order 5 was placed at a mark price of 450000, it is 400000/,
    ],
    [
      'more leverage than the order requested',
      off('OrderAccepted', 'leverageHundredths', 4_900),
      'order',
      /order 1 of record 14 is not what/,
    ],
    [
      'more leverage than the market gives',
      both(off('OrderAccepted', 'leverageHundredths', 4_900), (turn) =>
        turn.command.type === 'PlaceOrder'
          ? { ...turn, command: { ...turn.command, leverageHundredths: turn.command.leverageHundredths + 4_900 } }
          : turn,
      ),
      'order',
      /order 1 has a leverage of 51/,
    ],
    [
      'an order that reserves at less than the market requires',
      off('OrderAccepted', 'initialMarginBps', -1),
      'reservation',
      /order 1 reserves at 199 bps/,
    ],
  ]);
});

describe('in funding', () => {
  findsAll([
    ['a receiver of an atom too much', offFunding(WINNER, -1), 'funding', /account 4 owes -750005 of funding/],
    ['a payer of an atom too little', offFunding(BANKRUPT, -1), 'funding', /account 2 owes 1000008 of funding/],
    [
      'a payment on the entry that the margin had',
      edit(
        'FundingPaid',
        (event) => [{ ...event, marginAtoms: event.marginAtoms + 8, entryNotionalAtoms: event.entryNotionalAtoms + 8 }],
        isOf(BANKRUPT),
      ),
      'funding',
      /account 2 owes 1000008 of funding: its margin is/,
    ],
    [
      'a position that was forgotten',
      both(
        without('FundingPaid', isOf(LIQUIDATED)),
        offLedger('funding', -500_004, ({ amountAtoms }) => amountAtoms === 500_004),
      ),
      'funding',
      /1 positions in market 1 never settled their funding/,
    ],
    [
      'a position that paid twice',
      edit('FundingPaid', (event) => [event, { ...event, marginAtoms: event.marginAtoms - event.paidAtoms }], isOf(LIQUIDATED)),
      'funding',
      /account 3 settled funding that it does not owe/,
    ],
    ['an amount that is not index times rate', off('FundingSettled', 'perLotMicroAtoms', 1), 'funding', /costs 5000038 a lot/],
    [
      'a rate beyond the cap',
      edit('FundingSettled', (event) => [{ ...event, ratePpb: 7_500_001 }]),
      'funding',
      /has a rate of 7500001, it is/,
    ],
    ['a period that is counted twice', twice('FundingSettled'), 'funding', /ended before 4 positions settled the one before/],
    ['a period that was left out', off('FundingSettled', 'period', 1), 'funding', /period 2 of market 1 follows period 0/],
    [
      'a remainder that stays in the funding ledger',
      both(
        offLedger('funding', 2, ({ amountAtoms }) => amountAtoms === -2),
        offLedger('insurance', -2, ({ amountAtoms }) => amountAtoms === 2),
      ),
      'funding',
      /the funding ledger has 2, unfinished periods collected 0/,
    ],
  ]);
});
