/** The client that a read is scheduled for. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Stage, setStage } from '#http/testing/stage.ts';
import { eventually } from '#time/testing/eventually.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.venue.close());
beforeEach(() => {
  stage.venue.planted.beforeRead = undefined;
  stage.venue.readers.length = 0;
});

const clients = () => stage.venue.readers.map(({ client }) => client);

test('counts all keys of an account as one client, and requests without a key by their network', async () => {
  const { venue, bot, other } = stage;
  const second = await venue.keyOf(bot, ['read']);
  for (const by of [bot, second, other]) await venue.call('getAccount', { bot: by, params: { accountId: by.accountId } });
  const params = { marketId: 'BTC-USD-PERP' };
  await venue.call('getBook', { params });
  await venue.call('getMarket', { params });
  await venue.call('getMarket', { params, bot });
  const [account, network] = [`account ${bot.account}`, 'network 127.0.0.1'];
  expect(clients()).toEqual([account, account, `account ${other.account}`, network, network, account]);
});

test('gives the read of a page its cost in tokens, at /v1 and at /v2', async () => {
  const { venue, bot } = stage;
  const page = { bot, params: { accountId: bot.accountId }, query: { limit: '500' } };
  await venue.call('listOrders', page);
  await venue.call('listUnifiedOrders', page);
  await venue.call('getOrder', { bot, params: { orderId: '1' } });
  const account = `account ${bot.account}`;
  expect(venue.readers.filter(({ client }) => client === account).map(({ cost, form }) => [cost, form])).toEqual([
    [10, 'native'],
    [20, 'unified'],
    [1, 'native'],
  ]);
});

test('marks a read of a closed connection as closed, but not a cancel', async () => {
  const { venue, bot } = stage;
  let proceed = () => {};
  venue.planted.beforeRead = () => new Promise<void>((resolve) => (proceed = resolve));
  const send = async (line: string) => {
    const socket = connect(venue.port, '127.0.0.1');
    socket.write(`${line} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${bot.key}\r\nContent-Length: 0\r\n\r\n`);
    await eventually(() => expect(venue.readers.length).toBe(1));
    const reader = venue.readers.pop()!;
    expect(reader.isClosed()).toBe(false);
    socket.resetAndDestroy();
    await once(socket, 'close');
    return reader;
  };
  const read = await send(`GET /v1/accounts/${bot.accountId}/orders`);
  await eventually(() => expect(read.isClosed()).toBe(true));
  proceed();
  const cancel = await send('POST /v1/orders/by-client-order-id/unknown/cancel');
  // The cancel's connection is known to be closed once one that closed later is.
  const later = await send(`GET /v1/accounts/${bot.accountId}/orders`);
  await eventually(() => expect(later.isClosed()).toBe(true));
  expect(cancel.isClosed()).toBe(false);
  proceed();
});
