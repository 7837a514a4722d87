/** A request with two `Authorization` headers: Node shows one of them, and the intended one is unknown. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '#http/testing/raw-http.ts';
import { type Bot, startVenue, type VenueUnderTest } from '#http/testing/venue-under-test.ts';

let venue: VenueUnderTest;
let one: Bot;
let other: Bot;

beforeAll(async () => {
  venue = await startVenue();
  [one, other] = [await venue.bot(), await venue.bot()];
});
afterAll(() => venue.close());

async function send(path: string, ...authorizations: readonly string[]) {
  const lines = [`GET ${path} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...authorizations, '', ''];
  const [response] = await sendRaw(venue.port, lines.join('\r\n'));
  return { status: response!.status, body: JSON.parse(response!.body), challenge: response!.headers['www-authenticate'] };
}

const refusal = {
  status: 401,
  challenge: 'Bearer realm="openperp", error="invalid_token"',
  body: {
    code: 'unauthorized',
    apiKeyRejection: 'malformed',
    safeMessage: 'The request has more than one Authorization header: send one, with one bearer.',
  },
};

describe.each(['/v1/api-keys/current', '/v1/markets'])('two bearers at %s', (path) => {
  test('are refused in any order and spelling of the headers', async () => {
    const [first, second] = [`Authorization: Bearer ${one.key}`, `AUTHORIZATION: Bearer ${other.key}`];
    expect(await send(path, first, second)).toMatchObject(refusal);
    expect(await send(path, second, first)).toMatchObject(refusal);
    expect(await send(path, first, first)).toMatchObject(refusal);
    expect(await send(path, first, 'Authorization: ')).toMatchObject(refusal);
    expect(await send(path, 'Authorization: ', first)).toMatchObject(refusal);
  });

  test('in one header are malformed', async () => {
    const both = `Authorization: Bearer ${one.key}, Bearer ${other.key}`;
    expect(await send(path, both)).toMatchObject({ status: 401, body: { apiKeyRejection: 'malformed' } });
  });

  test('are not seen in headers with similar names', async () => {
    const alike = [
      `Authorization: Bearer ${one.key}`,
      'Proxy-Authorization: Basic eA==',
      'X-Authorization: x',
      'Authorizatiox: x',
    ];
    expect((await send(path, ...alike)).status).toBe(200);
  });
});
