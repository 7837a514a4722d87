import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readCandleFile } from './candle-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'openperp-candles-'));
afterAll(() => rmSync(directory, { recursive: true }));

let files = 0;
function fileOf(content: string | Buffer): string {
  const path = join(directory, `BTC-${files++}`);
  writeFileSync(path, content);
  return path;
}

const MINUTE = 1_618_951_320_000;
const ROWS = [
  [MINUTE, 100, 110, 95, 105, 3],
  [MINUTE + 60_000, 105, 106, 90, 91, 4],
];
const CANDLES = [
  { openedAtEpochMs: MINUTE, open: 100, high: 110, low: 95, close: 105 },
  { openedAtEpochMs: MINUTE + 60_000, open: 105, high: 106, low: 90, close: 91 },
];

describe('candle files', () => {
  test('are JSON, CSV with or without a heading, and either of them compressed with gzip', () => {
    const csv = ROWS.map((row) => row.join(',')).join('\r\n');
    for (const content of [
      JSON.stringify(ROWS),
      JSON.stringify(ROWS.map((row) => row.map(String))),
      `${csv}\n`,
      `timestamp,open,high,low,close,volume\n${csv}`,
      gzipSync(JSON.stringify(ROWS)),
      gzipSync(csv),
    ]) {
      expect(readCandleFile(fileOf(content))).toEqual(CANDLES);
    }
  });

  test.each([
    ['an empty file', '', /is empty/],
    ['no rows', '[]', /no candles/],
    ['cut JSON', JSON.stringify(ROWS).slice(0, 30), /is the file complete/],
    ['cut gzip', gzipSync(JSON.stringify(ROWS)).subarray(0, 25), /cannot be read/],
    ['rows that are not arrays', '[{"t":1}]', /row 1 is not an array/],
    ['a row without a close', `[[${MINUTE},1,2,1]]`, /row 1 must have four prices/],
    ['a price of zero', `[[${MINUTE},1,1,0,1]]`, /row 1 must have four prices/],
    ['times in seconds', '[[1618951320,1,1,1,1]]', /row 1 .* milliseconds/],
    ['a close above the high', `[[${MINUTE},1,2,1,3]]`, /row 1 has its open or close outside/],
    ['rows in descending order', JSON.stringify([ROWS[1], ROWS[0]]), /row 2 is not later/],
    ['a repeated time', JSON.stringify([ROWS[0], ROWS[0]]), /row 2 is not later/],
    ['a word in the CSV', `${ROWS[0]?.join(',')}\n${MINUTE + 60_000},1,x,1,1`, /line 2 must have four prices/],
    ['other text', 'hello\nworld', /line 2 must start with its opening time/],
  ])('are refused whole, in one line that names file and row: %s', (_name, content, message) => {
    const path = fileOf(content);
    let thrown: unknown;
    try {
      readCandleFile(path);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ name: 'PriceSourceFault', message: expect.stringMatching(message) });
    expect((thrown as Error).message).toContain(path);
    expect((thrown as Error).message).not.toContain('\n');
  });

  test('that do not exist are reported in one line too', () => {
    expect(() => readCandleFile(join(directory, 'missing.json'))).toThrow(/missing\.json: cannot be read: ENOENT/);
  });
});
