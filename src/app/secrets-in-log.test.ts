/**
 * Secrets in every place that a client can write to, and in errors: no log line contains one. The venue logs at `debug`, so that
 * every response has a line.
 */
import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ERROR_CODES } from '#contract/errors.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { createApiKey } from '#identity/api-key.ts';
import { createDeviceCode } from '#identity/device-code.ts';
import { createSessionBearer } from '#identity/session-bearer.ts';
import { createAttemptSecret } from '#identity/sign-in/attempt-secret.ts';
import { type KeyKind, SoftwareAuthenticator } from '#identity/webauthn/testing/software-authenticator.ts';
import { withoutSecrets } from '#observability/secrets.ts';
import { StructuredLog } from '#observability/structured-log.ts';
import { commandIdOf, issueIdOf, newLedgerKey } from '#settlement/coordinator/command-id.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const TICKET = 'Zm9yLXRoZS1leWVzLW9mLW5vYm9keS1idXQtaXRzLW93'.slice(0, 43);
const PASSWORD = 'correct-horse-battery';
/** Not recognizable as a key or ticket by its form: only leaving the field out of the log protects it. */
const PLAIN = 'my-mothers-maiden-name';

const lines: string[] = [];
const log = new StructuredLog('debug', { write: (line) => lines.push(line) });
const directory = temporaryDirectory();
let venue: TestVenue;
let apiKey: string;

beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory.path), {
    log: (line) => log.line(line),
    logRequests: (operation) => log.requests(operation, false),
    onFatalError: (error, where) => log.fatal(error, where),
  });
  ({ apiKey } = await venue.createAccount({ label: 'client', credit: '1000' }));
});
afterAll(async () => {
  await venue.stop();
  directory.remove();
});

/** What a passkey sends. */
function ceremony(kind: KeyKind): { challenge: string; signature: string; authenticatorData: string; clientData: string } {
  const challenge = randomBytes(32).toString('base64url');
  const site = { challenge, origin: 'https://venue.example', rpId: 'venue.example' };
  return { challenge, ...new SoftwareAuthenticator(kind).assert(site).credentialAssertion };
}

const { challenge, signature, authenticatorData, clientData } = ceremony('ES256');
const SIGNING = [
  createSessionBearer().bearer,
  createAttemptSecret().attempt,
  createDeviceCode().deviceCode,
  challenge,
  signature,
  authenticatorData,
  clientData,
];

const secrets = () => [apiKey, apiKey.slice(-43), TICKET, PASSWORD, PLAIN, ...SIGNING];

/** The lines logged during `act`, after each was checked. */
async function loggedBy(act: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
  lines.length = 0;
  await act();
  for (const line of lines) for (const secret of secrets()) expect(line).not.toContain(secret);
  return lines.map((line) => JSON.parse(line));
}

function send(path: string, headers: Record<string, string> = {}, body?: string, method = 'POST'): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(path, venue.url), { method, headers }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode!));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const HEADERS = ['authorization', 'x-api-key', 'cookie', 'proxy-authorization', 'idempotency-key', 'x-request-id'];
const MORE_HEADERS = ['user-agent', 'origin', 'referer', 'x-forwarded-for', 'forwarded', 'content-type', 'x-anything'];

describe('a secret of a client', () => {
  test.each([...HEADERS, ...MORE_HEADERS])('in the header %s is not logged', async (name) => {
    for (const secret of [...secrets(), `Bearer ${apiKey}`, `Basic ${PASSWORD}`]) {
      // Any other request id of a client is logged as such.
      if (name === 'x-request-id' && [PASSWORD, PLAIN].includes(secret)) continue;
      const authorization = name === 'authorization' ? secret : `Bearer ${apiKey}`;
      const headers = { 'content-type': 'application/json', authorization, [name]: secret };
      const logged = await loggedBy(() => send('/v1/orders', headers, '{}'));
      expect(logged).toHaveLength(1);
      expect(logged[0]).toMatchObject({ operation: 'placeOrder', method: 'POST' });
    }
  });

  test('in the URL is not logged, for any path', async () => {
    for (const secret of secrets()) {
      const bearer = { authorization: `Bearer ${apiKey}` };
      for (const path of [
        `/v1/orders/${secret}`,
        `/v1/markets/${secret}`,
        `/v1/${secret}`,
        `/${secret}?x=1`,
        `/v1/markets?apiKey=${secret}`,
        `/v1/markets/%zz?${secret}`,
        `/metrics?${secret}`,
      ]) {
        expect(await loggedBy(() => send(path, bearer, undefined, 'GET')), path).toHaveLength(1);
        expect(await loggedBy(() => send(path, bearer, undefined, 'OPTIONS')), path).toHaveLength(1);
      }
    }
  });

  test('in a body, valid or not, is not logged', async () => {
    for (const secret of secrets()) {
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'k' };
      const valid = { accountId: 'acct-1', marketId: 'BTC-USD-PERP', clientOrderId: secret, side: 'buy', orderType: 'market' };
      for (const body of [
        secret,
        `{"${secret}":1}`,
        JSON.stringify({ apiKey: secret }),
        JSON.stringify({ ...valid, quantity: '1' }),
      ])
        expect(await loggedBy(() => send('/v1/orders', headers, body))).toHaveLength(1);
    }
  });

  test('in a malformed request is not logged', async () => {
    for (const secret of secrets()) {
      const { port } = new URL(venue.url);
      for (const bytes of [
        `${secret}\r\n\r\n`,
        `CONNECT ${secret}:443 HTTP/1.1\r\nHost: ${secret}\r\nAuthorization: ${secret}\r\n\r\n`,
        `GET /health HTTP/1.1\r\nHost: x\r\nExpect: ${secret}\r\nConnection: close\r\n\r\n`,
        `GET /${secret} HTTP/1.1\r\nHost: x\r\nX-Long: ${secret}${'a'.repeat(20_000)}\r\n\r\n`,
      ]) {
        const logged = await loggedBy(() => sendRaw(Number(port), bytes));
        expect(logged.length).toBeGreaterThan(0);
        for (const line of logged) expect(ERROR_CODES).toContain(line.code);
      }
    }
  });
});

describe('a secret in an error', () => {
  test('is removed from messages, stacks and causes', async () => {
    const cause = Object.assign(new Error(`NOAUTH rediss://user:${PASSWORD}@redis.example:6380`), {
      command: { name: 'auth', args: [PASSWORD, PLAIN] },
    });
    const error = new Error(`Authorization: Bearer ${apiKey} of ticket ${TICKET}`, { cause });
    const logged = await loggedBy(async () => {
      log.fatal(error, `request of ${apiKey}`);
      log.line(`connected to redis://:${PASSWORD}@localhost`);
      log.halt({ reason: 'the journal cannot be read', detail: TICKET, cause: error });
    });
    expect(logged).toHaveLength(3);
    expect(logged[0]).toMatchObject({ level: 'error', err: { type: 'Error', cause: { type: 'Error' } } });
  });

  test.each<KeyKind>(['ES256', 'EdDSA', 'RS256'])('is recognized by its form in each part of a ceremony with %s', (kind) => {
    for (const [name, value] of Object.entries(ceremony(kind))) {
      expect(withoutSecrets(`"${name}":"${value}"`)).toBe(`"${name}":"[redacted]"`);
    }
  });

  test('is not seen in digests and in the names of a stack', () => {
    for (const text of [
      `sha256:${'0123456789abcdef'.repeat(4)}`,
      'at Object.verifyAuthenticationResponse (file:///a/node_modules/b-c.js:1:2)',
    ])
      expect(withoutSecrets(text)).toBe(text);
  });

  test('is recognized by its form', () => {
    expect(withoutSecrets(`a ${createApiKey().key} b`)).toBe('a opk_[redacted] b');
    expect(withoutSecrets(`a ${createSessionBearer().bearer} b`)).toBe('a ops_[redacted] b');
    expect(withoutSecrets(`a ${createAttemptSecret().attempt} b`)).toBe('a opr_[redacted] b');
    expect(withoutSecrets(`a ${createDeviceCode().deviceCode} b`)).toBe('a opd_[redacted] b');
    const ledgerKey = newLedgerKey();
    expect(withoutSecrets(`key ${ledgerKey}, and so on`)).toBe('key [redacted], and so on');
    const commandId = commandIdOf(ledgerKey, 'treasury_offer', 2);
    expect(withoutSecrets(`a command ${commandId} at 3`)).toBe('a command [redacted]-treasury_offer-2 at 3');
    expect(withoutSecrets(`a command ${issueIdOf(ledgerKey)} at 3`)).toBe('a command [redacted]-issue at 3');
    expect(withoutSecrets('an answer ?code=abcdefgh&state=ijklmnop')).toBe('an answer ?code=[redacted]&state=[redacted]');
    expect(withoutSecrets('a token eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0. at 3')).toBe('a token [redacted] at 3');
    expect(withoutSecrets('{"code":"order_not_found","requestId":"trace-1"}')).not.toContain('redacted');
    expect(withoutSecrets(`x=${TICKET}&y`)).toBe('x=[redacted]&y');
    expect(withoutSecrets('authorization: bearer abc.def, and so on')).toBe('authorization: bearer [redacted], and so on');
    expect(withoutSecrets('rediss://a:b@host:1/0')).toBe('rediss://[redacted]@host:1/0');
    expect(withoutSecrets(`"requestId":"${crypto.randomUUID()}"`)).not.toContain('redacted');
  });
});

test('logs a request with its caller, operation and outcome', async () => {
  const headers = { authorization: `Bearer ${apiKey}`, 'x-request-id': 'mine-1' };
  const [logged] = await loggedBy(() => send('/v1/orders/999999', headers, undefined, 'GET'));
  expect(logged).toEqual({
    level: 'info',
    time: expect.any(String),
    name: 'openperp',
    pid: process.pid,
    requestId: 'mine-1',
    operation: 'getOrder',
    method: 'GET',
    status: 404,
    code: 'order_not_found',
    elapsedMs: expect.any(Number),
    clientAddress: expect.stringMatching(/127\.0\.0\.1|::1/),
    accountId: 'acct-1',
    keyId: apiKey.split('_')[1],
    msg: 'request',
  });
});

test('logs the account of a key whose scopes do not permit the request', async () => {
  const reader = await venue.createAccount({ label: 'reader', credit: '0', scopes: ['read'] });
  const [forbidden] = await loggedBy(() => send('/v1/orders/cancel-all', { authorization: `Bearer ${reader.apiKey}` }));
  const owner = { accountId: reader.accountId, keyId: reader.apiKey.split('_')[1] };
  expect(forbidden).toMatchObject({ status: 403, code: 'insufficient_scope', ...owner });
  const path = `/v1/accounts/${reader.accountId}/leaderboard`;
  const many = await loggedBy(async () => {
    for (let count = 0; count < 30; count += 1) await send(path, { authorization: `Bearer ${reader.apiKey}` }, undefined, 'PUT');
  });
  expect(many.at(-1)).toMatchObject({ status: 429, code: 'rate_limited', ...owner });
  const [unknown] = await loggedBy(() =>
    send('/v1/orders/1', { authorization: `Bearer ${createApiKey().key}` }, undefined, 'GET'),
  );
  expect(unknown).toMatchObject({ status: 401, code: 'unauthorized' });
  expect(unknown).not.toHaveProperty('accountId');
});

test('logs requests that failed with an internal error when requests are not logged', () => {
  const few: string[] = [];
  const responded = new StructuredLog('warn', { write: (line) => few.push(line) }).requests('placeOrder', false);
  const outgoing = { id: 'a', method: 'POST', clientAddress: '::1' };
  for (const status of [202, 404, 429, 500, 503]) responded(status, 1, undefined, outgoing);
  expect(few.map((line) => JSON.parse(line).status)).toEqual([500, 503]);
  const probed = new StructuredLog('info', { write: (line) => few.push(line) }).requests('getReady', true);
  probed(200, 1, undefined, outgoing);
  expect(few).toHaveLength(2);
});
