/** Judging a test by its calls: no call, a swallowed error, or too few calls. */
import type { Exchange } from 'ccxt';
import { expect, test } from 'vitest';
import { watched } from './watched.ts';

test('reports too few results, empty ones and errors', async () => {
  const responses: unknown[] = [[1], [], new Error('gone')];
  const target = {
    fetchTrades: async () => {
      const response = responses.shift();
      if (response instanceof Error) throw response;
      return response;
    },
  };
  const it = watched(target as unknown as Exchange, 'fetchTrades');
  expect(it.problems()).toEqual(['the test never called fetchTrades']);
  await it.exchange.fetchTrades('X');
  expect(it.problems()).toEqual([]);
  expect(it.problems(2)).toEqual(['the test had 1 results of fetchTrades, but needs at least 2']);
  await it.exchange.fetchTrades('X');
  await it.exchange.fetchTrades('X').catch(() => undefined);
  expect(it.problems(2)).toEqual(['fetchTrades returned an empty list', 'Error: gone']);
});
