/**
 * The ledger of an account over random histories and worlds: its entries add up to cash and position margins to the atom after any record,
 * and its pages show each entry once in both directions.
 * `OPENPERP_PROJECTION_RUNS=5000 npx vitest run engine/projection/any-ledger.test.ts` tries that many histories.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LedgerEntry, ledgerEntry } from '#contract/account-ledger.ts';
import type { EntryPlace, PageQuery, Reads } from '#reads/reads.ts';
import { recordWorld } from '#simulation/auditor/planted/recorded-runs.ts';
import { eventsOfTurn } from '#simulation/turn-events.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { VenueState } from '#venue/state.ts';
import { Venue } from '#venue/venue.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import { ACCOUNTS, historyOf, type Step, step } from './testing/any-history.ts';
import { changed, listed, opened } from './testing/events.ts';
import { EventFeed } from './testing/published-records.ts';
import { repaidCover } from './testing/repaid-cover.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/any-ledger.test.ts';
const ALL = { direction: 'oldest_first', limit: 100_000 } as const;
/** In the last one the insurance fund pays for a fill. */
const WORLD_SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 166];

const CREDITED = { account: 1 as AccountOrdinal };

const entriesOf = (reads: Reads, account: AccountOrdinal) => reads.ledgerEntries({ account, ...ALL }).entries;

function sumOf(entries: readonly LedgerEntry[]): number {
  return entries.reduce((sum, { amountAtoms }) => sum + Number(amountAtoms), 0);
}

/** Cash and position margins of an account in the core. */
function moneyOf({ accounts }: VenueState, account: AccountOrdinal): number {
  const { cashAtoms, positions } = accounts[account]!;
  return positions.reduce((sum, position) => sum + (position?.marginAtoms ?? 0), cashAtoms as number);
}

/** Reads all entries, or those after a place, in pages. */
function pagedIds(reads: Reads, account: AccountOrdinal, query: PageQuery, from?: EntryPlace): readonly string[] {
  const ids: string[] = [];
  let after = from;
  do {
    const page = reads.ledgerEntries({ account, ...query, ...(after !== undefined && { after }) });
    ids.push(...page.entries.map(({ entryId }) => entryId));
    after = page.nextAfter;
    if (after !== undefined) expect(page.entries).toHaveLength(query.limit);
  } while (after !== undefined);
  return ids;
}

function expectPagesOf(reads: Reads, account: AccountOrdinal, entries: readonly LedgerEntry[]): void {
  const ids = entries.map(({ entryId }) => entryId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const limit of [1, 2, 3, 7]) {
    expect(pagedIds(reads, account, { direction: 'oldest_first', limit })).toEqual(ids);
    expect(pagedIds(reads, account, { direction: 'newest_first', limit })).toEqual(ids.toReversed());
  }
}

test('the entries of every account add up to its cash and margins after any part of a history', { timeout: TIMEOUT_MS }, () => {
  const parts = fc.infiniteStream(fc.integer({ min: 1, max: 12 }));
  holds(
    FILE,
    fc.property(fc.array(step, { maxLength: 80, size: 'max' }), parts, (steps, sizes) => {
      const history = historyOf(steps);
      const { state } = history.venue;
      within(':memory:', (projection) => {
        for (const size of sizes) {
          const from = projection.sequence;
          if (from === history.records.length) break;
          projection.follow(history.group(from, Math.min(history.records.length, from + size)));
          for (const { accountId } of projection.reads.accountList({ limit: 100 }).accounts) {
            const account = Number(accountId.slice('acct-'.length)) as AccountOrdinal;
            const { cashBalanceAtoms, positionMarginAtoms } = projection.reads.accountSnapshot(account);
            expect(sumOf(entriesOf(projection.reads, account))).toBe(Number(cashBalanceAtoms) + Number(positionMarginAtoms));
          }
        }
        for (const { ordinal } of state.accounts.slice(1).map((account) => account!))
          expect(sumOf(entriesOf(projection.reads, ordinal))).toBe(moneyOf(state, ordinal));
      });
    }),
  );
});

test('the entries of every account add up in worlds and histories with every kind of entry', {
  timeout: TIMEOUT_MS,
}, async () => {
  const missing = new Set<string>(ledgerEntry.shape.kind.options);
  const names = new Set<string>();
  const events = new Set<string>();
  const check = (name: string, records: readonly CommittedRecord[], { state }: Venue) =>
    within(':memory:', (projection) => {
      projection.follow({ records, chainDigest: name });
      for (const event of records.flatMap((record) => record.events))
        events.add(event.type === 'TradeExecuted' ? `trade by ${event.origin}` : event.type);
      for (const { ordinal } of state.accounts.slice(1).map((account) => account!)) {
        const entries = entriesOf(projection.reads, ordinal);
        expect(sumOf(entries), `${name}, account ${ordinal}`).toBe(moneyOf(state, ordinal));
        expectPagesOf(projection.reads, ordinal, entries);
        for (const entry of entries) {
          missing.delete(entry.kind);
          for (const [field, value] of Object.entries(entry)) if (value !== null) names.add(`${entry.kind} ${field}`);
        }
      }
    });
  for (const seed of WORLD_SEEDS) {
    const records = await recordWorld(seed);
    const venue = new Venue();
    for (const record of records) eventsOfTurn(venue, record);
    check(`world ${seed}`, records, venue);
  }
  // In these worlds no position repays the fund.
  const { records, venue } = repaidCover();
  check('a history with repayments', records, venue);
  expect([...missing]).toEqual([]);
  for (const event of ['trade by liquidation', 'trade by auto_deleveraging', 'WithdrawalReleased', 'WithdrawalSettled'])
    expect(events).toContain(event);
  for (const kind of ['realized_pnl', 'trade_fee', 'liquidation_fee', 'insurance_covered', 'insurance_repaid'])
    for (const name of ['marketId', 'positionId', 'orderId', 'tradeId']) expect(names).toContain(`${kind} ${name}`);
  for (const kind of ['deposit', 'withdrawal', 'withdrawal_release', 'transfer']) expect(names).toContain(`${kind} transferId`);
  expect(names).toContain('funding paymentId');
});

test('pages of any limit show the entries of the first page once, in both directions', { timeout: TIMEOUT_MS }, () => {
  const paging = fc.record({
    limit: fc.integer({ min: 1, max: 7 }),
    direction: fc.constantFrom('oldest_first' as const, 'newest_first' as const),
    arrivals: fc.infiniteStream(fc.nat(12)),
    share: fc.integer({ min: 0, max: 100 }),
    account: fc.integer({ min: 1, max: ACCOUNTS }).map((account) => account as AccountOrdinal),
  });
  holds(
    FILE,
    fc.property(fc.array(step, { minLength: 20, maxLength: 80, size: 'max' }), paging, (steps, shares) => {
      const { limit, direction, arrivals, share, account } = shares;
      const history = historyOf(steps);
      within(':memory:', ({ follow, reads }) => {
        let folded = Math.max(1, Math.trunc((history.records.length * share) / 100));
        follow(history.group(0, folded));
        const idsOf = (query: PageQuery) => reads.ledgerEntries({ account, ...query }).entries.map(({ entryId }) => entryId);
        const before = idsOf({ direction, limit: 100_000 });
        const paged: string[] = [];
        let after: EntryPlace | undefined;
        for (const arriving of arrivals) {
          const page = reads.ledgerEntries({ account, direction, limit, ...(after !== undefined && { after }) });
          expect(page.entries.length).toBeLessThanOrEqual(limit);
          paged.push(...page.entries.map(({ entryId }) => entryId));
          after = page.nextAfter;
          if (after === undefined) break;
          expect(page.entries.length).toBe(limit);
          const upTo = Math.min(history.records.length, folded + arriving);
          if (upTo > folded) follow(history.group(folded, upTo));
          folded = upTo;
        }
        // Oldest first, the pages go on to what has arrived meanwhile.
        const expected = direction === 'newest_first' ? before : idsOf({ direction, limit: paged.length });
        expect(paged).toEqual(expected);
        if (direction === 'oldest_first') expect(paged.slice(0, before.length)).toEqual(before);
        const reversed = idsOf({ direction: direction === 'oldest_first' ? 'newest_first' : 'oldest_first', limit: 100_000 });
        expect(reversed.reverse()).toEqual(idsOf({ direction, limit: 100_000 }));
      });
    }),
  );
});

/** A fill of the account, which opens or enlarges its position. */
const fillOf: Step = (it) => {
  it.limit(2, 'buy', 10_000, 10);
  it.market(CREDITED.account, 'sell', 10);
};
const credit: Step = (it) => it.run({ ...CREDITED, type: 'CreditCash', amountAtoms: 1 as QuoteAtoms, reference: 'more' });

test('pages of one entry over fills and deposits go on with fills that arrive', () => {
  const history = historyOf([fillOf, fillOf, fillOf, fillOf, credit, credit, credit]);
  within(':memory:', ({ follow, reads }) => {
    const kindsOf = (ids: readonly string[]) => ids.map((id) => id.replace(/-.*/, '')).join(' ');
    follow(history.group(0));
    const whole = pagedIds(reads, CREDITED.account, { direction: 'oldest_first', limit: 1 });
    expect(kindsOf(whole)).toBe('record trade trade trade trade record record record');
    // The second of these pages has read no fill.
    const ofFills = reads.ledgerEntries({ ...CREDITED, direction: 'oldest_first', limit: 6 }).nextAfter!;
    const ofDeposit = reads.ledgerEntries({ ...CREDITED, direction: 'oldest_first', limit: 1, after: ofFills }).nextAfter!;
    const { length } = history.records;
    for (const step of [credit, fillOf, fillOf, fillOf]) step(history);
    follow(history.group(length));
    const rest = pagedIds(reads, CREDITED.account, { direction: 'oldest_first', limit: 1 }, ofDeposit);
    expect(kindsOf(rest)).toBe('record record trade trade trade');
    const back = pagedIds(reads, CREDITED.account, { direction: 'newest_first', limit: 1 });
    expect(back.toReversed()).toEqual([...whole.slice(0, 7), ...rest]);
  });
});

test('fills that arrive after the first page are not in the pages of a list that is newest first', () => {
  const history = historyOf([credit, credit]);
  within(':memory:', ({ follow, reads }) => {
    const { length } = history.records;
    follow(history.group(0));
    const first = reads.ledgerEntries({ ...CREDITED, direction: 'newest_first', limit: 1 });
    fillOf(history);
    follow(history.group(length));
    const rest = pagedIds(reads, CREDITED.account, { direction: 'newest_first', limit: 1 }, first.nextAfter);
    expect(rest).toHaveLength(2);
  });
});

test('a funding payment counts as far as the margin of the position paid it', () => {
  const feed = new EventFeed();
  feed.emit(listed(), opened(), changed({ marginAtoms: 1_000 }));
  const paid = { type: 'FundingPaid', position: 1, account: 1, market: 1, period: 1, paidAtoms: 1_500 };
  feed.emit({ ...paid, marginAtoms: 200, entryNotionalAtoms: 100_000_700 } as never);
  expect(entriesOf(feed.reads, CREDITED.account)).toMatchObject([{ kind: 'funding', amountAtoms: '-800', paymentId: '1-1' }]);
});
