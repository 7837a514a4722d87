/** Refusals of a venue over HTTP as the gateway forwards them, and an unavailable venue. */
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '#contract/errors.ts';
import { EXAMPLES } from '#contract/examples.ts';
import { json, recorded, type ScriptedResponse, useScriptedVenue } from './testing/scripted-venue.ts';

const venue = useScriptedVenue();

describe('a refusal', () => {
  test.each<ErrorCode>(['insufficient_margin', 'rate_limited', 'venue_halted', 'unauthorized', 'price_out_of_band'])(
    '(%s) keeps the status, code and message of the venue',
    async (code) => {
      const { status, retryable, recoveryActions } = ERRORS[code];
      const envelope = {
        version: 'external-rest-error/v1',
        requestId: 'mine',
        code,
        safeMessage: 'In its own words.',
        retryable,
        recoveryActions,
        occurredAtEpochMs: 1_700_000_000_000,
        ...(code === 'unauthorized' && { apiKeyRejection: 'revoked' }),
      };
      venue.responses['/v1/orders'] = json(status, envelope, { 'retry-after': '7', 'www-authenticate': 'Bearer x' });
      const response = await venue.place({ 'x-request-id': 'mine' });
      expect(response).toMatchObject({ status, body: { code, message: 'In its own words.', timestamp: 1_700_000_000_000 } });
      expect(response.body.info).toEqual(envelope);
      expect(response.headers.get('retry-after')).toBe(['rate_limited', 'venue_halted'].includes(code) ? '7' : null);
      expect(response.headers.get('www-authenticate')).toBe(code === 'unauthorized' ? 'Bearer x' : null);
    },
  );

  test.each([409, 423, 503])('with a code of a later version and %i is replaced by 503', async (sentStatus) => {
    venue.responses['/v1/orders'] = json(sentStatus, {
      version: 'external-rest-error/v1',
      requestId: 'r',
      code: 'of_tomorrow',
      safeMessage: 'Not today.',
      retryable: false,
      recoveryActions: ['none'],
      occurredAtEpochMs: 1,
    });
    const { status, body } = await venue.place();
    expect({ status, body }).toMatchObject({ status: 503, body: { name: 'ExchangeNotAvailable', code: 'upstream_unavailable' } });
    expect(body.message).toContain(`responded ${sentStatus}, not as declared: the code of the error is unknown to this gateway.`);
    expect(JSON.stringify(body)).not.toMatch(/of_tomorrow|Not today/);
  });

  test.each(['z', null, {}, -1, 1.5, 1e300, 8.64e15 + 1])(
    'whose time is invalid (%j) is forwarded with the current time',
    async (occurredAtEpochMs) => {
      const { status, retryable, recoveryActions } = ERRORS.insufficient_margin;
      const envelope = { version: 'external-rest-error/v1', requestId: 'r', retryable, recoveryActions, occurredAtEpochMs };
      venue.responses['/v1/orders'] = json(status, {
        ...envelope,
        code: 'insufficient_margin',
        safeMessage: 'In its own words.',
      });
      const { status: received, body } = await venue.place();
      expect({ received, body }).toMatchObject({
        received: status,
        body: { code: 'insufficient_margin', message: 'In its own words.' },
      });
      expect(Math.abs(Date.now() - body.timestamp)).toBeLessThan(60_000);
      expect([body.info.occurredAtEpochMs, Date.parse(body.datetime)]).toEqual([body.timestamp, body.timestamp]);
    },
  );
});

describe('a venue that is unavailable', () => {
  const unavailable = {
    status: 503,
    body: {
      name: 'ExchangeNotAvailable',
      code: 'upstream_unavailable',
      retryable: true,
      info: { recoveryActions: ['retry_later'] },
    },
  };

  test.each<[string, ScriptedResponse]>([
    ['hangs up', (request) => request.socket.destroy()],
    ['does not answer in time', (...exchange) => venue.pastTimeout(...exchange)],
    [
      'breaks off',
      (request, response) => response.writeHead(202, { 'content-length': '100' }).write('{', () => request.socket.destroy()),
    ],
    [
      'is replaced by a proxy',
      (_, response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
    ],
    ['responds without JSON', (_, response) => response.writeHead(202).end('taken')],
    ['answers {}', json(202, {})],
    ['answers null', json(202, null)],
    ['responds with a string', json(202, 'taken')],
    ['responds like another service', json(202, { status: 'ok', version: '1.0' })],
    ['leads elsewhere', (_, response) => response.writeHead(302, { location: 'http://example.test/' }).end()],
    ['answers with another status', json(200, EXAMPLES.placeOrder!.response.body)],
    ['refuses in another shape', json(403, { error: 'no' })],
    ['refuses with a code that is not a string', json(409, { version: 'external-rest-error/v1', code: 5, safeMessage: 'no' })],
    [
      'refuses with a message that is not a string',
      json(409, { version: 'external-rest-error/v1', code: 'insufficient_margin', safeMessage: { toString: 1 } }),
    ],
  ])('(it %s) gives 503 with Retry-After', async (_, response) => {
    venue.responses['/v1/orders'] = response;
    const refused = await venue.place();
    expect(refused).toMatchObject(unavailable);
    expect(refused.headers.get('retry-after')).toBe('2');
    expect(refused.body.message).toContain('It may have carried out the request.');
    venue.responses['/v1/orders'] = recorded('placeOrder');
    expect((await venue.place()).status).toBe(200);
  });

  test.each([{}, null, { status: 'ok' }, { version: 'external-market-catalog/v1' }])(
    'and whose URL returns %j gives 503 for markets and accounts',
    async (body) => {
      for (const path of ['/v1/markets', '/v1/api-keys/current', '/v1/orders/1']) venue.responses[path] = json(200, body);
      for (const path of ['/v2/markets', '/v2/orders/1']) expect(await venue.send(path)).toMatchObject(unavailable);
      expect(await venue.place()).toMatchObject(unavailable);
    },
  );

  test('that cannot be reached gives 503 for every read', async () => {
    venue.disconnect();
    for (const path of ['/v2/markets', '/v2/markets/BTC%2FUSD.E:USD.E/stats', '/v2/accounts/acct-1', '/v2/orders/1'])
      expect(await venue.send(path)).toMatchObject(unavailable);
    expect(await venue.send('/v2/not-implemented/fetch-trades')).toMatchObject({ status: 501 });
  });
});
