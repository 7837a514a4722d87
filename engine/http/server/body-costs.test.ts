/** A body costs tokens by its bytes, from the account's or the network's bucket, before it is read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { largestBodyOf } from '#contract/largest-body.ts';
import type { Operation } from '#contract/operation.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { limitPlacement } from '#contract/order-batches.ts';
import { sendRaw } from '#http/testing/raw-http.ts';
import { type Stage, setStage } from '#http/testing/stage.ts';

const BURST = 10_000;
const SLOW = { burst: BURST, perSecond: 0.001 };
const KIB = 1_024;

let stage: Stage;
let key: string;
beforeAll(async () => {
  stage = await setStage({ rates: { orders: SLOW, cancels: SLOW, previews: SLOW, settings: SLOW, reads: SLOW, public: SLOW } });
  ({ key } = stage.bot);
});
afterAll(() => stage.venue.close());

/** The remaining tokens after a request, the least of its policies. */
async function leftAfter(line: string, body: string, ...headers: string[]) {
  const lines = [
    `${line} HTTP/1.1`,
    'Host: x',
    'Connection: close',
    'Content-Type: application/json',
    'Idempotency-Key: k',
    ...headers,
  ];
  const [response] = await sendRaw(stage.venue.port, `${[...lines, '', ''].join('\r\n')}${body}`);
  return Number(/r=([0-9]+)/.exec(String(response!.headers.ratelimit))?.[1]);
}

/** The cost of a body. */
async function costOf(line: string, body: string, ...headers: string[]) {
  const length = `Content-Length: ${Buffer.byteLength(body)}`;
  const before = await leftAfter(line, '', 'Content-Length: 0', ...headers);
  return before - (await leftAfter(line, body, length, ...headers));
}

const padded = (bytes: number, body = '{}') => body + ' '.repeat(bytes - body.length);
const authorized = () => `Authorization: Bearer ${key}`;

test.each([
  ['an order', 'POST /v1/orders', true],
  ['a preview', 'POST /v1/orders/preview', true],
  ['a cancel', 'POST /v1/orders/7/cancel', true],
  ['a setting', 'PUT /v1/accounts/acct-1/leaderboard', true],
  ['a read', 'GET /v1/api-keys/current', true],
  ['an order without a key', 'POST /v1/orders', false],
  ['a public read', 'GET /v1/markets', false],
  ['an unknown path', 'POST /v1/nothing', false],
])('%s costs a token for each started 4 KiB of body', async (_, line, isAuthorized) => {
  const headers = isAuthorized ? [authorized()] : [];
  const cost = (bytes: number) => costOf(line, padded(bytes), ...headers);
  expect([await cost(2), await cost(4 * KIB), await cost(4 * KIB + 1), await cost(64 * KIB)]).toEqual([1, 1, 2, 16]);
});

test('a body beyond the maximum size costs no more than the largest that is skipped', async () => {
  expect(await costOf('POST /v1/orders', padded(64 * KIB + 1), authorized())).toBe(16);
});

test('a batch costs the tokens of its entries or of its bytes, whichever is more', async () => {
  const entry = OPERATIONS.placeOrder.example.body;
  expect(limitPlacement.safeParse(entry).success).toBe(true);
  const cost = (entries: number, bytes: number) => {
    const accountId = stage.bot.accountId;
    const body = JSON.stringify({ orders: Array(entries).fill({ ...entry, accountId }) });
    return costOf('POST /v1/orders/batch', padded(bytes, body), authorized());
  };
  expect([await cost(1, 4 * KIB), await cost(1, 4 * KIB + 1), await cost(3, 4 * KIB + 1), await cost(20, 8 * KIB)]).toEqual([
    1, 2, 3, 20,
  ]);
});

test.each(['placeOrder', 'placeOrders'] as const)('a body in chunks costs as much as the largest of %s', async (id) => {
  const operation: Operation = OPERATIONS[id];
  const line = `${operation.method} ${operation.path}`;
  const before = await leftAfter(line, '', 'Content-Length: 0', authorized());
  const after = await leftAfter(line, '2\r\n{}\r\n0\r\n\r\n', 'Transfer-Encoding: chunked', authorized());
  expect(before - after).toBe(Math.ceil(largestBodyOf(operation) / (4 * KIB)));
});
