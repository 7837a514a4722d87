/** The systemd unit of docs/operations.md: systemd accepts it, and it restarts a venue that fails. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { callerWith, temporaryDirectory } from '#app/testing/test-venue.ts';
import { eventually } from '#time/testing/eventually.ts';
import { readPage } from './testing/page.ts';

const ROOT = join(import.meta.dirname, '..');
const UNIT = readPage('operations.md', readFileSync(join(import.meta.dirname, 'operations.md'), 'utf8')).files.get(
  'openperp.service',
)!;
const NO_SYSTEMD = spawnSync('systemd-analyze', ['--version']).error && 'systemd-analyze is not installed';
if (NO_SYSTEMD !== undefined) console.warn(`The systemd unit is not verified: ${NO_SYSTEMD} (Debian: apt-get install systemd).`);

/** The unit with the paths of this checkout. */
function writeUnit(directory: string, options = ''): string {
  const path = join(directory, 'openperp.service');
  const text = UNIT.replaceAll('/opt/openperp', ROOT).replace('/var/lib/openperp', `${join(directory, 'data')}${options}`);
  writeFileSync(path, text.replaceAll(join(ROOT, 'node_modules/.bin/node'), process.execPath));
  return path;
}

test.skipIf(NO_SYSTEMD !== undefined)('systemd accepts the unit', () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', writeUnit(path)], { encoding: 'utf8' });
  expect([stdout, stderr, status]).toEqual(['', '', 0]);
});

test('restarts a venue with every order after an internal error, but not after a stop', async () => {
  const { path, remove } = temporaryDirectory();
  onTestFinished(remove);
  const unit = writeUnit(path, ' --no-house --port 0 --metrics-port off');
  const plant = pathToFileURL(join(ROOT, 'src/app/testing/uncaught-on-signal.mjs')).href;
  const supervisor = spawn(join(import.meta.dirname, 'testing/restart-after-exit.sh'), [unit], {
    env: { ...process.env, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${plant}` },
  });
  let output = '';
  for (const stream of [supervisor.stdout, supervisor.stderr])
    stream.on('data', (bytes) => {
      output += String(bytes);
    });
  const started = () => [...output.matchAll(/^supervisor: started ([0-9]+)$/gm)].map(([, pid]) => Number(pid));
  onTestFinished(() => {
    for (const pid of [supervisor.pid!, ...started()])
      try {
        process.kill(pid, 'SIGKILL');
      } catch {}
  });
  const runs = (count: number) => () => expect(output.split('Ctrl-C stops it')).toHaveLength(count + 1);
  await eventually(runs(1), { intervalMs: 50 });

  const demo = () => readFileSync(join(path, 'data/demo.env'), 'utf8');
  const setting = (name: string) => new RegExp(`^${name}=(.+)$`, 'm').exec(demo())![1]!;
  const accountId = setting('OPENPERP_ACCOUNT_ID');
  const call = callerWith(setting('OPENPERP_APIKEY'));
  const { body: stats } = await call({ url: setting('OPENPERP_URL') }, '/v1/markets/BTC-USD-PERP/stats');
  const price = (Number(stats.markPrice) * 0.97).toFixed(1);
  const terms = { marketId: 'BTC-USD-PERP', side: 'buy', orderType: 'limit', quantity: '0.01', price };
  const body = JSON.stringify({ accountId, clientOrderId: 'kept', ...terms });
  const headers = { 'idempotency-key': 'kept' };
  expect((await call({ url: setting('OPENPERP_URL') }, '/v1/orders', { method: 'POST', headers, body })).status).toBe(202);

  process.kill(started()[0]!, 'SIGUSR2');
  await eventually(runs(2), { intervalMs: 50 });
  expect(output).toMatch(/^supervisor: [0-9]+ ended with status 1$/m);
  const { body: open } = await call({ url: setting('OPENPERP_URL') }, `/v1/accounts/${accountId}/orders/open`);
  expect(open.orders).toMatchObject([{ clientOrderId: 'kept' }]);

  supervisor.kill('SIGTERM');
  expect(await once(supervisor, 'exit')).toEqual([0, null]);
  expect(output).toMatch(/^supervisor: [0-9]+ ended with status 0$/m);
  expect(started()).toHaveLength(2);
});
