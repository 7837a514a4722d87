/** The machine's wall clock is set while the venue runs: no request is refused, and no key or ticket expires. */
import { expect, onTestFinished, test } from 'vitest';
import { RunningTime } from '#time/testing/running-time.ts';
import { callerWith, startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const HOUR_MS = 3_600_000;

test.each([-HOUR_MS, HOUR_MS])(
  'setting the wall clock by %i ms neither refuses a request nor expires a ticket',
  async (setByMs) => {
    const { path, remove } = temporaryDirectory();
    const time = new RunningTime();
    const venue = await startTestVenue(testConfig(path), time);
    onTestFinished(async () => {
      await venue.stop();
      remove();
    });
    const { accountId, apiKey } = await venue.createAccount({ label: 'clock', credit: '100000' });
    const call = callerWith(apiKey);
    const requests: [path: string, method: string][] = [
      ['/v1/markets', 'GET'],
      [`/v1/accounts/${accountId}`, 'GET'],
      [`/v1/accounts/${accountId}/favorites`, 'GET'],
      ['/v1/orders/7/cancel', 'POST'],
    ];
    const statuses = async () => {
      const responses = [];
      for (const [address, method] of requests) responses.push((await call(venue, address, { method })).status);
      return responses;
    };
    const { body: minted } = await call(venue, '/v1/realtime/ticket', { method: 'POST' });
    const before = await statuses();
    expect(before).not.toContain(429);
    time.setClockBy(setByMs);
    for (let round = 0; round < 3; round += 1) expect(await statuses()).toEqual(before);
    const rotated = await call(venue, '/v1/realtime/ticket', { method: 'PUT', body: JSON.stringify({ ticket: minted.ticket }) });
    expect(rotated.status).toBe(200);
    const lifetimeMs = rotated.body.expiresAt - minted.expiresAt;
    // The journal's time corrects itself by at most a minute here.
    expect(Math.abs(lifetimeMs)).toBeLessThan(120_000);
    expect(venue.internalErrors).toEqual([]);
  },
);
