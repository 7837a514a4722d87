/** Ten thousand orders due at one price: the turns are bounded, and the orders trigger by price and then by age, each once. */
import { expect, test } from 'vitest';
import { BTC, Scenario } from '#simulation/scenario.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { checkInvariants } from '#venue/invariants.ts';
import { MAX_MATCH_STEPS } from '#venue/order/match-plan.ts';
import { MAX_OPEN_ORDERS } from '#venue/order/order-rules.ts';
import { Venue } from '#venue/venue.ts';
import { MARKED, only, triggered, waiting } from './testing/waiting-orders.ts';
import { TRIGGERS_PER_TURN } from './triggering.ts';
import { MAX_WAITING_TRIGGERS } from './triggers.ts';

const COUNT = 10_000;
const ACCOUNTS = COUNT / MAX_WAITING_TRIGGERS;

class Crowd {
  venue: Venue;
  now: EpochMs;
  sequence: Sequence;

  constructor() {
    const scenario = Scenario.withAccounts(1, MARKED);
    ({ venue: this.venue, now: this.now, sequence: this.sequence } = scenario);
  }

  run(command: Command): VenueEvent[] {
    this.sequence = (this.sequence + 1) as Sequence;
    this.now = (this.now + 1) as EpochMs;
    return eventsOfTurn(this.venue, { sequence: this.sequence, epochMs: this.now, command });
  }

  price(price: number): VenueEvent[] {
    return this.run({ type: 'PublishIndexPrice', market: BTC, priceAtoms: price as never, observedAtEpochMs: this.now });
  }
}

/** Accounts whose orders wait for `priceOf(index)`; each sells 1 lot at a limit that rests. Returns the orders with their prices. */
function crowd(priceOf: (index: number) => number, limit: number): { it: Crowd; placed: [number, number][] } {
  const it = new Crowd();
  const placed: [number, number][] = [];
  for (let account = 2; account < ACCOUNTS + 2; account += 1) {
    it.run({ type: 'OpenAccount', label: 'one', partyId: `party-${account}`, digestSeed: 7 });
    it.run({ type: 'CreditCash', account: account as AccountOrdinal, amountAtoms: 1_000_000_000 as never, reference: 'test' });
    for (let count = 0; count < MAX_WAITING_TRIGGERS; count += 1) {
      const price = priceOf(placed.length);
      const fields = { kind: 'trigger' as const, limit };
      const { order } = only(it.run(waiting(account, 'sell', price, 1, fields)), 'TriggerAccepted')[0]!;
      placed.push([price, order]);
    }
  }
  return { it, placed };
}

/** Runs the market's work until none is left. Returns the triggered orders and the number of turns. */
function runAll(it: Crowd, events: VenueEvent[], between: () => void = () => {}): { found: number[]; turns: number } {
  const found: number[] = [];
  let turns = 0;
  for (let next = events; ; next = it.run({ type: 'AdvanceMarket', market: BTC })) {
    const these = triggered(next);
    expect(these.length).toBeLessThanOrEqual(TRIGGERS_PER_TURN);
    found.push(...these);
    turns += 1;
    if (only(next, 'MarketWorkPending').length === 0) return { found, turns };
    between();
  }
}

test('10,000 orders due at one price trigger in 200 turns, the oldest first', { timeout: 120_000 }, () => {
  const { it, placed } = crowd(() => 9_900, 10_400);
  const { found, turns } = runAll(it, it.price(9_900));
  expect(turns).toBe(COUNT / TRIGGERS_PER_TURN);
  expect(found).toEqual(placed.map(([, order]) => order));
  expect(it.venue.state.triggers.isEmpty).toBe(true);
  checkInvariants(it.venue.state);
});

test('what was due stays due when the price comes back, by price and then by age', { timeout: 120_000 }, () => {
  const { it, placed } = crowd((index) => 9_900 - (index % 37), 10_400);
  let restarts = 0;
  const { found } = runAll(it, it.price(9_800), () => {
    if (restarts === 3) {
      it.price(9_990);
      it.venue = Venue.restore(it.venue.snapshot());
    }
    restarts += 1;
  });
  placed.sort(([one, first], [other, second]) => other - one || first - second);
  // The price that comes back is a turn of the market too.
  const missing = new Set(placed.map(([, order]) => order)).size - found.length;
  expect(missing).toBe(TRIGGERS_PER_TURN);
  expect(found).toEqual(
    placed.map(([, order]) => order).filter((_, index) => index < 4 * TRIGGERS_PER_TURN || index >= 5 * TRIGGERS_PER_TURN),
  );
});

test('a turn ends after an order with which it has met a thousand resting orders', { timeout: 120_000 }, () => {
  const scenario = Scenario.withAccounts(6, MARKED);
  scenario.snapshotEvery = 1_000;
  for (let account = 1; account <= 4; account += 1)
    for (let count = 0; count < MAX_OPEN_ORDERS; count += 1) scenario.limit(account, 'buy', 9_850, 1);
  for (let count = 0; count < 3; count += 1) scenario.run(waiting(5, 'sell', 9_900, 600, { kind: 'trigger' }));
  const events = scenario.price(9_900);
  expect(triggered(events)).toHaveLength(2);
  expect(only(events, 'TradeExecuted')).toHaveLength(1_200);
  expect(1_200).toBeLessThan(2 * MAX_MATCH_STEPS);
  expect(only(events, 'MarketWorkPending')).toHaveLength(1);
  expect(triggered(scenario.run({ type: 'AdvanceMarket', market: BTC }))).toHaveLength(1);
});
