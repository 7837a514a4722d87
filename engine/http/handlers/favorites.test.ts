/** An account's favorites and leaderboard listing over HTTP, and candidate markets. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BITCOIN, UNLISTED } from '#http/testing/markets.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';
import { WriterBusy } from '#writer/port/submit.ts';

let venue: VenueUnderTest;
beforeAll(async () => {
  venue = await startVenue();
});
afterAll(() => venue.close());

const BTC = 'BTC-USD-PERP';
const own = (bot: Bot) => ({ bot, params: { accountId: bot.accountId } });

describe('favorites', () => {
  const marking = (bot: Bot, marketId = BTC) => ({ bot, params: { accountId: bot.accountId, marketId } });
  const seenBy = async (bot?: Bot) => {
    const request = bot === undefined ? {} : { bot };
    const { markets } = (await venue.call('listMarkets', request)).body;
    const { market } = (await venue.call('getMarket', { ...request, params: { marketId: BTC } })).body;
    expect(market).toEqual(markets[0]);
    return market.favorite;
  };

  test('are set and removed, and a repetition adds nothing to the journal', async () => {
    const [bot, other] = [await venue.bot(), await venue.bot()];
    const shown = { version: 'external-market-favorite/v1', accountId: bot.accountId, marketId: BTC };
    expect((await venue.call('removeFavorite', marking(bot))).body).toEqual({ ...shown, favorite: false });
    const before = venue.sequence();
    expect((await venue.call('addFavorite', marking(bot))).body).toEqual({ ...shown, favorite: true });
    expect((await venue.call('addFavorite', marking(bot))).body).toEqual({ ...shown, favorite: true });
    expect(venue.sequence()).toBe(before + 1);
    expect([await seenBy(bot), await seenBy(other), await seenBy()]).toEqual([true, false, false]);
    for (let time = 0; time < 2; time += 1)
      expect((await venue.call('removeFavorite', marking(bot))).body).toEqual({ ...shown, favorite: false });
    expect(venue.sequence()).toBe(before + 2);
    expect(await seenBy(bot)).toBe(false);
  });

  test('say that they were applied if the read model is rebuilt meanwhile, as the leaderboard listing does', async () => {
    const bot = await venue.bot();
    const listing = { ...own(bot), body: { shown: true } };
    for (const change of [() => venue.call('addFavorite', marking(bot)), () => venue.call('setLeaderboardListing', listing)]) {
      const before = venue.sequence();
      let reads = 0;
      venue.planted.beforeRead = () => {
        reads += 1;
        if (reads === 2) throw new WriterBusy('planted');
      };
      const { status, body } = await change();
      venue.planted.beforeRead = undefined;
      expect([status, body.code]).toEqual([503, 'venue_busy']);
      expect(body.safeMessage).toMatch(/carried out the request, .+ not carried out twice/);
      expect((await change()).status).toBe(200);
      expect(venue.sequence()).toBe(before + 1);
    }
    await venue.call('setLeaderboardListing', { ...listing, body: { shown: false } });
  });

  test('have a rate limit of their own, with the leaderboard listing', async () => {
    const slow = await startVenue({ rates: { settings: { burst: 2, perSecond: 0.001 } } });
    try {
      const bot = await slow.bot();
      const { headers } = await slow.call('addFavorite', marking(bot));
      expect(headers.get('ratelimit')).toMatch(/^"settings-per-key";r=1;.*"settings-per-account";r=3;/);
      expect((await slow.call('setLeaderboardListing', { ...own(bot), body: { shown: false } })).status).toBe(200);
      expect((await slow.call('removeFavorite', marking(bot))).body.code).toBe('rate_limited');
      expect((await slow.call('getLeaderboardListing', own(bot))).status, 'reads do not count').toBe(200);
    } finally {
      await slow.close();
    }
  });

  test('are changed by a key that may trade, and shown to one that may read or trade', async () => {
    const bot = await venue.bot();
    const [reader, trader, funder] = await Promise.all(
      (['read', 'trade', 'funding'] as const).map((it) => venue.keyOf(bot, [it])),
    );
    expect((await venue.call('addFavorite', marking(reader!))).body.code).toBe('insufficient_scope');
    expect((await venue.call('addFavorite', marking(trader!))).status).toBe(200);
    expect([await seenBy(reader), await seenBy(trader), await seenBy(funder)]).toEqual([true, true, false]);
  });

  test('are of existing markets and of the own account', async () => {
    const [bot, other] = [await venue.bot(), await venue.bot()];
    expect((await venue.call('addFavorite', marking(bot, 'DOGE-USD-PERP'))).body.code).toBe('market_not_found');
    expect((await venue.call('addFavorite', { ...marking(other), bot })).body.code).toBe('account_forbidden');
  });

  test.each([
    ['missing', 200, undefined],
    ['malformed', 401, 'Bearer nonsense'],
    ['unknown', 401, `Bearer opk_${'0'.repeat(16)}_${'A'.repeat(43)}`],
  ])('hide markets only from a request with an invalid key: %s', async (apiKeyRejection, status, authorization) => {
    const headers = authorization === undefined ? {} : { authorization };
    for (const id of ['listMarkets', 'getMarket', 'getMarketStats'] as const) {
      const response = await venue.call(id, { headers, ...(id !== 'listMarkets' && { params: { marketId: BTC } }) });
      expect(response.status).toBe(status);
      if (status === 401) expect(response.body).toMatchObject({ code: 'unauthorized', apiKeyRejection });
    }
  });
});

describe('the leaderboard', () => {
  /** Advances into the next day, with a record. */
  const untilTomorrow = async () => {
    venue.pass(86_400_000);
    await venue.publishIndex(65_000);
  };
  const entries = async () => (await venue.call('getLeaderboard', { query: { window: 'all' } })).body.entries;

  test('shows only listed accounts, by a handle that is stable while listed', async () => {
    const bot = await venue.bot();
    const request = own(bot);
    const hidden = {
      version: 'external-leaderboard-listing/v1',
      accountId: bot.accountId,
      shown: false,
      displayName: null,
      handle: null,
    };
    expect((await venue.call('getLeaderboardListing', request)).body).toEqual(hidden);
    expect((await venue.call('setLeaderboardListing', { ...request, body: { shown: false } })).body).toEqual(hidden);
    const before = venue.sequence();
    const first = (await venue.call('setLeaderboardListing', { ...request, body: { shown: true, displayName: 'Zoë' } })).body;
    expect(first).toMatchObject({ shown: true, displayName: 'Zoë', handle: expect.stringMatching(/^trader-/) });
    expect((await venue.call('setLeaderboardListing', { ...request, body: { shown: true, displayName: 'Zoë' } })).body).toEqual(
      first,
    );
    expect(venue.sequence()).toBe(before + 1);
    expect(await entries()).toEqual([]);
    await untilTomorrow();
    expect(await entries()).toMatchObject([{ rank: 1, handle: first.handle, displayName: 'Zoë', pnl: '0', volume: '0' }]);
    expect(JSON.stringify(await entries())).not.toContain(bot.accountId);
    const renamed = (await venue.call('setLeaderboardListing', { ...request, body: { shown: true } })).body;
    expect(renamed).toEqual({ ...hidden, shown: true, handle: first.handle });
    expect((await venue.call('setLeaderboardListing', { ...request, body: { shown: false } })).body).toEqual(hidden);
    expect(await entries()).toEqual([]);
    const again = (await venue.call('setLeaderboardListing', { ...request, body: { shown: true } })).body;
    expect(again.handle).not.toBe(first.handle);
    expect((await venue.call('getLeaderboardListing', request)).body).toEqual(again);
  });

  test('is read in pages, and a cursor belongs to its window and order', async () => {
    for (let count = 0; count < 2; count += 1)
      await venue.call('setLeaderboardListing', { ...own(await venue.bot()), body: { shown: true } });
    await untilTomorrow();
    const page = async (query: Readonly<Record<string, string>>) => (await venue.call('getLeaderboard', { query })).body;
    const first = await page({ limit: '1', orderBy: 'volume' });
    expect(first).toMatchObject({ window: 'day', orderBy: 'volume', entries: [{ rank: 1 }] });
    expect((await page({ limit: '1', orderBy: 'volume', cursor: first.nextCursor })).entries).toMatchObject([{ rank: 2 }]);
    for (const query of [{}, { orderBy: 'volume', window: 'week' }])
      expect(await page({ ...query, cursor: first.nextCursor })).toMatchObject({ code: 'invalid_cursor' });
    expect(await page({ window: 'year' })).toMatchObject({ code: 'invalid_request' });
  });

  test.each([
    [{ shown: false, displayName: 'x' }, 'displayName'],
    [{ shown: true, displayName: '' }, 'displayName'],
    [{ shown: true, displayName: 'a'.repeat(33) }, 'displayName'],
    [{ shown: true, displayName: 'a\nb' }, 'displayName'],
    [{ shown: true, displayName: 'ab\u202ecd' }, 'displayName'],
    [{ shown: true, displayName: 'a\u200b' }, 'displayName'],
    [{ shown: true, displayName: ' a' }, 'displayName'],
    [{ shown: true, displayName: '\u3164' }, 'displayName'],
    [{ shown: true, displayName: 'a\u034fb' }, 'displayName'],
    [{ displayName: 'x' }, 'shown'],
    [{ shown: true, handle: 'trader-1' }, 'handle'],
  ])('refuses %o', async (body, field) => {
    const response = await venue.call('setLeaderboardListing', { ...own(await venue.bot()), body });
    expect(response.body).toMatchObject({ code: 'invalid_request', safeMessage: expect.stringContaining(field) });
  });
});

test('candidates are priced underlyings without a market, and drafts, until they are opened', async () => {
  const listed = async () => (await venue.call('listCandidateMarkets')).body.candidates;
  const unpriced = { indexPrice: null, indexObservedAtEpochMs: null };
  const unlisted = { ...UNLISTED, state: 'priced', ...unpriced };
  expect(await listed()).toEqual([unlisted]);
  const specification = { ...BITCOIN, marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH' };
  const { market } = await venue.operate({ type: 'ListMarket', specification, status: 'draft' }, 'MarketListed');
  const draft = { marketId: 'ETH-USD-PERP', underlyingSymbol: 'ETH', state: 'draft', ...unpriced };
  expect(await listed()).toEqual([unlisted, draft]);
  await venue.publishIndex(3_000, market);
  expect(await listed()).toMatchObject([unlisted, { ...draft, indexPrice: '3000', indexObservedAtEpochMs: expect.any(Number) }]);
  await venue.operate({ type: 'SetMarketStatus', market, status: 'open' }, 'MarketStatusChanged');
  expect(await listed()).toEqual([unlisted]);
});

test('reports no internal error in any of these tests', () => {
  expect(venue.internalErrors).toEqual([]);
});
