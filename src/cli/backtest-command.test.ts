/** `agents backtest` prints the same for the same files, and says what is wrong with others. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { runAgentsCommand } from './backtest-command.ts';
import { startFaultLine } from './foreseen-faults.ts';
import { HELP } from './operator-commands.ts';

const directory = mkdtempSync(join(tmpdir(), 'openperp-backtest-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name: string) => join(directory, name);

const START = Date.UTC(2025, 5, 1);
const MINUTE = 60_000;
const SCRIPT = `//@version=6
strategy("Channel <3>")
length = input.int(3, minval = 1, maxval = 50)
isShort = input.bool(true)
if close > ta.highest(high, length)[1]
    strategy.entry("Long", strategy.long)
if isShort and close < ta.lowest(low, length)[1]
    strategy.entry("Short & sell", strategy.short)
`;

/** Two hours of minutes that swing by 10 % around 2,000. */
function swing(minutes: number): string {
  const rows = Array.from({ length: minutes }, (_, index) => {
    const phase = index % 40;
    const price = 2_000 + (phase < 20 ? phase : 40 - phase) * 10;
    return [START + index * MINUTE, price, price + 2.5, price - 2.5, price + 1.25, 3].join(',');
  });
  return `time,open,high,low,close,volume\n${rows.join('\n')}\n`;
}

beforeAll(() => {
  writeFileSync(file('channel.pine'), SCRIPT);
  writeFileSync(file('candles.csv'), swing(120));
});

const BASE = '--candles candles.csv --market ETH-USD-PERP --timeframe 5m --order-size 0.5';

/** Files are names in the directory of the test. */
function run(line: string) {
  const args = line.split(' ').map((word) => (/^[\w-]+\.(?:pine|csv|svg)$/.test(word) ? file(word) : word));
  return runAgentsCommand(args, PORTS);
}

const { steadyClock, timers } = new ManualTime();
const PORTS = { clock: steadyClock, timers, environment: {}, report: () => {} };

async function faultOf(line: string): Promise<string> {
  try {
    await run(line);
  } catch (error) {
    return startFaultLine(error)?.replaceAll(`${directory}/`, '') ?? String(error);
  }
  throw new Error('no fault');
}

describe('a backtest', () => {
  test('prints the summary beside buying and holding, and the trades', async () => {
    const { text, status } = await run(`backtest channel.pine ${BASE} --slippage-bps 2`);
    expect(status).toBe(0);
    expect(text).toMatchInlineSnapshot(`
      "Channel <3> on ETH-USD-PERP, 5m: 24 bars, 2025-06-01 00:00 to 2025-06-01 02:00 UTC

        parameters  length=3 isShort=true
        order size  0.5
        fills       at the close of the bar; slippage 2 bps, fee 5 bps
        bars        0 before the first one without trading; 0 missing between

                         strategy  buy and hold
        net PnL       -208.120844    -15.715415
        fees             5.780844      0.510415
        slippage             2.34
        max drawdown   233.120844            90
        win rate              0 %
        exposure           87.5 %
        position             -0.5

        equity  █████▇▆▇▆▆▅▅▅▄▃▄▄▃▂▃▃▂▁▂

      Trades: 5 closed, 1 open
        #  side   entry         quantity  opened              price  closed              price  cause        net PnL
        1  long   Long               0.5  2025-06-01 00:20  2191.69  2025-06-01 00:35  2060.83  reversal  -66.493129
        2  short  Short & sell       0.5  2025-06-01 00:35  2060.83  2025-06-01 00:55  2141.68  reversal  -41.475627
        3  long   Long               0.5  2025-06-01 00:55  2141.68  2025-06-01 01:15  2060.83  reversal  -41.475627
        4  short  Short & sell       0.5  2025-06-01 01:15  2060.83  2025-06-01 01:35  2141.68  reversal  -41.475627
        5  long   Long               0.5  2025-06-01 01:35  2141.68  2025-06-01 01:55  2060.83  reversal  -41.475627
        6  short  Short & sell       0.5  2025-06-01 01:55  2060.83  -                       -  open       24.274793"
    `);
  });

  test('prints the same as JSON, with every trade and the equity after each bar', async () => {
    const { text } = await run(`backtest channel.pine ${BASE} --slippage-bps 2 --param length=2 --param isShort=false --json`);
    const report = JSON.parse(text);
    expect((await run(`backtest channel.pine ${BASE} --slippage-bps 2 --param length=2 --param isShort=false --json`)).text).toBe(
      text,
    );
    expect({ ...report, equity: report.equity.equity.length }).toMatchInlineSnapshot(`
      {
        "buyAndHold": {
          "feesPaid": "0.510415",
          "maxDrawdown": "90",
          "maxDrawdownFromEpochMs": 1748737200000,
          "maxDrawdownUntilEpochMs": 1748738400000,
          "netPnl": "-15.715415",
        },
        "data": {
          "bars": 24,
          "closeTimeEpochMs": 1748743200000,
          "missingBars": 0,
          "openTimeEpochMs": 1748736000000,
          "warmUpBars": 0,
        },
        "end": null,
        "equity": 24,
        "marketId": "ETH-USD-PERP",
        "model": {
          "feeBps": 5,
          "fill": "bar_close",
          "orderSize": "0.5",
          "slippageBps": 2,
        },
        "parameters": {
          "isShort": false,
          "length": 2,
        },
        "refusedEntries": [],
        "script": {
          "interpreterVersion": "script-1",
          "sha256": "fe64d0f77ebabdcbcd5bd02055daff48945c39a8b80028b36fb82deb5a8d3cc6",
          "strategyId": null,
          "title": "Channel <3>",
        },
        "summary": {
          "barsInPosition": 22,
          "closedTrades": 0,
          "exposurePercent": "91.66",
          "feesPaid": "0.53542",
          "fills": 1,
          "maxDrawdown": "90",
          "maxDrawdownFromEpochMs": 1748737200000,
          "maxDrawdownUntilEpochMs": 1748738400000,
          "netPnl": "-65.75042",
          "position": "0.5",
          "slippagePaid": "0.215",
          "winRatePercent": null,
          "winningTrades": 0,
        },
        "timeframe": "5m",
        "trades": [
          {
            "cause": null,
            "closedAtEpochMs": null,
            "direction": "long",
            "entryId": "Long",
            "entryPrice": "2141.68",
            "exitPrice": null,
            "feesPaid": "0.53542",
            "netPnl": "-65.75042",
            "openedAtEpochMs": 1748736900000,
            "quantity": "0.5",
          },
        ],
        "version": "backtest/v1",
      }
    `);
    expect(report.equity.closeTimeEpochMs).toHaveLength(24);
  });

  test('trades from a time to a time, after bars of history', async () => {
    const { text } = await run(
      `backtest channel.pine ${BASE} --from 2025-06-01T00:30Z --to 2025-06-01T01:02Z --history-bars 4 --json`,
    );
    const { data, trades } = JSON.parse(text);
    expect(data).toEqual({
      bars: 6,
      warmUpBars: 4,
      missingBars: 0,
      openTimeEpochMs: START + 30 * MINUTE,
      closeTimeEpochMs: START + 60 * MINUTE,
    });
    expect(trades[0].openedAtEpochMs).toBeGreaterThan(START + 30 * MINUTE);
  });

  test('exits with 1 if the script ends before the last bar', async () => {
    writeFileSync(
      file('ends.pine'),
      '//@version=6\nstrategy("Ends")\nx = bar_index == 5 ? close[-1 * bar_index] : close\nif x < 0\n    strategy.entry("Long", strategy.long)\n',
    );
    const { text, status } = await run(`backtest ends.pine ${BASE}`);
    expect(status).toBe(1);
    expect(text).toContain('ENDED at 2025-06-01 00:30 (history): ');
    expect(text).toContain('Trades: 0 closed');
  });

  test('prints what a script contains as data', async () => {
    writeFileSync(
      file('escape.pine'),
      '//@version=6\nstrategy("Clear \u001b[2J")\nstrategy.entry("\u009b1m<a>", strategy.long)\n',
    );
    const { text } = await run(`backtest escape.pine ${BASE} --svg escape.svg`);
    for (const sign of ['\u001b', '\u009b']) expect(text).not.toContain(sign);
    expect(readFileSync(file('escape.svg'), 'utf8')).toContain('Clear ?[2J on ETH-USD-PERP');
  });

  test('reports progress while it takes long', async () => {
    writeFileSync(file('long.csv'), swing(1_000));
    let elapsedMs = 0;
    const lines: string[] = [];
    const clock = { elapsedMs: () => (elapsedMs += 1_500) };
    const args = ['backtest', file('channel.pine'), '--candles', file('long.csv'), '--market', 'ETH-USD-PERP'];
    await runAgentsCommand([...args, '--timeframe', '1m', '--order-size', '1'], {
      ...PORTS,
      clock,
      report: (line) => lines.push(line),
    });
    expect(lines).toEqual(['backtest: 257 of 1000 bars', 'backtest: 769 of 1000 bars']);
  });
});

test('the page explains every field of the JSON', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'backtest.md'), 'utf8');
  const report = JSON.parse((await run(`backtest channel.pine ${BASE} --json`)).text);
  const names = Object.keys(report).flatMap((name) => (name === 'parameters' ? [name] : [name, ...fieldsOf(report[name])]));
  expect(names).toContain('exitPrice');
  expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

describe('the picture', () => {
  const svgOf = async (line: string) => {
    await run(`backtest channel.pine ${line} --svg chart.svg`);
    return readFileSync(file('chart.svg'), 'utf8');
  };

  test('is well-formed, without scripts, links and styles of elsewhere, and has the same bytes each time', async () => {
    const svg = await svgOf(BASE);
    expect(await svgOf(BASE)).toBe(svg);
    expect(unclosedOf(svg)).toEqual([]);
    expect(svg).not.toMatch(/<script|href|@import|url\(|\son\w+=|NaN|Infinity/);
    expect(svg).toContain('<title>Channel &lt;3&gt; on ETH-USD-PERP</title>');
  });

  test('marks each entry and each exit', async () => {
    const svg = await svgOf(BASE);
    const { trades } = JSON.parse((await run(`backtest channel.pine ${BASE} --json`)).text);
    const count = (mark: RegExp) => Array.from(svg.matchAll(mark)).length;
    // The legend has one of each triangle.
    expect(count(/<path class="(?:long|short)"/g)).toBe(trades.length + 2);
    expect(count(/<circle /g)).toBe(trades.filter(({ cause }: { cause: string | null }) => cause !== null).length);
  });

  test('interrupts its lines where candles are missing, and bounds its size', async () => {
    const rows = swing(20_000).split('\n');
    writeFileSync(file('hole.csv'), [...rows.slice(0, 9_000), ...rows.slice(12_000)].join('\n'));
    const svg = await svgOf('--candles hole.csv --market ETH-USD-PERP --timeframe 1m --order-size 0.5 --param length=50');
    expect(unclosedOf(svg)).toEqual([]);
    const price = /<path class="price" d="([^"]*)"/.exec(svg)?.[1] ?? '';
    expect(price.match(/M/g)).toHaveLength(2);
    expect(price.match(/[ML]/g)!.length).toBeLessThanOrEqual(4 * 1_100);
  });

  test('draws a single bar', async () => {
    const svg = await svgOf(`${BASE} --from 2025-06-01 --to 2025-06-01T00:05Z`);
    expect(unclosedOf(svg)).toEqual([]);
    expect(svg).not.toMatch(/NaN|Infinity/);
  });
});

describe('refuses', () => {
  test('a script, with place and remedy of each refusal', async () => {
    writeFileSync(file('bad.pine'), '//@version=6\nstrategy("Bad")\nx = ta.nothing(close)\ny = math.exp(2)\n');
    const lines = (await faultOf(`backtest bad.pine ${BASE}`)).split('\n');
    expect(lines[0]).toBe('the script bad.pine is refused:');
    expect(lines.slice(1)).toEqual([
      expect.stringMatching(/^ {2}bad\.pine:3:5: .+\. .+$/),
      expect.stringMatching(/^ {2}bad\.pine:4:5: .+\. .+$/),
    ]);
  });

  test.each([
    [
      'a missing script',
      BASE,
      'expected one script file, --strategy <id> or --draft <id>; see npm run openperp -- agents backtest --help',
    ],
    ['a script and a strategy', `channel.pine --strategy ema-cross ${BASE}`, /^expected one script file/],
    ['an unknown strategy', `--strategy none ${BASE}`, /^--strategy none: expected one of .*ema-cross/],
    ['a script that is no file', `other.pine ${BASE}`, /^other\.pine: cannot be read as a script: ENOENT/],
    [
      'an unknown market',
      `channel.pine ${BASE.replace('ETH-', 'XYZ-')}`,
      /^--market XYZ-USD-PERP: expected one of BTC-USD-PERP, /,
    ],
    [
      'an unknown timeframe',
      `channel.pine ${BASE.replace('5m', '7m')}`,
      '--timeframe 7m: expected one of 1m, 5m, 15m, 1h, 4h, 1d',
    ],
    [
      'a size with too many decimals',
      `channel.pine ${BASE}5.00001`,
      /^--order-size 0\.55\.00001: expected a quantity of ETH-USD-PERP from 0\.001 to /,
    ],
    ['a size below the market', `channel.pine ${BASE.replace('0.5', '0.0001')}`, /^--order-size 0\.0001: /],
    ['a fee that is no integer', `channel.pine ${BASE} --fee-bps 4.5`, '--fee-bps 4.5: expected an integer from 0 to 1000'],
    [
      'an unknown parameter',
      `channel.pine ${BASE} --param size=3`,
      '--param size: the script has no such parameter. The parameters of channel.pine are length, isShort',
    ],
    ['a value out of bounds', `channel.pine ${BASE} --param length=51`, /^--param length: expected at most 50, got 51\. /],
    ['a value of another kind', `channel.pine ${BASE} --param isShort=1`, /^--param isShort: expected true or false, got "1"\. /],
    ['a parameter without a value', `channel.pine ${BASE} --param length`, '--param length: expected <name>=<value>'],
    [
      'a parameter twice',
      `channel.pine ${BASE} --param length=3 --param length=4`,
      '--param length=4: length has a value already',
    ],
    ['a time of a place', `channel.pine ${BASE} --from 2025-06-01T12:00`, /^--from 2025-06-01T12:00: expected a time in UTC/],
    [
      'a span without bars',
      `channel.pine ${BASE} --from 2026-01-01`,
      'no bar to run on: there are bars from 2025-06-01T00:00:00.000Z to 2025-06-01T02:00:00.000Z',
    ],
    [
      'missing candles',
      `channel.pine ${BASE.replace('--candles candles.csv ', '')}`,
      /^expected --candles <file> or --url <venue>; see/,
    ],
    [
      'a file of candles that does not exist',
      `channel.pine ${BASE.replace('candles.csv', 'none.csv')}`,
      /^none\.csv: cannot be read: ENOENT/,
    ],
    [
      'a picture that cannot be written',
      `channel.pine ${BASE} --svg /nowhere/chart.svg`,
      /^--svg \/nowhere\/chart\.svg: cannot be written: ENOENT/,
    ],
    [
      'an unknown option',
      `channel.pine ${BASE} --leverage 3`,
      /^Unknown option '--leverage'.*; see npm run openperp -- agents backtest --help$/,
    ],
  ])('%s', async (_, line, message) => {
    expect(await faultOf(`backtest ${line}`)).toMatch(message);
  });

  test('candles that are longer than the timeframe', async () => {
    writeFileSync(file('hours.csv'), [0, 60, 120].map((minute) => `${START + minute * MINUTE},2000,2000,2000,2000,1`).join('\n'));
    expect(await faultOf(`backtest channel.pine ${BASE.replace('candles.csv', 'hours.csv')}`)).toBe(
      'hours.csv: the candles are 3600 seconds apart: bars of 5m cannot be built from them',
    );
  });

  test('a script that ends before a bar is counted', async () => {
    const lines = 'x = close[-1 - bar_index]\nif x < 0\n    strategy.entry("Long", strategy.long)';
    writeFileSync(file('early.pine'), `//@version=6\nstrategy("Early")\n${lines}\n`);
    const message = /^the script ended before a bar was counted \(history\): /;
    expect(await faultOf(`backtest early.pine ${BASE}`)).toMatch(message);
    expect(await faultOf(`backtest early.pine ${BASE} --from 2025-06-01T01:00Z`)).toMatch(message);
  });

  test('an unknown command', async () => {
    expect(await faultOf('forwardtest')).toBe(
      'unknown command: agents forwardtest; see npm run openperp -- agents backtest --help',
    );
  });
});

test('shows its help, and is in the list of commands', async () => {
  expect((await runAgentsCommand([], PORTS)).text).toBe((await run('backtest --help')).text);
  expect((await run('backtest --help')).text).toMatch(/^Usage: npm run openperp -- agents backtest <script file>/);
  expect(HELP).toContain('agents backtest');
});

/** The names of fields of an object, or of the objects of a list. */
function fieldsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(fieldsOf);
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

/** The names of elements that are not closed, or closed out of order. */
function unclosedOf(xml: string): readonly string[] {
  const open: string[] = [];
  const content = xml
    .replace(/<style>[^<]*<\/style>/, '')
    .replaceAll(/<(\/?)([a-z]+)((?: [a-zA-Z0-9]+="[^"<&]*(?:&\w+;[^"<&]*)*")*)(\/?)>/g, (_, end, name, __, self) => {
      if (end === '/') {
        if (open.pop() !== name) open.push(`</${name}>`);
      } else if (self !== '/') open.push(name);
      return '';
    });
  // What is left is text.
  return /[<>]|&(?!(?:amp|lt|gt|quot);)/.test(content) ? [...open, content] : open;
}
