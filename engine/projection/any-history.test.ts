/**
 * Property tests over random histories: the projection has the state of the core, however the journal is grouped, repeated or interrupted by
 * restarts. `OPENPERP_PROJECTION_RUNS=5000 npx vitest run engine/projection/any-history.test.ts` tries that many histories; a failure prints
 * the command that repeats it.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { allReads } from '#simulation/all-reads.ts';
import type { History } from '#simulation/history.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { SETTLEMENT_DECIMALS } from '#units/money.ts';
import { type PostingKind, VENUE_LEDGERS } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { adlIndicatorOf, adlScoreOf, compareByAdl } from '#venue/risk/adl-score.ts';
import { NEVER_REACHED } from '#venue/risk/position-risk.ts';
import type { VenueState } from '#venue/state.ts';
import type { Projection } from './projection.ts';
import { discardProjection, openProjection } from './projection.ts';
import { ACCOUNTS, historyOf, MARKETS, step } from './testing/any-history.ts';
import { repaidCover } from './testing/repaid-cover.ts';
import { holds, TIMEOUT_MS, within } from './testing/tried-histories.ts';

const FILE = 'engine/projection/any-history.test.ts';

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'projection-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'projection.sqlite');
}

const all = (projection: Projection) => allReads(projection, ACCOUNTS, MARKETS.length);

/** Every row of every table of a closed projection, including those that no read shows. */
function rowsIn(path: string): Readonly<Record<string, unknown[]>> {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'file' ORDER BY name").all();
    return Object.fromEntries(tables.map(({ name }) => [name, database.prepare(`SELECT * FROM ${name}`).all()]));
  } finally {
    database.close();
  }
}

/** The single number that a query returns. */
function numberIn(path: string, sql: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(Object.values(database.prepare(sql).get()!)[0]);
  } finally {
    database.close();
  }
}

test('the histories cover all cases that are hard to fold', { timeout: TIMEOUT_MS }, () => {
  const seen = new Set<string>();
  for (const steps of fc.sample(fc.array(step, { minLength: 60, maxLength: 80, size: 'max' }), { seed: 2, numRuns: 300 })) {
    for (const event of historyOf(steps).records.flatMap(({ events }) => events)) {
      seen.add(event.type);
      if (event.type === 'TradeExecuted') seen.add(`trade by ${event.origin}`);
      if (event.type === 'MarketPriced') seen.add(`price that is ${event.indexStatus}`);
      if (event.type === 'LedgerPosted') seen.add(`ledger ${event.ledger}`);
      if (event.type === 'PositionChanged') seen.add(`cover ${Math.sign(event.insuranceCoveredAtoms ?? 0)}`);
    }
  }
  for (const kind of ['FundingPaid', 'LiquidationStarted', 'EntryRefused', 'CashTransferred']) expect(seen).toContain(kind);
  for (const kind of ['FavoriteSet', 'LeverageSet', 'LeaderboardListingSet']) expect(seen).toContain(kind);
  for (const kind of ['WithdrawalReserved', 'WithdrawalReleased', 'WithdrawalSettled']) expect(seen).toContain(kind);
  for (const kind of ['trade by liquidation', 'trade by auto_deleveraging', 'price that is unconfirmed'])
    expect(seen).toContain(kind);
  for (const sign of [1, -1]) expect(seen).toContain(`cover ${sign}`);
  for (const ledger of VENUE_LEDGERS) expect(seen).toContain(`ledger ${ledger}`);
});

test('groups of any size, repeated and with restarts between, give the same state as one group', { timeout: TIMEOUT_MS }, () => {
  const [path, wholePath] = [temporaryFile(), temporaryFile()];
  const cut = fc.record({ size: fc.integer({ min: 1, max: 12 }), restarts: fc.boolean(), repeats: fc.nat(20) });
  holds(
    FILE,
    fc.property(fc.array(step, { maxLength: 60 }), fc.infiniteStream(cut), (steps, cuts) => {
      const history = historyOf(steps);
      for (const file of [path, wholePath]) discardProjection(file);
      const maxConcurrent = within(wholePath, (whole) => {
        whole.follow(history.group(0));
        return all(whole);
      });
      let projection = openProjection(path);
      try {
        for (const { size, restarts, repeats } of cuts) {
          const from = projection.sequence;
          if (from === history.records.length) break;
          projection.follow(history.group(Math.max(0, from - repeats), Math.min(history.records.length, from + size)));
          if (!restarts) continue;
          projection.close();
          projection = openProjection(path);
        }
        expect(all(projection)).toEqual(maxConcurrent);
      } finally {
        projection.close();
      }
      expect(rowsIn(path)).toEqual(rowsIn(wholePath));
    }),
  );
});

test('has the state of the core: cash, reservations, orders, positions and their risk, prices, ledgers', {
  timeout: TIMEOUT_MS,
}, () => {
  holds(
    FILE,
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const history = historyOf(steps);
      within(':memory:', (projection) => {
        projection.follow(history.group(0));
        const accounts = accountsInState(history);
        expect(accountsInResponse(projection, accounts.length)).toEqual(accounts);
        expect(marketsInResponse(projection)).toEqual(marketsInState(history));
        expect(projection.audit()).toEqual(history.venue.audit());
        const { ledgers, netDepositsAtoms } = history.venue.state;
        expect(VENUE_LEDGERS.map((ledger) => projection.reads.ledger(ledger))).toEqual(
          VENUE_LEDGERS.map((ledger) => renderDecimal(ledgers[ledger], SETTLEMENT_DECIMALS)),
        );
        expect(projection.reads.conservation()).toEqual({
          netDeposits: renderDecimal(netDepositsAtoms, SETTLEMENT_DECIMALS),
          imbalance: '0',
        });
      });
    }),
  );
});

test('reports an imbalance for one atom too much or too little anywhere', () => {
  const file = temporaryFile();
  const opened = historyOf([(it) => it.limit(1, 'buy', 10_000, 10), (it) => it.limit(2, 'sell', 10_000, 10)]);
  within(file, (projection) => {
    projection.follow(opened.group(0));
    projection.save();
    const after = (sql: string) => {
      const database = new DatabaseSync(file);
      expect(database.prepare(sql).run().changes).toBe(1);
      database.close();
      return projection.reads.conservation().imbalance;
    };
    expect(after('UPDATE accounts SET cashAtoms = cashAtoms + 1 WHERE account = 1')).toBe('0.000001');
    expect(after('UPDATE accounts SET cashAtoms = cashAtoms - 2 WHERE account = 2')).toBe('-0.000001');
    expect(after("UPDATE ledgers SET balanceAtoms = balanceAtoms + 1 WHERE ledger = 'fees'")).toBe('0');
    expect(after("UPDATE ledgers SET balanceAtoms = balanceAtoms + 1 WHERE ledger = 'net_deposits'")).toBe('-0.000001');
    expect(after('UPDATE episodes SET marginAtoms = marginAtoms + 1 WHERE account = 1')).toBe('0');
    expect(after('UPDATE episodes SET entryNotionalAtoms = entryNotionalAtoms + 1 WHERE account = 2')).toBe('0.000001');
    expect(Number(after('UPDATE episodes SET signedBaseAtoms = signedBaseAtoms + 1 WHERE account = 1'))).toBeGreaterThan(1);
  });
});

function accountsInResponse({ reads }: Projection, count: number) {
  return Array.from({ length: count }, (_, place) => {
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
        .positions.map((position) => ({
          key: `${position.positionId} ${position.marketId} ${position.side}`,
          size: position.currentQuantityAtoms,
          entry: position.entryNotionalAtoms,
          margin: position.marginAtoms,
          mark: position.markPriceAtoms,
          liquidationPrice: position.liquidationPriceAtoms,
          adlIndicator: position.adlIndicator,
        }))
        .sort(byKey),
    };
  });
}

/** The same from the core's state. */
function accountsInState({ venue: { state } }: History) {
  return state.accounts.slice(1).map((owner) => ({
    cash: String(owner!.cashAtoms),
    reserved: String(owner!.reservedAtoms),
    orders: openOrders(state, owner!.ordinal)
      .sort((one, other) => one.order - other.order)
      .map(({ order, market, remaining }) => {
        const { specification } = state.market(market)!;
        return `${order} ${specification.marketId} ${remaining / 10 ** specification.quantityScale}`;
      }),
    positions: owner!.positions
      .filter((position) => position !== undefined && position.signedBaseAtoms !== 0)
      .map((position) => positionInState(position!, state.market(position!.market)!))
      .sort(byKey),
  }));
}

/** In the book, and waiting for a price. */
function openOrders({ orders, triggers }: VenueState, owner: AccountOrdinal) {
  const resting = orders
    .slotsByAge()
    .filter((slot) => orders.accountOf(slot) === owner)
    .map((slot) => ({ order: orders.orderOf(slot), market: orders.marketOf(slot), remaining: orders.remainingOf(slot) }));
  const waiting = [...triggers.byOrder.values()]
    .filter(({ account }) => account === owner)
    .map(({ order, market, quantityAtoms: remaining }) => ({ order, market, remaining }));
  return [...resting, ...waiting];
}

function positionInState(position: Position, market: Market) {
  const { specification, markPriceAtoms, positions, tickLotAtoms } = market;
  const isLong = position.signedBaseAtoms > 0;
  const { liquidationPriceAtoms: trigger } = position;
  const line = Array.from({ length: positions.count }, (_, place) => positions.at(place))
    .filter((other) => other.signedBaseAtoms > 0 === isLong)
    .map((other) => ({ ordinal: other.ordinal, score: adlScoreOf(other, markPriceAtoms, tickLotAtoms) }))
    .sort(compareByAdl);
  const rank = line.findIndex(({ ordinal }) => ordinal === position.ordinal) + 1;
  return {
    key: `${position.ordinal} ${specification.marketId} ${isLong ? 'long' : 'short'}`,
    size: String(Math.abs(position.signedBaseAtoms)),
    entry: String(position.entryNotionalAtoms),
    margin: String(position.marginAtoms),
    mark: String(markPriceAtoms),
    liquidationPrice: trigger === 0 || trigger === NEVER_REACHED ? null : String(trigger),
    adlIndicator: specification.autoDeleveraging ? adlIndicatorOf(rank, line.length) : null,
  };
}

function byKey(left: { readonly key: string }, right: { readonly key: string }): number {
  return left.key < right.key ? -1 : 1;
}

function marketsInResponse({ reads }: Projection) {
  return MARKETS.map((of) => {
    const { status, indexPrice, markPrice, indexObservedAtEpochMs, indexStatus, lastFundingRate, openInterest } =
      reads.marketStats(of);
    const isCurrent = indexStatus === 'current';
    return { status, indexPrice, markPrice, indexObservedAtEpochMs, isCurrent, lastFundingRate, openInterest };
  });
}

function marketsInState({ venue: { state }, records }: History) {
  const now = records.at(-1)!.epochMs;
  return MARKETS.map((of) => {
    const market = state.market(of)!;
    const { specification, index, funding, positions } = market;
    const price = (atoms: number) => renderDecimal(atoms, specification.priceScale);
    let longs = 0;
    for (let place = 0; place < positions.count; place += 1) longs += Math.max(0, positions.at(place).signedBaseAtoms);
    return {
      status: market.status,
      indexPrice: price(index.acceptedPriceAtoms),
      markPrice: price(market.markPriceAtoms),
      indexObservedAtEpochMs: index.acceptedAtEpochMs,
      isCurrent: market.indexStatusAt(now) === 'current',
      lastFundingRate: funding.period === 0 ? null : renderDecimal(funding.ratePpb, 9),
      openInterest: renderDecimal(longs, specification.quantityScale),
    };
  });
}

test('accounts for every atom: deposits equal cash, margin, unrealized PnL and ledgers', { timeout: TIMEOUT_MS }, () => {
  const path = temporaryFile();
  const addsUp = (history: History) => {
    const { state } = history.venue;
    discardProjection(path);
    within(path, (projection) => projection.follow(history.group(0)));
    const entered = 'CASE WHEN signedBaseAtoms < 0 THEN -entryNotionalAtoms ELSE entryNotionalAtoms END';
    const total = numberIn(
      path,
      `SELECT (SELECT sum(cashAtoms) FROM accounts) + (SELECT total(balanceAtoms) FROM ledgers WHERE ledger <> 'net_deposits') +
           (SELECT total(marginAtoms - ${entered}) FROM episodes WHERE status = 'open')`,
    );
    expect(total).toBe(state.netDepositsAtoms);
    // Each account's PnL minus fees and funding, with what the fund covered, is exactly in its cash and margin.
    for (const [account, outside] of depositedIn(history)) {
      const of = (what: string) => numberIn(path, `SELECT total(${what}) FROM episodes WHERE account = ${account}`);
      const position = numberIn(path, `SELECT cashAtoms FROM accounts WHERE account = ${account}`) + of('marginAtoms');
      const gained = of('realizedPnlAtoms - feesPaidAtoms - fundingPaidAtoms + insuranceCoveredAtoms');
      expect(position - outside).toBe(gained);
      // The fills say the same, except for funding and what removals of margin repaid to the fund.
      const repaid = numberIn(
        path,
        `SELECT total(amountAtoms) FROM cashMovements WHERE account = ${account} AND kind = 'insurance_repaid' AND trade = 0`,
      );
      const filled = numberIn(
        path,
        `SELECT total(realizedPnlAtoms - feeAtoms - liquidationFeeAtoms + insuranceCoveredAtoms) FROM fills WHERE account = ${account}`,
      );
      expect(filled + repaid - of('fundingPaidAtoms')).toBe(gained);
      // So are its result and volume for the leaderboard.
      const result = (what: string) =>
        numberIn(path, `SELECT total(CAST(${what} AS INTEGER)) FROM results WHERE account = ${account}`);
      expect(result('pnlAtoms')).toBe(gained);
      expect(result('volumeAtoms')).toBe(numberIn(path, `SELECT total(notionalAtoms) FROM fills WHERE account = ${account}`));
    }
    // The ledger of pending withdrawals equals the withdrawals that have not ended.
    const pending = numberIn(path, 'SELECT total(amountAtoms) FROM withdrawals WHERE endedAtEpochMs IS NULL');
    expect(pending).toBe(state.ledgers.withdrawals);
    expect(numberIn(path, 'SELECT count(*) FROM withdrawals WHERE endedAtEpochMs IS NULL')).toBe(state.withdrawals.size);
  };
  addsUp(repaidCover());
  holds(
    FILE,
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => addsUp(historyOf(steps))),
  );
});

/** The postings of fills. */
const OF_FILLS: readonly PostingKind[] = [
  'trade_fee',
  'liquidation_fee',
  'realized_pnl',
  'margin_lock',
  'margin_release',
  'insurance_cover',
  'deficit_cover',
];

/** By account: cash that is not from trades or funding. */
function depositedIn({ records }: History): Map<number, number> {
  const sums = new Map<number, number>();
  for (const event of records.flatMap(({ events }) => events)) {
    if (event.type === 'AccountOpened') sums.set(event.account, 0);
    if (event.type !== 'CashPosted' || OF_FILLS.includes(event.kind)) continue;
    sums.set(event.account, sums.get(event.account)! + event.amountAtoms);
  }
  return sums;
}

test('has the books of the core, level by level', { timeout: TIMEOUT_MS }, () => {
  holds(
    FILE,
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
