/** Registration and sign-in at a provider with its own page, in Debian's Chromium against a real venue. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { CLIENT, type StandInProvider, startStandInProvider } from '#identity/sign-in/testing/stand-in-provider.ts';
import { NO_CHROMIUM, OwnersBrowser } from './testing/chromium.ts';
import { OwnerAtPage } from './testing/owner.ts';

describe.skipIf(NO_CHROMIUM !== undefined)('an owner who signs in at a provider', () => {
  const directory = temporaryDirectory();
  let provider: StandInProvider;
  let venue: TestVenue;
  let browser: OwnersBrowser;
  let owner: OwnerAtPage;

  beforeAll(async () => {
    provider = await startStandInProvider();
    const signInProviders = join(directory.path, 'providers.json');
    writeFileSync(join(directory.path, 'secret'), CLIENT.clientSecret);
    const listed = {
      provider: 'example',
      name: 'Example ID',
      issuer: provider.issuer,
      clientId: CLIENT.clientId,
      clientSecretFile: 'secret',
    };
    writeFileSync(signInProviders, JSON.stringify([listed]));
    venue = await startTestVenue(testConfig(join(directory.path, 'data'), { signInProviders }));
    browser = await OwnersBrowser.open();
    await browser.addAuthenticator();
    owner = new OwnerAtPage(browser);
    // The provider's page sends the browser back at once.
    await browser.page.route(`${provider.issuer}/authorize?*`, async (route) => {
      const location = `${venue.url}/app?${provider.visit(route.request().url())}`;
      await route.fulfill({ status: 302, headers: { location } });
    });
  });

  afterAll(async () => {
    await browser?.close();
    await venue?.stop();
    await provider?.close();
    directory.remove();
  });

  test('registers, also if the page is loaded again before the passkey is made', async () => {
    await owner.visit(`${venue.url}/app`);
    await owner.press('Register with Example ID');
    await owner.sees('Make your passkey');
    expect(browser.page.url()).toBe(`${venue.url}/app`);
    await browser.page.reload();
    await owner.sees('Make your passkey');
    await owner.fill('Name of the passkey', 'laptop');
    await owner.press('Make the passkey');
    await owner.isOffered('Set up the account');
    expect(await browser.page.evaluate(() => sessionStorage.length)).toBe(0);
  });

  test('leaves no bearer in the storage of the browser', async () => {
    const stored = await browser.page.evaluate(async () => {
      const databases = (await indexedDB.databases()).map(({ name }) => name);
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, databases]);
    });
    expect(stored).toBe('[{},{},"",[]]');
  });

  test('reads what a session without a passkey may not do', async () => {
    await owner.press('Sign out');
    await owner.press('Sign in with Example ID');
    await owner.sees('You signed in without a passkey');
    await owner.checkView('without-passkey');
    await owner.press('Set up the account');
    await owner.sees('This needs a session that was opened with a passkey.');
  });

  test('is refused if the provider answers for another attempt', async () => {
    await owner.press('Sign out');
    await browser.page.route(`${provider.issuer}/authorize?*`, (route) =>
      route.fulfill({ status: 302, headers: { location: `${venue.url}/app?code=other&state=other` } }),
    );
    await owner.press('Sign in with Example ID');
    await browser.page.getByRole('alert').waitFor();
    await owner.checkView('refused-by-provider');
    expect(venue.internalErrors).toEqual([]);
  });
});
