/** What the class makes of the balance, of positions and of those that were closed: nothing where there is nothing. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { CLOSED_POSITION, cannedAnswer, POSITION } from './canned.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
let recorder: Recorder;
let exchange: OpenPerp;

beforeEach(async () => {
  recorder = await startRecorder(cannedAnswer);
  exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
});

afterEach(() => recorder.close());

/** What the class asked for since the markets were loaded. */
const asked = () => recorder.requests.slice(1).map(({ path }) => path);

test('a balance is cash and position margin, of which some is available', async () => {
  const balance = await exchange.fetchBalance();
  expect(balance['USD.E']).toEqual({ free: 8_999.900001, used: 0.399999, total: 9_000.3 });
});

describe('a position', () => {
  test('carries its exact entry, margin and risk', async () => {
    const [position] = await exchange.fetchPositions([]);
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
      percentage: -30.76,
      liquidationPrice: 67_574.2,
      marginMode: 'isolated',
      hedged: false,
      timestamp: 1_763_670_000_100,
    });
  });

  test('without a mark has no risk rather than a wrong one', () => {
    const {
      markPrice: _mark,
      unrealizedPnl: _pnl,
      liquidationPrice: _liquidation,
      maintenanceRequirement: _maintenance,
      ...unmarked
    } = POSITION;
    const position = exchange.parsePosition(unmarked);
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

  test('that is not there is flat', async () => {
    const flat = exchange.parsePosition({ marketId: 'BTC-USD-PERP', marginMode: 'isolated', currentQuantity: '0' });
    expect(flat).toMatchObject({ symbol: SYMBOL, contracts: 0, contractSize: 1, marginMode: 'isolated' });
    expect(flat.side).toBeUndefined();
    expect(flat.entryPrice).toBeUndefined();
  });
});

test('a closed position is as large as it ever was, and has an exit and no risk', async () => {
  const [position] = await exchange.fetchPositionHistory(SYMBOL, undefined, 5);
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
  expect(asked().at(-1)).toBe('/v1/accounts/acct-7/positions/history?limit=5&marketId=BTC-USD-PERP');
});

test('what is left of a closed position is nothing, wherever it is told', () => {
  expect(exchange.parsePosition(CLOSED_POSITION)).toMatchObject({ contracts: 0, entryPrice: 65_000, lastPrice: 64_900 });
});
