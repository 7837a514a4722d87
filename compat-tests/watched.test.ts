/** What a test lets pass is told by what its calls answered: nothing, an error that it swallowed, or too little to judge by. */
import type { Exchange } from 'ccxt';
import { expect, test } from 'vitest';
import { watched } from './watched.ts';

test('too few answers, empty ones and errors are problems', async () => {
  const answers: unknown[] = [[1], [], new Error('gone')];
  const target = {
    fetchTrades: async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const it = watched(target as unknown as Exchange, 'fetchTrades');
  expect(it.problems()).toEqual(['the test called fetchTrades not once']);
  await it.exchange.fetchTrades('X');
  expect(it.problems()).toEqual([]);
  expect(it.problems(2)).toEqual(['the test had 1 answers of fetchTrades, and 2 are the least that it takes']);
  await it.exchange.fetchTrades('X');
  await it.exchange.fetchTrades('X').catch(() => undefined);
  expect(it.problems(2)).toEqual(['fetchTrades answered an empty list', 'Error: gone']);
});
