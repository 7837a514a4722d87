/**
 * What the insurance fund pays for a position and gets back is in its fills and in the position, so that an account's cash reconciles:
 * Σ fills (realizedPnl − fee − liquidationFee + insuranceCovered) is the change of cash when it has no position and paid no funding.
 */
import { expect, onTestFinished, test } from 'vitest';
import { History } from '#simulation/history.ts';
import { SCENARIO_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueEvent } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { openProjection } from './projection.ts';
import { repaidCover } from './testing/repaid-cover.ts';

const [ALICE, BOB, CAROL] = [1, 2, 3];
const DEPOSIT = 10_000;

/** Alice is long 1 BTC at 1,000 with 20 x, and bankrupt at 950. Bob is short. The fund has 1,000. */
function begun(specification: Partial<MarketSpecification> = {}): History {
  const history = History.begin(3, { ...SCENARIO_MARKET, ...specification });
  history.run({ type: 'CreditInsurance', amountAtoms: 1_000_000_000 as QuoteAtoms, reference: 'test' });
  history.limit(BOB, 'sell', 10_000, 1_000, { leverageX: 2 });
  history.limit(ALICE, 'buy', 10_000, 1_000, { leverageX: 20 });
  return history;
}

function readsOf(history: History) {
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow(history.group(0));
  return projection.reads;
}

/** Of an account: its cash beyond the deposit, the sums over its fills, and what its positions say that the fund covered. */
function resultOf(history: History, account: number) {
  const reads = readsOf(history);
  const query = { account: account as AccountOrdinal, direction: 'oldest_first', limit: 100 } as const;
  const fills = [...reads.fills(query).entries];
  const sum = (of: (fill: (typeof fills)[number]) => string) => fills.reduce((total, fill) => total + Number(of(fill)), 0);
  const cash = history.venue.state.account(account as AccountOrdinal)!.cashAtoms / 1_000_000 - DEPOSIT;
  const covered = sum(({ insuranceCovered }) => insuranceCovered);
  const net =
    sum(({ realizedPnl }) => realizedPnl) - sum(({ fee }) => fee) - sum(({ liquidationFee }) => liquidationFee) + covered;
  const positions = [...reads.positionHistory(query).entries];
  const micro = (usd: number) => Math.round(usd * 1_000_000);
  expect(micro(net)).toBe(micro(cash));
  return {
    cash: micro(cash) / 1_000_000,
    covers: fills.map(({ insuranceCovered }) => Number(insuranceCovered)),
    positions: positions.map(({ insuranceCovered }) => insuranceCovered),
  };
}

test('a bankrupt liquidation in the book counts what the fund paid', () => {
  const history = begun();
  history.limit(CAROL, 'buy', 9_450, 1_000);
  history.price(9_400);
  expect(resultOf(history, ALICE)).toEqual({ cash: -50.5, covers: [0, 5], positions: ['5'] });
  history.limit(CAROL, 'sell', 9_400, 1_000);
  history.limit(BOB, 'buy', 9_400, 1_000);
  for (const account of [BOB, CAROL]) expect(resultOf(history, account).covers).toEqual([0, 0]);
});

test('deleveraging at the bankruptcy price costs the fund nothing', () => {
  const history = begun();
  history.price(9_400);
  for (const account of [ALICE, BOB]) expect(resultOf(history, account).covers).toEqual([0, 0]);
});

test('what a later close repays to the fund is negative', () => {
  const history = begun({ autoDeleveraging: false });
  history.limit(CAROL, 'buy', 9_450, 400);
  history.price(9_400);
  history.price(10_000);
  history.limit(CAROL, 'buy', 10_000, 600);
  history.market(ALICE, 'sell', 600, { reduceOnly: true });
  expect(resultOf(history, ALICE)).toEqual({ cash: -22.8, covers: [0, 2, -2], positions: ['0'] });
});

test('what a removal of margin repays to the fund is negative', () => {
  const account = ALICE as AccountOrdinal;
  const reads = readsOf(repaidCover());
  expect(reads.positionHistory({ account, direction: 'newest_first', limit: 1 }).entries).toMatchObject([
    { insuranceCovered: '0' },
  ]);
  const { entries } = reads.ledgerEntries({ account, direction: 'oldest_first', limit: 100 });
  const ofFund = entries.filter(({ kind }) => kind.startsWith('insurance'));
  expect(ofFund.map(({ amount, marketId, positionId, tradeId }) => [amount, marketId, positionId, tradeId])).toEqual([
    ['2', 'BTC-USD-PERP', '2', '2'],
    ['-0.5', 'BTC-USD-PERP', '2', null],
    ['-1.5', 'BTC-USD-PERP', '2', '3'],
  ]);
});

test('the ledger adds up for fills without fees and covers, as before version 4 of the rules', () => {
  const history = begun();
  history.limit(CAROL, 'buy', 9_450, 1_000);
  history.price(9_400);
  const records = history.records.map((record) => ({ ...record, events: record.events.map(withoutCover) }));
  const projection = openProjection(':memory:');
  onTestFinished(() => projection.close());
  projection.follow({ records, chainDigest: 'older' });
  const account = ALICE as AccountOrdinal;
  expect(projection.reads.fills({ account, direction: 'newest_first', limit: 1 }).entries).toMatchObject([
    { insuranceCovered: '0' },
  ]);
  const { entries } = projection.reads.ledgerEntries({ account, direction: 'oldest_first', limit: 100 });
  expect(entries).toContainEqual(
    expect.objectContaining({ kind: 'insurance_covered', amount: '5', positionId: '2', tradeId: '2' }),
  );
  const sum = entries.reduce((total, { amountAtoms }) => total + Number(amountAtoms), 0);
  expect(sum).toBe(history.venue.state.account(account)!.cashAtoms);
});

function withoutCover(event: VenueEvent): VenueEvent {
  if (event.type !== 'OrderFilled') return event;
  const { liquidationFeeAtoms: _, insuranceCoveredAtoms: __, ...older } = event;
  return older;
}
