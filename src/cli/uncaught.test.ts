/** Uncaught exceptions in a venue as a user runs it: it ends with status 1, and in order. */
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { callerWith, temporaryDirectory } from '#app/testing/test-venue.ts';
import { VenueProcess } from '#app/testing/venue-process.ts';

const PLANT = pathToFileURL(`${import.meta.dirname}/../app/testing/uncaught-on-signal.mjs`).href;

test.each(['exception', 'rejection'])(
  'closes the journal in order after an uncaught %s, and the next start has every order',
  async (kind) => {
    const { path, remove } = temporaryDirectory();
    onTestFinished(remove);
    vi.stubEnv('NODE_OPTIONS', `${process.env.NODE_OPTIONS ?? ''} --import ${PLANT}`);
    vi.stubEnv('OPENPERP_PLANTED', kind);
    onTestFinished(() => void vi.unstubAllEnvs());
    const first = new VenueProcess(path, '--no-house');
    onTestFinished(() => void first.end('SIGKILL'));
    await first.runs();
    const { url, apiKey, accountId } = first.demo();
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', quantity: '0.01' };
    const { body: stats } = await callerWith(apiKey)({ url }, '/v1/markets/BTC-USD-PERP/stats');
    const price = (Number(stats.markPrice) * 0.97).toFixed(1);
    const body = JSON.stringify({ accountId, clientOrderId: 'kept', price, ...terms });
    const headers = { 'idempotency-key': 'kept' };
    expect((await callerWith(apiKey)({ url }, '/v1/orders', { method: 'POST', headers, body })).status).toBe(202);

    expect(await first.end('SIGUSR2')).toBe(1);
    expect(first.output).toContain('Error: planted');
    expect(first.output).toContain('stopped; the next start continues from here');

    const second = new VenueProcess(path, '--no-house');
    onTestFinished(() => void second.end('SIGKILL'));
    await second.runs();
    expect(second.output).toMatch(/recovered to record [0-9]+; snapshot at [0-9]+, 0 commands replayed/);
    const { body: open } = await callerWith(apiKey)(second.demo(), `/v1/accounts/${accountId}/orders/open`);
    expect(open.orders).toMatchObject([{ clientOrderId: 'kept' }]);
    expect(await second.end('SIGTERM')).toBe(0);
  },
);
