/** The balance, positions and closed positions in the class: missing values stay undefined. */
import { describe, expect, test } from 'vitest';
import { CLOSED_POSITION, POSITION } from '#compat/testing/canned-account.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange();

test('has cash and position margin as balance, and the available part', async () => {
  const balance = await canned.exchange.fetchBalance();
  expect(balance['USD.E']).toEqual({ free: 8_999.900001, used: 0.399999, total: 9_000.3 });
});

describe('a position', () => {
  test('has its exact entry, margin and risk', async () => {
    const [position] = await canned.exchange.fetchPositions([]);
    expect(position).toMatchObject({
      id: '3',
      symbol: SYMBOL,
      side: 'short',
      contracts: 0.3,
      contractSize: 1,
      entryPrice: 65_000,
      markPrice: 66_000,
      notional: 19_800,
      leverage: 20,
      collateral: 675,
      initialMargin: 975,
      initialMarginPercentage: 0.05,
      maintenanceMargin: 198,
      maintenanceMarginPercentage: 0.01,
      unrealizedPnl: -300,
      realizedPnl: 10,
      percentage: (-300 / 975) * 100,
      liquidationPrice: 67_574.2,
      marginMode: 'isolated',
      hedged: false,
      timestamp: 1_763_670_000_100,
    });
  });

  test('without a mark price has undefined risk fields', () => {
    const {
      markPrice: _mark,
      unrealizedPnl: _pnl,
      liquidationPrice: _liquidation,
      maintenanceRequirement: _maintenance,
      ...unmarked
    } = POSITION;
    const position = canned.exchange.parsePosition(unmarked);
    expect(position).toMatchObject({ contracts: 0.3, entryPrice: 65_000, initialMargin: 975 });
    for (const key of [
      'markPrice',
      'notional',
      'collateral',
      'unrealizedPnl',
      'percentage',
      'marginRatio',
      'liquidationPrice',
    ] as const)
      expect(position[key], key).toBeUndefined();
  });

  test('that does not exist is flat', async () => {
    const flat = canned.exchange.parsePosition({ marketId: 'BTC-USD-PERP', marginMode: 'isolated', currentQuantity: '0' });
    expect(flat).toMatchObject({ symbol: SYMBOL, contracts: 0, contractSize: 1, marginMode: 'isolated' });
    expect(flat.side).toBeUndefined();
    expect(flat.entryPrice).toBeUndefined();
  });
});

test('has the maximum size, an exit and no risk for a closed position', async () => {
  const [position] = await canned.exchange.fetchPositionHistory(SYMBOL, undefined, 5);
  expect(position).toMatchObject({
    id: '3',
    symbol: SYMBOL,
    side: 'short',
    contracts: 0.4,
    entryPrice: 65_000,
    lastPrice: 64_900,
    realizedPnl: 10,
    timestamp: 1_763_670_000_100,
    info: { closeReason: 'liquidation' },
  });
  for (const key of ['notional', 'collateral', 'initialMargin', 'leverage', 'unrealizedPnl', 'marginRatio'] as const)
    expect(position?.[key], key).toBeUndefined();
  expect(canned.requestedPaths().at(-1)).toBe('/v1/accounts/acct-7/positions/history?limit=5&marketId=BTC-USD-PERP');
});

test('has 0 contracts for a closed position from every source', () => {
  expect(canned.exchange.parsePosition(CLOSED_POSITION)).toMatchObject({ contracts: 0, entryPrice: 65_000, lastPrice: 64_900 });
});
