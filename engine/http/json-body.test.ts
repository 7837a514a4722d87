/** A body that is not JSON in UTF-8, as it is: told so, and not taken for bad JSON. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bot, VenueUnderTest } from './testing/venue-under-test.ts';
import { startVenue } from './testing/venue-under-test.ts';

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
  test.each(['gzip', 'br', 'GZIP, identity', 'nonsense'])('that comes as %s is refused, whatever it is', async (coding) => {
    const said = {
      code: 'unsupported_media_type',
      safeMessage: 'The venue unpacks no body: send it uncompressed, without Content-Encoding.',
    };
    for (const body of [new Uint8Array(gzipSync('{}')), '{}', '{'])
      expect(await cancelAll({ 'content-encoding': coding }, body)).toMatchObject({ status: 415, body: said });
  });

  test.each(['utf-16', '"ISO-8859-1"', 'utf-8-sig', 'us-ascii'])('that is said to be in %s is refused', async (charset) => {
    for (const type of [`application/json; charset=${charset}`, `application/json;q=1 ;Charset=${charset}`])
      expect(await cancelAll({ 'content-type': type })).toMatchObject({
        status: 415,
        body: {
          code: 'unsupported_media_type',
          safeMessage: 'The body is said to be in another charset: send it in UTF-8, with Content-Type: application/json.',
        },
      });
  });

  test.each([
    { 'content-type': 'application/json; charset=utf-8' },
    { 'content-type': 'application/json;charset="UTF-8"' },
    { 'content-type': 'application/json; charset=utf8' },
    { 'content-encoding': 'identity' },
  ])('is taken with %o', async (headers) => {
    expect((await cancelAll(headers)).status).toBe(200);
  });

  test.each(['application/octet-stream', 'text/plain', 'application/x-www-form-urlencoded; charset=utf-16'])(
    'of nothing is none, though %s is said of it, as some libraries do',
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

  test('that is compressed places nothing, and its idempotency key is still free', async () => {
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price: '60000', quantity: '0.01' };
    const request = { bot, idempotencyKey: 'key', body: { accountId: bot.accountId, clientOrderId: 'o', ...terms } };
    const refused = await venue.call('placeOrder', { ...request, headers: { 'content-encoding': 'gzip' } });
    expect(refused).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect((await venue.call('placeOrder', request)).status).toBe(202);
  });
});
