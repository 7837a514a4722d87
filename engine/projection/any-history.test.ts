/**
 * Whatever is traded: the projection holds what the core holds, and it makes no difference how the journal came to it,
 * in how many groups, how often, or with how many restarts.
 * `OPENPERP_PROJECTION_RUNS=5000 npx vitest run engine/projection/any-history.test.ts` tries as many histories as it says;
 * a failure prints the command that repeats it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { everythingRead } from '#simulation/everything-read.ts';
import { History } from '#simulation/history.ts';
import { FINE_MARKET } from '#simulation/scenario.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { Projection } from './projection.ts';
import { discardProjection, openProjection } from './projection.ts';

const RUNS = Number(process.env.OPENPERP_PROJECTION_RUNS ?? 40);
const SEED = process.env.OPENPERP_PROJECTION_SEED;
const TIMEOUT_MS = 20_000 + 1_000 * RUNS;
const ACCOUNTS = 3;
const MARKETS = [1, 2] as MarketOrdinal[];
const clock = { now: () => 0 as EpochMs };

type Step = (history: History) => void;

const account = fc.integer({ min: 1, max: ACCOUNTS });
const side = fc.constantFrom('buy' as const, 'sell' as const);
const price = fc.oneof(fc.integer({ min: 9_985, max: 10_015 }), fc.integer({ min: 9_200, max: 10_800 }));
const quantity = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 20_000 }));
const market = fc.constantFrom(...MARKETS);
const flags = fc.record({ market, reduceOnly: fc.boolean(), leverageX: fc.constantFrom(0, 2, 20) });

const limit = fc.tuple(account, side, price, quantity, flags, fc.boolean()).map(
  ([who, way, at, size, rest, postOnly]): Step =>
    (it) =>
      it.limit(who, way, at, size, { ...rest, postOnly }),
);
const marketOrder = fc.tuple(account, side, quantity, flags).map(
  ([who, way, size, rest]): Step =>
    (it) =>
      it.market(who, way, size, rest),
);
const notional = fc.tuple(account, side, fc.integer({ min: 1, max: 2_000_000_000 }), flags).map(
  ([who, way, money, rest]): Step =>
    (it) =>
      it.marketFor(who, way, money, rest),
);
const cancel = fc.tuple(account, fc.nat(40)).map(
  ([who, order]): Step =>
    (it) =>
      it.cancel(who, order),
);
const index = fc.tuple(market, fc.integer({ min: 9_500, max: 10_500 })).map(
  ([of, at]): Step =>
    (it) =>
      it.price(at, of),
);
const pause = fc.oneof(fc.nat(90_000), fc.nat(100_000_000)).map(
  (ms): Step =>
    (it) =>
      it.wait(ms),
);
const credit = fc.tuple(account, fc.integer({ min: 1, max: 1_000_000 })).map(
  ([who, amount]): Step =>
    (it) =>
      it.run({ type: 'CreditCash', account: who as AccountOrdinal, amountAtoms: amount as QuoteAtoms, reference: 'more' }),
);
const status = fc.tuple(market, fc.constantFrom('open' as const, 'open' as const, 'cancel_only' as const)).map(
  ([of, next]): Step =>
    (it) =>
      it.run({ type: 'SetMarketStatus', market: of, status: next }),
);
const step = fc.oneof(
  { weight: 12, arbitrary: limit },
  { weight: 6, arbitrary: marketOrder },
  { weight: 2, arbitrary: notional },
  { weight: 3, arbitrary: cancel },
  { weight: 2, arbitrary: index },
  { weight: 2, arbitrary: pause },
  { weight: 1, arbitrary: credit },
  { weight: 1, arbitrary: status },
);

function historyOf(steps: readonly Step[]): History {
  const history = History.begin(ACCOUNTS);
  history.snapshotEvery = Number.POSITIVE_INFINITY;
  history.run({ type: 'ListMarket', specification: { ...FINE_MARKET, marketId: 'ETH-USD-PERP' }, status: 'open' });
  history.price(10_000, MARKETS[1]);
  for (const take of steps) take(history);
  return history;
}

function holds<Values>(property: fc.IProperty<Values>): void {
  const details = fc.check(property, { numRuns: RUNS, ...(SEED !== undefined && { seed: Number(SEED) }) });
  if (!details.failed) return;
  const repeat = `OPENPERP_PROJECTION_SEED=${details.seed} OPENPERP_PROJECTION_RUNS=${RUNS} npx vitest run engine/projection/any-history.test.ts`;
  throw new Error(`${repeat}\n${fc.defaultReportMessage(details)}`, { cause: details.errorInstance });
}

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'projection-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'projection.sqlite');
}

/** Opens a projection, hands it over, and closes it. */
function within<Result>(path: string, use: (projection: Projection) => Result): Result {
  const projection = openProjection(path, clock);
  try {
    return use(projection);
  } finally {
    projection.close();
  }
}

const all = (projection: Projection) => everythingRead(projection, ACCOUNTS, MARKETS.length);

test('groups of any size, fed twice, with restarts between, come to the same as all at once', { timeout: TIMEOUT_MS }, () => {
  const path = temporaryFile();
  const cut = fc.record({ size: fc.integer({ min: 1, max: 12 }), restarts: fc.boolean(), repeats: fc.nat(20) });
  holds(
    fc.property(fc.array(step, { maxLength: 60 }), fc.infiniteStream(cut), (steps, cuts) => {
      const history = historyOf(steps);
      const atOnce = within(':memory:', (whole) => {
        whole.follow(history.group(0));
        return all(whole);
      });
      discardProjection(path);
      let projection = openProjection(path, clock);
      try {
        for (const { size, restarts, repeats } of cuts) {
          const from = projection.sequence;
          if (from === history.records.length) break;
          projection.follow(history.group(Math.max(0, from - repeats), Math.min(history.records.length, from + size)));
          if (!restarts) continue;
          projection.close();
          projection = openProjection(path, clock);
        }
        expect(all(projection)).toEqual(atOnce);
      } finally {
        projection.close();
      }
    }),
  );
});

test('holds what the core holds: cash, reservations, open orders, positions and marks', { timeout: TIMEOUT_MS }, () => {
  holds(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const history = historyOf(steps);
      within(':memory:', (projection) => {
        projection.follow(history.group(0));
        expect(shownBy(projection)).toEqual(heldBy(history));
      });
    }),
  );
});

function shownBy({ reads }: Projection) {
  return Array.from({ length: ACCOUNTS }, (_, place) => {
    const owner = (place + 1) as AccountOrdinal;
    const snapshot = reads.accountSnapshot(owner);
    return {
      cash: snapshot.cashBalanceAtoms,
      reserved: snapshot.reservedForOrdersAtoms,
      orders: reads
        .orders({ account: owner, status: 'open', direction: 'oldest_first', limit: 1_000 })
        .entries.map(({ orderId, marketId, remainingQuantity }) => `${orderId} ${marketId} ${Number(remainingQuantity)}`),
      positions: reads
        .positions(owner)
        .positions.map(
          (held) =>
            `${held.positionId} ${held.marketId} ${held.side} ${held.currentQuantityAtoms} ${held.entryNotionalAtoms} ${held.marginAtoms} ${held.markPriceAtoms}`,
        )
        .sort(),
    };
  });
}

/** The same, from the core's own state. */
function heldBy({ venue: { state } }: History) {
  return state.accounts.slice(1).map((owner) => ({
    cash: String(owner!.cashAtoms),
    reserved: String(owner!.reservedAtoms),
    orders: state.orders
      .slotsByAge()
      .filter((slot) => state.orders.accountOf(slot) === owner!.ordinal)
      .map((slot) => {
        const { specification } = state.market(state.orders.marketOf(slot))!;
        return `${state.orders.orderOf(slot)} ${specification.marketId} ${state.orders.remainingOf(slot) / 10 ** specification.quantityScale}`;
      }),
    positions: owner!.positions
      .filter((held) => held !== undefined && held.signedBaseAtoms !== 0)
      .map((held) => {
        const { specification, markPriceAtoms } = state.market(held!.market)!;
        const direction = held!.signedBaseAtoms > 0 ? 'long' : 'short';
        return `${held!.ordinal} ${specification.marketId} ${direction} ${Math.abs(held!.signedBaseAtoms)} ${held!.entryNotionalAtoms} ${held!.marginAtoms} ${markPriceAtoms}`;
      })
      .sort(),
  }));
}

test('books are those of the core, level by level', { timeout: TIMEOUT_MS }, () => {
  holds(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const history = historyOf(steps);
      const { state } = history.venue;
      const levels = new Map<string, number>();
      for (const slot of state.orders.slotsByAge()) {
        const level = `${state.orders.marketOf(slot)} ${state.orders.sideOf(slot)} ${state.orders.priceOf(slot)}`;
        levels.set(level, (levels.get(level) ?? 0) + state.orders.remainingOf(slot));
      }
      within(':memory:', ({ follow, reads }) => {
        follow(history.group(0));
        let shown = 0;
        for (const of of MARKETS) {
          const { quantityScale, priceScale } = state.market(of)!.specification;
          const book = reads.book(of, 1_000);
          for (const [way, side] of [
            ['buy', book.bids],
            ['sell', book.asks],
          ] as const) {
            shown += side.length;
            for (const [at, size] of side)
              expect(Math.round(Number(size) * 10 ** quantityScale)).toBe(
                levels.get(`${of} ${way} ${Math.round(Number(at) * 10 ** priceScale)}`),
              );
          }
          const best = state.market(of)!.book;
          expect(Math.round(Number(book.bids[0]?.[0] ?? 0) * 10 ** priceScale)).toBe(best.bestBid);
          expect(Math.round(Number(book.asks[0]?.[0] ?? 0) * 10 ** priceScale)).toBe(best.bestAsk);
        }
        expect(shown).toBe(levels.size);
      });
    }),
  );
});

test('pages, oldest first, hold every row once, however many arrive while someone pages', { timeout: TIMEOUT_MS }, () => {
  const paging = fc.record({
    limit: fc.integer({ min: 1, max: 5 }),
    arrivals: fc.array(fc.integer({ min: 1, max: 20 })),
    sinceShare: fc.nat(100),
  });
  holds(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), paging, (steps, { limit, arrivals, sinceShare }) => {
      const history = historyOf(steps);
      within(':memory:', (projection) => {
        const begun = Math.max(1, Math.trunc((history.records.length * sinceShare) / 100));
        projection.follow(history.group(0, begun));
        const sinceEpochMs = history.records[Math.trunc(begun / 2)]!.epochMs;
        for (const owner of [1, 2, 3] as AccountOrdinal[]) {
          const query = { account: owner, direction: 'oldest_first', sinceEpochMs, limit } as const;
          const paged: string[] = [];
          const waiting = [...arrivals];
          let after: number | undefined;
          // A page that did not move on would go on for ever: there is at least one row on each but the last.
          for (let page = 0; page <= history.records.length; page += 1) {
            const { entries, nextAfter } = projection.reads.orders({ ...query, ...(after !== undefined && { after }) });
            paged.push(...entries.map(({ orderId }) => orderId));
            after = nextAfter;
            if (after === undefined) break;
            const from = projection.sequence;
            const upTo = Math.min(history.records.length, from + (waiting.pop() ?? 0));
            if (upTo > from) projection.follow(history.group(from, upTo));
          }
          const whole = projection.reads.orders({ ...query, limit: 100_000 }).entries.map(({ orderId }) => orderId);
          expect(paged).toEqual(whole);
          expect(new Set(paged).size).toBe(paged.length);
        }
      });
    }),
  );
});
