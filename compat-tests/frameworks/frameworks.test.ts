/** The call sequences of trading-bot frameworks, replayed on a real venue; docs/frameworks.md lists the calls that fail. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { type Bot, replay } from './sequence.ts';
import { SEQUENCES } from './sequences.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const AMOUNT = 0.01;
const directory = temporaryDirectory();
let venue: TestVenue;

beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory.path));
});

afterAll(async () => {
  await venue.stop();
  directory.remove();
});

async function trader(): Promise<OpenPerp> {
  const { apiKey } = await venue.createAccount({ label: 'bot', credit: '100000' });
  return new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
}

/** A bot, and a maker that quotes enough of both sides for its whole sequence. */
async function botBesideMaker(): Promise<{ readonly bot: Bot; readonly maker: OpenPerp }> {
  const [exchange, maker] = [await trader(), await trader()];
  const mark = (await maker.fetchTicker(SYMBOL)).markPrice as number;
  await maker.createOrder(SYMBOL, 'limit', 'buy', AMOUNT * 10, mark * 0.999);
  await maker.createOrder(SYMBOL, 'limit', 'sell', AMOUNT * 10, mark * 1.001);
  const prices = { crossingBuy: mark * 1.002, crossingSell: mark * 0.998, restingBuy: mark * 0.98, target: mark * 1.05 };
  return { bot: { exchange, symbol: SYMBOL, prices, amount: AMOUNT, orders: new Map() }, maker };
}

describe.each(SEQUENCES.map((sequence) => [sequence.framework, sequence] as const))('%s', (framework, sequence) => {
  test('runs its sequence to the end, except the calls of the table', async () => {
    const { bot, maker } = await botBesideMaker();
    const failed = await replay(sequence, bot);
    expect(failed).toEqual(sequence.steps.filter(({ fails }) => fails !== undefined).map(({ call }) => call));
    await maker.cancelAllOrders();
  });

  test('has its failing calls with their reasons in the documentation', async () => {
    const page = await readFile(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');
    const [table = ''] = page.split('## What no call shows');
    const own = table.split('\n').filter((line) => line.startsWith(`| ${framework} | `));
    expect(own).toEqual(
      sequence.steps.flatMap(({ phase, call, fails }) =>
        fails === undefined ? [] : [`| ${framework} | ${phase} | \`${call}\` | ${fails.error} | ${fails.reason} |`],
      ),
    );
  });
});
