/** Debian's Chromium with a virtual authenticator: passkeys as a person's device makes them, without a prompt. */
import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const EXECUTABLE = process.env.OPENPERP_CHROMIUM ?? 'chromium';

/** Why Chromium cannot run here; `undefined` if it can. */
export const NO_CHROMIUM: string | undefined = spawnSync(EXECUTABLE, ['--version']).error && `${EXECUTABLE} is not installed`;
if (NO_CHROMIUM !== undefined)
  console.warn(`Tests of the owner's page in a browser are skipped: ${NO_CHROMIUM} (Debian: apt-get install chromium).`);

/** The narrowest that pages must fit (WCAG 2.2, 1.4.10). */
export const PHONE = { width: 320, height: 700 } as const;
export const DESKTOP = { width: 1_280, height: 900 } as const;

export class OwnersBrowser {
  readonly #browser: Browser;
  readonly page: Page;
  readonly devTools: CDPSession;
  /** Violations of the page's policy, and errors of its script. */
  readonly faults: string[] = [];
  readonly #authenticators: string[] = [];

  private constructor(browser: Browser, page: Page, devTools: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.devTools = devTools;
  }

  static async open(): Promise<OwnersBrowser> {
    const executablePath = spawnSync('which', [EXECUTABLE], { encoding: 'utf8' }).stdout.trim();
    const browser = await chromium.launch({ executablePath });
    const context: BrowserContext = await browser.newContext({ viewport: DESKTOP });
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    const opened = new OwnersBrowser(browser, page, devTools);
    await opened.#recordFaults();
    await devTools.send('WebAuthn.enable');
    return opened;
  }

  /** Another device of the owner. A browser has one built-in authenticator: the others are security keys. */
  async addAuthenticator(transport: 'internal' | 'usb' = 'internal'): Promise<string> {
    const options = {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    const { authenticatorId } = await this.devTools.send('WebAuthn.addVirtualAuthenticator', { options });
    this.#authenticators.push(authenticatorId);
    return authenticatorId;
  }

  /** The owner touches this device only: of several that respond, the first response ends the prompt. */
  async touchOnly(touched: string): Promise<void> {
    for (const authenticatorId of this.#authenticators) {
      const enabled = authenticatorId === touched;
      await this.devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
    }
  }

  /** The owner lets the prompt wait. */
  touchNothing(): Promise<void> {
    return this.touchOnly('');
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  async #recordFaults(): Promise<void> {
    const { page, faults } = this;
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (message) => {
      if (/Content.Security.Policy|Trusted ?(?:Type|HTML|Script)/i.test(message.text())) faults.push(message.text());
    });
    await page.exposeFunction('reportViolation', (text: string) => faults.push(text));
    await page.addInitScript(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sample }) => {
        const { reportViolation } = window as unknown as { reportViolation: (text: string) => void };
        reportViolation(`${violatedDirective} ${blockedURI} ${sample}`);
      });
    });
  }
}
