import { expect, test } from 'vitest';
import { VenueError } from '#owner-page/src/venue/venue-error.ts';
import type { Due } from './due.ts';
import { pauseMs, pollUntilSettled } from './polling.ts';

const WAITS: Due = { by: 'venue', waitsFor: 'the ledger' };
const DONE: Due = { by: 'none', result: 'done', message: 'done' };

/** Polls the results in order; an error is thrown. Returns what was shown, and the pauses. */
async function polled(results: readonly (Due | Error)[], signal = new AbortController().signal) {
  const shown: Due[] = [];
  const pauses: number[] = [];
  let next = 0;
  const polling = pollUntilSettled({
    poll: async () => {
      const result = results[next++]!;
      if (result instanceof Error) throw result;
      return result;
    },
    onDue: (due) => shown.push(due),
    wait: async (delayMs) => {
      pauses.push(delayMs);
    },
    signal,
  });
  return {
    ended: await polling.then(
      () => 'settled',
      (error: unknown) => error,
    ),
    shown,
    pauses,
  };
}

test('the pauses grow to a limit', () => {
  expect([0, 1, 2, 3].map(pauseMs)).toEqual([400, 600, 900, 1_350]);
  expect(pauseMs(1_000)).toBe(8_000);
});

test('polls until nothing is due', async () => {
  const { ended, shown, pauses } = await polled([WAITS, WAITS, WAITS, DONE]);
  expect([ended, shown.length, pauses]).toEqual(['settled', 4, [400, 600, 900]]);
});

test('polls often again after progress', async () => {
  const { pauses } = await polled([WAITS, WAITS, WAITS, { by: 'venue', waitsFor: 'another step' }, DONE]);
  expect(pauses).toEqual([400, 600, 900, 400]);
});

test('goes on after an error that may pass, no earlier than the venue wants', async () => {
  const busy = new VenueError(503, { code: 'venue_busy', safeMessage: 'Busy.', retryable: true }, 5_000);
  const { ended, shown, pauses } = await polled([busy, WAITS, DONE]);
  expect([ended, pauses]).toEqual(['settled', [5_000, 400]]);
  expect(shown[0]).toEqual({ by: 'venue', waitsFor: 'Busy. Trying again.' });
});

test('ends with an error that does not pass', async () => {
  const refused = new VenueError(403, { code: 'passkey_required', safeMessage: 'No.', retryable: false });
  expect((await polled([WAITS, refused])).ended).toBe(refused);
});

test('shows nothing after the owner has signed out', async () => {
  const { ended, shown } = await polled([DONE], AbortSignal.abort('signed out'));
  expect([ended, shown]).toEqual(['signed out', []]);
});
