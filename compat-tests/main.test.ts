/** `npm run compat` as a command: what it prints, and the status that it ends with. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import { type CannedAnswer, type RecordedRequest, startRecorder } from './recorder.ts';
import type { CompatReport } from './report.ts';

const MAIN = fileURLToPath(import.meta.resolve('#compat/main.ts'));
let venue: BootedVenue;

beforeAll(async () => {
  venue = await bootVenue();
}, 60_000);

afterAll(() => venue.stop());

async function compat(...args: readonly string[]) {
  const { OPENPERP_APIKEY: _, ...env } = process.env;
  return promisify(execFile)(process.execPath, [MAIN, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, stdout, stderr }),
  );
}

/** The venue's own answer, but for an empty list of public trades. */
async function withoutTrades({ method, path, headers, body }: RecordedRequest): Promise<CannedAnswer> {
  const { authorization = '', 'content-type': type, 'idempotency-key': key } = headers;
  const kept = { authorization, ...(type && { 'content-type': type }), ...(key && { 'idempotency-key': String(key) }) };
  const answer = await fetch(`${venue.url}${path}`, { method, headers: kept, ...(body !== '' && { body }) });
  const resource = (await answer.json()) as object;
  return { status: answer.status, body: 'trades' in resource ? { ...resource, trades: [] } : resource };
}

test('a venue that is up passes, and the report is JSON', async () => {
  const { apiKey } = await venue.openAccount('100000');
  const { code, stdout } = await compat('--json', '--url', venue.url, '--apikey', apiKey);
  const { passed, failed, notClaimed, methods }: CompatReport = JSON.parse(stdout);
  expect({ code, failed }).toEqual({ code: 0, failed: 0 });
  expect(passed + notClaimed).toBe(methods.length);
  expect(methods).toContainEqual({ method: 'fetchTrades', source: 'ccxt 2.9.8', outcome: 'pass' });
  expect(methods).toContainEqual({ method: 'editOrder', source: 'ours', outcome: 'notClaimed' });
});

test('an empty answer is a failure, and so is the status of the run', async () => {
  const recorder = await startRecorder(withoutTrades);
  const { apiKey } = await venue.openAccount('100000');
  const { code, stdout } = await compat('--url', recorder.url, '--apikey', apiKey);
  await recorder.close();
  expect(stdout).toMatch(/^fetchTrades +ccxt 2\.9\.8 +FAIL\n +fetchTrades answered an empty list$/m);
  expect(stdout.trimEnd()).toMatch(/\n\d+ passed, 2 failed, \d+ not claimed$/);
  expect(code).toBe(1);
});

test.each([
  [['--url', 'http://127.0.0.1:1', '--apikey', 'opk_x'], /^compat: .*127\.0\.0\.1:1/],
  [['--url', 'http://127.0.0.1:1'], /^compat: --url needs an API key/],
  [['--nonsense'], /^compat: Unknown option '--nonsense'/],
])('%j cannot be run, and says why in one line', async (args, message) => {
  const { code, stderr } = await compat(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});
