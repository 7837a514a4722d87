/** Our checks of `/v2` itself: unsupported requests get 501 NotSupported without effect. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { NOT_IMPLEMENTED, PassThrough } from './pass-through.ts';

export const V2_CHECKS: readonly OwnCheck[] = [
  ...Object.keys(NOT_IMPLEMENTED).map(
    (method): OwnCheck => ({
      method,
      on: 'v2',
      description: 'returns not implemented',
      run: async (stage) => {
        await assert.rejects(passThrough(stage).callNotImplemented(method), { name: 'NotSupported' });
      },
    }),
  ),
  {
    method: 'createOrder',
    on: 'v2',
    description: 'a time in force, an unknown parameter or type is NotSupported, and nothing is placed',
    run: async (stage) => {
      const { exchange, symbol, amount, resting } = stage;
      await placesNothing(stage, async () => {
        for (const params of [{ timeInForce: 'GTC' }, { timeInForce: 'IOC' }, { stopPrice: 1 }, { noSuchParameter: true }])
          await assert.rejects(exchange.createOrder(symbol, 'limit', 'buy', amount, resting.price, params), {
            name: 'NotSupported',
          });
        await assert.rejects(exchange.createOrder(symbol, 'stop' as 'limit', 'buy', amount, resting.price), {
          name: 'NotSupported',
        });
      });
    },
  },
  {
    method: 'createOrders',
    on: 'v2',
    description: 'refuses the whole batch if one entry has a time in force',
    run: async (stage) => {
      const { exchange, symbol, amount, resting } = stage;
      const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price: resting.price };
      await placesNothing(stage, () =>
        assert.rejects(exchange.createOrders([order, { ...order, params: { timeInForce: 'GTC' } }]), { name: 'NotSupported' }),
      );
    },
  },
  {
    method: 'cancelOrders',
    on: 'v2',
    description: 'takes one explicit symbol, and leaves orders of another market as they are',
    run: async (stage) => {
      const { exchange, symbol, funded, resting } = stage;
      await assert.rejects(exchange.cancelOrders([resting.id]), {
        name: /^(?:BadRequest|BadSymbol|ArgumentsRequired|NotSupported)$/,
      });
      await exchange.cancelOrders([resting.id], funded).catch(() => undefined);
      assert.equal((await exchange.fetchOrder(resting.id, symbol)).status, 'open');
    },
  },
];

function passThrough({ exchange }: Stage): PassThrough {
  assert(exchange instanceof PassThrough);
  return exchange;
}

async function placesNothing({ exchange, symbol }: Stage, run: () => Promise<unknown>): Promise<void> {
  const before = await exchange.fetchOrders(symbol);
  await run();
  assert.deepEqual(
    (await exchange.fetchOrders(symbol)).map(({ id }) => id),
    before.map(({ id }) => id),
  );
}
