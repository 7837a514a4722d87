/**
 * The way of an owner to a running agent, in Debian's Chromium against a real venue: a strategy of the catalogue, its review, an agent
 * account with money, a deployment on paper, its live log and curve, and its end.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type OwnMarket, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';
import { RunningTime } from '#time/testing/running-time.ts';
import { NO_CHROMIUM, OwnersBrowser } from './testing/chromium.ts';
import { OwnerAtPage } from './testing/owner.ts';

const MINUTE_MS = 60_000;
const SYMBOL = 'BTC/USD.E:USD.E';

describe.skipIf(NO_CHROMIUM !== undefined)('an owner of agents in a browser', () => {
  const time = new RunningTime();
  let venue: OwnMarket;
  let browser: OwnersBrowser;
  let owner: OwnerAtPage;
  let trader: OpenPerp;

  beforeAll(async () => {
    toNextMinute();
    venue = await startOwnMarket({ historyMs: 30 * MINUTE_MS, withMarketMakers: true }, time);
    browser = await OwnersBrowser.open();
    await browser.addAuthenticator();
    owner = new OwnerAtPage(browser);
    trader = new OpenPerp({
      apiKey: (await venue.openAccount()).apiKey,
      urls: { api: { rest: venue.url } },
      enableRateLimit: false,
    });
  });

  afterAll(async () => {
    await browser?.close();
    await venue?.stop();
  });

  afterEach(({ task }) => {
    if (task.result?.state === 'fail') return owner.shown().then((text) => console.error(text));
    return undefined;
  });

  /** To the middle of the next minute, so that none ends by itself soon. */
  function toNextMinute(): void {
    const now = time.clock.now();
    time.pass((Math.floor(now / MINUTE_MS) + 1.5) * MINUTE_MS - now);
  }

  /** A trade in the current minute, which then ends: its candle is closed. */
  async function closeCandle(): Promise<void> {
    await eventually(() => trader.createOrder(SYMBOL, 'market', 'buy', 0.01));
    toNextMinute();
  }

  test('registers, sets up, and deposits', async () => {
    await owner.visit(`${venue.url}/app`);
    await owner.fill('Name', 'bob');
    await owner.fill('Passphrase', 'correct horse battery staple');
    await owner.press('Register');
    await owner.fill('Name of the passkey', 'laptop');
    await owner.press('Make the passkey');
    await owner.press('Set up the account');
    await owner.follow('Go to your funds');
    await owner.press('Get test funds');
    await owner.press(/^Deposit /);
    for (const what of ['You accept the money that the venue offers', 'You assign the accepted money']) {
      await owner.sees(what);
      await owner.isOffered('Approve with your passkey');
      await owner.press('Approve with your passkey');
    }
    await owner.sees('The deposit is confirmed');
  });

  test('sees nothing of agents yet, and what to do', async () => {
    await owner.follow('Agents');
    await owner.sees('Nothing is deployed.');
    await owner.sees('You have no agent account.');
    await owner.checkView('no-agents');
  });

  test('opens an agent account', async () => {
    await owner.fill('Label of a new agent account', 'trend');
    await owner.press('Open an agent account');
    await owner.isOffered(/^Move money of trend/);
    await owner.checkView('agent-account');
  });

  test('funds it with an approval by passkey, until the money is credited', async () => {
    await owner.press(/^Move money of trend/);
    await owner.fill('Amount to move in USD.E', '99999999');
    await owner.press('Check the movement');
    await owner.sees(/^At most /);
    await owner.checkView('agent-funding-too-much');
    await owner.fill('Amount to move in USD.E', '250.5');
    await owner.press('Check the movement');
    await owner.checkView('agent-funding-review');
    await owner.press('Continue to the approval');
    await owner.sign('You approve that exactly this amount moves', 'agent-funding-approval');
    await owner.sees('The money is in the agent account.');
    await owner.sees(/cash 250\.5/);
    await owner.checkView('agent-funding-credited');
  });

  test('reads why a script is refused, at its line', async () => {
    await owner.follow('Strategies');
    await owner.sees('You have no drafts.');
    await owner.fill('Name of the draft', 'two markets');
    await owner.fill('Script', '//@version=6\nstrategy("First")\nprice = request.security("BTC", "1D", close)\n');
    await owner.press('Draft and review');
    await owner.sees('Line 3, column 9');
    await owner.checkView('script-refused');
    await owner.press('Go to line 3, column 9');
    expect(await browser.page.evaluate(() => String(getSelection()))).toBe('price = request.security("BTC", "1D", close)');
  });

  test('drafts a strategy of the catalogue, and confirms its review', async () => {
    await owner.unfold('Golden cross and death cross');
    await owner.sees('Hold a long position while fast is above slow');
    await owner.checkView('strategies');
    await owner.press('Draft from this: Golden cross and death cross');
    await owner.press('Draft and review');
    await owner.sees('Runs once for each closed bar; every order is a market order.');
    await owner.checkView('draft-review');
    await owner.press('Confirm the review');
    await owner.sees('You have confirmed this review.');
  });

  test('deploys it on paper with its own inputs', async () => {
    await owner.choose('Market', 'BTC-USD-PERP');
    await owner.choose('Timeframe of the candles', '1m');
    await owner.fill('Fast length', '2');
    await owner.fill('Slow length', '1');
    await owner.press('Deploy on paper');
    await owner.sees('Enter a whole number from 5 to 500.');
    await owner.checkView('deploy-faults');
    // So long that it hardly ever equals the fast average.
    await owner.fill('Slow length', '25');
    await owner.fill('Order size in BTC', '0.05');
    await owner.press('Deploy on paper');
    await owner.sees('Each closed candle can result in a paper order.');
    await owner.sees(/^live$/);
    await owner.checkView('deployment');
  });

  test('sees an order of the agent in the log as it is placed, and the curve', async () => {
    await closeCandle();
    await owner.sees(/(?:Bought|Sold) 0\.05 BTC for /);
    await owner.sees(/^live$/);
    await eventually(async () => expect(await owner.textOf('paper-position')).toMatch(/^-?0\.05\sBTC$/));
    await owner.unfold('The curve as a table');
    const { actions, rows, points } = await browser.page.evaluate(() => ({
      actions: document.querySelectorAll('#actions > li').length,
      rows: document.querySelectorAll('.curve + details tbody tr').length,
      points: document.querySelector('.curve .line')?.getAttribute('d')?.split('L').length,
    }));
    // The start, the order, those of later candles if the test is slow, and now.
    expect(actions).toBeGreaterThanOrEqual(2);
    expect([rows, points]).toEqual([actions + 1, actions + 1]);
    await owner.checkView('deployment-order');
  });

  test('stops it', async () => {
    await owner.press('Stop the deployment');
    await owner.checkView('deployment-stop');
    await owner.press('Stop the deployment now');
    await owner.sees('You stopped it.');
    await owner.sees(/^Stopped$/);
    await owner.checkView('deployment-stopped');
    await owner.follow('Agents');
    await owner.sees('Golden cross and death cross on BTC-USD-PERP');
    await owner.checkView('agents');
    expect(browser.faults).toEqual([]);
  });
});
