import { beforeAll, describe, expect, test } from 'vitest';
import { History } from '#simulation/history.ts';
import { BTC } from '#simulation/scenario.ts';
import type { AccountOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { VENUE_LEDGERS } from '#venue/event.ts';
import { SMALL_MARKET } from '#venue/testing/venues.ts';
import type { BalanceMove } from './balance-moves.ts';
import { fundingMovesOf, ledgerMovesOf, marginMovesOf } from './balance-moves.ts';

const UNIT = 1_000;
const ALICE = 1 as AccountOrdinal;
const ALL = 1_000;

/** Account 1 is long a BTC from account 2, both pay a fee and their funding; then it is liquidated against account 3. */
let history: History;
beforeAll(() => {
  history = History.begin(3, SMALL_MARKET);
  history.run({ type: 'CreditInsurance', amountAtoms: 50_000_000 as QuoteAtoms, reference: 'fund' });
  history.limit(2, 'sell', 10_000, UNIT + 1, { leverageX: 2 });
  history.market(1, 'buy', UNIT);
  history.market(3, 'buy', 1);
  history.wait(1_000_000);
  history.price(10_000);
  history.wait(history.venue.state.market(BTC)!.funding.endsAtEpochMs - history.now);
  history.price(10_000);
  history.limit(3, 'buy', 9_470, UNIT);
  history.price(9_470);
});

const amountsOf = (moves: readonly BalanceMove[]) => moves.map(({ kind, amountAtoms, account }) => [kind, amountAtoms, account]);

describe('ledger of the venue', () => {
  test('equals the sum of its postings, each of which follows the previous one', async () => {
    for (const ledger of VENUE_LEDGERS) {
      const moves = await ledgerMovesOf(history.records, ledger, undefined, ALL);
      expect(moves.at(-1)?.balanceAtoms ?? 0).toBe(history.venue.state.ledgers[ledger]);
      expect(moves.reduce((sum, { amountAtoms }) => sum + amountAtoms!, 0)).toBe(history.venue.state.ledgers[ledger]);
      expect(moves.some(({ isUnexplained }) => isUnexplained)).toBe(false);
    }
  });

  test('is changed by fees, covers, remainders of funding and money from outside', async () => {
    expect(amountsOf(await ledgerMovesOf(history.records, 'fees', ALICE, ALL))).toEqual([['trade_fee', 500_000, 1]]);
    const insurance = await ledgerMovesOf(history.records, 'insurance', undefined, ALL);
    expect(amountsOf(insurance).slice(0, 2)).toEqual([
      ['posting', 50_000_000, undefined],
      ['funding remainder', 1, undefined],
    ]);
    expect(insurance[0]).toMatchObject({ command: 'CreditInsurance', reference: 'fund' });
    // At 947.0 the loss is 53, and the rest of the margin after the funding of 0.0125 is 49.9875.
    expect(amountsOf(await ledgerMovesOf(history.records, 'insurance', ALICE, ALL))).toEqual([
      ['insurance_cover', -3_012_500, 1],
    ]);
    expect(amountsOf(await ledgerMovesOf(history.records, 'funding', ALICE, ALL))).toEqual([['funding of period 1', 12_500, 1]]);
  });

  test('shows the newest moves, and what does not add up', async () => {
    const fees = await ledgerMovesOf(history.records, 'fees', undefined, ALL);
    expect(await ledgerMovesOf(history.records, 'fees', undefined, 2)).toEqual(fees.slice(-2));
    const [, second] = history.records.filter(({ events }) => events.some(({ type }) => type === 'LedgerPosted'));
    const silent = { ...second!, events: second!.events.filter(({ type }) => type !== 'LedgerPosted') };
    const changed = history.records.map((record) => (record === second ? silent : record));
    expect((await ledgerMovesOf(changed, 'fees', undefined, ALL)).some(({ isUnexplained }) => isUnexplained)).toBe(true);
  });
});

describe('account', () => {
  test('shows the margin that its position received and lost', async () => {
    expect(amountsOf(await marginMovesOf(history.records, ALICE, ALL))).toEqual([
      ['client, position 2', 50_000_000, 1],
      ['funding, position 2', -12_500, 1],
      ['liquidation, position 2', -49_987_500, 1],
    ]);
  });

  test('shows the funding that it paid and received', async () => {
    expect(amountsOf(await fundingMovesOf(history.records, ALICE, ALL))).toEqual([['period 1, position 2', 12_500, 1]]);
    const actual = await fundingMovesOf(history.records, 2 as AccountOrdinal, ALL);
    expect(actual).toMatchObject([{ amountAtoms: -12_512, balanceAtoms: -12_512 }]);
  });
});

describe('missing records', () => {
  /** The last record before the account's first funding payment. */
  let before: number;
  beforeAll(() => {
    const paid = history.records.find(({ events }) => events.some((event) => event.type === 'FundingPaid'));
    before = paid!.sequence - 1;
  });
  const behind = (last: number) => history.records.slice(last);

  test('leave no move of a ledger unexplained', async () => {
    for (const ledger of VENUE_LEDGERS) {
      const all = await ledgerMovesOf(history.records, ledger, undefined, ALL);
      for (const { sequence } of history.records) {
        const moves = await ledgerMovesOf(behind(sequence), ledger, undefined, ALL);
        expect(moves).toEqual(all.filter((move) => move.sequence > sequence));
      }
    }
  });

  test('leave the earlier margin of a position unknown', async () => {
    const whole = await marginMovesOf(history.records, ALICE, ALL);
    const moves = await marginMovesOf(behind(before), ALICE, ALL);
    expect(moves).toEqual(whole.slice(1).map((move, index) => (index === 0 ? { ...move, amountAtoms: undefined } : move)));
    // A position that was opened later had no earlier margin.
    const opened = whole[0]!.sequence - 1;
    expect(await marginMovesOf(behind(opened), ALICE, ALL)).toEqual(whole);
  });

  test('leave a margin known from a saved state before the move', async () => {
    const whole = await marginMovesOf(history.records, ALICE, ALL);
    const position = new Map([[2 as PositionOrdinal, 50_000_000 as QuoteAtoms]]);
    expect(await marginMovesOf(behind(before), ALICE, ALL, new Map([[before, position]]))).toEqual(whole.slice(1));
    expect(await marginMovesOf(behind(before - 1), ALICE, ALL, new Map([[before, position]]))).toEqual(whole.slice(1));
  });

  test('in the middle discard what was known before', async () => {
    const whole = await marginMovesOf(history.records, ALICE, ALL);
    const first = whole[0]!.sequence;
    const holed = history.records.filter(({ sequence }) => sequence !== first + 1);
    const [opening, next] = await marginMovesOf(holed, ALICE, ALL);
    expect([opening!.amountAtoms, next!.amountAtoms]).toEqual([50_000_000, undefined]);
    expect(next!.isUnexplained).toBe(false);
  });

  test('leave a sum of funding unknown, unless the account is younger', async () => {
    const whole = await fundingMovesOf(history.records, ALICE, ALL);
    expect(whole).toMatchObject([{ amountAtoms: 12_500, balanceAtoms: 12_500 }]);
    expect(await fundingMovesOf(behind(before), ALICE, ALL)).toEqual([{ ...whole[0]!, balanceAtoms: undefined }]);
    const opened = history.records.find(({ events }) => events.some((event) => event.type === 'AccountOpened'));
    expect(await fundingMovesOf(behind(opened!.sequence - 1), ALICE, ALL)).toEqual(whole);
  });

  test('excuse an unexplained position; in a complete journal it is a fault of the books', async () => {
    const opening = history.records.find(({ events }) => events.some((event) => event.type === 'PositionChanged'))!;
    const silent = { ...opening, events: opening.events.filter((event) => event.type !== 'PositionChanged') };
    const changed = history.records.map((record) => (record === opening ? silent : record));
    expect(await marginMovesOf(changed, ALICE, ALL)).toMatchObject([{ amountAtoms: undefined, isUnexplained: true }, {}]);
  });
});
