/** A body that is not uncompressed JSON in UTF-8 is refused as such, not as malformed JSON. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NAMES_OF_ANOTHER_TEXT } from '#contract/testing/names-of-another-text.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import type { Bot, VenueUnderTest } from '#http/testing/venue-under-test.ts';
import { startVenue } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let bot: Bot;

beforeAll(async () => {
  venue = await startVenue();
  bot = await venue.bot();
});
afterAll(() => venue.close());

async function cancelAll(headers: Readonly<Record<string, string>>, body: string | Uint8Array<ArrayBuffer> = '{}') {
  const response = await fetch(`http://127.0.0.1:${venue.port}/v1/orders/cancel-all`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bot.key}`, 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { code?: string; safeMessage?: string } };
}

describe('a body', () => {
  test.each(['gzip', 'br', 'GZIP, identity', 'nonsense'])(
    'with Content-Encoding %s is refused, whatever it is',
    async (coding) => {
      const refusal = {
        code: 'unsupported_media_type',
        safeMessage: 'The body is compressed: send it uncompressed, without Content-Encoding.',
      };
      for (const body of [new Uint8Array(gzipSync('{}')), '{}', '{'])
        expect(await cancelAll({ 'content-encoding': coding }, body)).toMatchObject({ status: 415, body: refusal });
    },
  );

  test.each(['utf-16', '"ISO-8859-1"', 'utf-8-sig', 'us-ascii'])('with charset %s is refused', async (charset) => {
    for (const type of [`application/json; charset=${charset}`, `application/json;q=1 ;Charset=${charset}`])
      expect(await cancelAll({ 'content-type': type })).toMatchObject({
        status: 415,
        body: {
          code: 'unsupported_media_type',
          safeMessage: 'The charset of the body is not UTF-8: send it in UTF-8, with Content-Type: application/json.',
        },
      });
  });

  test.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF-8"' },
    { 'content-type': 'application/json; charset=utf8' },
    { 'content-encoding': 'identity' },
  ])('is accepted with %o', async (headers) => {
    expect((await cancelAll(headers)).status).toBe(200);
  });

  test.each(['application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded; charset=utf-16'])(
    'is absent if it is empty, although its type is %s, as some libraries send it',
    async (type) => {
      const mint = (body: string) =>
        fetch(`http://127.0.0.1:${venue.port}/v1/realtime/ticket`, {
          method: 'POST',
          headers: { authorization: `Bearer ${bot.key}`, 'content-type': type },
          body,
        });
      expect((await mint('')).status).toBe(200);
      expect((await mint('{}')).status).toBe(415);
    },
  );

  describe('with bytes that are not UTF-8', () => {
    const NOT_UTF8 = { code: 'malformed_json', safeMessage: 'The body is not UTF-8: send JSON in UTF-8.' };
    const nameOf = (...bytes: number[]) =>
      Buffer.concat([Buffer.from('{"shown":true,"displayName":"a'), Buffer.from(bytes), Buffer.from('b"}')]);

    async function show(body: Buffer, isChunked: boolean) {
      const lines = [
        `PUT /v1/accounts/${bot.accountId}/leaderboard HTTP/1.1`,
        'Host: x',
        'Connection: close',
        `Authorization: Bearer ${bot.key}`,
        'Content-Type: application/json',
        isChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`,
      ];
      // Split inside a character, as a network may.
      const chunks = [body.subarray(0, 31), body.subarray(31)].flatMap((it) => [
        Buffer.from(`${it.length.toString(16)}\r\n`),
        it,
        Buffer.from('\r\n'),
      ]);
      const bytes = isChunked ? [...chunks, Buffer.from('0\r\n\r\n')] : [body];
      const [response] = await sendRaw(venue.port, Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), ...bytes]));
      return { status: response!.status, body: JSON.parse(response!.body) };
    }

    describe.each([
      ['with Content-Length', false],
      ['in chunks', true],
    ])('%s', (_, isChunked) => {
      test.each([
        ['an invalid byte', [0xff, 0xfe]],
        ['half of a character', [0xf0, 0x9f, 0x98]],
        ['a surrogate', [0xed, 0xa0, 0x80]],
        ['an overlong encoding', [0xc0, 0x80]],
        ['Latin-1', [0xe9]],
      ])('(%s) is refused as such and has no effect', async (_, bytes) => {
        const before = venue.sequence();
        expect(await show(nameOf(...bytes), isChunked)).toMatchObject({ status: 400, body: NOT_UTF8 });
        expect(venue.sequence()).toBe(before);
      });

      test.each(['é', '😀', '\ufffd'])('with %s is accepted unchanged', async (character) => {
        const { status, body } = await show(nameOf(...Buffer.from(character)), isChunked);
        expect([status, body.displayName]).toEqual([200, `a${character}b`]);
      });

      test('with a byte order mark is malformed JSON', async () => {
        const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), nameOf()]);
        expect(await show(marked, isChunked)).toMatchObject({
          status: 400,
          body: { code: 'malformed_json', safeMessage: 'The body is not JSON. Send one JSON object.' },
        });
      });
    });

    test('is refused as compressed, or as not UTF-8 without Content-Encoding', async () => {
      const body = new Uint8Array(gzipSync('{}'));
      expect(await cancelAll({ 'content-encoding': 'gzip' }, body)).toMatchObject({ status: 415 });
      expect(await cancelAll({}, body)).toMatchObject({ status: 400, body: NOT_UTF8 });
    });
  });

  test.each([
    ...NAMES_OF_ANOTHER_TEXT,
    String.raw`{"accountId":"acct-1","market\u0049d":"BTC-USD-PERP"}`,
    String.raw`{"a\"b":1}`,
    String.raw`{"\\":"\\"}`,
  ])('with an escape in the name of a field is refused: %s', async (body) => {
    const safeMessage = 'The body has an escape in the name of a field: write the name without a backslash.';
    expect(await cancelAll({}, body)).toMatchObject({ status: 400, body: { code: 'invalid_request', safeMessage } });
  });

  test('with an escape in a value is accepted', async () => {
    const body = String.raw`{"marketId":"BTC\u002dUSD-PERP"}`;
    expect((await cancelAll({}, body)).status).toBe(200);
  });

  test('that is compressed places no order, and leaves its idempotency key free', async () => {
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
    const request = { bot, idempotencyKey: 'key', body: { accountId: bot.accountId, clientOrderId: 'o', ...terms } };
    const refused = await venue.call('placeOrder', { ...request, headers: { 'content-encoding': 'gzip' } });
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await venue.call('placeOrder', request)).status).toBe(202);
  });
});
