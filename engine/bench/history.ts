/**
 * Reads pages of an account's long history: rows found, rendered and serialized. The first page and the last one, for every
 * declared combination of filters of a list.
 */
import { join } from 'node:path';
import { FreshnessGauge } from '#projection/freshness.ts';
import { readsOf } from '#projection/reads.ts';
import { openStore } from '#projection/store.ts';
import { cursorScope } from '#reads/paging.ts';
import type { AccountHistoryQuery, PageQuery } from '#reads/reads.ts';
import { type ResourceReads, renderRead, resourceReads } from '#reads/resource-reads.ts';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import { ACCOUNT, MARKETS, numberedFor, putHistory, START_EPOCH_MS, timeOf } from './history-rows.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';

const ROWS = Number(process.env.OPENPERP_HISTORY_ROWS ?? 1_000_000);
const QUICK_ROWS = 4_000;
const BYTES_PER_ROW = 3_000;
/** The default page size. */
const PAGE = 100;
/** The distance of the last page from the end: enough for a page of every filter, though the newest orders are all open. */
const END = 1_500;
const ROUNDS = 25;
/** The source of an entry of a fill in the ledger. */
const LEDGER_FILL = 1;

interface BenchQuery {
  readonly name: string;
  readonly query: (page: PageQuery) => readonly [name: keyof ResourceReads, ...parameters: readonly unknown[]];
  /** The cursor position of the account's row with that number. */
  readonly placeOf: (number: number) => readonly number[];
}

interface ListTimes {
  readonly list: string;
  readonly first: Spread;
  readonly last: Spread;
  /** Bytes of the first and the last page. */
  readonly bytes: readonly [number, number];
}

export const history: Part = {
  name: 'history',
  run({ isQuick }: BenchOptions): Promise<Report> {
    const rows = isQuick ? QUICK_ROWS : ROWS;
    return inBenchDirectory(rows * BYTES_PER_ROW, async (directory) => {
      const store = openStore(join(directory, 'projection.sqlite'));
      try {
        putHistory(store, rows);
        const reads = readsOf(store, new FreshnessGauge(), () => store.checkpoint.epochMs);
        const responses = resourceReads(reads);
        return report(
          rows,
          listQueries(rows).map((operation) => measured(responses, operation, rows)),
        );
      } finally {
        store.close();
      }
    });
  },
};

function listQueries(rows: number): readonly BenchQuery[] {
  const market = MARKETS[0]!;
  const base = { account: ACCOUNT };
  const middle = Math.trunc(rows / 2);
  const scope = cursorScope('listOrders', {});
  const numbered = (number: number) => [numberedFor(number, ACCOUNT)];
  const timed = (number: number) => [timeOf(number), number, numberedFor(number, ACCOUNT)];
  const orders = (name: string, filters: object): BenchQuery => ({
    name: `orders${name}`,
    query: (page) => ['orderList', scope, { ...base, ...page, ...filters }],
    placeOf: numbered,
  });
  const fills = (name: string, filters: object): BenchQuery => ({
    name: `fills${name}`,
    query: (page) => ['fillList', scope, { ...base, ...page, ...filters }],
    placeOf: numbered,
  });
  const timely = (
    list: 'positionHistory' | 'fundingPaymentList',
    name: string,
    filters: Partial<AccountHistoryQuery>,
  ): BenchQuery => ({
    name,
    query: (page) => [list, scope, { ...base, ...page, ...filters }],
    placeOf: (number) => (list === 'positionHistory' ? timed(number) : [...timed(number), 1]),
  });
  return [
    orders('', {}),
    orders(' of a market', { market }),
    orders(' that are filled', { status: 'filled' }),
    orders(' of a market that are cancelled', { market, status: 'cancelled' }),
    orders(' of a reference', { clientOrderId: `order-${middle}` }),
    orders(' of a reference, a market and a status', { clientOrderId: `order-${middle}`, market, status: 'filled' }),
    orders(' that are open', { status: 'open' }),
    orders(' up to a time', { untilEpochMs: timeOf(middle) }),
    fills('', {}),
    fills(' of a market', { market }),
    fills(' of an order', { order: numberedFor(middle, ACCOUNT) }),
    fills(' of a reference and a market', { clientOrderId: `order-${middle}`, market }),
    fills(' up to a time', { untilEpochMs: timeOf(middle) }),
    timely('positionHistory', 'closed positions', {}),
    timely('positionHistory', 'closed positions in a market', { market }),
    timely('fundingPaymentList', 'funding payments', {}),
    timely('fundingPaymentList', 'funding payments in a market', { market }),
    {
      name: 'ledger',
      query: (page) => ['ledgerEntryList', scope, { ...base, ...page }],
      placeOf: (number) => [timeOf(number), number, LEDGER_FILL, numberedFor(number, ACCOUNT), 1, numberedFor(number, ACCOUNT)],
    },
    {
      name: 'transfers',
      query: ({ after }) => ['transferHistory', { ...base, limit: PAGE, ...behind(after) }],
      placeOf: (number) => [timeOf(number)],
    },
  ];
}

function behind(after: readonly number[] | undefined): { readonly afterEpochMs?: number } {
  return after === undefined ? {} : { afterEpochMs: after[0]! };
}

/** Oldest first, so that the last page is the newest. */
function measured(responses: ResourceReads, { name, query, placeOf }: BenchQuery, rows: number): ListTimes {
  const page = { direction: 'oldest_first', sinceEpochMs: START_EPOCH_MS, limit: PAGE } as const;
  const pages = [page, { ...page, after: placeOf(rows - END) }].map((pageQuery) => {
    const times: number[] = [];
    let bytes = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [operation, ...parameters] = query(pageQuery);
      const startedAt = performance.now();
      bytes = renderRead(responses, operation, parameters)?.length ?? 0;
      times.push(performance.now() - startedAt);
    }
    return { times: spreadOf(times), bytes };
  });
  const [first, last] = pages as [(typeof pages)[0], (typeof pages)[0]];
  return { list: name, first: first.times, last: last.times, bytes: [first.bytes, last.bytes] };
}

function report(rows: number, lists: readonly ListTimes[]): Report {
  const ms = (value: number) => value.toFixed(2);
  const table = {
    title: `History: a page of ${PAGE} out of ${thousands(rows)} orders and as many fills of one account, in milliseconds`,
    notes: [
      'and a quarter as many closed positions, funding payments and deposits; another account has as many in between',
      'a page is found, rendered and serialized to JSON; the first one, and one at the end',
    ],
    columns: ['oldest first', 'first page', 'at the end', 'end : first'],
    rows: lists.map(({ list, first, last }) => [
      list,
      inRange(first, ms),
      inRange(last, ms),
      (last.median / first.median).toFixed(2),
    ]),
  };
  return { tables: [table], figures: { history: { rows, lists } } };
}
