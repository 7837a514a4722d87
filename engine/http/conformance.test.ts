/** Every declared operation answers every status that it declares, on the real venue; each answer fits its schema. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ALWAYS_POSSIBLE, ERRORS } from '#contract/errors.ts';
import type { Operation } from '#contract/operation.ts';
import { refusalsOf } from '#contract/operation.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { MAX_TICKET_FAMILIES } from '#contract/realtime-limits.ts';
import { VenueHalted } from '#writer/submit.ts';
import { sendRaw } from './testing/raw-http.ts';
import type { Answer, Bot, Request, VenueUnderTest } from './testing/venue-under-test.ts';
import { expectDeclared, startVenue } from './testing/venue-under-test.ts';

const ONE = { burst: 1, perSecond: 0.001 };
let venue: VenueUnderTest;
let bot: Bot;
let besieged: VenueUnderTest;
let powerless: Bot;
let attempt = 0;

beforeAll(async () => {
  venue = await startVenue({ requestTimeoutMs: 1_000 });
  powerless = await venue.bot(0, ['funding']);
  besieged = await startVenue({ rates: { orders: ONE, cancels: ONE, previews: ONE, settings: ONE, reads: ONE, public: ONE } });
});
// Each test has its own account, and so its own tokens.
beforeEach(async () => {
  bot = await venue.bot();
});
afterAll(async () => {
  await venue.close();
  await besieged.close();
});

function placement(fields: object = {}): Request {
  attempt += 1;
  const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
  return {
    bot,
    idempotencyKey: `key-${attempt}`,
    body: { accountId: bot.accountId, clientOrderId: `order-${attempt}`, ...terms, ...fields },
  };
}

async function openOrder(): Promise<string> {
  const { body } = await venue.call('placeOrder', placement());
  return body.orderId;
}

/** An order that ended without its owner: nobody sells. */
async function endedOrder(): Promise<string> {
  const { body } = await venue.call('placeOrder', placement({ orderType: 'market', price: undefined }));
  return body.orderId;
}

const market = async (): Promise<Request> => ({ params: { marketId: 'BTC-USD-PERP' } });
const account = async (): Promise<Request> => ({ bot, params: { accountId: bot.accountId } });
const order = async (): Promise<Request> => ({ bot, params: { orderId: await openOrder() } });
const orderByClientOrderId = async (): Promise<Request> => {
  await openOrder();
  return { bot, params: { clientOrderId: `order-${attempt}` } };
};

/** A batch of one entry that is taken and one that is refused. */
function batch(): Request {
  const { idempotencyKey, body } = placement();
  return { bot, idempotencyKey: idempotencyKey!, body: { orders: [body, placement({ marketId: 'DOGE-USD-PERP' }).body] } };
}

async function mintedTicket(): Promise<string> {
  const { body } = await venue.call('mintRealtimeTicket', { bot: await venue.bot() });
  return body.ticket;
}

/** A request that succeeds. */
const SOUND: Record<OperationId, () => Promise<Request>> = {
  getHealth: async () => ({}),
  getReady: async () => ({}),
  getOpenApi: async () => ({}),
  listMarkets: async () => ({}),
  getMarket: market,
  getMarketStats: market,
  getBook: market,
  getCandles: market,
  listTrades: market,
  placeOrder: async () => placement(),
  placeOrders: async () => batch(),
  previewOrder: async () => ({ bot, body: placement().body }),
  getOrder: order,
  getOrderByClientOrderId: orderByClientOrderId,
  cancelOrder: order,
  cancelOrderByClientOrderId: orderByClientOrderId,
  cancelOrders: async () => ({ bot, body: { orderIds: [await openOrder(), '999999'] } }),
  cancelAllOrders: async () => {
    await openOrder();
    return { bot, body: {} };
  },
  getAccount: account,
  listPositions: account,
  listOrders: account,
  listOpenOrders: account,
  listFills: account,
  getParty: account,
  listPositionHistory: account,
  listTransfers: account,
  listFundingPayments: account,
  listFundingRates: market,
  listCandidateMarkets: async () => ({}),
  addFavorite: unmarked,
  removeFavorite: marked,
  getLeaderboard: async () => ({}),
  getLeaderboardListing: account,
  setLeaderboardListing: async () => ({ ...(await newcomer()), body: { shown: true, displayName: 'Zoë' } }),
  getCurrentApiKey: async () => ({ bot }),
  mintRealtimeTicket: async () => ({ bot: await venue.bot() }),
  rotateRealtimeTicket: async () => ({ body: { ticket: await mintedTicket() } }),
  revokeRealtimeTicket: async () => ({ body: { ticket: await mintedTicket() } }),
};

/** An account for whom whatever is asked for is a change. */
async function newcomer(): Promise<Request & { readonly bot: Bot }> {
  const someone = await venue.bot(0);
  return { bot: someone, params: { accountId: someone.accountId } };
}

async function unmarked(): Promise<Request> {
  const { bot: someone, params } = await newcomer();
  return { bot: someone, params: { ...params, marketId: 'BTC-USD-PERP' } };
}

async function marked(): Promise<Request> {
  const request = await unmarked();
  await venue.call('addFavorite', request);
  return request;
}

/** Nothing stands behind these that could fail. */
const CANNOT_FAIL: readonly OperationId[] = ['getHealth', 'getOpenApi', 'getCurrentApiKey'];

/** With nothing to refuse but that the account has ended. */
const SETTINGS: readonly OperationId[] = ['addFavorite', 'removeFavorite', 'setLeaderboardListing'];

const NOWHERE = { params: { marketId: 'DOGE-USD-PERP', orderId: '999999', clientOrderId: 'nobody' } };

/** How to make an operation answer a status. */
const PROVOCATIONS: Record<number, (id: OperationId, sound: Request) => Promise<Answer>> = {
  200: (id, sound) => venue.call(id, sound),
  202: (id, sound) => venue.call(id, sound),
  400: (id, sound) => venue.call(id, { ...sound, query: { nonsense: '1' } }),
  204: (id, sound) => venue.call(id, sound),
  401: (id, { bot: _, ...sound }) => {
    if (id === 'rotateRealtimeTicket') return venue.call(id, { body: { ticket: 'A'.repeat(43) } });
    return venue.call(
      id,
      OPERATIONS[id].access === 'none-or-bearer' ? { ...sound, headers: { authorization: 'Bearer opk_x' } } : sound,
    );
  },
  403: (id, sound) => venue.call(id, { ...sound, bot: powerless }),
  404: (id, sound) =>
    venue.call(id, id === 'listFills' ? { ...sound, query: { orderId: '999999' } } : { ...sound, ...unknown(id, sound) }),
  408: (id) => raw(id, 'X-Unfinished: 1'),
  409: async (id, sound) => {
    if (id === 'cancelOrder') return venue.call(id, { ...sound, params: { orderId: await endedOrder() } });
    if (id === 'cancelOrderByClientOrderId') {
      await endedOrder();
      return venue.call(id, { ...sound, params: { clientOrderId: `order-${attempt}` } });
    }
    // The account ends while the request is under way: later its key is refused.
    if (SETTINGS.includes(id)) return whilePlanted({ beforeSubmit: () => retire(sound.bot!) }, () => venue.call(id, sound));
    if (id === 'mintRealtimeTicket') for (let count = 0; count < MAX_TICKET_FAMILIES; count += 1) await venue.call(id, sound);
    if (id === 'mintRealtimeTicket') return venue.call(id, sound);
    await venue.call(id, sound);
    return venue.call(id, { ...sound, body: id === 'placeOrders' ? batch().body : placement().body });
  },
  413: (id, sound) => venue.call(id, { ...sound, body: `"${'a'.repeat(70_000)}"` }),
  415: (id, sound) => venue.call(id, { ...sound, body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
  429: async (id, sound) => {
    const request = { ...sound, bot: await besieged.bot() };
    await besieged.call(id, request);
    venue.saw(id, 429);
    return besieged.call(id, request);
  },
  431: (id) => raw(id, `X-Long: ${'a'.repeat(20_000)}\r\n\r\n`),
  500: async (id, sound) => {
    const readsNothing = ['placeOrder', 'placeOrders', 'previewOrder'].includes(id);
    const answer = await whilePlanted(
      { submit: new Error('planted'), reads: readsNothing ? undefined : new Error('planted') },
      () => venue.call(id, sound),
    );
    expect(venue.defects.splice(0)).toEqual([new Error('planted')]);
    return answer;
  },
  503: (id, sound) =>
    whilePlanted({ submit: new VenueHalted('planted'), notReady: 'the disk is full' }, () => venue.call(id, sound)),
};

function retire({ account }: Bot): Promise<unknown> {
  return venue.operate({ type: 'RetireAccount', account }, 'AccountRetired');
}

/** The same of a market or an order that there is not. */
function unknown(id: OperationId, { query, params }: Request): Request {
  const isInPath = /\{(?:marketId|orderId|clientOrderId)\}/.test(OPERATIONS[id].path);
  return isInPath ? { params: { ...params, ...NOWHERE.params } } : { query: { ...query, marketId: NOWHERE.params.marketId } };
}

async function whilePlanted(planted: VenueUnderTest['planted'], during: () => Promise<Answer>): Promise<Answer> {
  Object.assign(venue.planted, planted);
  try {
    return await during();
  } finally {
    Object.assign(venue.planted, { submit: undefined, beforeSubmit: undefined, reads: undefined, notReady: undefined });
  }
}

async function raw(id: OperationId, rest: string): Promise<Answer> {
  const { method, path } = OPERATIONS[id];
  const answers = await sendRaw(venue.port, `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${rest}`);
  const { status, headers, body } = answers[0]!;
  const answer = { status, headers: new Headers(headers), body: JSON.parse(body) };
  expectDeclared(OPERATIONS[id], answer);
  venue.saw(id, status);
  return answer;
}

function declaredStatuses(id: OperationId): readonly number[] {
  const operation: Operation = OPERATIONS[id];
  const refused = refusalsOf(operation, ALWAYS_POSSIBLE).map((code) => ERRORS[code].status);
  const own = [operation.success.status, ...(operation.alternative === undefined ? [] : [operation.alternative.status])];
  return [...new Set([...own, ...refused])].filter((status) => status !== 500 || !CANNOT_FAIL.includes(id)).sort();
}

describe.each(Object.keys(OPERATIONS) as OperationId[])('%s', (id) => {
  test.each(declaredStatuses(id).filter((status) => status !== 408))('answers %i', async (status) => {
    expect(await PROVOCATIONS[status]!(id, await SOUND[id]())).toHaveProperty('status', status);
  });
});

test('every operation answers 408 to a request that does not arrive', async () => {
  const ids = Object.keys(OPERATIONS) as OperationId[];
  const answers = await Promise.all(ids.map((id) => PROVOCATIONS[408]!(id, {})));
  expect(answers.map(({ status }) => status)).toEqual(ids.map(() => 408));
});

test('every declared status of every operation was seen', () => {
  for (const id of Object.keys(OPERATIONS) as OperationId[]) {
    expect([...venue.statusesSeen(id)].sort(), id).toEqual(expect.arrayContaining([...declaredStatuses(id)]));
  }
  expect(venue.defects).toEqual([]);
});
