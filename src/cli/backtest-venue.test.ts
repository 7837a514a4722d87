/** A backtest over the recorded candles of a running venue, with the script of a file or of a draft. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { systemTime } from '#time/system-time.ts';
import { renderAccountId } from '#units/ids.ts';
import { registration } from '#venue/owner/testing/owners.ts';
import { runAgentsCommand } from './backtest-command.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { runOperatorCommand } from './operator-command.ts';

const DAY = 86_400_000;
const SCRIPT = `//@version=6
strategy("Cross")
length = input.int(5, "length")
if ta.crossover(close, ta.sma(close, length))
    strategy.entry("Long", strategy.long)
if ta.crossunder(close, ta.sma(close, length))
    strategy.close("Long")
`;

const { path: directory, remove } = temporaryDirectory();
const script = join(directory, 'cross.pine');
let venue: TestVenue;
let lines: string[] = [];
beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory, { historyMs: 2 * DAY }));
  writeFileSync(script, SCRIPT);
});
afterAll(async () => {
  await venue.stop();
  remove();
});

function run(args: readonly string[], environment: Record<string, string> = {}) {
  lines = [];
  return runAgentsCommand(['backtest', ...args, '--order-size', '0.1'], {
    clock: systemTime.steadyClock,
    timers: systemTime.timers,
    environment,
    report: (line) => lines.push(line),
  });
}

async function faultOf(args: readonly string[], environment: Record<string, string> = {}): Promise<string | undefined> {
  const fault = await run(args, environment).catch((error: unknown) => error);
  return startFaultLine(fault);
}

/** An owner whose first draft is the script, and a key of it with the scope agents. */
async function ownerWithDraft(): Promise<{ readonly accountId: string; readonly apiKey: string }> {
  const { events } = await venue.submit({ command: registration(1) });
  const opened = events.find((event) => event.type === 'AccountOpened')!;
  const accountId = renderAccountId(opened.account);
  const operate = (line: string) => runOperatorCommand([...line.split(' '), '--data-dir', directory, '--json']);
  const { apiKey } = JSON.parse(await operate(`api-key create ${accountId} --scopes agents --label backtest`));
  const response = await fetch(`${venue.url}/v1/accounts/${accountId}/agent-drafts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'draft' },
    body: JSON.stringify({ name: 'cross', text: SCRIPT }),
  });
  expect(response.status).toBe(200);
  return { accountId, apiKey };
}

const input = (timeframe: string) => ['--url', venue.url, '--market', 'BTC-USD-PERP', '--timeframe', timeframe];

describe('a backtest over a venue', () => {
  test('reads all closed candles in pages, and results in what a file of them does', async () => {
    const { text, status } = await run([script, ...input('1m'), '--json']);
    expect(status).toBe(0);
    const report = JSON.parse(text);
    expect(report.marketId).toBe('BTC-USD-PERP');
    expect(report.data.bars).toBeGreaterThan(2_000);
    expect(lines.filter((line) => line.endsWith('read'))).toEqual([
      'backtest: 1000 candles of BTC-USD-PERP read',
      'backtest: 2000 candles of BTC-USD-PERP read',
    ]);
    const candles: (readonly string[])[] = [];
    for (let since = 0; ; ) {
      const url = `${venue.url}/v1/markets/BTC-USD-PERP/candles?timeframe=1m&limit=500&since=${since}`;
      const page = (await (await fetch(url)).json()) as { candles: Record<string, string>[] };
      for (const it of page.candles)
        candles.push([it.openTimeEpochMs!, it.open!, it.high!, it.low!, it.close!, it.volume!].map(String));
      if (page.candles.length < 500) break;
      since = Number(candles.at(-1)![0]) + 1;
    }
    const file = join(directory, 'candles.csv');
    const until = report.data.closeTimeEpochMs;
    writeFileSync(
      file,
      candles
        .filter(([opened]) => Number(opened) < until)
        .map((row) => row.join(','))
        .join('\n'),
    );
    const ofFile = await run([script, '--candles', file, '--market', 'BTC-USD-PERP', '--timeframe', '1m', '--json']);
    expect(JSON.parse(ofFile.text)).toEqual(report);
  });

  test('reads only the candles of the range, with those of the warm-up', async () => {
    const { asOfEpochMs } = (await (await fetch(`${venue.url}/v1/markets/BTC-USD-PERP/candles?limit=1`)).json()) as {
      asOfEpochMs: number;
    };
    const hour = Math.floor(asOfEpochMs / 3_600_000) * 3_600_000;
    const [from, to] = [hour - 6 * 3_600_000, hour - 3_600_000].map((epochMs) => new Date(epochMs).toISOString());
    const range = ['--from', from!, '--to', to!, '--history-bars', '3', '--json'];
    const { data } = JSON.parse((await run([script, ...input('1h'), ...range])).text);
    expect(data).toMatchObject({ bars: 5, warmUpBars: 3, openTimeEpochMs: hour - 6 * 3_600_000 });
  });

  test('takes the script of a draft', async () => {
    const { accountId, apiKey } = await ownerWithDraft();
    const environment = { OPENPERP_ACCOUNT_ID: accountId, OPENPERP_APIKEY: apiKey };
    const { text } = await run(['--draft', '1', ...input('1h'), '--json'], environment);
    expect(JSON.parse(text).script).toMatchObject({ title: 'Cross', strategyId: null });
    expect(await faultOf(['--draft', '2', ...input('1h')], environment)).toMatch(/ refused: /);
    expect(await faultOf(['--draft', '1', ...input('1h')])).toMatch(/^--draft needs OPENPERP_ACCOUNT_ID and OPENPERP_APIKEY/);
    expect(await faultOf(['--draft', '1', '--candles', 'x', '--market', 'BTC-USD-PERP', '--timeframe', '1h'])).toBe(
      '--draft needs --url: name the venue that has the draft',
    );
  });

  test('names what is wrong with the venue or the market', async () => {
    const nowhere = ['--url', 'http://127.0.0.1:1', '--market', 'BTC-USD-PERP', '--timeframe', '1h'];
    expect(await faultOf([script, ...nowhere])).toMatch(/^http:\/\/127\.0\.0\.1:1 is unreachable \(.+\): check the URL/);
    expect(await faultOf([script, '--url', 'here', '--market', 'BTC-USD-PERP', '--timeframe', '1h'])).toMatch(
      /^--url: expected the URL of a venue/,
    );
    expect(await faultOf([script, '--url', venue.url, '--market', 'NO-USD-PERP', '--timeframe', '1h'])).toMatch(
      /^http:\/\/localhost:[0-9]+ refused: /,
    );
    expect(await faultOf([script, '--url', venue.url, '--timeframe', '1h'])).toMatch(/^--market is missing/);
    expect(await faultOf([script, ...input('1h'), '--candles', 'x'])).toMatch(/^expected --candles <file> or --url <venue>/);
    expect(await faultOf([script, ...input('1h'), '--to', '2020-01-01'])).toMatch(/has no closed candle of BTC-USD-PERP in this/);
  });
});
