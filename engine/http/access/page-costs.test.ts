/** A page costs tokens by the rows that it may return, from the account's or the network's bucket, before any read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Operation, scopesFor } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { OPERATION_IDS, type Stage, setStage } from '#http/testing/stage.ts';

const BURST = 10_000;
const SLOW = { burst: BURST, perSecond: 0.001 };

let stage: Stage;
beforeAll(async () => {
  stage = await setStage({ rates: { reads: SLOW, public: SLOW } });
});
afterAll(() => stage.venue.close());

const PAGES = OPERATION_IDS.flatMap((id) => {
  const { query, page, access } = OPERATIONS[id] as Operation;
  const parameter = (['limit', 'depth'] as const).find((name) => query?.shape[name] !== undefined);
  return parameter === undefined ? [] : [{ id, page, access, parameter }];
});

function leftOf(headers: Headers): number {
  return Number(/r=([0-9]+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
}

test('every page declares its cost', () => {
  expect(PAGES.length).toBeGreaterThan(10);
  for (const { id, page, parameter } of PAGES) expect(page?.parameter, id).toBe(parameter);
});

test.each(PAGES)('$id takes a token for each started $page.rowsPerToken rows', async ({ id, page, access }) => {
  const { venue, validRequest, other } = stage;
  const request = await validRequest(id, other);
  const { parameter, rowsPerToken } = page!;
  const key = access === 'none' ? {} : { bot: await venue.keyOf(other, [scopesFor(access)[0] ?? 'read']) };
  const cost = async (rows: number | undefined) => {
    const query = rows === undefined ? {} : { [parameter]: String(rows) };
    const before = leftOf((await venue.call(id, { ...request, ...key, query: { [parameter]: '1' } })).headers);
    const response = await venue.call(id, { ...request, ...key, query: { ...request.query, ...query } });
    expect(response.status).toBe(200);
    return before - leftOf(response.headers);
  };
  expect([await cost(1), await cost(rowsPerToken)]).toEqual([1, 1]);
  expect(await cost(100)).toBe(Math.ceil(100 / rowsPerToken));
  if (id === 'getCandles') expect([await cost(undefined), await cost(101), await cost(1_000)]).toEqual([5, 2, 10]);
  if (id === 'listOrders') expect([await cost(undefined), await cost(51), await cost(500)]).toEqual([2, 2, 10]);
});

test('a request refused by its rate limit causes no read', async () => {
  const { venue, bot } = await setStage({
    rates: { reads: { burst: 9, perSecond: 0.001 }, public: { burst: 4, perSecond: 0.001 } },
  });
  const reads: unknown[] = [];
  venue.planted.beforeRead = () => reads.push('read');
  const orders = (limit: number) =>
    venue.call('listOrders', { bot, params: { accountId: bot.accountId }, query: { limit: String(limit) } });
  const trades = (limit: number) =>
    venue.call('listTrades', { params: { marketId: 'BTC-USD-PERP' }, query: { limit: String(limit) } });
  expect([(await orders(400)).status, reads.length]).toEqual([200, 1]);
  const refused = await orders(100);
  expect([refused.status, refused.body.code, reads.length]).toEqual([429, 'rate_limited', 1]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect([(await trades(300)).status, reads.length]).toEqual([200, 2]);
  expect([(await trades(200)).status, reads.length]).toEqual([429, 2]);
  await venue.close();
});

test('a public read is counted for its key, and without one for its network', async () => {
  const { venue, bot } = await setStage({
    rates: { reads: { burst: 4, perSecond: 0.001 }, public: { burst: 4, perSecond: 0.001 } },
  });
  const trades = async (limit: number, by: object = {}) =>
    (await venue.call('listTrades', { params: { marketId: 'BTC-USD-PERP' }, query: { limit: String(limit) }, ...by })).status;
  expect([await trades(400), await trades(100)]).toEqual([200, 429]);
  expect([await trades(400, { bot }), await trades(100, { bot })]).toEqual([200, 429]);
  await venue.close();
});
