/**
 * Paging while a random history arrives: every list shows each row once, and transfers show the last change of each.
 * `OPENPERP_PROJECTION_RUNS=5000 npx vitest run engine/projection/any-paging.test.ts` tries that many histories.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TransferResource } from '#contract/transfers.ts';
import type { EntryPlace, Page, PageQuery, Reads } from '#reads/reads.ts';
import type { History } from '#simulation/history.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { Projection } from './projection.ts';
import { historyOf, MARKETS, step } from './testing/any-history.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/any-paging.test.ts';

type List = (reads: Reads, query: PageQuery, account: AccountOrdinal, market: MarketOrdinal) => Page<object>;

/** Every list that is ordered by time, with the key of its entries. */
const LISTS: Readonly<Record<string, { readonly list: List; readonly key: string; readonly time: string }>> = {
  orders: { list: (reads, query, account) => reads.orders({ ...query, account }), key: 'orderId', time: 'createdAtEpochMs' },
  'orders of a market': {
    list: (reads, query, account, market) => reads.orders({ ...query, account, market }),
    key: 'orderId',
    time: 'createdAtEpochMs',
  },
  fills: { list: (reads, query, account) => reads.fills({ ...query, account }), key: 'tradeId', time: 'executedAtEpochMs' },
  'fills of a market': {
    list: (reads, query, account, market) => reads.fills({ ...query, account, market }),
    key: 'tradeId',
    time: 'executedAtEpochMs',
  },
  trades: { list: (reads, query, _, market) => reads.trades({ ...query, market }), key: 'tradeId', time: 'executedAtEpochMs' },
  'closed positions': {
    list: (reads, query, account) => reads.positionHistory({ ...query, account }),
    key: 'positionId',
    time: 'closedAtEpochMs',
  },
  'closed positions in a market': {
    list: (reads, query, account, market) => reads.positionHistory({ ...query, account, market }),
    key: 'positionId',
    time: 'closedAtEpochMs',
  },
  'funding payments': {
    list: (reads, query, account) => reads.fundingPayments({ ...query, account }),
    key: 'paymentId',
    time: 'paidAtEpochMs',
  },
  'funding payments in a market': {
    list: (reads, query, account, market) => reads.fundingPayments({ ...query, account, market }),
    key: 'paymentId',
    time: 'paidAtEpochMs',
  },
  ledger: {
    list: (reads, query, account) => reads.ledgerEntries({ ...query, account }),
    key: 'entryId',
    time: 'postedAtEpochMs',
  },
  'funding rates': {
    list: (reads, query, _, market) => reads.fundingRates({ ...query, market }),
    key: 'period',
    time: 'settledAtEpochMs',
  },
};

/** Unbiased: small shares would leave most lists with less than a page. */
const paging = fc.noBias(
  fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    arrivals: fc.array(fc.integer({ min: 1, max: 20 })),
    initialShare: fc.nat(100),
    sinceShare: fc.nat(40),
    untilShare: fc.option(fc.nat(150), { nil: undefined }),
    account: fc.constantFrom(...([1, 2, 3] as AccountOrdinal[])),
    market: fc.constantFrom(...MARKETS),
  }),
);

/** Folds the next part of the history. */
function arrive(projection: Projection, history: History, count: number): void {
  const from = projection.sequence;
  const upTo = Math.min(history.records.length, from + count);
  if (upTo > from) projection.follow(history.group(from, upTo));
}

/** The time at a fraction of a history. */
function momentAt({ records }: History, share: number): number {
  return records[Math.min(records.length - 1, Math.trunc((records.length * share) / 100))]!.epochMs;
}

test.each(Object.entries(LISTS))(
  '%s, oldest first, are shown once each while others arrive',
  { timeout: TIMEOUT_MS },
  (_, { list, key, time }) => {
    holds(
      FILE,
      fc.property(fc.noBias(fc.array(step, { minLength: 40, maxLength: 80, size: 'max' })), paging, (steps, shares) => {
        const { limit, arrivals, initialShare, sinceShare, untilShare, account, market } = shares;
        const history = historyOf(steps);
        const sinceEpochMs = momentAt(history, sinceShare);
        const until =
          untilShare === undefined ? {} : { untilEpochMs: untilShare > 100 ? sinceEpochMs : momentAt(history, untilShare) };
        const query = { direction: 'oldest_first', sinceEpochMs, ...until, limit } as const;
        within(':memory:', (projection) => {
          projection.follow(history.group(0, Math.max(1, Math.trunc((history.records.length * initialShare) / 100))));
          const waiting = [...arrivals];
          const paged: object[] = [];
          let after: EntryPlace | undefined;
          // Every page but the last has at least one row, so the loop ends.
          for (let page = 0; page <= 10 * history.records.length; page += 1) {
            const { entries, nextAfter } = list(
              projection.reads,
              { ...query, ...(after !== undefined && { after }) },
              account,
              market,
            );
            paged.push(...entries);
            after = nextAfter;
            if (after === undefined) break;
            arrive(projection, history, waiting.pop() ?? 0);
          }
          const keysOf = (rows: readonly object[]) => rows.map((row) => Reflect.get(row, key));
          const whole = list(projection.reads, { ...query, limit: 100_000 }, account, market).entries;
          expect(keysOf(paged)).toEqual(keysOf(whole));
          expect(new Set(keysOf(paged)).size).toBe(paged.length);
          // The same rows as one page between the two times, in both directions.
          const all = list(projection.reads, { direction: 'oldest_first', limit: 100_000 }, account, market).entries;
          const within = all.filter((row) => {
            const at = Number(Reflect.get(row, time));
            return at >= sinceEpochMs && at <= (query.untilEpochMs ?? Number.POSITIVE_INFINITY);
          });
          expect(keysOf(whole)).toEqual(keysOf(within));
          const newest = list(projection.reads, { direction: 'newest_first', ...until, limit: 100_000 }, account, market).entries;
          const upTo = all.filter((row) => Number(Reflect.get(row, time)) <= (query.untilEpochMs ?? Number.POSITIVE_INFINITY));
          expect(keysOf(newest)).toEqual(keysOf(upTo).reverse());
        });
      }),
    );
  },
);

test('transfers show the last change of each transfer while others change', {
  timeout: TIMEOUT_MS,
}, () => {
  const kinds = fc.constantFrom('deposit' as const, 'withdrawal' as const, undefined);
  holds(
    FILE,
    fc.property(
      fc.array(step, { minLength: 40, maxLength: 120 }),
      paging,
      kinds,
      (steps, { limit, arrivals, initialShare, account }, kind) => {
        const history = historyOf(steps);
        const query = { account, limit, ...(kind !== undefined && { kind }) };
        within(':memory:', (projection) => {
          projection.follow(history.group(0, Math.max(8, Math.trunc((history.records.length * initialShare) / 100))));
          const waiting = [...arrivals];
          const shown: TransferResource[] = [];
          for (;;) {
            const last = shown.at(-1)?.updatedAtEpochMs;
            const { entries, hasMore } = projection.reads.transfers({
              ...query,
              ...(last !== undefined && { afterEpochMs: last }),
            });
            shown.push(...entries);
            if (!hasMore) break;
            arrive(projection, history, waiting.pop() ?? 0);
          }
          const times = shown.map(({ updatedAtEpochMs }) => updatedAtEpochMs);
          expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
          const newest = new Map(shown.map((transfer) => [transfer.transferId, transfer]));
          const whole = projection.reads.transfers({ ...query, limit: 100_000 }).entries;
          expect(new Set(newest.values())).toEqual(new Set(whole));
          // A transfer that is listed again has a later time and a further status.
          for (const { status, transferId, updatedAtEpochMs } of shown) {
            const later = newest.get(transferId)!;
            if (later.updatedAtEpochMs !== updatedAtEpochMs) expect([status, later.status]).not.toEqual([later.status, status]);
          }
        });
      },
    ),
  );
});
