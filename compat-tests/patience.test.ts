/** A wait for what never comes ends, and says what was waited for. */
import { expect, test } from 'vitest';
import { within } from './patience.ts';

test('passes on what comes in time, and an error', async () => {
  expect(await within(Promise.resolve(1), 'one')).toBe(1);
  await expect(within(Promise.reject(new Error('gone')), 'one')).rejects.toThrow('gone');
});

test('rejects where nothing comes', async () => {
  await expect(within(new Promise(() => undefined), 'watchTicker', 1)).rejects.toThrow(
    'watchTicker: nothing came within 0.001 s',
  );
});
