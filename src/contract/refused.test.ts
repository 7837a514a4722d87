import { expect, test } from 'vitest';
import { Refused } from './refused.ts';

test('captures no stack for a refusal, and one for every other error', () => {
  const limit = Error.stackTraceLimit;
  expect(limit).toBeGreaterThan(0);
  const refused = new Refused('invalid_request', 'The field side must be given.');
  expect(refused.stack).toBe('Refused: The field side must be given.');
  expect(Error.stackTraceLimit).toBe(limit);
  expect(new Error('a bug').stack).toMatch(/^Error: a bug\n +at /);
});
