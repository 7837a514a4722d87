/** A wait for an update that never arrives ends, and names the update. */
import { expect, test } from 'vitest';
import { within } from './timeouts.ts';

test('passes on a timely result, and an error', async () => {
  expect(await within(Promise.resolve(1), 'one')).toBe(1);
  await expect(within(Promise.reject(new Error('gone')), 'one')).rejects.toThrow('gone');
});

test('rejects after the time', async () => {
  await expect(within(new Promise(() => undefined), 'watchTicker', 1)).rejects.toThrow(
    'watchTicker: nothing came within 0.001 s',
  );
});
