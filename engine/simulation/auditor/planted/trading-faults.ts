/** Faults in matching, fees and fills. */
import type { Auditor } from '#simulation/auditor/auditor.ts';
import type { Command } from '#venue/command.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { PlantedFault } from './planted-fault.ts';
import type { FieldChanges, Of } from './turn-edits.ts';
import { balanced, has, next, replaced, replacedAll } from './turn-edits.ts';

export const TRADING_FAULTS: readonly PlantedFault[] = [
  { fault: 'a fee that is rounded up', plant: () => roundedUpFee, check: 'fee', says: /paid a fee of/ },
  { fault: 'swapped fees of maker and taker', plant: () => swappedFees, check: 'fee', says: /\(maker, client\) paid a fee of/ },
  {
    fault: 'an entry that is off by one after a partial close',
    plant: () => offEntry,
    check: 'settlement',
    says: /realizedPnlAtoms|has a PnL of .*, it is/,
  },
  {
    fault: 'an opening that locks an atom too little',
    plant: () => thinMargin,
    check: 'margin',
    says: /marginAtoms of position/,
  },
  {
    fault: 'a partial close that releases an atom too much',
    plant: () => earlyRelease,
    check: 'margin',
    says: /marginAtoms of position/,
  },
  {
    fault: 'margin that is released to another account',
    plant: () => strayRelease,
    check: 'margin',
    says: /account \d+ locked -?\d+ for the fill/,
  },
  {
    fault: 'margin that an owner takes out and another account gets',
    plant: () => strayRemoval,
    isNotInCrash: true,
    check: 'margin',
    says: /account \d+ was posted .* for -\d+ of added margin/,
  },
  {
    fault: 'an open interest that is a lot too high',
    plant: () => openInterest,
    check: 'settlement',
    says: /changedBaseAtoms of position/,
  },
  {
    fault: 'an order that fills before an older one at its price',
    plant: () => brokenTimePriority,
    check: 'matching',
    says: /was filled before order \d+, which has priority/,
  },
  {
    fault: 'a reduce-only order that opens',
    plant: () => openingReduceOnly,
    check: 'matching',
    says: /is reduce-only and opened/,
  },
  {
    fault: 'a cancelled order that stays in the book',
    plant: ghostOrder,
    check: 'matching',
    says: /was filled and was not in the book/,
  },
  {
    fault: 'a reduce-only order that stays without a position',
    plant: () => idleOrder,
    isNotInCrash: true,
    check: 'order',
    says: /is reduce-only, rests, and has nothing to reduce/,
  },
  {
    fault: 'a reduce-only order that keeps a quantity beyond the position',
    plant: () => uncutOrder,
    isNotInCrash: true,
    check: 'order',
    says: /account \d+ offers \d+ of \d+ in market \d+ by reduce-only orders/,
  },
  {
    fault: 'a reduce-only order that is cut by a lot too much',
    plant: () => deeperCut,
    isNotInCrash: true,
    check: 'order',
    says: /was cut by \d+, and its position is exceeded by \d+/,
  },
  {
    fault: 'a new reduce-only order that is cut by a lot too little',
    plant: () => shallowCut,
    isNotInCrash: true,
    check: 'order',
    says: /was cut to \d+, and may reduce \d+/,
  },
  {
    fault: 'a client order id that is used twice',
    plant: repeatedId,
    check: 'client order id',
    says: /used client order id .* twice/,
  },
  {
    fault: 'a trade while the venue is halted',
    plant: () => tradeInHalt,
    check: 'index',
    says: /(?:opens|reduces) in market \d+, which is cancel_only/,
  },
  {
    fault: 'a timer that finishes before it has cancelled its orders',
    plant: () => unfinishedTimer,
    isNotInCrash: true,
    check: 'order',
    says: /a timer of account \d+ finished, and order \d+ is open/,
  },
  {
    fault: 'a batch that places its orders in another order',
    plant: () => shuffledPlacements,
    check: 'order',
    says: /is not what its place in the command requests/,
  },
  {
    fault: 'a batch that cancels its orders in another order',
    plant: () => shuffledCancels,
    check: 'batch',
    says: /cancels order \d+ out of place/,
  },
];

/** Halts the venue before a client's order that trades. */
function tradeInHalt(turn: CommittedRecord): readonly CommittedRecord[] | undefined {
  const isPlacement = turn.command.type === 'PlaceOrder' || turn.command.type === 'PlaceOrders';
  if (!isPlacement || !turn.events.some(({ type }) => type === 'TradeExecuted')) return undefined;
  const command = { type: 'SetVenueStatus', status: 'halted' } as const;
  return [{ ...turn, command, events: [{ type: 'VenueStatusChanged', status: 'halted' }] }, turn];
}

/** A fill of a client's order in a client's trade, with all that it posts. */
function clientFills(turn: CommittedRecord): Of<'OrderFilled'>[] {
  const trades = new Set(turn.events.filter(has('TradeExecuted', ({ origin }) => origin === 'client')).map(({ trade }) => trade));
  return turn.events.filter(has('OrderFilled', ({ trade }) => trades.has(trade)));
}

function roundedUpFee(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const fill = clientFills(turn).find(({ feeAtoms }) => feeAtoms > 0);
  if (fill === undefined) return undefined;
  const posted = next(turn, fill, 'CashPosted', ({ kind }) => kind === 'trade_fee')!;
  const ledger = next(turn, fill, 'LedgerPosted', (event) => event.ledger === 'fees')!;
  const change = next(turn, fill, 'PositionChanged')!;
  const edited = replacedAll(turn, [
    [fill, { feeAtoms: fill.feeAtoms + 1 }],
    [posted, { amountAtoms: posted.amountAtoms - 1 }],
    [ledger, { amountAtoms: ledger.amountAtoms + 1 }],
    [change, { feeAtoms: change.feeAtoms + 1 }],
  ]);
  return balanced(edited, books);
}

function swappedFees(turn: CommittedRecord): CommittedRecord | undefined {
  const [maker, taker] = clientFills(turn);
  if (maker === undefined || taker === undefined || maker.feeAtoms === taker.feeAtoms) return undefined;
  return replacedAll(turn, [
    [maker, { feeAtoms: taker.feeAtoms }],
    [taker, { feeAtoms: maker.feeAtoms }],
  ]);
}

/** The first close that leaves something of its position, with the PnL that it posts. */
function partialClose(turn: CommittedRecord, books: Auditor) {
  for (const fill of clientFills(turn)) {
    const change = next(turn, fill, 'PositionChanged');
    const { signedBase } = books.positions.of(fill.account, fill.market);
    const isFirst = turn.events.find(has('PositionChanged', ({ account }) => account === fill.account)) === change;
    if (!isFirst || change === undefined || change.account !== fill.account || change.signedBaseAtoms === 0) continue;
    if (change.changedBaseAtoms < 0 === signedBase > 0 && signedBase !== 0) return { fill, change, isLong: signedBase > 0 };
  }
  return undefined;
}

function offEntry(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const close = partialClose(turn, books);
  if (close === undefined) return undefined;
  const { fill, change, isLong } = close;
  const posted = next(turn, fill, 'CashPosted', ({ kind }) => kind === 'realized_pnl');
  if (posted === undefined || turn.events.indexOf(posted) > turn.events.indexOf(change)) return undefined;
  const by = isLong ? 1 : -1;
  const edited = replacedAll(turn, [
    [fill, { realizedPnlAtoms: fill.realizedPnlAtoms + 1 }],
    [posted, { amountAtoms: posted.amountAtoms + 1 }],
    [change, { realizedPnlAtoms: change.realizedPnlAtoms + 1, entryNotionalAtoms: change.entryNotionalAtoms + by }],
  ]);
  return balanced(edited, books);
}

function thinMargin(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  for (const fill of clientFills(turn)) {
    const posted = next(turn, fill, 'CashPosted', ({ kind }) => kind === 'margin_lock');
    const change = posted && next(turn, posted, 'PositionChanged');
    if (posted?.account !== fill.account || change?.account !== fill.account) continue;
    const last = turn.events.findLast(
      has('PositionChanged', ({ account, trade }) => account === fill.account && trade === fill.trade),
    )!;
    const edited = replacedAll(turn, [
      [posted, { amountAtoms: posted.amountAtoms + 1 }],
      [last, { marginAtoms: last.marginAtoms - 1 }],
    ]);
    return balanced(edited, books);
  }
  return undefined;
}

function earlyRelease(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const close = partialClose(turn, books);
  const posted = close && next(turn, close.fill, 'CashPosted', ({ kind }) => kind === 'margin_release');
  if (posted?.account !== close?.fill.account || close === undefined || posted === undefined) return undefined;
  const edited = replacedAll(turn, [
    [posted, { amountAtoms: posted.amountAtoms + 1 }],
    [close.change, { marginAtoms: close.change.marginAtoms - 1 }],
  ]);
  return balanced(edited, books);
}

function strayRelease(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  return turn.command.type === 'AdjustPositionMargin' ? undefined : releasedToAnother(turn, books);
}

function strayRemoval(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  return turn.command.type === 'AdjustPositionMargin' ? releasedToAnother(turn, books) : undefined;
}

function releasedToAnother(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const posted = turn.events.find(has('CashPosted', ({ kind }) => kind === 'margin_release'));
  if (posted === undefined || books.accounts.count < 2) return undefined;
  const account = posted.account === 1 ? 2 : 1;
  return balanced(replacedAll(turn, [[posted, { account }]]), books);
}

function openInterest(turn: CommittedRecord): CommittedRecord | undefined {
  const [one, other] = turn.events.filter(has('PositionChanged'));
  if (one === undefined || other === undefined || one.changedBaseAtoms !== -other.changedBaseAtoms) return undefined;
  const more = (event: Of<'PositionChanged'>): FieldChanges<Of<'PositionChanged'>> => {
    const by = Math.sign(event.changedBaseAtoms);
    return { changedBaseAtoms: event.changedBaseAtoms + by, signedBaseAtoms: event.signedBaseAtoms + by };
  };
  return replacedAll(turn, [
    [one, more(one)],
    [other, more(other)],
  ]);
}

function brokenTimePriority(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  if (turn.events.some(has('OrderCancelled'))) return undefined;
  const fill = clientFills(turn).find(({ liquidity }) => liquidity === 'maker');
  const first = fill && books.orders.get(fill.order);
  if (fill === undefined || first === undefined || first.reduceOnly) return undefined;
  // An order that reduces a position may come first while a liquidation is due.
  const isReducing = ({ side, account, market }: typeof first) => books.positions.closableBy(side, account, market) > 0;
  const second = books.orders
    .queue(first.market, first.side)
    .find(
      (order) => order.order > first.order && order.priceAtoms === first.priceAtoms && !order.reduceOnly && !isReducing(order),
    );
  return second && replacedAll(turn, [[fill, { order: second.order, account: second.account }]]);
}

function openingReduceOnly(turn: CommittedRecord, books: Auditor): CommittedRecord | undefined {
  const { command, events } = turn;
  const accepted = events.find(has('OrderAccepted'));
  if (command.type !== 'PlaceOrder' || accepted === undefined || command.reduceOnly) return undefined;
  const isTaking = events.some(has('OrderFilled', ({ order }) => order === accepted.order));
  if (!isTaking || books.positions.closableBy(command.side, command.account, command.market) > 0) return undefined;
  // The open interest raises no rate of a reduce-only order.
  if (!books.markets.of(command.market).initialRates.includes(accepted.initialMarginBps)) return undefined;
  return { ...replacedAll(turn, [[accepted, { reduceOnly: true }]]), command: { ...command, reduceOnly: true } };
}

/** The next fill on the side of a cancelled order is attributed to it. */
function ghostOrder() {
  let ghost: Of<'OrderCancelled'> | undefined;
  return (turn: CommittedRecord): CommittedRecord | undefined => {
    const fill = clientFills(turn).find(
      ({ liquidity, market, side }) => liquidity === 'maker' && market === ghost?.market && side === ghost.side,
    );
    if (fill !== undefined && ghost !== undefined)
      return replacedAll(turn, [[fill, { order: ghost.order, account: ghost.account }]]);
    ghost = turn.events.findLast(has('OrderCancelled', ({ reason }) => reason === 'user')) ?? ghost;
    return undefined;
  };
}

/** Not in a turn whose incoming order has ended: it could have met the idle order, which another check finds first. */
function idleOrder(turn: CommittedRecord): CommittedRecord | undefined {
  // The reasons of other orders that end in the turn may depend on it.
  if (
    turn.events.some(
      has('OrderCancelled', ({ wasResting, reason }) => !wasResting && (reason === 'no_liquidity' || reason === 'price_band')),
    )
  )
    return undefined;
  const hasNothing = ({ account, market, side }: Of<'OrderCancelled'>) => {
    const position = turn.events.findLast(has('PositionChanged', (it) => it.account === account && it.market === market));
    return position !== undefined && position.signedBaseAtoms * (side === 'sell' ? 1 : -1) <= 0;
  };
  const ended = turn.events.findLast(
    has('OrderCancelled', (it) => it.wasResting && it.reason === 'reduce_only' && hasNothing(it)),
  );
  return ended && replaced(turn, ended);
}

/** The last cut of a turn, so that no later event of the turn depends on it. */
function uncutOrder(turn: CommittedRecord): CommittedRecord | undefined {
  const cut = turn.events.at(-1);
  return cut?.type === 'OrderReduced' && cut.wasResting ? replaced(turn, cut) : undefined;
}

function deeperCut(turn: CommittedRecord): CommittedRecord | undefined {
  const cut = turn.events.find(has('OrderReduced', ({ wasResting, remainingAtoms }) => wasResting && remainingAtoms > 1));
  return cut && replacedAll(turn, [[cut, { cutAtoms: cut.cutAtoms + 1, remainingAtoms: cut.remainingAtoms - 1 }]]);
}

function shallowCut(turn: CommittedRecord): CommittedRecord | undefined {
  const cut = turn.events.find(has('OrderReduced', ({ wasResting, cutAtoms }) => !wasResting && cutAtoms > 1));
  if (cut === undefined) return undefined;
  const rested = next(turn, cut, 'OrderRested')!;
  return replacedAll(turn, [
    [cut, { cutAtoms: cut.cutAtoms - 1, remainingAtoms: cut.remainingAtoms + 1 }],
    [rested, { remainingAtoms: rested.remainingAtoms + 1 }],
  ]);
}

function repeatedId() {
  const used = new Map<number, string>();
  return (turn: CommittedRecord): CommittedRecord | undefined => {
    const { command, events } = turn;
    const accepted = events.find(has('OrderAccepted'));
    if (command.type !== 'PlaceOrder' || accepted === undefined) return undefined;
    const clientOrderId = used.get(command.account);
    used.set(command.account, command.clientOrderId);
    if (clientOrderId === undefined) return undefined;
    return { ...replacedAll(turn, [[accepted, { clientOrderId }]]), command: { ...command, clientOrderId } };
  };
}

/** Without the last order that the timer cancels, which the finish follows. */
function unfinishedTimer(turn: CommittedRecord): CommittedRecord | undefined {
  const { command, events } = turn;
  if (command.type !== 'EndDueOrders') return undefined;
  const finish = events.findIndex(
    (event, at) => event.type === 'CancelAllAfterFinished' && events[at - 1]?.type === 'OrderCancelled',
  );
  return finish < 0 ? undefined : replaced(turn, events[finish - 1]!);
}

function shuffledPlacements(turn: CommittedRecord): CommittedRecord | undefined {
  const { command, events } = turn;
  if (command.type !== 'PlaceOrders' || !events.every(({ type }) => type === 'OrderAccepted' || type === 'OrderRested'))
    return undefined;
  if (command.entries.length < 2) return undefined;
  return { ...turn, command: { ...command, entries: [...command.entries].reverse() } };
}

function shuffledCancels(turn: CommittedRecord): CommittedRecord | undefined {
  const { command, events } = turn;
  const isWhole = command.type === 'CancelOrders' && events.every(has('OrderCancelled'));
  if (!isWhole || events.length < 2 || command.type !== 'CancelOrders') return undefined;
  const orders: Extract<Command, { type: 'CancelOrders' }>['orders'] = [...command.orders].reverse();
  return { ...turn, command: { ...command, orders } };
}
