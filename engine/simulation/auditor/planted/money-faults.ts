/** Faults in transfers, ledgers, funding, prices, liquidations and refusals. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import { bankruptcyPriceFor, deleveragingScore, equityAt, isDue, maintenanceFor } from '#simulation/auditor/position-rules.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import { balanced, has, next, type Of, replaced, replacedAll } from './turn-edits.ts';

export const MONEY_FAULTS: readonly PlantedFault[] = [
  {
    fault: 'a transfer that arrives at a third account',
    plant: () => strayTransfer,
    isNotInCrash: true,
    check: 'transfer',
    says: /the turn posted \(.*\) outside of trading, instead of/,
  },
  {
    fault: 'a withdrawal that is reserved from another account',
    plant: () => strayReservation,
    check: 'transfer',
    says: /the turn posted \(.*\) outside of trading, instead of/,
  },
  {
    fault: 'a reserved withdrawal that is released twice',
    plant: () => secondRelease,
    check: 'transfer',
    says: /withdrawal \d+ ended and is not pending/,
  },
  {
    fault: 'an insurance fund that is credited twice, at the cost of the deficit',
    plant: () => doubleCredit,
    check: 'ledger',
    says: /bears a deficit while the insurance fund holds/,
  },
  {
    fault: 'a cover that the venue pays while the insurance fund could',
    plant: () => needlessDeficit,
    isNotInCrash: true,
    check: 'ledger',
    says: /bears a deficit while the insurance fund holds/,
  },
  {
    fault: 'funding that one account gets instead of paying it',
    plant: () => reversedFunding,
    check: 'funding',
    says: /owes -?\d+ of funding: its margin is/,
  },
  {
    fault: 'a funding period that does not end',
    plant: () => endlessPeriod,
    check: 'funding',
    says: /did not end its period at/,
  },
  {
    fault: 'a price that jumped and is used at once',
    plant: () => jump,
    check: 'index',
    says: /its observations give .* \(unconfirmed\)/,
  },
  {
    fault: 'a liquidation of a healthy position',
    plant: () => healthyLiquidation,
    check: 'liquidation',
    says: /is not due: it has/,
  },
  {
    fault: 'a liquidation fee that a fill owes and the next one pays',
    plant: () => unpaidLiquidationFee,
    check: 'settlement',
    says: /after the fill of order \d+ in trade \d+ feeAtoms of position \d+ is/,
  },
  {
    fault: 'a rest that keeps what it does not need after its liquidation',
    plant: () => keptSpare,
    isNotInCrash: true,
    check: 'margin',
    says: /ended, and the rest keeps \d+ more than it needs/,
  },
  {
    fault: 'a deleveraging of a position that ranks lower',
    plant: () => wrongRank,
    check: 'deleveraging',
    says: /comes before that of account \d+, which ranks higher/,
  },
  {
    fault: 'a refused command that changes a balance',
    plant: costlyRefusal,
    check: 'money',
    says: /account \d+ has \d+, the event says \d+/,
  },
  {
    fault: 'a command that does something else as well',
    plant: () => sideEffect,
    isNotInCrash: true,
    check: 'command',
    says: /is a SetFavorite, which causes no CashPosted/,
  },
];

function strayTransfer(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const posted = turn.events.find(has('CashPosted', ({ kind }) => kind === 'transfer_in'));
  const transfer = turn.events.find(has('CashTransferred'));
  if (posted === undefined || transfer === undefined) return undefined;
  const account = [1, 2, 3].find((ordinal) => ordinal !== transfer.from && ordinal !== transfer.to)!;
  return books.accounts.has(account) ? balanced(replacedAll(turn, [[posted, { account }]]), books) : undefined;
}

function strayReservation(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const posted = turn.events.find(has('CashPosted', ({ kind }) => kind === 'withdrawal_reserve'));
  if (posted === undefined) return undefined;
  for (const [account, cash] of books.money.cash)
    if (account !== posted.account && cash - books.orders.reservedOf(account) >= -posted.amountAtoms)
      return balanced(replacedAll(turn, [[posted, { account }]]), books);
  return undefined;
}

function secondRelease(turn: CommittedRecord, books: Auditor): readonly CommittedRecord[] | undefined {
  if (turn.command.type !== 'ReleaseWithdrawal' || turn.events[0]!.type === 'CommandRefused') return undefined;
  const more = turn.events.find(has('WithdrawalReleased'))!.amountAtoms;
  // The ledger holds other withdrawals too, or it would fall below zero.
  return books.money.ledgers.withdrawals < more * 2 ? undefined : [turn, turn];
}

function doubleCredit(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const fee = turn.events.find(has('CashPosted', ({ kind }) => kind === 'liquidation_fee'));
  const credit = fee && next(turn, fee, 'LedgerPosted', ({ ledger }) => ledger === 'insurance');
  if (credit === undefined) return undefined;
  const deficit = { ...credit, ledger: 'deficit', amountAtoms: -credit.amountAtoms } as VenueEvent;
  return balanced(replaced(turn, credit, credit, { ...credit }, deficit), books);
}

function needlessDeficit(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const cover = turn.events.find(has('CashPosted', ({ kind }) => kind === 'insurance_cover'));
  const paid = cover && next(turn, cover, 'LedgerPosted', ({ ledger }) => ledger === 'insurance');
  if (cover === undefined || paid === undefined) return undefined;
  const edited = replacedAll(turn, [
    [cover, { kind: 'deficit_cover' }],
    [paid, { ledger: 'deficit' }],
  ]);
  return balanced(edited, books);
}

function reversedFunding(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const paid = turn.events.find(has('FundingPaid', ({ paidAtoms, marginAtoms }) => paidAtoms > 0 && marginAtoms > 0));
  const ledger = paid && next(turn, paid, 'LedgerPosted', (event) => event.ledger === 'funding');
  if (paid === undefined || ledger?.amountAtoms !== paid.paidAtoms) return undefined;
  const edited = replacedAll(turn, [
    [paid, { paidAtoms: -paid.paidAtoms, marginAtoms: paid.marginAtoms + paid.paidAtoms * 2 }],
    [ledger, { amountAtoms: -ledger.amountAtoms }],
  ]);
  return balanced(edited, books);
}

function endlessPeriod(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const settled = turn.events.find(has('FundingSettled'));
  // The price of the same market: a turn may price others too.
  const priced = settled && turn.events.find(has('MarketPriced', ({ market }) => market === settled.market));
  if (settled === undefined || priced === undefined) return undefined;
  const { funding, hasWork } = books.markets.of(settled.market);
  // A market with work may end its period later: the next price would show the fault, with another message.
  if (hasWork) return undefined;
  const { endsAt } = funding;
  return replacedAll(replaced(turn, settled), [[priced, { nextFundingAtEpochMs: endsAt }]]);
}

function jump(turn: CommittedRecord): CommittedRecord | undefined {
  const priced = turn.events.find(has('MarketPriced', ({ indexStatus }) => indexStatus === 'unconfirmed'));
  const { command } = turn;
  if (priced === undefined || command.type !== 'PublishIndexPrice' || command.priceAtoms === priced.indexPriceAtoms)
    return undefined;
  const { priceAtoms, observedAtEpochMs } = command;
  return replacedAll(turn, [
    [priced, { indexPriceAtoms: priceAtoms, markPriceAtoms: priceAtoms, observedAtEpochMs, indexStatus: 'current' }],
  ]);
}

/** After a price at which nothing is due, a position is liquidated. Its event has the true amounts. */
function healthyLiquidation(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const [priced] = turn.events;
  if (turn.events.length !== 1 || priced?.type !== 'MarketPriced' || priced.indexStatus !== 'current') return undefined;
  const { status, listing } = books.markets.of(priced.market);
  if (status !== 'open') return undefined;
  const mark = priced.markPriceAtoms;
  for (const position of books.positions.in(priced.market)) {
    if (isDue(mark, position, listing)) continue;
    const started = {
      type: 'LiquidationStarted',
      position: position.ordinal,
      account: position.account,
      market: priced.market,
      markPriceAtoms: mark,
      equityAtoms: equityAt(mark, position, listing),
      maintenanceRequirementAtoms: maintenanceFor(Math.abs(position.signedBase) * mark * listing.tickLot, listing),
      bankruptcyPriceAtoms: bankruptcyPriceFor(position, listing),
    } as unknown as VenueEvent;
    return { ...turn, events: [priced, started] };
  }
  return undefined;
}

/** The postings of a fill of a liquidation that leaves a rest, and the change of its position. */
function partOf(turn: CommittedRecord, kind: 'liquidation_fee' | 'margin_release') {
  for (const posted of turn.events.filter(has('CashPosted', (event) => event.kind === kind))) {
    // Margin that an owner takes out is released without a change of the position.
    const moved = next(turn, posted, 'PositionChanged');
    if (moved?.cause !== 'liquidation' || moved.account !== posted.account || moved.signedBaseAtoms === 0) continue;
    return { posted, moved };
  }
  return undefined;
}

function unpaidLiquidationFee(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const part = partOf(turn, 'liquidation_fee');
  if (part === undefined) return undefined;
  const { posted, moved } = part;
  const credit = next(turn, posted, 'LedgerPosted')!;
  const lock = next(turn, posted, 'CashPosted', ({ kind }) => kind === 'margin_lock');
  const fee = -posted.amountAtoms;
  const without = replaced(replaced(turn, posted), credit);
  const kept = { marginAtoms: moved.marginAtoms + fee, feeAtoms: moved.feeAtoms - fee };
  // Without a loss the fee reduced what is locked, and with one it increased what is released.
  const earlier = turn.events.slice(0, turn.events.indexOf(posted));
  const ofFill = earlier.slice(earlier.findLastIndex(has('OrderFilled')));
  const release = ofFill.findLast(has('CashPosted', ({ kind }) => kind === 'margin_release'));
  const ofMargin = lock !== undefined && turn.events.indexOf(lock) < turn.events.indexOf(moved) ? lock : release;
  // A release below the fee would become a lock.
  if (ofMargin === undefined || (ofMargin.amountAtoms > 0 && ofMargin.amountAtoms <= fee)) return undefined;
  return balanced(
    replacedAll(without, [
      [ofMargin, { amountAtoms: ofMargin.amountAtoms - fee }],
      [moved, kept],
    ]),
    books,
  );
}

function keptSpare(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const part = partOf(turn, 'margin_release');
  if (part === undefined) return undefined;
  const { posted, moved } = part;
  const earlier = turn.events.slice(0, turn.events.indexOf(posted));
  const { account, market, realizedPnlAtoms, feeAtoms, marginAtoms } = moved;
  const last = earlier.findLast(
    (event) =>
      (event.type === 'PositionChanged' || event.type === 'FundingPaid') && event.account === account && event.market === market,
  ) as Of<'PositionChanged' | 'FundingPaid'> | undefined;
  const before = last?.marginAtoms ?? books.positions.of(account, market).margin;
  const excess = before + realizedPnlAtoms - feeAtoms - marginAtoms;
  const isCovered = turn.events.some(has('CashPosted', ({ kind }) => kind.endsWith('_cover')));
  if (isCovered || excess <= 0 || excess === posted.amountAtoms) return undefined;
  const amountAtoms = posted.amountAtoms - excess;
  const kind = amountAtoms > 0 ? 'margin_release' : 'margin_lock';
  return balanced(
    replacedAll(turn, [
      [posted, { kind, amountAtoms }],
      [moved, { marginAtoms: marginAtoms + excess }],
    ]),
    books,
  );
}

function wrongRank(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const trade = turn.events.find(has('TradeExecuted', ({ origin }) => origin === 'auto_deleveraging'));
  const fill = trade && next(turn, trade, 'OrderFilled', ({ liquidity }) => liquidity === 'maker');
  if (fill === undefined) return undefined;
  const { listing } = books.markets.of(fill.market);
  const mark = turn.events.findLast(has('MarketPriced'))?.markPriceAtoms ?? books.markets.of(fill.market).mark;
  const first = books.positions.of(fill.account, fill.market);
  // The books are those before the turn: a position that it has changed since may be on the other side.
  const earlier = turn.events.slice(0, turn.events.indexOf(fill));
  for (const other of books.positions.in(fill.market)) {
    if (earlier.some(has('PositionChanged', ({ account }) => account === other.account || account === first.account))) continue;
    const isCandidate = other.signedBase > 0 === first.signedBase > 0 && equityAt(fill.priceAtoms, other, listing) >= 0;
    if (other.account === first.account || !isCandidate) continue;
    if (deleveragingScore(mark, other, listing) < deleveragingScore(mark, first, listing))
      return replacedAll(turn, [[fill, { account: other.account }]]);
  }
  return undefined;
}

/** Books a refused credit. The next posting shows it. */
function costlyRefusal() {
  let account: number | undefined;
  return (turn: CommittedRecord): CommittedRecord | undefined => {
    const { command, events } = turn;
    if (account === undefined && events[0]!.type === 'CommandRefused' && 'account' in command) {
      account = command.account;
      return undefined;
    }
    const posted = events.find(has('CashPosted', (event) => event.account === account));
    return posted && replacedAll(turn, [[posted, { cashAtoms: posted.cashAtoms + 1 }]]);
  };
}

function sideEffect(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const { command, events } = turn;
  if (command.type !== 'SetFavorite' || events[0]!.type === 'CommandRefused') return undefined;
  const posted = { type: 'CashPosted', account: command.account, kind: 'deposit', amountAtoms: 1, cashAtoms: 0 };
  return balanced({ ...turn, events: [...events, posted as unknown as VenueEvent] }, books);
}
