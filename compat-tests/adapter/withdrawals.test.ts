/** Withdrawals in the class: one request with a key of its own, what a key may not do, and every status of a transfer. */
import ccxt from 'ccxt';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type CannedResponse, type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse } from '#compat/testing/canned.ts';

const WITHDRAWAL = {
  version: 'external-withdrawal/v1',
  withdrawalId: 'withdrawal-7',
  accountId: 'acct-7',
  asset: 'USD.E',
  amount: '25.5',
  status: 'requested',
  lastSequence: 12,
  idempotencyKey: 'mine',
} as const;

let recorder: Recorder;
let response: CannedResponse;
let exchange: OpenPerp;

beforeEach(async () => {
  response = { status: 202, body: WITHDRAWAL };
  recorder = await startRecorder((request) => (request.path === '/v1/withdrawals' ? response : cannedResponse(request)));
  exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7', urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
  recorder.clear();
});

afterEach(() => recorder.close());

const refuse = (status: number, code: string, safeMessage: string) => {
  const envelope = { retryable: false, recoveryActions: ['none'], requestId: 'r-1', occurredAtEpochMs: 1 };
  response = { status, body: { version: 'external-rest-error/v1', code, safeMessage, ...envelope } };
};

describe('withdraw', () => {
  test('sends one request, and has the withdrawal as a pending transaction', async () => {
    const transaction = await exchange.withdraw('USD.E', 25.5, 'party::1220ab', undefined, { idempotencyKey: 'mine' });
    expect(transaction).toMatchObject({
      id: 'withdrawal-7',
      type: 'withdrawal',
      status: 'pending',
      amount: 25.5,
      currency: 'USD.E',
      addressTo: 'party::1220ab',
      timestamp: undefined,
      fee: { cost: 0, currency: 'USD.E' },
      info: WITHDRAWAL,
    });
    const [request, ...others] = recorder.requests;
    expect([request?.method, request?.path, others]).toEqual(['POST', '/v1/withdrawals', []]);
    expect(request?.headers['idempotency-key']).toBe('mine');
    expect(JSON.parse(request!.body)).toEqual({
      accountId: 'acct-7',
      asset: 'USD.E',
      amount: '25.5',
      destination: 'party::1220ab',
    });
  });

  test('sends the same idempotency key again when a response is lost, and another for another call', async () => {
    refuse(500, 'internal_error', 'Internal error.');
    exchange.options.maxRetriesOnFailure = 1;
    for (let call = 0; call < 2; call += 1)
      await expect(exchange.withdraw('USD.E', 1, 'party::1220ab')).rejects.toThrow(ccxt.ExchangeNotAvailable);
    const keys = recorder.requests.map(({ headers }) => headers['idempotency-key']);
    expect([keys[0] === keys[1], keys[2] === keys[3], new Set(keys).size]).toEqual([true, true, 2]);
  });

  test.each([
    [0.000_000_9, undefined],
    [0.000_001_9, '0.000001'],
    [1e-6, '0.000001'],
    ['1.2345678', '1.234567'],
    [1e7, '10000000'],
  ])('truncates the amount %s to %s', async (amount, sent) => {
    const call = exchange.withdraw('USD.E', amount as number, 'party::1220ab');
    if (sent === undefined) await expect(call).rejects.toThrow(ccxt.BadRequest);
    else await call;
    expect(recorder.requests.map(({ body }) => JSON.parse(body).amount)).toEqual(sent === undefined ? [] : [sent]);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, '0x10', '', [], {}, undefined])(
    'refuses the amount %o before any request',
    async (amount) => {
      await expect(exchange.withdraw('USD.E', amount as number, 'party::1220ab')).rejects.toThrow(ccxt.BadRequest);
      expect(recorder.requests).toEqual([]);
    },
  );

  test('refuses a tag, no address and an unknown currency before any request', async () => {
    await expect(exchange.withdraw('USD.E', 1, 'party::1220ab', 'memo')).rejects.toThrow(ccxt.NotSupported);
    await expect(exchange.withdraw('USD.E', 1, undefined as never)).rejects.toThrow(ccxt.InvalidAddress);
    await expect(exchange.withdraw('DOGE', 1, 'party::1220ab')).rejects.toThrow(ccxt.ExchangeError);
    expect(recorder.requests).toEqual([]);
  });

  test('is denied to a key, with what to do instead', async () => {
    refuse(403, 'passkey_required', 'The operation needs a session of the owner that a passkey signed in.');
    const call = exchange.withdraw('USD.E', 1, 'party::1220ab');
    await expect(call).rejects.toThrow(ccxt.PermissionDenied);
    await expect(call).rejects.toThrow(/passkey_required.*the owner of the account does it with a passkey on the page \/app/);
    expect(recorder.requests).toHaveLength(1);
  });

  test('is not supported by a venue without the operation', async () => {
    refuse(404, 'path_not_found', 'There is no such path.');
    await expect(exchange.withdraw('USD.E', 1, 'party::1220ab')).rejects.toThrow(ccxt.NotSupported);
  });
});

test.each([
  ['credited', 'ok'],
  ['requested', 'pending'],
  ['reserved', 'pending'],
  ['authorized', 'pending'],
  ['submitted', 'pending'],
  ['settled', 'ok'],
  ['released', 'canceled'],
  ['blocked', 'canceled'],
  ['of_tomorrow', 'of_tomorrow'],
])('shows the status %s as %s', (status, unified) => expect(exchange.parseTransactionStatus(status)).toBe(unified));
