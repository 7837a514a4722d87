/**
 * The whole way of an owner, in Debian's Chromium against a real venue: from registration to a program that trades, money back out,
 * and the end of that program's key.
 */
import { existsSync } from 'node:fs';
import ccxt from 'ccxt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';
import { NO_CHROMIUM, OwnersBrowser } from './testing/chromium.ts';
import { ConnectingProgram } from './testing/connecting-program.ts';
import { OwnerAtPage } from './testing/owner.ts';

describe.skipIf(NO_CHROMIUM !== undefined)('an owner in a browser', () => {
  let venue: OwnMarket;
  let browser: OwnersBrowser;
  let owner: OwnerAtPage;
  let firstDevice: string;
  let bot: OpenPerp;
  let watcher: OpenPerpPro;
  const programs: ConnectingProgram[] = [];

  beforeAll(async () => {
    venue = await startOwnMarket();
    browser = await OwnersBrowser.open();
    firstDevice = await browser.addAuthenticator();
    owner = new OwnerAtPage(browser);
  });

  afterAll(async () => {
    await watcher?.close();
    for (const program of programs) await program.remove();
    await browser?.close();
    await venue?.stop();
  });

  function connecting(label: string): ConnectingProgram {
    const program = new ConnectingProgram(venue.url, label);
    programs.push(program);
    return program;
  }

  /** A page that is loaded again has no session. */
  async function comeBack(view: string): Promise<void> {
    await owner.visit('about:blank');
    await owner.visit(`${venue.url}/app#${view}`);
    await owner.press('Sign in with a passkey');
  }

  afterEach(({ task }) => {
    if (task.result?.state === 'fail') return owner.shown().then((text) => console.error(text));
    return undefined;
  });

  test('registers with a passkey', async () => {
    await owner.visit(`${venue.url}/app`);
    await owner.isOffered('Sign in with a passkey');
    await owner.checkView('sign-in');
    await owner.fill('Name', 'alice');
    await owner.fill('Passphrase', 'correct horse battery staple');
    await owner.press('Register');
    await owner.sees('Make your passkey');
    await owner.checkView('make-passkey');
    await owner.fill('Name of the passkey', 'laptop');
    await owner.press('Make the passkey');
    await owner.isOffered('Set up the account');
    await owner.checkView('set-up');
  });

  test('sets the account up with one prompt', async () => {
    const uses = await signatureCount(browser, firstDevice);
    await owner.press('Set up the account');
    await owner.sees('Your account is set up');
    expect((await signatureCount(browser, firstDevice)) - uses).toBe(1);
    await owner.checkView('is-set-up');
  });

  test('deposits test funds with two approvals, also if the page is loaded again between them', async () => {
    await owner.follow('Go to your funds');
    await owner.press('Get test funds');
    await owner.isOffered(/^Deposit /);
    await owner.checkView('funding-intent');
    await browser.page.route('**/deposits', (route) => route.abort());
    await owner.press(/^Deposit /);
    await owner.sees('The venue does not respond. Check your connection. Then try again.');
    await owner.checkView('unreachable');
    await browser.page.unroute('**/deposits');
    await owner.press(/^Deposit /);
    await owner.sees('You accept the money that the venue offers');
    await browser.touchNothing();
    await owner.press('Approve with your passkey');
    await owner.sees('Waiting for your passkey…');
    await owner.checkView('waits-for-passkey');
    await browser.touchOnly(firstDevice);
    await comeBack('funds');
    await owner.sign('You accept the money that the venue offers', 'first-approval');
    await owner.sees('You assign the accepted money');
    await comeBack('funds');
    await owner.sign('You assign the accepted money', 'second-approval');
    await owner.sees('The deposit is confirmed');
    await eventually(async () => expect(await owner.textOf('balance-available')).toMatch(/^[1-9]/));
    await owner.checkView('deposited');
  });

  test('denies a program by its code, which then ends without a key', async () => {
    const program = connecting('stray bot');
    await owner.follow('Programs');
    await owner.sees('No program has a key.');
    await owner.fill('Code that the program shows', 'BCDF-BCDF');
    await owner.press('Show what it wants');
    await owner.sees(/No program waits with this code/);
    await owner.checkView('wrong-code');
    await owner.fill('Code that the program shows', (await program.code()).toLowerCase().replace('-', ' '));
    await owner.press('Show what it wants');
    await owner.sees('“stray bot” wants an API key of your account');
    await owner.press('Deny “stray bot”');
    await owner.sees('Denied.');
    await owner.checkView('denied');
    expect(await program.end()).toBe(1);
    expect(program.output).toContain('the owner denied the request: there is no key');
    expect(existsSync(program.file)).toBe(false);
  });

  test('approves a program by the link that it prints, which then writes its key', async () => {
    const program = connecting('journey bot');
    // Another tab has no session: the link leads through sign-in.
    await owner.visit('about:blank');
    await owner.visit(await program.link());
    await owner.sees(/waits for you/);
    await owner.checkView('link');
    await owner.press('Sign in with a passkey');
    await owner.sees('“journey bot” wants an API key of your account');
    await owner.sees(await program.code());
    await owner.sees('place and cancel orders, and close positions');
    await owner.checkView('request');
    await owner.press('Approve “journey bot”');
    await owner.sees('Approved.');
    expect(await program.end(), program.output).toBe(0);
    await owner.isOffered('Revoke journey bot');
    await owner.checkView('approved');
    const { apiKey, mode, url } = program.written();
    expect([mode, url]).toEqual([0o600, venue.url]);
    expect(program.output).not.toContain(apiKey);
    const settings = { apiKey, enableRateLimit: false };
    bot = new OpenPerp({ ...settings, urls: { api: { rest: url } } });
    watcher = new OpenPerpPro({ ...settings, urls: { api: { rest: url, ws: venue.realtimeUrl } } });
  });

  test('lets the program trade', async () => {
    const { apiKey } = await venue.openAccount();
    const maker = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
    await maker.createOrder(SYMBOL, 'limit', 'sell', 1, 1_000);
    const watched = watcher.watchMyTrades(SYMBOL);
    await untilLive(watcher, 'account.fills');
    await bot.createOrder(SYMBOL, 'market', 'buy', 1);
    expect(await watched).toMatchObject([{ symbol: SYMBOL, side: 'buy', amount: 1, price: 1_000 }]);
    expect(await bot.fetchPositions([SYMBOL])).toMatchObject([{ side: 'long', contracts: 1 }]);
  });

  test('withdraws with two signatures, also if the page is loaded again between them', async () => {
    await owner.follow('Funds');
    await owner.fill('Amount in USD.E', '99999999');
    await owner.press('Check the withdrawal');
    await owner.sees(/^At most /);
    await owner.checkView('too-much');
    await owner.fill('Amount in USD.E', '1250.5');
    await owner.press('Check the withdrawal');
    await owner.checkView('review');
    await owner.press('Withdraw');
    await owner.sign('You consent that the venue pays', 'withdrawal-consent');
    await owner.sees('You accept the payout');
    await comeBack('funds');
    await owner.press(/^Continue the withdrawal of 1.250\.5/);
    await owner.sign('You accept the payout', 'payout');
    await owner.sees('The withdrawal is settled');
    await owner.sees(/Withdrawal of 1.250\.5/);
    await owner.checkView('withdrawn');
  });

  test('revokes the key: the program is refused and its sockets end', async () => {
    const watched = expect(watcher.watchOrders()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
    await untilLive(watcher, 'account.orders');
    await owner.follow('Programs');
    await owner.press('Revoke journey bot');
    await owner.checkView('revoke');
    await owner.press('Revoke journey bot now');
    await owner.sees('No program has a key.');
    await expect(bot.fetchBalance()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
    await watched;
    await eventually(() => expect(watcher.clients).toEqual({}));
  });

  test('adds a second passkey, approved by the first', async () => {
    await owner.follow('Passkeys');
    await owner.sees('You have one passkey.');
    const secondDevice = await browser.addAuthenticator('usb');
    await browser.touchOnly(secondDevice);
    await browser.page.route('**/passkeys', async (route) => {
      if (route.request().postDataJSON()?.action === 'approve') await browser.touchOnly(firstDevice);
      await route.continue();
    });
    await owner.fill('Name of the new passkey', 'security key');
    await owner.press('Add a passkey');
    await owner.isOffered('Remove security key');
    await owner.checkView('two-passkeys');
  });

  test('signs out, and in again with the second passkey', async () => {
    await owner.press('Sign out');
    await owner.sees('You are signed out.');
    await owner.checkView('signed-out');
    await owner.press('Sign in with a passkey');
    await owner.isOffered('Remove security key');
    expect(browser.faults).toEqual([]);
  });
});

/** Each use of the device's only passkey counts. */
async function signatureCount({ devTools }: OwnersBrowser, authenticatorId: string): Promise<number> {
  const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
  return credentials[0]!.signCount;
}
