/**
 * A projection that loses rows while the venue runs is rebuilt from the journal; if that is impossible, no read shows less than
 * was acknowledged.
 */
import { readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { callerWith, startTestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { callOperator } from '#operator/client.ts';
import type { Halt } from '#writer/port/halt.ts';
import { JOURNAL_FOLDER, PROJECTION_FILE } from './ledger.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('continues after a lost row, and stops the venue without loss when the projection cannot be rebuilt', async () => {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const config = testConfig(path);
  const halted = Promise.withResolvers<Halt>();
  const madeAgain = Promise.withResolvers<void>();
  const lines: string[] = [];
  const first = await startTestVenue(config, {
    onHalt: halted.resolve,
    log: (line) => {
      lines.push(line);
      if (line.includes('reads go on')) madeAgain.resolve();
    },
  });
  undo.push(() => first.stop());
  const { accountId, apiKey } = await first.createAccount({ credit: '5000', label: 'lasting' });
  const openOrders = `/v1/accounts/${accountId}/orders/open`;
  const call = callerWith(apiKey);
  const { body: stats } = await call(first, '/v1/markets/BTC-USD-PERP/stats');
  const price = (Number(stats.markPrice) * 0.97).toFixed(1);
  const place = (clientOrderId: string) => {
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price, quantity: '0.01' };
    const body = JSON.stringify({ accountId, clientOrderId, ...terms });
    return call(first, '/v1/orders', { method: 'POST', headers: { 'idempotency-key': clientOrderId }, body });
  };
  const shown = ({ body }: { body: { orders: { clientOrderId: string }[] } }) =>
    body.orders.map(({ clientOrderId }) => clientOrderId).sort();
  const loseRows = () => {
    const other = new DatabaseSync(join(path, PROJECTION_FILE), { timeout: 60_000 });
    other.exec("DELETE FROM orders; UPDATE accounts SET cashAtoms = 1; DELETE FROM episodes WHERE status = 'open'");
    other.close();
  };

  for (const id of ['a', 'b']) expect((await place(id)).status).toBe(202);
  loseRows();
  await madeAgain.promise;
  expect(shown(await call(first, openOrders))).toEqual(['a', 'b']);
  expect((await place('c')).status).toBe(202);
  expect(lines).toEqual([
    expect.stringMatching(/^projection: .+ contradicts the journal .+: was written to by another program$/),
    expect.stringMatching(/^projection: folded again up to record \d+, reads go on$/),
  ]);
  expect(await call(first, '/ready')).toMatchObject({ status: 200, body: { status: 'ready', degraded: [] } });
  expect(await (await fetch(first.metricsUrl!)).text()).toMatch(/^openperp_projection_rebuilds_total 1$/m);

  const journal = join(path, JOURNAL_FOLDER);
  const segment = readdirSync(journal)
    .filter((name) => name.endsWith('.journal'))
    .sort()[0]!;
  renameSync(join(journal, segment), join(path, 'away'));
  loseRows();
  expect(await halted.promise).toMatchObject({
    detail: expect.stringMatching(/written to by another program.+ cannot be folded again/),
  });
  expect(await place('d')).toMatchObject({ status: 503, body: { code: 'venue_halted' } });
  for (const read of [openOrders, '/v1/orders/by-client-order-id/a', '/v1/markets', '/v1/markets/BTC-USD-PERP/book'])
    expect(await call(first, read)).toMatchObject({ status: 503, body: { code: 'venue_halted', retryable: true } });
  expect((await call(first, '/health')).status).toBe(200);
  const reason = 'venue_halted: an internal error stopped a subscriber of the journal';
  expect((await call(first, '/ready')).body.reasons).toContain(reason);
  const report = await callOperator(path, { action: 'venue.status' });
  expect(report).toMatchObject({ isReady: false, reasons: expect.arrayContaining([expect.stringContaining(`${reason}: `)]) });
  const metrics = await (await fetch(first.metricsUrl!)).text();
  expect(metrics).toMatch(/^openperp_halted 1$/m);
  expect(metrics).toMatch(/^openperp_scrape_failures_total\{part="money"\} 1$/m);
  expect(first.internalErrors).toEqual([]);
  await first.stop();

  renameSync(join(path, 'away'), join(journal, segment));
  const second = await startTestVenue(config);
  undo.push(() => second.stop());
  expect(shown(await call(second, openOrders))).toEqual(['a', 'b', 'c']);
  expect(second.lines).toEqual([expect.stringMatching(/^projection: .+: it is folded again from the journal$/)]);
});
