/** Rare responses: every status, reason and origin that a response lists and no other test produces. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TIMEFRAMES } from '#contract/markets.ts';
import { OPEN_INTEREST_TIMEFRAMES } from '#contract/open-interest.ts';
import { BITCOIN } from '#http/testing/markets.ts';
import { UNLIMITED } from '#http/testing/stage.ts';
import type { Bot, VenueResponse, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { baseAtoms, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketStatus } from '#venue/market/specification.ts';

const MARKET = 1 as MarketOrdinal;
const params = { marketId: 'BTC-USD-PERP' };
let venue: VenueUnderTest;
let maker: Bot;
let taker: Bot;
let attempt = 0;

beforeEach(async () => {
  venue = await startVenue(UNLIMITED);
  [maker, taker] = [await venue.bot(10_000_000), await venue.bot()];
});
afterEach(async () => {
  expect(venue.internalErrors).toEqual([]);
  await venue.close();
});

function place(bot: Bot, fields: Readonly<Record<string, unknown>>): Promise<VenueResponse> {
  attempt += 1;
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `order-${attempt}`, ...fields };
  return venue.call('placeOrder', { bot, idempotencyKey: `key-${attempt}`, body });
}

/** Places an order, and checks that it does what its preview showed. */
async function placeAsPreviewed(bot: Bot, fields: Readonly<Record<string, unknown>>): Promise<VenueResponse> {
  const body = { accountId: bot.accountId, marketId: 'BTC-USD-PERP', clientOrderId: `preview-${attempt}`, ...fields };
  const { status, cancelReason, filledQuantity } = (await venue.call('previewOrder', { bot, body })).body;
  const response = await place(bot, fields);
  expect(response.body).toMatchObject({ status, cancelReason, filledQuantity });
  return response;
}

const limit = (side: 'buy' | 'sell', price: string, quantity: string) => ({ side, orderType: 'limit', price, quantity });
const market = (side: 'buy' | 'sell', quantity: string) => ({ side, orderType: 'market', quantity });
const own = (bot: Bot) => ({ bot, params: { accountId: bot.accountId } });

/** A long of 1 at 65,000 with the least margin, against the maker. */
async function openLong(bot: Bot): Promise<void> {
  await place(maker, limit('sell', '65000', '1'));
  expect((await place(bot, { ...market('buy', '1'), leverageX: 50 })).body).toMatchObject({ status: 'filled' });
}

describe('a market', () => {
  test('shows each of its statuses', async () => {
    const listed = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
    await venue.operate({ type: 'ListMarket', specification: listed, status: 'draft' }, 'MarketListed');
    const seen = async (marketId: string) => [
      (await venue.call('getMarket', { params: { marketId } })).body.market.status,
      (await venue.call('getMarketStats', { params: { marketId } })).body.status,
    ];
    expect(await seen('ETH-USD-PERP')).toEqual(['draft', 'draft']);
    for (const status of ['reduce_only', 'cancel_only', 'closed'] satisfies MarketStatus[]) {
      await venue.operate({ type: 'SetMarketStatus', market: MARKET, status }, 'MarketStatusChanged');
      expect(await seen('BTC-USD-PERP')).toEqual([status, status]);
    }
  });

  test('shows a stale index after a long time without prices, and stale evidence of what it values', async () => {
    const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH', maxIndexAgeMs: 10_000 };
    const { market: ether } = await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    await venue.publishIndex(3_000, ether);
    const inEther = { marketId: specification.marketId };
    await place(maker, { ...limit('sell', '3000', '1'), ...inEther });
    await place(taker, { ...market('buy', '1'), ...inEther });
    venue.pass(10_001);
    expect((await venue.call('getMarketStats', { params: inEther })).body).toMatchObject({ indexStatus: 'stale' });
    expect((await venue.call('getAccount', own(taker))).body.riskEvidence).toEqual({ status: 'stale' });
    expect((await place(maker, { ...limit('buy', '2900', '1'), ...inEther })).body).toMatchObject({ code: 'index_not_current' });
  });

  test('has candles of the mark, and open interest of every timeframe', async () => {
    await openLong(taker);
    const { body: marks } = await venue.call('getCandles', { params, query: { series: 'mark' } });
    expect(marks).toMatchObject({ series: 'mark', candles: [{ open: '65000', volume: '0' }] });
    for (const timeframe of OPEN_INTEREST_TIMEFRAMES) {
      const { body } = await venue.call('listOpenInterest', { params, query: { timeframe } });
      expect(body).toMatchObject({ timeframe, entries: [{ openInterest: expect.stringMatching(/^[1-9]|^0\.[0-9]*[1-9]/) }] });
      const since = { since: String(body.entries[0].openTimeEpochMs + 1) };
      expect((await venue.call('listOpenInterest', { params, query: { timeframe, ...since } })).body.entries).toEqual([]);
    }
  });

  test('has candles of every timeframe', async () => {
    await openLong(taker);
    for (const timeframe of TIMEFRAMES) {
      const { body } = await venue.call('getCandles', { params, query: { timeframe } });
      expect(body).toMatchObject({ timeframe, candles: [{ close: '65000' }] });
    }
  });
});

describe('an order that ends before it is filled', () => {
  test('would trade with its own account', async () => {
    const resting = await place(maker, limit('sell', '65000', '1'));
    await place(maker, limit('buy', '65000', '1'));
    const { body } = await venue.call('getOrder', { bot: maker, params: { orderId: resting.body.orderId } });
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'self_trade' });
  });

  test('meets a book that lies too far from the mark', async () => {
    await place(maker, limit('sell', '75000', '1'));
    const { body } = await placeAsPreviewed(taker, market('buy', '0.1'));
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'price_band' });
  });

  test('would do more than reduce', async () => {
    await openLong(taker);
    await place(maker, limit('buy', '64900', '2'));
    const { body } = await placeAsPreviewed(taker, { ...market('sell', '1.5'), reduceOnly: true });
    expect(body).toMatchObject({ filledQuantity: '1', status: 'cancelled', cancelReason: 'reduce_only' });
  });

  test('lost the margin that backs it', async () => {
    const poor = await venue.bot(1_400);
    const resting = await place(poor, { ...limit('sell', '65000', '1'), leverageX: 50 });
    await venue.publishIndex(66_500);
    await place(maker, market('buy', '1'));
    const { body } = await venue.call('getOrder', { bot: poor, params: { orderId: resting.body.orderId } });
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'margin_unbacked' });
  });

  test('could not pay for further fills from its margin', async () => {
    await openLong(taker);
    await place(maker, limit('buy', '63600', '1'));
    const { body } = await placeAsPreviewed(taker, market('sell', '1'));
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'bankruptcy_price' });
  });

  test('met the maximum number of fills of a turn', async () => {
    const makers = [maker, await venue.bot(), await venue.bot()];
    const terms = { kind: 'limit', priceAtoms: priceAtoms(650_000), quantityAtoms: baseAtoms(10), postOnly: false } as const;
    for (let batch = 0; batch < 33; batch += 1) {
      const entries = Array.from({ length: 32 }, (_, index) => ({
        market: MARKET,
        clientOrderId: `small-${batch}-${index}`,
        side: 'sell' as const,
        terms,
        reduceOnly: false,
        leverageHundredths: 0,
      }));
      const { account } = makers[batch % 3]!;
      await venue.operate({ type: 'PlaceOrders', account, entries, idempotencyKey: '' }, 'OrderRested');
    }
    const { body } = await placeAsPreviewed(taker, market('buy', '2'));
    expect(body).toMatchObject({ status: 'cancelled', cancelReason: 'fill_limit' });
  });
});

describe('an uncovered position', () => {
  test('is closed against those in profit, and both sides see it', async () => {
    await openLong(taker);
    await venue.publishIndex(63_000);
    const [closing] = (await venue.call('listOrders', own(taker))).body.orders;
    const [deleveraged] = (await venue.call('listOrders', own(maker))).body.orders;
    expect([closing.origin, deleveraged.origin]).toContain('auto_deleveraging');
    for (const bot of [maker, taker]) {
      const [fill] = (await venue.call('listFills', own(bot))).body.fills;
      expect(fill).toHaveProperty('origin');
    }
    const [trade] = (await venue.call('listTrades', { params })).body.trades;
    expect(trade).toMatchObject({ origin: 'auto_deleveraging' });
    expect((await venue.call('listPositions', own(taker))).body.positions).toEqual([]);
    const reasons = [maker, taker].map(
      async (bot) => (await venue.call('listPositionHistory', own(bot))).body.positions[0].closeReason,
    );
    expect(await Promise.all(reasons)).toEqual(['auto_deleveraging', 'liquidation']);
  });

  test('waits as liquidating if a turn has reached its maximum of liquidations', async () => {
    const losers = await Promise.all(Array.from({ length: 6 }, () => venue.bot()));
    for (const loser of losers) await openLong(loser);
    await venue.publishIndex(63_000);
    const statuses: string[] = [];
    for (const loser of losers) {
      const { positions } = (await venue.call('listPositions', own(loser))).body;
      statuses.push(...positions.map((it: { marginStatus: string }) => it.marginStatus));
    }
    expect(statuses).toEqual(['liquidating', 'liquidating']);
  });
});

test('a withdrawal shows its status', async () => {
  const { account } = taker;
  const reserve = { type: 'ReserveWithdrawal', account, amountAtoms: quoteAtoms(1_000_000), destination: 'party::1' } as const;
  const { withdrawal } = await venue.operate(reserve, 'WithdrawalReserved');
  const statuses = async () =>
    (await venue.call('listTransfers', { ...own(taker), query: { kind: 'withdrawal' } })).body.transfers.map(
      (it: { status: string }) => it.status,
    );
  expect(await statuses()).toEqual(['reserved']);
  await venue.operate({ type: 'ReleaseWithdrawal', withdrawal }, 'WithdrawalReleased');
  expect(await statuses()).toEqual(['released']);
  expect(await ledgerKinds(taker)).toEqual(['withdrawal_release', 'withdrawal', 'deposit']);
});

/** The kinds of the entries in the ledger of an account, the newest first. */
async function ledgerKinds(bot: Bot): Promise<readonly string[]> {
  return (await venue.call('listLedgerEntries', own(bot))).body.entries.map(({ kind }: { kind: string }) => kind);
}

describe('the ledger of an account', () => {
  test('has what a position pays for funding', async () => {
    await openLong(taker);
    for (let minutes = 0; minutes < 65; minutes += 5) {
      venue.pass(300_000);
      await venue.publishIndex(65_000);
    }
    expect(await ledgerKinds(taker)).toEqual(['funding', 'trade_fee', 'deposit']);
  });

  test('has what the insurance fund pays for a loss, and gets back', async () => {
    const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH', autoDeleveraging: false };
    const { market: ether } = await venue.operate({ type: 'ListMarket', specification, status: 'open' }, 'MarketListed');
    await venue.operate({ type: 'CreditInsurance', amountAtoms: quoteAtoms(1_000_000_000), reference: 'test' }, 'LedgerPosted');
    await venue.publishIndex(65_000, ether);
    const inEther = { marketId: specification.marketId };
    await place(maker, { ...limit('sell', '65000', '1'), ...inEther });
    await place(taker, { ...market('buy', '1'), leverageX: 50, ...inEther });
    const other = await venue.bot(10_000_000);
    await place(other, { ...limit('buy', '63600', '0.5'), ...inEther });
    await venue.publishIndex(63_600, ether);
    expect(await ledgerKinds(taker)).toContain('insurance_covered');
    await venue.publishIndex(65_000, ether);
    await place(other, { ...limit('buy', '65000', '0.5'), ...inEther });
    await place(taker, { ...market('sell', '0.5'), reduceOnly: true, ...inEther });
    expect(await ledgerKinds(taker)).toContain('insurance_repaid');
  });
});

test('reads are stale with venue_halted after a halt', async () => {
  venue.publishHalted();
  const { freshness } = (await venue.call('listTrades', { params })).body;
  expect(freshness).toMatchObject({ status: 'stale', degradedState: 'venue_halted' });
});
