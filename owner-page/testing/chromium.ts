/** Debian's Chromium with a virtual authenticator: passkeys as a person's device makes them, without a prompt. */
import { spawnSync } from 'node:child_process';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';

const EXECUTABLE = process.env.OPENPERP_CHROMIUM ?? 'chromium';

/** Why Chromium cannot run here; `undefined` if it can. */
export const NO_CHROMIUM: string | undefined = spawnSync(EXECUTABLE, ['--version']).error && `${EXECUTABLE} is not installed`;
if (NO_CHROMIUM !== undefined)
  console.warn(`Tests of the owner's page in a browser are skipped: ${NO_CHROMIUM} (Debian: apt-get install chromium).`);

export type ColorScheme = 'light' | 'dark';
export const PHONE = { width: 360, height: 740 } as const;
export const DESKTOP = { width: 1_280, height: 900 } as const;

export class OwnersBrowser {
  readonly #browser: Browser;
  readonly page: Page;
  readonly devTools: CDPSession;
  /** Violations of the page's policy, and errors of its script. */
  readonly faults: string[] = [];

  private constructor(browser: Browser, page: Page, devTools: CDPSession) {
    this.#browser = browser;
    this.page = page;
    this.devTools = devTools;
  }

  static async open(scheme: ColorScheme = 'light'): Promise<OwnersBrowser> {
    const executablePath = spawnSync('which', [EXECUTABLE], { encoding: 'utf8' }).stdout.trim();
    const browser = await chromium.launch({ executablePath });
    const context: BrowserContext = await browser.newContext({ viewport: DESKTOP, colorScheme: scheme });
    const page = await context.newPage();
    const devTools = await context.newCDPSession(page);
    const opened = new OwnersBrowser(browser, page, devTools);
    await opened.#recordFaults();
    await devTools.send('WebAuthn.enable');
    return opened;
  }

  /** Another device of the owner. A browser has at most one built-in authenticator: the others are security keys. */
  async addAuthenticator(transport: 'internal' | 'usb' = 'internal'): Promise<string> {
    const options = {
      protocol: 'ctap2',
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    } as const;
    return (await this.devTools.send('WebAuthn.addVirtualAuthenticator', { options })).authenticatorId;
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
