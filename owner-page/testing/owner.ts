/** A person at the page: finds controls by role and name, as a screen reader does, and checks each view that is reached. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { accessibilityFaults } from './accessibility.ts';
import { DESKTOP, type OwnersBrowser, PHONE } from './chromium.ts';

const SCREENS = [
  ['phone', PHONE, 'light'],
  ['phone-dark', PHONE, 'dark'],
  ['desktop-dark', DESKTOP, 'dark'],
  ['desktop', DESKTOP, 'light'],
] as const;

/** Where pictures of each step are stored, if at all. */
const PICTURES = process.env.OPENPERP_PICTURES;

export class OwnerAtPage {
  readonly #browser: OwnersBrowser;
  #pictures = 0;

  constructor(browser: OwnersBrowser) {
    this.#browser = browser;
    // Ends a test that hangs.
    browser.page.setDefaultTimeout(300_000);
  }

  async visit(url: string): Promise<void> {
    await this.#browser.page.goto(url);
  }

  async press(name: string | RegExp): Promise<void> {
    await this.#browser.page.getByRole('button', { name, exact: true }).click();
  }

  async follow(name: string): Promise<void> {
    await this.#browser.page.getByRole('link', { name, exact: true }).click();
  }

  async fill(label: string | RegExp, value: string): Promise<void> {
    await this.#browser.page.getByLabel(label, { exact: true }).last().fill(value);
  }

  async choose(label: string, value: string): Promise<void> {
    await this.#browser.page.getByLabel(label, { exact: true }).selectOption(value);
  }

  /** Opens or closes a part of the view. */
  async unfold(summary: string): Promise<void> {
    await this.#browser.page.locator('summary', { hasText: summary }).first().click();
  }

  /** Resolves when the text is shown. */
  async sees(text: string | RegExp): Promise<void> {
    await this.#browser.page.getByRole('main').getByText(text).first().waitFor();
  }

  /** Resolves when the button is shown and can be used. */
  async isOffered(name: string | RegExp): Promise<void> {
    await this.#browser.page.locator('button:not([aria-disabled])').and(this.#button(name)).waitFor();
  }

  textOf(id: string): Promise<string> {
    return this.#browser.page.locator(`#${id}`).innerText();
  }

  /** Signs what the text says, once it is due. */
  async sign(what: string, picture: string): Promise<void> {
    await this.sees(what);
    await this.isOffered('Approve with your passkey');
    await this.checkView(picture);
    await this.press('Approve with your passkey');
  }

  /** The text of the page, for a test that failed. */
  async shown(): Promise<string> {
    return this.#browser.page.locator('body').innerText();
  }

  /** The view has no fault at phone and desktop width, light and dark, and nothing broke the policy of the page. */
  async checkView(name: string): Promise<void> {
    const { page, devTools, faults } = this.#browser;
    this.#pictures += 1;
    for (const [screen, viewport, colorScheme] of SCREENS) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      expect(await accessibilityFaults(page, devTools), `${name}, ${screen}`).toEqual([]);
      if (PICTURES === undefined) continue;
      const file = `${String(this.#pictures).padStart(2, '0')}-${name}-${screen}.png`;
      await page.screenshot({ path: join(PICTURES, file), fullPage: true });
    }
    expect(faults).toEqual([]);
  }

  #button(name: string | RegExp) {
    return this.#browser.page.getByRole('button', { name, exact: true });
  }
}
