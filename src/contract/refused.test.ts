import { expect, test } from 'vitest';
import { Refused } from './refused.ts';

test('a refusal has no stack, and every other error has its own', () => {
  const limit = Error.stackTraceLimit;
  expect(limit).toBeGreaterThan(0);
  const refused = new Refused('invalid_request', 'The field side must be given.');
  expect(refused.stack).toBe('Refused: The field side must be given.');
  expect(Error.stackTraceLimit).toBe(limit);
  expect(new Error('a defect').stack).toMatch(/^Error: a defect\n +at /);
});
