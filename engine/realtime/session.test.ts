/** Frames that clients send: which are accepted, and which are refused. */
import type { Socket } from 'node:net';
import { afterAll, describe, expect, test } from 'vitest';
import { REALTIME_ERROR_CODES } from '#contract/realtime-errors.ts';
import { CLOSE_CODES, PROTOCOL_CLOSE_CODES } from '#contract/realtime-limits.ts';
import { NAMES_OF_ANOTHER_TEXT } from '#contract/testing/names-of-another-text.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import { OF_FRAMES, PARTS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';

const ALICE = { accountId: 'acct-1' };
const MARKET = { marketId: MARKET_ID };
const ESCAPED_NAME = /^The frame has an escape in the name of a field: write the name without a backslash/;
const TRADES = { op: 'subscribe', channel: 'market.trades', ...MARKET };

const { refused, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_FRAMES));

test('the tests of these files see every refusal of the catalogue, and every close reason', () => {
  expect(PARTS.flatMap(({ refusals }) => refusals).sort()).toEqual([...REALTIME_ERROR_CODES].sort());
  expect(PARTS.flatMap(({ closes }) => closes).sort()).toEqual(Object.keys(CLOSE_CODES).sort());
});

describe('a frame', () => {
  test('gets a response with its id, in any order of its fields, after hello', async () => {
    const client = await (await RecordedService.start()).connect();
    expect(await client.next('hello')).toEqual({ type: 'hello', version: 'realtime-contract/v1' });
    expect(await client.request({ op: 'ping' })).toEqual({ type: 'pong', id: 'request-1' });
    client.send({ op: 'ping' });
    await client.until((frame) => frame.type === 'pong' && !('id' in frame));
    expect(await client.request({ ...MARKET, channel: 'market.price', op: 'subscribe' })).toMatchObject({ type: 'subscribed' });
  });

  test.each(['x'.repeat(64), '😀'.repeat(40), '😀'.repeat(64)])('gets its id in a refusal, %s', async (id) => {
    const client = await (await RecordedService.start()).connect();
    client.send({ op: 'ping', id });
    expect(await client.next('pong')).toEqual({ type: 'pong', id });
    const refused = [
      { op: 'shout' },
      { op: 'subscribe' },
      { op: 'subscribe', channel: 'market.rumours' },
      { ...TRADES, depth: 3 },
    ];
    for (const frame of refused) {
      client.send({ ...frame, id });
      expect(await client.next('error')).toMatchObject({ id });
    }
  });

  test.each([7, 'x'.repeat(65), '😀'.repeat(65)])(
    'gets a response without an id that is not a string or too long, %j',
    async (id) => {
      const client = await (await RecordedService.start()).connect();
      for (const frame of [{ op: 'shout' }, { op: 'ping' }]) {
        client.send({ ...frame, id });
        expect(await client.next('error')).not.toHaveProperty('id');
      }
    },
  );

  test.each([
    ['not json', 'invalid_request', /must be one JSON object/],
    ['[]', 'invalid_request', /must be one JSON object/],
    ['null', 'invalid_request', /must be one JSON object/],
    [{}, 'invalid_request', /^The field op is required: one of auth, subscribe, unsubscribe, ping\.$/],
    [{ op: 'shout' }, 'invalid_request', /^The field op must be one of/],
    [{ op: 'ping', id: 7 }, 'invalid_request', /^The field id must be a string: put the number in quotes\.$/],
    ['{"op":"ping","id":{"length":1e400}}', 'invalid_request', /^The field id must be of type string\.$/],
    ['{"op":"ping","id":{"length":{"toString":1,"valueOf":1}}}', 'invalid_request', /^The field id must be of type string\.$/],
    [{ op: 'ping', id: '' }, 'invalid_request', /^The field id must not be empty\.$/],
    [{ op: 'ping', id: 'x'.repeat(65) }, 'invalid_request', /^The field id must have at most 64 characters\.$/],
    [{ op: 'subscribe' }, 'invalid_request', /^The field channel is required\.$/],
    [{ op: 'subscribe', channel: 7 }, 'invalid_request', /^The field channel must be of type string\.$/],
    [{ ...TRADES, depth: 3 }, 'invalid_request', /Unknown field "depth"/],
    [{ op: 'subscribe', channel: 'market.trades' }, 'invalid_request', /^The field marketId is required\.$/],
    [
      { op: 'subscribe', channel: 'market.candles', ...MARKET, timeframe: '1m', series: 'mark' },
      'invalid_request',
      /^The field series must be one of trade, index\.$/,
    ],
    [
      { op: 'subscribe', channel: 'market.candles', ...MARKET, series: 'trade', timeframe: '2m' },
      'invalid_request',
      /^The field timeframe must be one of 1m, /,
    ],
    [{ ...TRADES, fromSequence: -1 }, 'invalid_request', /^The field fromSequence must be at least 0\.$/],
    [
      JSON.stringify({ ...TRADES, fromSequence: 1 }).replace(':1', ':1.00000000000000001'),
      'invalid_request',
      /^The field fromSequence is 1\.00000000000000001, which a double cannot represent/,
    ],
    [
      `{"op":"ping","id":${'['.repeat(100)}${']'.repeat(100)}}`,
      'invalid_request',
      /^The frame is nested deeper than 64 levels: /,
    ],
    [NAMES_OF_ANOTHER_TEXT[0], 'invalid_request', ESCAPED_NAME],
    [NAMES_OF_ANOTHER_TEXT[1], 'invalid_request', ESCAPED_NAME],
    [String.raw`{"\u006fp":"ping"}`, 'invalid_request', ESCAPED_NAME],
    [{ ...TRADES, fromSequence: 1.5 }, 'invalid_request', /^The field fromSequence must be of type integer\.$/],
    [{ ...TRADES, fromSequence: '7' }, 'invalid_request', /^The field fromSequence must be of type /],
    [{ op: 'subscribe', channel: 'account.orders', ...MARKET }, 'invalid_request', /^The field accountId is required\.$/],
    [{ op: 'auth', ticket: 'short' }, 'invalid_request', /^The field ticket must be a ticket: 43 letters, digits, _ and -\.$/],
    [{ op: 'auth' }, 'invalid_request', /^The field ticket is required\.$/],
    [{ op: 'subscribe', channel: 'market.rumours', ...MARKET }, 'unknown_channel', /market\.trades, market\.book/],
    [{ op: 'subscribe', channel: '__proto__' }, 'unknown_channel', /./],
    [{ ...TRADES, marketId: 'DOGE-USD-PERP' }, 'unknown_market', /./],
    [{ op: 'unsubscribe', channel: 'market.trades', marketId: 'DOGE-USD-PERP' }, 'unknown_market', /./],
    [{ op: 'subscribe', channel: 'account.alerts', ...ALICE }, 'source_unavailable', /./],
    [{ op: 'subscribe', channel: 'account.orders', ...ALICE }, 'authentication_required', /auth_ok/],
  ])('%j is refused with %s and the socket stays open', async (frame, code, message) => {
    const client = await (await RecordedService.start()).connect();
    client.send(frame);
    const error = await client.next('error');
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    await refused(client, error);
  });

  test('is refused if it is binary, and closes the socket if it is too large or not valid text', async () => {
    const service = await RecordedService.start();
    const client = await service.connect();
    client.socket.send(Buffer.from([1, 2]));
    expect(await client.next('error')).toMatchObject({ code: 'invalid_request' });
    client.send(`{"op":"${'x'.repeat(5_000)}"}`);
    expect((await client.closes()).code).toBe(PROTOCOL_CLOSE_CODES.frame_too_large.code);
    // Most of it is still in transit when the server notices.
    const large = await service.connect();
    large.send(`{"op":"${'x'.repeat(2_000_000)}"}`);
    expect((await large.closes()).code).toBe(PROTOCOL_CLOSE_CODES.frame_too_large.code);
    const other = await service.connect();
    other.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await other.closes()).code).toBe(PROTOCOL_CLOSE_CODES.invalid_text.code);
    const third = await service.connect();
    // A client frame without a mask.
    (third.socket as unknown as { _socket: Socket })._socket.write(Buffer.from([0x81, 0x00]));
    expect((await third.closes()).code).toBe(PROTOCOL_CLOSE_CODES.protocol_error.code);
  });

  test('closes the socket if it is split into too many fragments, where pings between them count too', async () => {
    const service = await RecordedService.start(undefined, { maxFragments: 5, frameBurst: 6, framesPerSecond: 0.01 });
    const split = async (fragments: number, between: (client: SocketClient) => void = () => {}) => {
      const client = await service.connect();
      client.socket.send('{"op":"ping"}', { fin: false });
      for (let count = 2; count < fragments; count += 1) {
        between(client);
        client.socket.send('', { fin: false });
      }
      client.socket.send('', { fin: true });
      return client;
    };
    await (await split(5)).next('pong');
    expect((await (await split(6)).closes()).code).toBe(PROTOCOL_CLOSE_CODES.too_many_fragments.code);
    const pingTwice = ({ socket }: SocketClient) => {
      socket.ping();
      socket.ping();
    };
    await (await split(3, pingTwice)).next('pong');
    const pingsMore = await split(5, pingTwice);
    expect((await pingsMore.closes()).code).toBe(CLOSE_CODES.too_many_frames.code);
  });
});
