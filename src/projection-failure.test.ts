/** A projection that can be written no more while the venue runs: nobody is shown less than was acknowledged, and nothing is lost. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test, vi } from 'vitest';
import { askOperator } from '#operator/client.ts';
import type { Halt } from '#writer/halt.ts';
import { PROJECTION_FILE } from './ledger.ts';
import { callerWith, startTestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

test('reads are refused and do not end the process; a restart has every acknowledged order', async () => {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const config = testConfig(path);
  const halts: Halt[] = [];
  const first = await startTestVenue(config, { onHalt: (halt) => halts.push(halt) });
  undo.push(() => first.stop());
  const { accountId, apiKey } = await first.createAccount({ credit: '5000', label: 'lasting' });
  const openOrders = `/v1/accounts/${accountId}/orders/open`;
  const call = callerWith(apiKey);
  const { body: stats } = await call(first, '/v1/markets/BTC-USD-PERP/stats');
  const price = (Number(stats.markPrice) * 0.97).toFixed(1);
  const acknowledged: string[] = [];
  const place = async (clientOrderId: string) => {
    const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', price, quantity: '0.01' };
    const body = JSON.stringify({ accountId, clientOrderId, ...terms });
    const answer = await call(first, '/v1/orders', { method: 'POST', headers: { 'idempotency-key': clientOrderId }, body });
    if (answer.status === 202) acknowledged.push(clientOrderId);
    return answer;
  };
  await place('before');
  // Once what was folded is kept, this thread alone may write.
  const other = new DatabaseSync(join(path, PROJECTION_FILE), { timeout: 60_000 });
  other.exec('BEGIN IMMEDIATE');
  undo.push(() => other.close());
  // Nobody may have heard of the failure yet: that nothing new is accepted holds by then.
  const meanwhile = await place('meanwhile');
  if (meanwhile.status !== 202) expect(meanwhile.body.code).toMatch(/^venue_(busy|halted)$/);
  await vi.waitFor(() => expect(halts).toMatchObject([{ detail: 'database is locked' }]), { timeout: 10_000 });
  expect(await place('after')).toMatchObject({ status: 503, body: { code: 'venue_halted' } });

  for (const path of [openOrders, '/v1/orders/by-client-order-id/before', '/v1/markets', '/v1/markets/BTC-USD-PERP/book'])
    expect(await call(first, path)).toMatchObject({ status: 503, body: { code: 'venue_halted', retryable: true } });
  expect((await call(first, '/health')).status).toBe(200);
  const reason = 'venue_halted: a defect stopped what follows the journal';
  expect((await call(first, '/ready')).body.reasons).toContain(reason);
  const report = await askOperator(path, { action: 'venue.status' });
  expect(report).toMatchObject({ isReady: false, reasons: expect.arrayContaining([`${reason}: database is locked`]) });
  const metrics = await (await fetch(first.metricsUrl!)).text();
  expect(metrics).toMatch(/^openperp_halted 1$/m);
  expect(metrics).toMatch(/^openperp_scrape_failures_total\{part="money"\} 1$/m);
  expect(first.defects).toEqual([]);
  await first.stop();
  other.close();
  undo.pop();

  expect(acknowledged).toContain('before');
  const second = await startTestVenue(config);
  undo.push(() => second.stop());
  const { body } = await call(second, openOrders);
  expect(body.orders.map(({ clientOrderId }: { clientOrderId: string }) => clientOrderId)).toEqual(
    expect.arrayContaining(acknowledged),
  );
});
