/** Accounts: episodes from open to close, equity, and risk at the mark. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { accountSnapshot, partyBinding } from '#contract/accounts.ts';
import { position, positionSnapshot } from '#contract/positions.ts';
import { History } from '#simulation/history.ts';
import { BTC, SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { MarketPriced, PositionChanged, VenueEvent } from '#venue/event.ts';
import { VENUE_LEDGERS } from '#venue/event.ts';
import { owned, setupCommand } from '#venue/owner/testing/owners.ts';
import type { MarketsView } from './account-values.ts';
import { DeleveragingQueues } from './deleveraging-queues.ts';
import { changedEpisode, fundedEpisode } from './episode-fold.ts';
import { pricedMarket, untradedMarket } from './market-fold.ts';
import { MarketScales } from './market-scales.ts';
import { positionResource } from './position-resource.ts';
import { openProjection } from './projection.ts';
import type { EpisodeRow, MarketActivityRow } from './rows.ts';
import { changed } from './testing/events.ts';

const ALICE = 1 as AccountOrdinal;

function readsOf(history: History) {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection.reads;
}

/** These tests do not read the deleveraging queues. */
const queues = new DeleveragingQueues(() => []);

const MARK: MarketPriced = {
  type: 'MarketPriced',
  market: BTC,
  indexPriceAtoms: 10_000 as PriceAtoms,
  markPriceAtoms: 10_000 as PriceAtoms,
  observedAtEpochMs: 0 as EpochMs,
  indexStatus: 'current',
  fundingEstimatePpb: 0 as Ppb,
  nextFundingAtEpochMs: 0 as EpochMs,
};

/** The rules of the scenarios' market that matter here. */
function inMarket(activity: MarketActivityRow): MarketsView {
  const scales = new MarketScales(BTC, SCENARIO_MARKET);
  return { nowEpochMs: 0 as EpochMs, scales: () => scales, activity: () => activity, status: () => 'open' };
}

function isOfAlice(event: VenueEvent): event is PositionChanged {
  return event.type === 'PositionChanged' && event.account === ALICE;
}

/** Bob rests an order at a price, Alice takes it. */
function trade(history: History, side: 'buy' | 'sell', priceAtoms: number, quantityAtoms: number): void {
  history.limit(2, side === 'buy' ? 'sell' : 'buy', priceAtoms, quantityAtoms);
  history.market(1, side, quantityAtoms);
}

/** Closes Alice's position at a price. Returns the closed position and her cash. */
function closedWith(history: History, priceAtoms: number) {
  history.limit(2, 'buy', priceAtoms, 1_000);
  history.limit(1, 'sell', priceAtoms, 1_000);
  const episode = history.records.reduce<EpisodeRow | undefined>((before, record) => {
    let row = before;
    for (const event of record.events) {
      if (isOfAlice(event)) row = changedEpisode(row, event, record);
      if (event.type === 'FundingPaid' && event.account === ALICE) row = fundedEpisode(row!, event, record);
    }
    return row;
  }, undefined)!;
  const { realizedPnlAtoms: realizedPnl, fundingPaidAtoms: fundingPaid, feesPaidAtoms: fees } = episode;
  return { realizedPnl, fundingPaid, fees, cash: history.venue.state.account(ALICE)!.cashAtoms - 10_000_000_000 };
}

describe('a position', () => {
  test('is an episode that is opened, enlarged and reduced, with live risk at the mark', () => {
    const history = History.begin(2);
    trade(history, 'buy', 10_000, 100);
    const openedAtEpochMs = history.now;
    trade(history, 'buy', 10_020, 100);
    trade(history, 'sell', 10_030, 50);
    const updatedAtEpochMs = history.now;
    history.price(10_100);
    const reads = readsOf(history);
    const snapshot = reads.positions(ALICE);
    positionSnapshot.parse(snapshot);
    // Bought 0.2 for 200.2, a quarter of it sold again for 50.15 against 50.05.
    expect(snapshot.positions).toMatchObject([
      {
        positionId: '2',
        side: 'long',
        status: 'open',
        openedAtEpochMs,
        updatedAtEpochMs,
        maxQuantity: '0.2',
        currentQuantity: '0.15',
        entryNotional: '150.15',
        avgEntryPrice: '1001',
        avgExitPrice: '1003',
        realizedPnl: '0.1',
        feesPaid: '0.125175',
        // 5 % of 200.2, and the 0.2 that the second half was behind the mark, less a quarter.
        margin: '7.6575',
        markPrice: '1010',
        unrealizedPnl: '1.35',
        equityAtoms: '9007500',
        // 0.15 at 1010.0 is 151.5, of which 250 bps.
        maintenanceRequirementAtoms: '3787500',
        marginHealthBps: '23782',
        // The highest price with 0.15 × price × 0.975 < 150.15 − 7.6575 is 974.3.
        liquidationPrice: '974.3',
        marginStatus: 'healthy',
        riskAsOfMarketDataSequence: history.sequence,
        liquidationTierConsistent: true,
      },
    ]);
    expect(snapshot.positions[0]).toHaveProperty('closedAtEpochMs', null);
  });

  test('ends when it is closed; a flip ends one episode and opens the next', () => {
    const history = History.begin(2);
    trade(history, 'buy', 10_000, 100);
    trade(history, 'sell', 10_030, 150);
    const reads = readsOf(history);
    expect(reads.positions(ALICE).positions).toMatchObject([
      { positionId: '4', side: 'short', currentQuantity: '0.05', realizedPnl: '0' },
    ]);
    expect(reads.fills({ account: ALICE, direction: 'newest_first', limit: 1 }).entries[0]).toMatchObject({
      realizedPnl: '0.3',
      positionId: '4',
    });
  });

  test('has its result and no risk once it is closed', () => {
    const history = History.begin(2);
    trade(history, 'sell', 10_000, 100);
    const openedAtEpochMs = history.now;
    trade(history, 'sell', 10_010, 100);
    trade(history, 'buy', 9_990, 200);
    const closed = history.records.reduce<EpisodeRow | undefined>(
      (row, record) => record.events.filter(isOfAlice).reduce((before, event) => changedEpisode(before, event, record), row),
      undefined,
    )!;
    const shown = positionResource(inMarket(pricedMarket(untradedMarket(BTC), MARK, history.records[0]!)), closed, queues);
    // 200.1 sold, 199.8 bought back.
    expect(position.parse(shown)).toMatchObject({
      side: 'short',
      status: 'closed',
      closeReason: 'user_close',
      openedAtEpochMs,
      closedAtEpochMs: history.now,
      currentQuantity: '0',
      maxQuantity: '0.2',
      avgEntryPrice: '1000.5',
      avgExitPrice: '999',
      realizedPnl: '0.3',
      margin: '0',
      entryNotional: '0',
    });
    expect(shown).toHaveProperty('markPriceAtoms', null);
  });

  test.each([
    ['client', 'user_close'],
    ['liquidation', 'liquidation'],
    ['auto_deleveraging', 'auto_deleveraging'],
  ] as const)('closed by %s has the reason %s, whatever changed it before', (cause, closeReason) => {
    const at = { sequence: 1 as Sequence, epochMs: 1_000 as EpochMs };
    const other = cause === 'client' ? 'liquidation' : 'client';
    const open = changedEpisode(undefined, changed({ cause }), at);
    const shrunk = changedEpisode(open, changed({ cause: other, changedBaseAtoms: -40, signedBaseAtoms: 60 }), at);
    expect(shrunk.closeReason).toBeNull();
    const closed = changedEpisode(shrunk, changed({ cause, changedBaseAtoms: -60, signedBaseAtoms: 0 }), at);
    const shown = positionResource(inMarket(untradedMarket(BTC)), closed, queues);
    expect(position.parse(shown)).toMatchObject({ status: 'closed', closeReason });
  });

  test('counts funding that its margin could not pay once, in its PnL', () => {
    const history = History.begin(3, {
      ...SCENARIO_MARKET,
      premiumSampleMs: 1_800_000,
      fundingCapPpb: 25_000_000 as Ppb,
      impactNotionalAtoms: 1_000_000 as QuoteAtoms,
    });
    history.limit(1, 'buy', 10_000, 1_000, { leverageX: 20 });
    history.limit(2, 'sell', 10_000, 1_000, { leverageX: 1 });
    // A band that no listing has: a sample may be 7 %.
    const market = history.venue.state.market(BTC)!;
    market.specification = { ...market.specification, markBandBps: 1_000 as Bps };
    // The index rises, and a bid is 7 % above it: twice 2.5 % of 1,800 are due, the margin is 50.
    history.jump(18_000);
    history.limit(3, 'buy', 19_300, 100);
    for (const left of [2, 1, 2, 1]) {
      history.wait(Math.floor((history.venue.state.market(BTC)!.funding.endsAtEpochMs - history.now) / left));
      history.price(18_000);
    }
    const paid = history.records.flatMap(({ events }) => events).filter((event) => event.type === 'FundingPaid');
    expect(paid.filter(({ account }) => account === ALICE)).toMatchObject([
      { paidAtoms: 45_000_000, marginAtoms: 5_000_000 },
      { paidAtoms: 45_000_000, marginAtoms: 0 },
    ]);
    expect(readsOf(history).positions(ALICE).positions).toMatchObject([{ fundingPaid: '50', entryNotional: '1040' }]);
    history.cancel(3, 3);
    const { fees, ...result } = closedWith(history, 18_000);
    expect(result).toEqual({ realizedPnl: 760_000_000, fundingPaid: 50_000_000, cash: 710_000_000 - fees });
  });

  test('rejects a change that does not add up', () => {
    const history = History.begin(2);
    trade(history, 'buy', 10_000, 100);
    const record = history.records.at(-1)!;
    const event = record.events.find(isOfAlice)!;
    expect(() => changedEpisode(undefined, { ...event, changedBaseAtoms: 99 as BaseAtoms }, record)).toThrow(/changed by 99/);
  });
});

describe('an account', () => {
  test('has equity: cash, the margin of its positions, and their unrealized PnL', () => {
    const history = History.begin(2);
    trade(history, 'buy', 10_000, 1_000);
    history.limit(1, 'buy', 9_900, 100);
    history.price(10_200);
    const snapshot = readsOf(history).accountSnapshot(ALICE);
    accountSnapshot.parse(snapshot);
    // 1 bought at 1000.0: margin 50, fee 0.5. An order for 0.1 at 990.0 reserves 4.95 of margin and 0.0495 of fee.
    expect(snapshot).toMatchObject({
      cashBalance: '9949.5',
      positionMargin: '50',
      reservedForOrders: '4.9995',
      availableForOrders: '9944.5005',
      riskEvidence: { status: 'complete' },
    });
    // Without asks the book's price is the index, and the last trade alone does not move the mark.
    expect(snapshot.positions).toEqual([
      {
        marketId: 'BTC-USD-PERP',
        signedBaseAtoms: '1000',
        entryNotionalAtoms: '1000000000',
        unrealizedPnlAtoms: '20000000',
        markPriceAtoms: '10200',
      },
    ]);
    expect(snapshot.equity).toBe('10019.5');
  });

  test('has an active binding while a party is bound to it', () => {
    const history = History.begin(1);
    history.run({ type: 'OpenAccount', label: 'observer', partyId: '', digestSeed: 7 });
    const reads = readsOf(history);
    const [bound, unbound] = [reads.party(ALICE), reads.party(2 as AccountOrdinal)];
    expect([partyBinding.parse(bound), partyBinding.parse(unbound)]).toMatchObject([
      { status: 'active', partyId: 'party-1', lastSequence: 3 },
      { status: 'absent' },
    ]);
    expect(unbound).toHaveProperty('partyId', null);
  });

  test('of an agent has the party and the consent of its owner', () => {
    const history = History.begin(1);
    const owner = owned(history, 1, 'submit');
    history.run({ type: 'OpenAgentAccount', account: owner, label: 'agent', digestSeed: 7 });
    const agent = (owner + 1) as AccountOrdinal;
    const consents = () => [owner, agent].map((account) => readsOf(history).accountSnapshot(account).consentState);
    const { partyId } = readsOf(history).party(owner);
    expect(readsOf(history).party(agent)).toMatchObject({ status: 'active', partyId, source: 'agent_owner', setup: null });
    expect(consents()).toEqual(['pending', 'pending']);
    history.run(setupCommand('present', owner));
    expect(consents()).toEqual(['present', 'present']);
  });
});

test('ledgers have the balance of their postings, and zero before the first', () => {
  const history = History.begin(3, { ...SCENARIO_MARKET, autoDeleveraging: false });
  const shown = () => VENUE_LEDGERS.map((ledger) => readsOf(history).ledger(ledger));
  expect(shown()).toEqual(['0', '0', '0', '0', '0']);
  history.run({ type: 'CreditInsurance', amountAtoms: 5_000_000 as QuoteAtoms, reference: 'treasury' });
  trade(history, 'buy', 10_000, 1_000);
  history.limit(2, 'buy', 9_300, 1_000);
  // The long is closed at a loss of 20 beyond its margin, of which the fund pays 5.
  history.price(9_300);
  const { ledgers } = history.venue.state;
  expect(ledgers).toMatchObject({ insurance: 0, deficit: -15_000_000 });
  expect(shown()).toEqual(VENUE_LEDGERS.map((ledger) => String(ledgers[ledger] / 1_000_000)));
  history.run({ type: 'ReserveWithdrawal', account: ALICE, amountAtoms: 7_500_000 as QuoteAtoms, destination: 'party::x' });
  expect(readsOf(history).ledger('withdrawals')).toBe('7.5');
});
