/** Commands that reach the bounds of one turn: many positions, many counterparties, many resting orders. */
import type { Command, OrderRequest, Specification, TriggerTerms } from '#oracle/command.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { TimedCommand } from './comparison.ts';

const START_EPOCH_MS = 1_700_000_000_000;
/** More than a sweep of funding settles in a turn. */
const SHORTS = 258;
const LOTS = 40;
const PRICE = 10_000;
/** More than an order meets in its turn, of accounts that may have 500 each. */
const SELLERS = [2, 3, 4] as const;
/** Their orders wait for one price. */
const STOPPED = [6, 7, 8];
const BATCH = 32;

export function crowdedCommands(): TimedCommand[] {
  const commands: TimedCommand[] = [];
  let epochMs = START_EPOCH_MS;
  const send = (command: Command, afterMs = 1) => {
    epochMs += afterMs;
    commands.push({ epochMs, command });
  };
  const price = (priceAtoms: number, afterMs = 1) =>
    send({ type: 'PublishIndexPrice', market: 1, priceAtoms, observedAtEpochMs: epochMs + afterMs }, afterMs);
  const specification: Specification = { ...SCENARIO_MARKET, maxPriceAtoms: 262_144 };
  send({ type: 'ListMarket', specification, status: 'open' });
  price(PRICE);
  for (let account = 1; account <= SHORTS + 1; account += 1) {
    send({ type: 'OpenAccount', label: `trader ${account}`, partyId: `party-${account}`, digestSeed: account });
    send({ type: 'CreditCash', account, amountAtoms: 10_000_000_000, reference: 'test' });
  }
  send(placed(1, 'whale', { ...limit('buy', PRICE, SHORTS * LOTS), leverageHundredths: 2_000 }));
  for (let account = 2; account <= SHORTS + 1; account += 1) send(placed(account, `short-${account}`, taken('sell', LOTS)));
  // A watched period ends, and its sweep takes two turns.
  for (let count = 0; count < 5; count += 1) price(PRICE, 1_800_000);
  send({ type: 'AdvanceMarket', market: 1 });
  // The whale is bankrupt, and its counterparties are more than a turn deleverages.
  for (let count = 0; count < 3; count += 1) price(9_000);
  for (let count = 0; count < 6; count += 1) send({ type: 'AdvanceMarket', market: 1 });
  for (const account of SELLERS) {
    for (let batch = 0; batch * BATCH < 500; batch += 1) {
      const entries = Array.from({ length: BATCH }, (_, index) =>
        entry(`ask-${account}-${batch}-${index}`, limit('sell', 9_010 + index, 1)),
      );
      send({ type: 'PlaceOrders', account, entries, idempotencyKey: '' });
    }
  }
  send(placed(5, 'sweep', taken('buy', 1_450)));
  send(placed(5, 'sweep-again', taken('buy', 1_450)));
  const exits = Array.from({ length: 21 }, (_, index) =>
    entry(`exit-${index}`, { ...limit('sell', 9_500, 1), reduceOnly: true }),
  );
  send({ type: 'PlaceOrders', account: 5, entries: exits, idempotencyKey: '' });
  // One more than an account may have, and together more than a turn triggers.
  for (const account of STOPPED) {
    const entries = Array.from({ length: 21 }, (_, index) => breakout(`breakout-${account}-${index}`, 9_050));
    send({ type: 'PlaceOrders', account, entries, idempotencyKey: '' });
  }
  price(9_060);
  send({ type: 'AdvanceMarket', market: 1 });
  // More than a turn cancels for a timer.
  for (let batch = 0; batch < 4; batch += 1) {
    const bids = Array.from({ length: BATCH }, (_, index) => entry(`bid-${batch}-${index}`, limit('buy', 8_900, 1)));
    send({ type: 'PlaceOrders', account: SELLERS[0], entries: bids, idempotencyKey: '' });
  }
  send({ type: 'SetCancelAllAfter', account: SELLERS[0], market: 0, timeoutMs: 1_000 });
  for (let count = 0; count < 3; count += 1) send({ type: 'EndDueOrders' }, 1_000);
  return commands;
}

type Terms = Pick<OrderRequest, 'side' | 'terms'> & Partial<OrderRequest>;

function limit(side: 'buy' | 'sell', priceAtoms: number, quantityAtoms: number): Terms {
  return { side, terms: { kind: 'limit', priceAtoms, quantityAtoms, postOnly: false } };
}

function taken(side: 'buy' | 'sell', quantityAtoms: number): Terms {
  return { side, terms: { kind: 'market', quantityAtoms } };
}

function entry(clientOrderId: string, terms: Terms): OrderRequest {
  return { market: 1, clientOrderId, reduceOnly: false, leverageHundredths: 0, ...terms };
}

function breakout(clientOrderId: string, priceAtoms: number): OrderRequest {
  const trigger: TriggerTerms = {
    kind: 'trigger',
    source: 'index',
    direction: 'above',
    priceAtoms,
    trailingAtoms: 0,
    trailingBps: 0,
    closePosition: false,
    linkedClientOrderId: '',
  };
  return { ...entry(clientOrderId, limit('buy', 9_000, 1)), trigger };
}

function placed(account: number, clientOrderId: string, terms: Terms): Command {
  return { type: 'PlaceOrder', account, ...entry(clientOrderId, terms), idempotencyKey: '' };
}
