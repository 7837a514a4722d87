/** Lookups of sessions that one network can cause, on a clock of the test. */
import { expect, test } from 'vitest';
import { Refused } from '#contract/refused.ts';
import type { Identification } from '#identity/directory.ts';
import { countersInProcess } from './rate-counters.ts';
import { RateLimit } from './rate-limit.ts';
import { SessionGuard } from './session-guard.ts';

const BURST = 5;
const NETWORK = ['192.0.2.1', '192.0.2.1'];
const UNKNOWN: Identification = { rejection: 'unknown' };
const SESSION = { principal: {} } as Identification;

function guardAt(maxAccepted?: number) {
  let elapsedMs = 0;
  let lookups = 0;
  const counters = countersInProcess({ elapsedMs: () => elapsedMs });
  const guard = new SessionGuard(new RateLimit('public', { burst: BURST, perSecond: 1 }, counters), maxAccepted);
  const reply = { header: () => reply } as never;
  return {
    pass: (ms: number) => {
      elapsedMs += ms;
    },
    lookups: () => lookups,
    send: (bearer: string, found: Identification | Error, network = NETWORK) =>
      guard.run(reply, network, bearer, async () => {
        lookups += 1;
        if (found instanceof Error) throw found;
        return found;
      }),
  };
}

test('stops lookups of unknown sessions at the limit of the network, also of parallel requests', async () => {
  const { send, lookups, pass } = guardAt();
  const results = await Promise.allSettled(Array.from({ length: 64 }, (_, index) => send(`unknown-${index}`, UNKNOWN)));
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(BURST);
  expect(lookups()).toBe(BURST);
  await expect(send('another', UNKNOWN)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await send('of another network', UNKNOWN, ['192.0.2.2', '192.0.2.2'])).toEqual(UNKNOWN);
  pass(1_000);
  expect(await send('another', UNKNOWN)).toEqual(UNKNOWN);
  await expect(send('another', UNKNOWN)).rejects.toThrow(Refused);
});

test('counts no lookup that finds a session, or that fails for another reason', async () => {
  const { send, lookups } = guardAt();
  for (let count = 0; count < 3 * BURST; count += 1) {
    expect(await send(`session-${count}`, SESSION)).toEqual(SESSION);
    await expect(send(`unknown-${count}`, new Error('unavailable'))).rejects.toThrow('unavailable');
  }
  expect(lookups()).toBe(6 * BURST);
});

test('looks an accepted bearer up beyond the limit, until it is no session any more', async () => {
  const { send } = guardAt();
  await send('mine', SESSION);
  for (let count = 0; count < BURST; count += 1) await send(`unknown-${count}`, UNKNOWN);
  await expect(send('new', SESSION)).rejects.toMatchObject({ code: 'rate_limited' });
  expect(await send('mine', SESSION)).toEqual(SESSION);
  expect(await send('mine', UNKNOWN)).toEqual(UNKNOWN);
  await expect(send('mine', UNKNOWN)).rejects.toMatchObject({ code: 'rate_limited' });
});

test('forgets the accepted bearer that was not used for longest', async () => {
  const { send } = guardAt(2);
  for (const bearer of ['one', 'two', 'one', 'three']) await send(bearer, SESSION);
  for (let count = 0; count < BURST; count += 1) await send(`unknown-${count}`, UNKNOWN);
  expect(await send('one', SESSION)).toEqual(SESSION);
  await expect(send('two', SESSION)).rejects.toMatchObject({ code: 'rate_limited' });
});

test('looks an accepted bearer up beyond the limit, also in parallel requests', async () => {
  const { send } = guardAt();
  await send('mine', SESSION);
  for (let count = 0; count < BURST; count += 1) await send(`unknown-${count}`, UNKNOWN);
  expect(await Promise.all([send('mine', SESSION), send('mine', SESSION)])).toEqual([SESSION, SESSION]);
});

test('looks an accepted bearer up beyond the limit after a lookup that failed', async () => {
  const { send } = guardAt();
  await send('mine', SESSION);
  for (let count = 0; count < BURST; count += 1) await send(`unknown-${count}`, UNKNOWN);
  await expect(send('mine', new Error('unavailable'))).rejects.toThrow('unavailable');
  expect(await send('mine', SESSION)).toEqual(SESSION);
});
