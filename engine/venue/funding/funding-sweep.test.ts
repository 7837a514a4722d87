import { expect, test } from 'vitest';
import type { Scenario } from '#simulation/scenario.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { Bps, Ppb } from '#units/money.ts';
import type { PlaceOrder } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { holdingsOf, ledgerMovesOf, only, refusalCode, tradesOf, typesOf } from '#venue/testing/outcome.ts';
import { quickScenario, SMALL_MARKET, unboundedPremiumScenario } from '#venue/testing/venues.ts';
import { FUNDINGS_PER_TURN } from './funding-settlement.ts';

/**
 * A period whose settlement takes two turns. Account 1 is short 300 lots, accounts 3 to 302 are long one lot each, accounts
 * 2 and 303 have no position. A lot pays 12.5 atoms.
 */
const LONGS = 300;
const NEWCOMER = LONGS + 3;

function crowd(
  specification = SMALL_MARKET,
  leverageOf = (_account: number) => 20,
  scenario = quickScenario(LONGS + 3, specification),
): Scenario {
  for (let first = 0; first < LONGS; first += 25) {
    scenario.limit(1, 'sell', 10_000, 25, { leverageX: 2 });
    for (let account = first + 3; account < first + 28; account += 1)
      scenario.market(account, 'buy', 1, { leverageX: leverageOf(account) });
  }
  return scenario;
}

function endPeriod(scenario: Scenario, price = 10_000): VenueEvent[] {
  const { funding, indexPriceAtoms } = scenario.venue.state.market(BTC)!;
  if (!funding.isSweeping) {
    // A period has a rate only if there were prices for half of it.
    scenario.wait((funding.endsAtEpochMs - scenario.now) >> 1);
    scenario.price(indexPriceAtoms);
  }
  scenario.wait(funding.endsAtEpochMs - scenario.now);
  return scenario.price(price);
}

function advance(scenario: Scenario): VenueEvent[] {
  return scenario.run({ type: 'AdvanceMarket', market: BTC });
}

function payers(events: readonly VenueEvent[]): number[] {
  return only(events, 'FundingPaid').map(({ account }) => account);
}

function isPending(events: readonly VenueEvent[]): boolean {
  return events.at(-1)?.type === 'MarketWorkPending';
}

test('settles a bounded number of positions per turn and pays out the remainder after the last', () => {
  const scenario = crowd();
  const first = endPeriod(scenario);
  expect(payers(first)).toHaveLength(FUNDINGS_PER_TURN);
  expect(isPending(first)).toBe(true);
  expect(ledgerMovesOf(first, 'insurance')).toEqual([]);
  // 250 have paid 13 each. The funding ledger holds it for the receivers.
  expect(scenario.venue.state.ledgers.funding).toBe(250 * 13);
  const second = advance(scenario);
  expect(payers(second)).toHaveLength(51);
  expect(isPending(second)).toBe(false);
  expect(ledgerMovesOf(second, 'insurance')).toEqual([300 * 13 - 300 * 12.5]);
  expect(scenario.venue.state.ledgers).toMatchObject({ funding: 0, insurance: 150 });
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
});

test('needs no further turn when the rate is zero', () => {
  const scenario = crowd({ ...SMALL_MARKET, fundingInterestPpb: 0 as Ppb });
  expect(typesOf(endPeriod(scenario))).toEqual(['FundingSettled', 'MarketPriced']);
  expect(refusalCode(advance(scenario))).toBe('nothing_to_advance');
});

test('does not end the next period before all positions have settled the last one', () => {
  const scenario = crowd();
  endPeriod(scenario);
  const events = endPeriod(scenario);
  expect(only(events, 'FundingSettled')).toEqual([]);
  expect(payers(events)).toHaveLength(51);
  expect(only(scenario.price(10_000), 'FundingSettled')).toMatchObject([{ period: 2 }]);
});

test('finishes the settlement of a period when the market has become cancel-only', () => {
  const scenario = crowd();
  endPeriod(scenario);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'cancel_only' });
  scenario.wait(3_700_000);
  const events = scenario.price(10_000);
  expect(only(events, 'FundingSettled')).toEqual([]);
  expect(payers(events)).toHaveLength(51);
  scenario.run({ type: 'SetMarketStatus', market: BTC, status: 'open' });
  expect(only(scenario.price(10_000), 'FundingSettled')).toMatchObject([{ period: 2 }]);
});

/** Runs the first turn of the settlement. Returns its events and the accounts that have not settled yet. */
function settleFirstTurn(scenario: Scenario, price = 10_000): { readonly events: VenueEvent[]; readonly unsettled: number[] } {
  const events = endPeriod(scenario, price);
  const settled = new Set(payers(events));
  const all = [1, ...Array.from({ length: LONGS }, (_, place) => place + 3)];
  return { events, unsettled: all.filter((account) => !settled.has(account)) };
}

test('settles a position before its next trade and charges every account once for the quantity at the end of the period', () => {
  const scenario = crowd();
  const { events, unsettled } = settleFirstTurn(scenario);
  const [short, closes, flips, enlarges, sold] = unsettled as [number, number, number, number, number];
  expect(short).toBe(1);
  const emitted = [...events];
  scenario.limit(2, 'buy', 10_000, 5, { leverageX: 2 });
  const closing = scenario.market(closes, 'sell', 1);
  const filled = closing.findIndex((event) => event.type === 'OrderFilled' && event.account === closes);
  expect(typesOf(closing).indexOf('FundingPaid')).toBeLessThan(filled);
  emitted.push(...closing, ...scenario.market(flips, 'sell', 3));
  scenario.limit(2, 'sell', 10_010, 2, { leverageX: 2 });
  emitted.push(...scenario.market(enlarges, 'buy', 1), ...scenario.market(NEWCOMER, 'buy', 1));
  // The same as a maker.
  scenario.limit(sold, 'sell', 10_010, 1);
  emitted.push(...scenario.market(2, 'buy', 1));
  expect(payers(emitted.slice(events.length))).toEqual([closes, flips, enlarges, sold]);
  const rest = advance(scenario);
  emitted.push(...rest);
  expect(isPending(rest)).toBe(false);
  const amounts = new Map<number, number[]>();
  for (const { account, paidAtoms } of only(emitted, 'FundingPaid'))
    amounts.set(account, [...(amounts.get(account) ?? []), paidAtoms]);
  expect(amounts.size).toBe(301);
  for (const [account, payments] of amounts) expect(payments, `account ${account}`).toEqual([account === 1 ? -3_750 : 13]);
  expect(scenario.venue.state.ledgers).toMatchObject({ funding: 0, insurance: 150 });
  // In the next period they pay for their new quantities.
  const next = [...endPeriod(scenario), ...advance(scenario)];
  const paidBy = new Map<number, number>(only(next, 'FundingPaid').map(({ account, paidAtoms }) => [account, paidAtoms]));
  expect([closes, flips, enlarges, NEWCOMER].map((account) => paidBy.get(account))).toEqual([undefined, -25, 25, 13]);
});

test('pays out the remainder in the next turn when all unsettled positions have closed', () => {
  const scenario = crowd();
  const { unsettled } = settleFirstTurn(scenario);
  scenario.limit(2, 'buy', 10_000, unsettled.length, { leverageX: 2 });
  for (const account of unsettled.slice(1)) scenario.market(account, 'sell', 1);
  scenario.limit(2, 'sell', 10_000, 300, { leverageX: 2 });
  scenario.market(1, 'buy', 300);
  expect(scenario.venue.state.ledgers.funding).toBe(150);
  expect(typesOf(advance(scenario))).toEqual(['LedgerPosted', 'LedgerPosted']);
  expect(scenario.venue.state.ledgers).toMatchObject({ funding: 0, insurance: 150 });
});

test('settles the remaining positions when fewer are open than were unsettled', () => {
  const scenario = crowd();
  settleFirstTurn(scenario);
  scenario.limit(1, 'buy', 10_000, LONGS - 10, { reduceOnly: true });
  for (let account = 13; account < LONGS + 3; account += 1) scenario.market(account, 'sell', 1);
  const events = advance(scenario);
  expect(payers(events).sort((left, right) => left - right)).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  expect(isPending(events)).toBe(false);
  expect(scenario.venue.state.ledgers).toMatchObject({ funding: 0, insurance: 150 });
});

test('emits the same events when the venue is restored between the turns', () => {
  const run = (snapshotEvery: number) => {
    const scenario = crowd();
    const { unsettled } = settleFirstTurn(scenario);
    scenario.snapshotEvery = snapshotEvery;
    scenario.limit(2, 'buy', 10_000, 9, { leverageX: 2 });
    const emitted = [unsettled[2]!, unsettled[7]!, 260, 270].flatMap((account) => scenario.market(account, 'sell', 2));
    emitted.push(...advance(scenario), ...endPeriod(scenario), ...advance(scenario));
    return emitted;
  };
  expect(run(1)).toEqual(run(Number.POSITIVE_INFINITY));
});

test('includes unsettled funding in a preview', () => {
  const scenario = crowd();
  const { unsettled } = settleFirstTurn(scenario);
  scenario.limit(2, 'sell', 10_000, 10, { leverageX: 2 });
  const command: PlaceOrder = {
    type: 'PlaceOrder',
    account: unsettled[3]! as AccountOrdinal,
    market: BTC,
    clientOrderId: 'previewed',
    side: 'buy',
    terms: { kind: 'market', quantityAtoms: 1 as never },
    reduceOnly: false,
    leverageHundredths: 0,
    idempotencyKey: '',
  };
  const { position, feeAtoms } = scenario.venue.preview(command, scenario.now);
  const before = holdingsOf(scenario.venue.state, unsettled[3]!);
  const events = scenario.run(command);
  const { base, entry, margin, cash } = holdingsOf(scenario.venue.state, unsettled[3]!);
  expect(position).toMatchObject({ signedBaseAtoms: base, entryNotionalAtoms: entry, marginAtoms: margin });
  expect(payers(events)).toEqual([unsettled[3]]);
  // Its margin of 50,000 pays the 13. Another 50,000 are locked for the second lot.
  expect(margin).toBe(100_000 - 13);
  expect(cash).toBe(before.cash - feeAtoms - 50_000);
});

test('liquidates a position only after it has settled', () => {
  const scenario = crowd({ ...SMALL_MARKET, fundingInterestPpb: 500_000 as Ppb });
  scenario.limit(2, 'buy', 9_700, 300, { leverageX: 2 });
  scenario.price(9_746);
  // Per BTC, at 974.6: equity 24.6, maintenance 24.365, funding 0.4873.
  const first = endPeriod(scenario, 9_746);
  expect(payers(first)).toHaveLength(250);
  expect(only(first, 'LiquidationStarted')).toEqual([]);
  const second = advance(scenario);
  expect(typesOf(second).lastIndexOf('FundingPaid')).toBeLessThan(typesOf(second).indexOf('LiquidationStarted'));
  expect(only(second, 'LiquidationStarted')).toHaveLength(4);
  expect(isPending(second)).toBe(true);
});

test('does not fill an order that its account could afford before funding but not after', () => {
  const cap = 25_000_000 as Ppb;
  const atTheEdge = 6;
  const specification = { ...SMALL_MARKET, fundingCapPpb: cap, makerFeeBps: 5 as Bps };
  const empty = unboundedPremiumScenario(LONGS + 3, specification);
  empty.snapshotEvery = Number.POSITIVE_INFINITY;
  const scenario = crowd(specification, (account) => (account === atTheEdge ? 20 : 2), empty);
  // Bids 6 % above the index in two samples of three: 4 % on average, capped at 2.5 %.
  scenario.limit(2, 'buy', 10_330, 5_000, { leverageX: 2 });
  scenario.wait(10_000);
  scenario.price(9_746);
  const { events, unsettled } = settleFirstTurn(scenario, 9_746);
  expect(only(events, 'FundingSettled')).toMatchObject([{ ratePpb: cap }]);
  expect(unsettled).toContain(atTheEdge);
  scenario.cancel(2, scenario.venue.state.lastOrder);
  // At 974.6 the lot's equity of 24,600 exceeds maintenance. After 24,365 of funding the rest is less than the fee of 487.
  scenario.limit(atTheEdge, 'sell', 9_746, 1);
  const bought = scenario.limit(2, 'buy', 9_746, 1, { leverageX: 2 });
  expect(scenario.venue.state.ledgers.deficit).toBe(0);
  expect(tradesOf(bought)).toEqual([]);
});
