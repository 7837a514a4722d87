import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ALWAYS_POSSIBLE, ERROR_CODES, ERRORS } from './errors.ts';
import { RATE_LIMIT_NAMES } from './limits.ts';
import { openApiDocument } from './openapi.ts';
import { type Operation, rateLimitOf, refusalsOf } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { placementBody } from './orders.ts';

const operations: readonly Operation[] = Object.values(OPERATIONS);
const document = JSON.parse(JSON.stringify(openApiDocument()));

function schemaNamed(id: string) {
  const ajv = new Ajv2020({ strict: false });
  return ajv.compile({ $ref: `#/components/schemas/${id}`, components: document.components });
}

describe('the declarations', () => {
  test.each(operations)('$id is consistent', (operation) => {
    expect(OPERATIONS).toHaveProperty(operation.id, operation);
    const named = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(Object.keys(operation.params?.shape ?? {})).toEqual(named);
    expect(new Set(operation.refusals).size).toBe(operation.refusals.length);
    const implied = refusalsOf({ ...operation, refusals: [] }, ALWAYS_POSSIBLE);
    expect(operation.refusals.filter((code) => implied.includes(code))).toEqual([]);
    if (operation.needsIdempotencyKey) expect(operation.method).not.toBe('GET');
  });

  test('have one operation per method and path', () => {
    const places = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test('use every rate limit', () => {
    const used = operations.flatMap((operation) => {
      const limit = rateLimitOf(operation);
      return [...(limit === undefined ? [] : [limit]), ...(operation.startsLedgerStep ? ['ledgerSteps'] : [])];
    });
    expect(new Set(used)).toEqual(new Set(RATE_LIMIT_NAMES));
  });

  test('limit each operation by itself that needs no bearer and could be used for guessing', () => {
    const guessed = operations.filter(
      ({ access, group, method }) => access === 'none' && method === 'POST' && ['Auth', 'Agent access'].includes(group),
    );
    expect(guessed.map(({ id }) => id)).toHaveLength(8);
    for (const { id, limit } of guessed)
      expect(
        operations.filter((it) => rateLimitOf(it) === limit).map((it) => it.id),
        limit,
      ).toEqual([id]);
  });

  test('give every error a status, a cause and a remedy', () => {
    for (const code of ERROR_CODES) {
      const { status, cause, whatToDo, recoveryActions } = ERRORS[code];
      expect(status, code).toSatisfy((it: number) => it >= 400 && it < 600);
      expect([cause.at(-1), whatToDo.at(-1)], code).toEqual(['.', '.']);
      expect(recoveryActions.length, code).toBeGreaterThan(0);
    }
  });
});

describe('the OpenAPI document', () => {
  test('has no dangling reference', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '');
    expect(references.length).toBeGreaterThan(operations.length);
    for (const reference of references) {
      const target = reference
        .replace('#/', '')
        .split('/')
        .reduce((inner, key) => inner?.[key], document);
      expect(target, reference).toBeTypeOf('object');
    }
    expect(JSON.stringify(document)).not.toContain('$defs');
  });

  test('has every operation with its success, its refusals and its access', () => {
    const listed = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as { operationId: string }[];
    expect(listed.map((it) => it.operationId).sort()).toEqual(Object.keys(OPERATIONS).sort());
    const { post } = document.paths['/v1/orders'];
    expect(Object.keys(post.responses)).toEqual([
      '202',
      '400',
      '401',
      '403',
      '408',
      '409',
      '413',
      '415',
      '429',
      '431',
      '500',
      '503',
    ]);
    expect(post.security).toEqual([{ bearer: ['trade'] }, { session: [] }]);
    expect(post.parameters).toEqual([{ $ref: '#/components/parameters/IdempotencyKey' }]);
    expect(document.components.parameters.IdempotencyKey).toMatchObject({
      name: 'Idempotency-Key',
      in: 'header',
      required: true,
    });
    // The key is optional.
    expect(document.paths['/v1/markets'].get.security).toEqual([{}, { bearer: [] }, { session: [] }]);
    // Each of the two scopes suffices.
    expect(document.paths['/v1/accounts/{accountId}'].get.security).toEqual([
      { bearer: ['read'] },
      { bearer: ['trade'] },
      { session: [] },
    ]);
    expect(document.paths['/health'].get.security).toEqual([]);
  });

  test('marks fields and operations that are not in the interface', () => {
    const { Order } = document.components.schemas;
    expect(Order.properties.averagePrice['x-openperp-ours']).toBe(true);
    expect(Order.properties.orderId).not.toHaveProperty('x-openperp-ours');
    expect(document.paths['/v1/markets/{marketId}/trades'].get['x-openperp-ours']).toBe(true);
  });

  test('lists exactly the codes that responses can have', () => {
    const carried = new Set(
      [
        ...JSON.stringify([document.paths, document.components.responses, document['x-openperp-unrouted']]).matchAll(
          /"enum":(\[[^\]]*\])/g,
        ),
      ]
        .flatMap((match) => JSON.parse(match[1] ?? '[]') as string[])
        .filter((value) => value in ERRORS),
    );
    expect(new Set(document.components.schemas.Error.properties.code.enum)).toEqual(carried);
    expect(new Set(Object.keys(document['x-openperp-errors']))).toEqual(carried);
    expect([...carried]).toEqual(expect.arrayContaining(['insufficient_margin', 'path_not_found', 'method_not_allowed']));
    expect([...carried]).not.toContain('market_exists');
  });

  test('publishes the declared limits', () => {
    const { request, bodies, idempotency, rates, pages, batches } = document['x-openperp-limits'];
    expect(request).toEqual({ bodyBytes: 4_096, bodyChunks: 64, headerBytes: 16_384 });
    expect(bodies).toContainEqual({ operation: 'placeOrders', maxBytes: 66_560 });
    expect(bodies.map(({ operation }: { operation: string }) => operation)).not.toContain('placeOrder');
    expect(idempotency).toMatchObject({ hours: 24, keysPerAccount: 100_000, refusedBytesPerSecond: 1_024 });
    expect(rates).toContainEqual(expect.objectContaining({ policy: 'orders-per-key', burst: 1_000, perSecond: 500 }));
    expect(pages).toContainEqual({
      operation: 'listOrders',
      parameter: 'limit',
      default: 100,
      maximum: 500,
      rowsPerToken: 50,
    });
    expect(batches).toContainEqual({ operation: 'placeOrders', field: 'orders', minimum: 1, maximum: 32 });
  });

  test('has schemas that a validator accepts', () => {
    for (const id of Object.keys(document.components.schemas)) expect(schemaNamed(id), id).toBeTypeOf('function');
  });
});

describe('the body of a placement', () => {
  const common = { accountId: 'acct-7', marketId: 'BTC-USD-PERP', clientOrderId: 'a-1', side: 'buy' };
  const limit = { ...common, orderType: 'limit', price: '100', quantity: '0.5' };
  const byQuantity = { ...common, orderType: 'market', quantity: '0.5' };
  const byNotional = { ...common, orderType: 'market', notional: '25.50' };

  test.each([
    limit,
    { ...limit, postOnly: true },
    { ...limit, reduceOnly: true, leverageX: 2.55 },
    { ...limit, price: undefined },
    { ...byNotional, orderType: 'limit' },
    { ...byNotional, orderType: 'limit', postOnly: false, reduceOnly: true },
    byQuantity,
    byNotional,
    { ...byNotional, postOnly: false },
    { ...byNotional, timeInForce: 'IOC' },
    { ...limit, timeInForce: 'PO' },
    { ...limit, postOnly: true, timeInForce: 'PO' },
    { ...limit, postOnly: true, timeInForce: 'GTD', expiresAtEpochMs: 1 },
    { ...limit, price: undefined, timeInForce: 'FOK' },
  ])('accepts %o', (body) => {
    expect(placementBody.parse(body)).toEqual(body);
  });

  test.each([
    [{ ...limit, orderType: 'market' }, 'price'],
    [{ ...limit, quantity: undefined }, 'quantity'],
    [{ ...limit, notional: '1' }, 'notional'],
    [{ ...limit, quantity: undefined, notional: '1' }, 'notional'],
    [{ ...limit, price: undefined, notional: '1' }, 'notional'],
    [{ ...limit, price: undefined, quantity: undefined }, 'quantity'],
    [{ ...limit, price: undefined, postOnly: true }, 'postOnly'],
    [{ ...byQuantity, notional: '1' }, 'notional'],
    [{ ...byQuantity, quantity: undefined }, 'quantity'],
    [{ ...byQuantity, postOnly: true }, 'postOnly'],
    [{ ...limit, price: 100 }, 'price'],
    [{ ...limit, price: '-1' }, 'price'],
    [{ ...limit, price: '1e3' }, 'price'],
    [{ ...limit, price: '.5' }, 'price'],
    [{ ...limit, quantity: '1.' }, 'quantity'],
    [{ ...limit, clientOrderId: '' }, 'clientOrderId'],
    [{ ...limit, clientOrderId: 'a b' }, 'clientOrderId'],
    [{ ...limit, clientOrderId: 'a'.repeat(65) }, 'clientOrderId'],
    [{ ...limit, leverageX: 0.99 }, 'leverageX'],
    [{ ...limit, leverageX: 1.555 }, 'leverageX'],
    [{ ...limit, side: 'long' }, 'side'],
    [{ ...limit, timeInForce: 'GTD' }, 'expiresAtEpochMs'],
    [{ ...limit, expiresAtEpochMs: 1 }, 'expiresAtEpochMs'],
    [{ ...limit, timeInForce: 'IOC', expiresAtEpochMs: 1 }, 'expiresAtEpochMs'],
    [{ ...limit, timeInForce: 'IOC', postOnly: true }, 'timeInForce'],
    [{ ...limit, timeInForce: 'FOK', postOnly: true }, 'timeInForce'],
    [{ ...limit, timeInForce: 'PO', postOnly: false }, 'postOnly'],
    [{ ...limit, price: undefined, timeInForce: 'PO' }, 'timeInForce'],
    [{ ...byQuantity, timeInForce: 'GTC' }, 'timeInForce'],
    [{ ...byQuantity, timeInForce: 'FOK' }, 'timeInForce'],
  ])('refuses %o and names %s', (body, field) => {
    expect(placementBody.safeParse(body).error?.issues[0]?.path).toEqual([field]);
  });

  test('refuses unknown fields', () => {
    expect(placementBody.safeParse({ ...limit, stopPrice: '1' }).error?.issues[0]).toMatchObject({
      code: 'unrecognized_keys',
      keys: ['stopPrice'],
    });
  });

  test('is valid by the OpenAPI document exactly if the parser accepts it', () => {
    const validate = schemaNamed('OrderPlacement');
    const field = <Value>(...values: Value[]) => fc.option(fc.constantFrom(...values), { nil: undefined, freq: 3 });
    const body = fc.record({
      accountId: field<unknown>('acct-1', 7),
      marketId: field('BTC-USD-PERP', ''),
      clientOrderId: field('a', '', 'ä'),
      side: field('buy', 'sell', 'hold'),
      orderType: field('limit', 'market', 'stop'),
      price: field<unknown>('1', '0.5', '-1', 1),
      quantity: field('1', '01.10', '1e1'),
      notional: field('1', ''),
      postOnly: field<unknown>(true, false, 'true'),
      reduceOnly: field(true, false),
      leverageX: field(1, 50, 0, 2.5),
      timeInForce: field('GTC', 'IOC', 'FOK', 'PO', 'GTD', 'DAY'),
      expiresAtEpochMs: field<unknown>(1, -1),
      other: fc.option(fc.constant(1), { nil: undefined, freq: 1 }),
    });
    fc.assert(
      fc.property(body, (fields) => {
        const sent = JSON.parse(JSON.stringify(fields));
        expect(validate(sent), JSON.stringify(sent)).toBe(placementBody.safeParse(sent).success);
      }),
      { numRuns: 3_000 },
    );
  });
});
